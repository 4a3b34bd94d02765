import type { Globals } from '../cli/globals.ts';
import type { Deps } from '../commands/deps.ts';
import type { Io } from '../core/io.ts';
import type { StatusLine } from '../output/status-line.ts';

/** One run: what it was asked for, and what it must let go of at its end. */
export interface RunContext {
  readonly io: Io;
  readonly globals: Globals;
  readonly version: string;
  readonly closing: (() => Promise<void>)[];
  readonly notice: Deps['notice'];
  /** The line that says how far it is, where there is one. */
  readonly status: Status;
}

export interface Status {
  line?: StatusLine;
  /** Another one, which says that a request takes long. */
  waiting?: StatusLine;
}

/** A program that reads JSON finds nothing on stderr but the one line of an error. */
export const isSilent = ({ stderr }: Io, { quiet, format }: Globals): boolean =>
  quiet || ((format === 'json' || format === 'ndjson') && !stderr.isTerminal);

/** Says something on stderr, beside the lines that stand there. */
export const openNotice =
  (io: Io, globals: Globals, status: Status): Deps['notice'] =>
  async (said) => {
    if (isSilent(io, globals)) return;
    await status.waiting?.clear();
    await status.line?.clear();
    const [{ notice }, { clearFrame }] = await Promise.all([
      import('../output/notice.ts'),
      import('../output/frame.ts'),
    ]);
    await clearFrame(io.stdout);
    await io.stderr.write(notice(said, io));
  };

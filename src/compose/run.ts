import type { Globals } from '../cli/globals.ts';
import type { Deps } from '../commands/deps.ts';
import { memo } from '../core/async.ts';
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
      import('../output/text.ts'),
      import('../output/status-line.ts'),
    ]);
    await clearFrame(io.stdout);
    await io.stderr.write(notice(said, io));
  };

/** The rooms that more than one opener reaches, each loaded when it is first asked for. */
export const openRooms = (io: Io) => {
  const folders = memo(async () => (await import('../config/folders.ts')).findFolders(io.env));
  return {
    folders,
    emulator: memo(async () => (await import('../emulator/room.ts')).emulatorRoom),
    webhooks: memo(async () => (await import('../webhook/room.ts')).webhookRoom),
    bulk: memo(async () => (await import('../bulk/room.ts')).bulkRoom),
    protocol: memo(async () => import('../ledger/room.ts')),
    profiles: memo(async () => (await import('../config/profiles.ts')).openProfiles(io, await folders())),
  };
};

export type Rooms = ReturnType<typeof openRooms>;

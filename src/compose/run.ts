import type { Globals } from '../cli/globals.ts';
import type { Deps } from '../commands/deps.ts';
import { memo } from '../core/async.ts';
import type { Io } from '../core/io.ts';
import type { StatusLine } from '../output/status-line.ts';

/** Context of one run: its options, and the resources to close at its end. */
export interface RunContext {
  readonly io: Io;
  readonly globals: Globals;
  readonly version: string;
  readonly closing: (() => Promise<void>)[];
  readonly notice: Deps['notice'];
  /** The progress line, if there is one. */
  readonly status: Status;
}

export interface Status {
  line?: StatusLine;
  /** A second line, which shows that a request takes long. */
  waiting?: StatusLine;
}

/** True if notices are suppressed. A program that reads JSON finds only the one error line on stderr. */
export const isSilent = ({ stderr }: Io, { quiet, format }: Globals): boolean =>
  quiet || ((format === 'json' || format === 'ndjson') && !stderr.isTerminal);

/** Prints a notice on stderr, after clearing the status lines. */
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

/** Opens the services that several openers share. Each is loaded at its first use. */
export const openRooms = (io: Io) => {
  const folders = memo(async () => (await import('../config/folders.ts')).findFolders(io.env));
  return {
    folders,
    emulator: memo(async () => (await import('../emulator/room.ts')).emulatorRoom),
    profiles: memo(async () => (await import('../config/profiles.ts')).openProfiles(io, await folders())),
  };
};

export type Rooms = ReturnType<typeof openRooms>;

import { existsSync, readFileSync } from 'node:fs';
import type { RowServices } from '../bulk/kind.ts';
import { type Globals, usesColor } from '../cli/globals.ts';
import type { ChildProgram, Run } from '../commands/run.ts';
import { memo } from '../core/async.ts';
import { usageError } from '../core/error.ts';
import { type Env, type Io, speaksUtf8 } from '../core/io.ts';
import type { StoredDefaults } from '../core/settings.ts';
import type { StatusLine } from '../output/status-line.ts';

/** Context of one run: its options, and the resources to close at its end. */
export interface RunContext {
  readonly io: Io;
  /** Start of the run, before it reads a profile, in milliseconds since the epoch. */
  readonly since: number;
  readonly globals: Globals;
  readonly version: string;
  readonly closing: (() => Promise<void>)[];
  readonly say: Run['say'];
  /** The progress line, if there is one. */
  readonly status: Status;
}

export interface Status {
  line?: StatusLine;
  /** A second line, which shows that a request takes long. */
  waiting?: StatusLine;
  /** Takes notices while a pager has the terminal; they are printed after it. */
  hold?: ((text: string) => void) | undefined;
}

/** True if notices are suppressed. A program that reads JSON finds only the one error line on stderr. */
export const isSilent = ({ stderr }: Io, { quiet, format }: Globals): boolean =>
  quiet || ((format === 'json' || format === 'ndjson') && !stderr.isTerminal);

/** The environment variable that names a pager, and its command line. */
export interface WantedPager {
  readonly variable: 'PAYCLI_PAGER' | 'PAGER';
  readonly line: string;
}

/** The pager that the person wants; undefined for none: empty, `cat`, or a terminal that can't show one. */
export const pagerOf = (env: Env): WantedPager | undefined => {
  const variable = env['PAYCLI_PAGER'] === undefined ? 'PAGER' : 'PAYCLI_PAGER';
  const line = (env[variable] ?? '').trim();
  return line === '' || line === 'cat' || env['TERM'] === 'dumb' ? undefined : { variable, line };
};

/** Prints a notice on stderr, after clearing the status lines. */
export const openSay =
  (io: Io, globals: Globals, status: Status): Run['say'] =>
  async (said) => {
    if (isSilent(io, globals)) return;
    await status.waiting?.clear();
    await status.line?.clear();
    const [{ notice }, { clearFrame }] = await Promise.all([
      import('../output/text.ts'),
      import('../output/status-line.ts'),
    ]);
    await clearFrame(io.stdout);
    const text = notice(said, io);
    if (status.hold === undefined) await io.stderr.write(text);
    else status.hold(text);
  };

/** Opens the services that several openers share. Each is loaded at its first use. */
export const openRooms = (io: Io) => {
  const folders = memo(async () => (await import('../config/machine.ts')).findFolders(io.env));
  return {
    folders,
    emulator: memo(async () => (await import('../emulator/room.ts')).emulatorRoom),
    profiles: memo(async () => (await import('../config/profiles.ts')).openProfiles(io, await folders())),
  };
};

export type Rooms = ReturnType<typeof openRooms>;

/** Loads the check that refuses paths which other users can manipulate. */
export const openCheckPath = async () => {
  const [{ checkPath }, { realMachine: thisMachine }] = await Promise.all([
    import('../core/files.ts'),
    import('../config/machine.ts'),
  ]);
  return checkPath(thisMachine.uid);
};

/** Opens the services that a file of rows needs. */
export const openRowServices = async ({ io, globals, status }: RunContext, rooms: Rooms): Promise<RowServices> => {
  if (globals.asCurl) {
    throw usageError("--as-curl and --from can't be used together", { hint: 'use --dry-run to check the whole file' });
  }
  const [{ showProgress }, { openStatusLine }, { stylesFor }, { rowSource }, { ownFileAt }, checkPath] =
    await Promise.all([
      import('../bulk/progress.ts'),
      import('../output/status-line.ts'),
      import('../output/style.ts'),
      import('../cli/sources.ts'),
      import('../cli/own-files.ts'),
      openCheckPath(),
    ]);
  const { clock, stderr, env } = io;
  const { data, config } = await rooms.folders();
  const styles = await stylesFor(usesColor(globals.color, env, stderr.isTerminal), speaksUtf8(env));
  const line = openStatusLine(io, styles, isSilent(io, globals));
  status.line = line;
  return {
    source: rowSource(io, checkPath),
    folder: data,
    ownFileAt: (path) => ownFileAt(path, [data, config]),
    checkPath,
    progress: showProgress(line, clock),
  };
};

/** The program that a person has named or that PATH has; undefined where it isn't found or isn't trusted. */
export const findSafeProgram = async (word: string, env: Env): Promise<ChildProgram | undefined> => {
  const { childEnv, findProgram } = await import('../config/key-command.ts');
  const file = findProgram(word, env);
  return file === undefined ? undefined : { file, env: childEnv(env) };
};

/**
 * Stored defaults of the run's profile; undefined if there are none. A fault in the profile is left to the command to
 * report, if it needs a profile. The file is not parsed if no profile has defaults.
 */
export const storedDefaults = async (io: Io, globals: Globals): Promise<StoredDefaults | undefined> => {
  if (globals.local) return undefined;
  const rooms = openRooms(io);
  try {
    const file = `${(await rooms.folders()).config}/config.json`;
    if (!existsSync(file) || !readFileSync(file, 'latin1').includes('"defaults"')) return undefined;
    const room = await rooms.profiles();
    const { name, origin } = room.chosen(globals);
    return name === undefined && origin !== undefined ? undefined : room.defaults(name);
  } catch {
    return undefined;
  }
};

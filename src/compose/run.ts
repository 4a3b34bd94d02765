import { existsSync, readFileSync } from 'node:fs';
import type { RowServices } from '../bulk/kind.ts';
import type { ShowProgress } from '../bulk/progress.ts';
import { type Globals, usesColor } from '../cli/globals.ts';
import type { Run, RunState } from '../commands/run.ts';
import type { Folders } from '../config/machine.ts';
import type { ProfileRoom } from '../config/profiles.ts';
import { usageError } from '../core/error.ts';
import type { ReadSource } from '../core/input.ts';
import { type Env, type Io, speaksUtf8 } from '../core/io.ts';
import { isJsonFormat } from '../core/result.ts';
import type { StoredDefaults } from '../core/settings.ts';
import type { StatusLine } from '../output/status-line.ts';
import { SilenceWatch } from './silence.ts';

/** The parts of a run from which the others are opened. */
export type RunContext = Pick<Run, 'io' | 'globals' | 'say' | 'state'>;

/** True if notices are suppressed. A program that reads JSON finds only the one error line on stderr. */
const isSilent = ({ stderr }: Io, { quiet, format }: Globals): boolean =>
  quiet || (isJsonFormat(format) && !stderr.isTerminal);

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
  (io: Io, globals: Globals, status: Run['state']['status']): Run['say'] =>
  async (said) => {
    if (isSilent(io, globals)) return;
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

const openLine = async (io: Io, globals: Globals): Promise<StatusLine> => {
  const [{ openStatusLine }, { stylesFor }] = await Promise.all([
    import('../output/status-line.ts'),
    import('../output/style.ts'),
  ]);
  const styles = await stylesFor(usesColor(globals.color, io.env, io.stderr.isTerminal), speaksUtf8(io.env));
  return openStatusLine(io, styles, isSilent(io, globals));
};

/**
 * The run's streams. On a terminal, after a second without output, a line shows each second that the command is still
 * running; other output erases it. There is none beside another line or an unfinished one of the data, nor while a
 * person types or reads in a pager. The modules that draw it are loaded only then.
 */
export const watchSilence = (io: Io, globals: Globals, { status, closing }: RunState): Io => {
  if (!io.stderr.isTerminal || globals.quiet || status.words === undefined) return io;
  const watch = new SilenceWatch(io.clock, status);
  watch.show(() => openLine(io, globals)).catch(() => undefined);
  closing.push(() => watch.close());
  return watch.streams(io);
};

type OfIo = Pick<Run, 'io'>;

export const foldersOf = async ({ io }: OfIo): Promise<Folders> =>
  (await import('../config/machine.ts')).findFolders(io.env);

export const profilesOf = async (run: OfIo): Promise<ProfileRoom> =>
  (await import('../config/profiles.ts')).openProfiles(run.io, await foldersOf(run));

/** The profiles, for a command that changes them. */
export const profilesToChange = async (run: Pick<Run, 'io' | 'globals'>): Promise<ProfileRoom> => {
  if (run.globals.local) {
    throw usageError('--local needs no login, and has no profile to change', {
      hint: 'to change a profile, leave out --local, and unset PAYCLI_PROFILE if it is local',
    });
  }
  return profilesOf(run);
};

/** Loads the check that refuses paths which other users can manipulate. */
const openCheckPath = async () => {
  const [{ checkPath }, { realMachine }] = await Promise.all([
    import('../core/files.ts'),
    import('../config/machine.ts'),
  ]);
  return checkPath(realMachine.uid);
};

/** Reads the text of an option: inline, from a file, or from standard input. */
export const sourceOf =
  ({ io }: OfIo): ReadSource =>
  async (source) =>
    (await import('../cli/sources.ts')).readSource(io, await openCheckPath())(source);

/** Reads the bytes of a file, or of standard input for `-`. Throws a usage error beyond the limit. */
export const readInputBytes = async ({ io }: OfIo, from: string, limit: number): Promise<Uint8Array> =>
  (await import('../cli/sources.ts')).readBytesOf(io, await openCheckPath())(from, limit);

export const openRunProgress = async ({ io, globals, state }: RunContext): Promise<ShowProgress> => {
  const { showProgress } = await import('../bulk/progress.ts');
  state.status.line = await openLine(io, globals);
  return showProgress(state.status.line, io.clock);
};

/** Opens the services that a file of rows needs. */
export const openRowServices = async (run: Run): Promise<RowServices> => {
  const { io, globals } = run;
  if (globals.asCurl) {
    throw usageError("--as-curl and --from can't be used together", { hint: 'use --dry-run to check the whole file' });
  }
  const [{ rowSource }, { ownFileAt }, checkPath, progress] = await Promise.all([
    import('../cli/sources.ts'),
    import('../cli/own-files.ts'),
    openCheckPath(),
    openRunProgress(run),
  ]);
  const { data, config } = await foldersOf(run);
  return {
    source: rowSource(io, checkPath),
    folder: data,
    ownFileAt: (path) => ownFileAt(path, [data, config]),
    checkPath,
    progress,
    idsOf: async (prefix, names) => (await import('../commands/names.ts')).findNamed(prefix, names, run, true),
  };
};

/**
 * Stored defaults of the run's profile; undefined if there are none. A fault in the profile is left to the command to
 * report, if it needs a profile. The file is not parsed if no profile has defaults.
 */
export const storedDefaults = async (io: Io, globals: Globals): Promise<StoredDefaults | undefined> => {
  if (globals.local) return undefined;
  const run = { io };
  try {
    const file = `${(await foldersOf(run)).config}/config.json`;
    if (!existsSync(file) || !readFileSync(file, 'latin1').includes('"defaults"')) return undefined;
    const room = await profilesOf(run);
    const { name, origin } = room.chosen(globals);
    return name === undefined && origin !== undefined ? undefined : room.defaults(name);
  } catch {
    return undefined;
  }
};

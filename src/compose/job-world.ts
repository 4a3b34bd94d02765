import type { RowServices } from '../bulk/world.ts';
import { usesColor } from '../cli/globals.ts';
import { usageError } from '../core/error.ts';
import { isSilent, type Rooms, type RunContext } from './run.ts';

/** Loads the check that refuses paths which other users can manipulate. */
export const openCheckPath = async () => {
  const [{ checkPath }, { thisMachine }] = await Promise.all([
    import('../core/files.ts'),
    import('../config/machine.ts'),
  ]);
  return checkPath(thisMachine.uid);
};

/** Opens the services that a file of rows needs. */
export const openJobWorld = async ({ io, globals, notice, status }: RunContext, rooms: Rooms): Promise<RowServices> => {
  if (globals.asCurl) {
    throw usageError("--as-curl and --from can't be used together", { hint: 'use --dry-run to check the whole file' });
  }
  const [
    { showProgress },
    { openSeen },
    { openStatusLine },
    { speaksUtf8, stylesFor },
    { rowSource },
    { ownFileAt },
    checkPath,
  ] = await Promise.all([
    import('../bulk/progress.ts'),
    import('../database/seen.ts'),
    import('../output/status-line.ts'),
    import('../output/style.ts'),
    import('../cli/sources.ts'),
    import('../cli/own-files.ts'),
    openCheckPath(),
  ]);
  const { clock, random, signals, stderr, env, redactor } = io;
  const { data, config } = await rooms.folders();
  const styles = await stylesFor(usesColor(globals.color, env, stderr.isTerminal), speaksUtf8(env));
  const line = openStatusLine(io, styles, isSilent(io, globals));
  status.line = line;
  return {
    clock,
    random,
    stop: signals.stop,
    leave: signals.leave,
    source: rowSource(io, checkPath),
    folder: data,
    ownFileAt: (path) => ownFileAt(path, [data, config]),
    checkPath,
    clean: (text) => redactor.cleanAll(text),
    rawCsv: globals.rawCsv,
    bom: globals.bom,
    openSeen,
    notice,
    progress: showProgress(line, clock),
  };
};

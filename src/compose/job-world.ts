import type { RowServices } from '../bulk/world.ts';
import { usesColor } from '../cli/globals.ts';
import { usageError } from '../core/error.ts';
import { isSilent, type Rooms, type RunContext } from './run.ts';

/** Keeps the memory of a long run from growing. */
export const holdMemory = async (
  { io, closing }: Pick<RunContext, 'io' | 'closing'>,
  what: 'walk' | 'file',
): Promise<void> => {
  const { holdYoungSpace, YOUNG_SPACE } = await import('../cli/young-space.ts');
  const over = new AbortController();
  closing.push(async () => over.abort());
  void holdYoungSpace(io.clock, over.signal, YOUNG_SPACE[what]);
};

/** Loads the check that refuses paths which other users can manipulate. */
export const openCheckPath = async () => {
  const [{ checkPath }, { thisMachine }] = await Promise.all([
    import('../core/files.ts'),
    import('../config/machine.ts'),
  ]);
  return checkPath(thisMachine.uid);
};

/** Opens the services that a file of rows needs. */
export const openJobWorld = async (
  { io, globals, notice, status, closing }: RunContext,
  rooms: Rooms,
): Promise<RowServices> => {
  if (globals.asCurl) {
    throw usageError("--as-curl and --from can't be used together", { hint: 'use --dry-run to check the whole file' });
  }
  const [{ openSeen }, { openStatusLine }, { speaksUtf8, stylesFor }, { rowSource }, { ownFileAt }, checkPath] =
    await Promise.all([
      import('../database/seen.ts'),
      import('../output/status-line.ts'),
      import('../output/style.ts'),
      import('../cli/sources.ts'),
      import('../cli/own-files.ts'),
      openCheckPath(),
      holdMemory({ io, closing }, 'file'),
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
    progress: (await rooms.bulk()).showProgress(line, clock),
  };
};

import type { ChunkingContext, ModuleInfo } from 'rolldown';

const roomOf = (id: string): string | undefined => /\/src\/(\w+)\//.exec(id.replaceAll('\\', '/'))?.[1];

/** All that every start loads: what the entry imports, and so on, but for what comes by import(). */
const withImports = (context: ChunkingContext, id: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(id)) return seen;
  seen.add(id);
  for (const imported of context.getModuleInfo(id)?.importedIds ?? []) withImports(context, imported, seen);
  return seen;
};

/** A file that its own room loads only when it must. */
const isLate = (room: string, { importers, dynamicImporters }: ModuleInfo): boolean =>
  importers.length === 0 && dynamicImporters.some((importer) => roomOf(importer) === room);

/** The room that a file is loaded with: its own, or the one that imports the package which it is of. */
const loadedWith = (context: ChunkingContext, id: string, seen = new Set<string>()): string | undefined => {
  const [room, info] = [roomOf(id), context.getModuleInfo(id)];
  if (info === null || seen.has(id)) return undefined;
  if (room !== undefined) return room === 'commands' || isLate(room, info) ? undefined : room;
  seen.add(id);
  return info.importers.map((importer) => loadedWith(context, importer, seen)).find((found) => found !== undefined);
};

/**
 * Which chunk a file goes to: one for all that every start loads, and one a room, its packages with it, since each file that
 * is opened costs a start its time. A command, and what a room loads by import(), is a chunk of its own.
 */
export const chunkOf = (main: string): ((id: string, context: ChunkingContext) => string | undefined) => {
  let start: ReadonlySet<string> | undefined;
  return (id, context) => {
    start ??= withImports(context, main);
    return start.has(id) ? 'start' : loadedWith(context, id);
  };
};

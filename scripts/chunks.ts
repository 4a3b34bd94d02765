import { dirname, resolve } from 'node:path';
import type { ChunkingContext, ModuleInfo } from 'rolldown';

/**
 * Files that are needed where the rest of their room is not, and the chunk that each goes to with the packages that it imports:
 * where the ledger lies is asked without a profile, profiles are read without the operations of the API, help asks for the
 * commands and the locale alone, and only errors need the sentences for the service's codes.
 */
const APART = {
  'config/folders.ts': 'core',
  'config/ledger.ts': 'core',
  'contract/profile-file.ts': 'profile-file',
  'cli/tree.ts': 'help',
  'core/io.ts': 'start',
  'core/service-codes.ts': 'service-codes',
};

/** What only a shared ledger needs, or only a browser sees, is as large as a room; help is asked for without the rest of its room. */
const ROOMS_WITHIN = /\/src\/(?:ledger\/(?=postgres\/)|emulator\/(?=console\/)|cli\/(?=help\/))(\w+)\//;

/** Rooms that every command loads share a file. */
const TOGETHER: Readonly<Record<string, string>> = { cli: 'core' };

const roomOf = (id: string): string | undefined => {
  const path = id.replaceAll('\\', '/');
  const room = (ROOMS_WITHIN.exec(path) ?? /\/src\/(\w+)\//.exec(path))?.[1];
  return TOGETHER[room ?? ''] ?? room;
};

/** Stand-ins are a few lines each. Several rooms use them, and none should load another room for them. */
const STANDS_IN = /\/scripts\/without\//;

/** A file, what it imports, and so on, but for what comes by import(). */
const withImports = (context: ChunkingContext, id: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(id)) return seen;
  seen.add(id);
  for (const imported of context.getModuleInfo(id)?.importedIds ?? []) withImports(context, imported, seen);
  return seen;
};

/** The chunk of each file that stands apart, and of what it imports but for the files of other rooms. */
const apartOf = (context: ChunkingContext, main: string): ReadonlyMap<string, string> => {
  const found = Object.entries(APART).flatMap(([path, chunk]) => {
    const file = resolve(dirname(main), path);
    const own = [...withImports(context, file)].filter((id) => [undefined, roomOf(file)].includes(roomOf(id)));
    return own.map((id) => [id, chunk] as const);
  });
  return new Map(found);
};

/** Files that commands of several nouns share, but for the one that needs the ledger. */
const OF_ALL_NOUNS = /\/src\/commands\/(?!make\.ts)[\w-]+\.ts$/;

/** A file that its own room loads only when it must. */
const isLate = (room: string, { importers, dynamicImporters }: ModuleInfo): boolean =>
  importers.length === 0 && dynamicImporters.some((importer) => roomOf(importer) === room);

/** The room that a file is loaded with: its own, or the one that imports the package which it is of. */
const loadedWith = (context: ChunkingContext, id: string, seen = new Set<string>()): string | undefined => {
  const [room, info] = [roomOf(id), context.getModuleInfo(id)];
  if (info === null || seen.has(id)) return undefined;
  if (OF_ALL_NOUNS.test(id.replaceAll('\\', '/'))) return 'commands';
  if (room !== undefined) return room === 'commands' || isLate(room, info) ? undefined : room;
  seen.add(id);
  const rooms = info.importers
    .map((importer) => loadedWith(context, importer, seen))
    .filter((found) => found !== undefined);
  return rooms[0];
};

/**
 * Which chunk a file goes to: one for all that every start loads, and one a room, its packages with it, since each file that
 * is opened costs a start its time. A command, and what a room loads by import(), is a chunk of its own.
 */
export const chunkOf = (main: string): ((id: string, context: ChunkingContext) => string | undefined) => {
  let start: ReadonlySet<string> | undefined;
  let apart: ReadonlyMap<string, string> | undefined;
  return (id, context) => {
    start ??= withImports(context, main);
    apart ??= apartOf(context, main);
    if (start.has(id)) return 'start';
    return STANDS_IN.test(id.replaceAll('\\', '/')) ? 'core' : (apart.get(id) ?? loadedWith(context, id));
  };
};

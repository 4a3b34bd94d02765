import { dirname, resolve } from 'node:path';
import type { ChunkingContext, ModuleInfo } from 'rolldown';

/**
 * Files that commands need without the rest of their room, and the chunk of each, including what it imports of its room:
 * the ledger's place and the target without profiles, profiles without the operations of the API, the command tree for
 * help, and the sentences for the service's codes for errors. A later line wins.
 */
const APART = {
  'config/profiles.ts': 'config',
  'config/target.ts': 'target',
  'config/machine.ts': 'core',
  'config/ledger.ts': 'core',
  'contract/profile-file.ts': 'target',
  'bulk/workbook.ts': 'workbook',
  'cli/tree.ts': 'help',
  'core/io.ts': 'start',
  'core/service-codes.ts': 'service-codes',
  'records/fields.ts': 'core',
  // Every command loads these; the rest of their room uses the ledger.
  'charge/mediums.ts': 'core',
  'charge/outcome.ts': 'core',
  'charge/payment.ts': 'core',
  'charge/wait.ts': 'core',
  'charge/words.ts': 'core',
};

/** Folders with a chunk of their own: PostgreSQL, the pages of the emulator, and help. */
const ROOMS_WITHIN = /\/src\/(?:ledger\/(?=postgres\/)|emulator\/(?=pages\/)|cli\/(?=help\/))(\w+)\//;

/** Rooms that are always loaded together share a file. */
const TOGETHER: Readonly<Record<string, string>> = { cli: 'core', output: 'core', contract: 'client' };

const roomOf = (id: string): string | undefined => {
  const path = id.replaceAll('\\', '/');
  const room = (ROOMS_WITHIN.exec(path) ?? /\/src\/(\w+)\//.exec(path))?.[1];
  return TOGETHER[room ?? ''] ?? room;
};

/** Stand-ins are a few lines each. Several rooms use them, and no room should load another for them. */
const STANDS_IN = /\/scripts\/without\//;

/** A file and all its static imports, transitively. */
const withImports = (context: ChunkingContext, id: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(id)) return seen;
  seen.add(id);
  for (const imported of context.getModuleInfo(id)?.importedIds ?? []) withImports(context, imported, seen);
  return seen;
};

/** The chunk of each file in `APART` and of its imports within the same room. */
const apartOf = (context: ChunkingContext, main: string): ReadonlyMap<string, string> => {
  const found = Object.entries(APART).flatMap(([path, chunk]) => {
    const file = resolve(dirname(main), path);
    const own = [...withImports(context, file)].filter((id) => [undefined, roomOf(file)].includes(roomOf(id)));
    return own.map((id) => [id, chunk] as const);
  });
  return new Map(found);
};

/** Files that several nouns share. Those that need a room other than the core have chunks of their own. */
const OF_ALL_NOUNS = /\/src\/commands\/(?:[\w-]+|\w+\/view)\.ts$/;

/** Rooms whose files are loaded with the nouns that need them. */
const WITH_NOUNS = ['commands', 'records'];

/** True for a file that only its own room loads, by import(). */
const isLate = (room: string, { importers, dynamicImporters }: ModuleInfo): boolean =>
  importers.length === 0 && dynamicImporters.some((importer) => roomOf(importer) === room);

/** The room that loads a file: its own, or the one that imports its package. */
const loadedWith = (context: ChunkingContext, id: string, seen = new Set<string>()): string | undefined => {
  const [room, info] = [roomOf(id), context.getModuleInfo(id)];
  if (info === null || seen.has(id)) return undefined;
  if (OF_ALL_NOUNS.test(id.replaceAll('\\', '/'))) return 'core';
  if (room !== undefined) return WITH_NOUNS.includes(room) || isLate(room, info) ? undefined : room;
  seen.add(id);
  const rooms = info.importers
    .map((importer) => loadedWith(context, importer, seen))
    .filter((found) => found !== undefined);
  return rooms[0];
};

/**
 * Chooses the chunk of a file: one chunk for everything that each start loads, and one per room with its packages,
 * because opening a file takes time. Commands, and files that a room loads by import(), have their own chunks.
 */
export const chunkOf = (main: string): ((id: string, context: ChunkingContext) => string | undefined) => {
  let start: ReadonlySet<string> | undefined;
  let apart: ReadonlyMap<string, string> | undefined;
  const planned = (id: string, context: ChunkingContext): string | undefined => {
    start ??= withImports(context, main);
    apart ??= apartOf(context, main);
    if (start.has(id)) return 'start';
    return STANDS_IN.test(id.replaceAll('\\', '/')) ? 'core' : (apart.get(id) ?? loadedWith(context, id));
  };
  return (id, context) => {
    const chunk = planned(id, context);
    if (!OF_ALL_NOUNS.test(id.replaceAll('\\', '/'))) return chunk;
    // All rooms import the core. One that the core imported would run first, and fail for lack of the core's values.
    const isFirst = (file: string): boolean =>
      roomOf(file) === undefined || ['start', 'core'].includes(planned(file, context) ?? '');
    return [...withImports(context, id)].every(isFirst) ? chunk : undefined;
  };
};

import { usageError } from '../../core/error.ts';
import type { Result } from '../../core/result.ts';
import { didYouMean } from '../../core/text.ts';

type Defs = Readonly<Record<string, unknown>>;

/** Collects the names of all definitions that a value refers to, directly or through other definitions. */
const reached = (value: unknown, defs: Defs, found = new Set<string>()): ReadonlySet<string> => {
  for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/\$defs\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    reached(defs[name] ?? {}, defs, found);
  }
  return found;
};

export const neededDefs = (value: unknown, defs: Defs): Defs => {
  const names = reached(value, defs);
  return Object.fromEntries(Object.entries(defs).filter(([name]) => names.has(name)));
};

const unknownCommand = (words: string, known: readonly string[]): Error => {
  const nouns = known.map((name) => name.split(' ')[0] ?? name);
  const meant = didYouMean(words, [...new Set([...known, ...nouns])]);
  return usageError(`unknown command '${words}'`, {
    hint: meant === undefined ? 'see: paycli --help' : `did you mean ${meant}?`,
  });
};

interface SchemaInput {
  readonly words: readonly string[];
  readonly openapi: boolean;
}

/** Prints the command schema that the build generated, or the part for the given words, or the OpenAPI document. */
export const printSchema = async ({ words, openapi }: SchemaInput): Promise<Result> => {
  if (openapi) return { kind: 'text', text: await (await import('../../emulator/room.ts')).emulatorRoom.openapi() };
  const { default: document } = await import('#schema', { with: { type: 'json' } });
  if (words.length === 0) return { kind: 'text', text: JSON.stringify(document, null, 2) };
  const wanted = words.join(' ');
  const isWanted = (name: string): boolean => name === wanted || name.startsWith(`${wanted} `);
  const { $defs, ...rest } = document;
  const commands = document.commands.filter(({ name, aliases = [] }) => [name, ...aliases].some(isWanted));
  if (commands.length === 0) {
    throw unknownCommand(
      wanted,
      document.commands.map(({ name }) => name),
    );
  }
  const part = { ...rest, commands };
  return { kind: 'text', text: JSON.stringify({ ...part, $defs: neededDefs(part, $defs) }, null, 2) };
};

/** Column names that a command accepts in --columns. */
export const columnsOf = async (command: string): Promise<readonly string[]> => {
  const { default: document } = await import('#schema', { with: { type: 'json' } });
  return document.commands.find(({ name }) => name === command)?.output.columns ?? [];
};

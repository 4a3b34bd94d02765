import { usageError } from '../../core/error.ts';
import type { Result } from '../../core/result.ts';
import { didYouMean } from '../../core/suggest.ts';
import { needed } from './reached.ts';

const unknownCommand = (words: string, known: readonly string[]): Error => {
  const nouns = known.map((name) => name.split(' ')[0] ?? name);
  const meant = didYouMean(words, [...new Set([...known, ...nouns])]);
  return usageError(`unknown command '${words}'`, {
    hint: meant === undefined ? 'see: paycli --help' : `did you mean ${meant}?`,
  });
};

/** Prints the commands for machines, as the build has made them. */
export const run = async ({ words }: { readonly words: readonly string[] }): Promise<Result> => {
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
  return { kind: 'text', text: JSON.stringify({ ...part, $defs: needed(part, $defs) }, null, 2) };
};

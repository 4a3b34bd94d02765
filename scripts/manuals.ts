/** Every manual page, by its name in an archive. */
import { readFileSync } from 'node:fs';
import { manualPages } from '../src/cli/help/manual.ts';
import { commandTree } from '../src/cli/tree.ts';
import { NOUNS, SPECS } from '../src/commands/all.ts';

export const manuals = (): ReadonlyMap<string, string> => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const pages = manualPages(commandTree(SPECS, NOUNS), version);
  return new Map([...pages].map(([name, text]) => [`man/man1/${name}`, text]));
};

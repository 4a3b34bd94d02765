/** Every manual page, by its name in an archive. */
import { readFileSync } from 'node:fs';
import { manualPages } from '../src/cli/help/manual.ts';
import { commandTree } from '../src/cli/tree.ts';
import { allSpecs, NOUNS } from '../src/commands/all.ts';

const tree = commandTree(await allSpecs(), NOUNS);

export const manuals = (): ReadonlyMap<string, string> => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const pages = manualPages(tree, version);
  return new Map([...pages].map(([name, text]) => [`man/man1/${name}`, text]));
};

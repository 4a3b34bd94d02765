import { readFileSync } from 'node:fs';

/** A file in a package, as the bundler's account names it. */
const IN_PACKAGE = /"(node_modules\/(?:@[^/"]+\/)?[^/"]+)\/[^"]+"/g;

/** The folders of all packages that the bundler's account speaks of. */
export const bundledFolders = (): string[] => {
  const account = readFileSync('dist/meta.json', 'utf8');
  return [...new Set([...account.matchAll(IN_PACKAGE)].map((match) => match[1] ?? ''))].sort();
};

import { readFileSync } from 'node:fs';

/** A file of a package in esbuild's metafile. */
const IN_PACKAGE = /"(node_modules\/(?:@[^/"]+\/)?[^/"]+)\/[^"]+"/g;

/** The folders of all packages in the metafile. */
export const bundledFolders = (): string[] => {
  const account = readFileSync('dist/meta.json', 'utf8');
  return [...new Set([...account.matchAll(IN_PACKAGE)].map((match) => match[1] ?? ''))].sort();
};

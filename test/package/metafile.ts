import { readFileSync } from 'node:fs';

interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** The folders of all packages that the bundler read, by its own account. */
export const bundledFolders = (): string[] => {
  const { inputs } = JSON.parse(readFileSync('dist/meta.json', 'utf8')) as Metafile;
  const folders = Object.keys(inputs).flatMap((file) => {
    const at = file.lastIndexOf('node_modules/');
    if (at < 0) return [];
    const [first = '', second = ''] = file.slice(at + 'node_modules/'.length).split('/');
    return [file.slice(0, at) + ['node_modules', first, ...(first.startsWith('@') ? [second] : [])].join('/')];
  });
  return [...new Set(folders)].sort();
};

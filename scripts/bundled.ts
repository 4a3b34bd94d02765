/** npm packages in the bundle, from the bundler's metadata. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Bundled {
  readonly name: string;
  readonly version: string;
  /** SPDX expression of its package.json; empty if it has none. */
  readonly license: string;
  /** Names of its dependencies, bundled or not. */
  readonly needs: readonly string[];
  /** Folder, relative to the project. */
  readonly folder: string;
  /** Folders of its bundled files. */
  readonly sources: readonly string[];
}

const IN_PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\/.+$/;

const byName = (a: Bundled, b: Bundled): number => (a.folder < b.folder ? -1 : 1);

const read = (folder: string, files: readonly string[]): Bundled => {
  const { name, version, license, dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as {
    name: string;
    version: string;
    license?: unknown;
    dependencies?: object;
    optionalDependencies?: object;
  };
  return {
    name,
    version,
    license: typeof license === 'string' ? license : '',
    needs: Object.keys({ ...dependencies, ...optionalDependencies }),
    folder,
    sources: [...new Set(files.map((file) => dirname(file)))].sort(),
  };
};

/** Every file of the program. */
const bundledFiles = (): Set<string> => {
  const chunks = JSON.parse(readFileSync('dist/meta.json', 'utf8')) as Record<string, { inputs: object }>;
  return new Set(Object.values(chunks).flatMap(({ inputs }) => Object.keys(inputs)));
};

/** Packages with at least one bundled file, ordered by folder. */
export const bundledPackages = (): Bundled[] => {
  const packages = Map.groupBy(bundledFiles(), (file) => IN_PACKAGE.exec(file)?.[1]);
  packages.delete(undefined);
  return [...packages].map(([folder = '', inside]) => read(folder, inside)).sort(byName);
};

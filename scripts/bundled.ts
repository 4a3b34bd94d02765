/** The packages of npm that went into the bundle, by the bundler's own account of it. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Bundled {
  readonly name: string;
  readonly version: string;
  /** In SPDX's words, as the package itself says it; empty when it doesn't. */
  readonly license: string;
  /** The names of what it asks for, bundled or not. */
  readonly needs: readonly string[];
  /** Where it lies, from the project's folder on. */
  readonly folder: string;
  /** The folders that its bundled files came from. */
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

/** Every file that is in the program. */
const bundledFiles = (): Set<string> => {
  const chunks = JSON.parse(readFileSync('dist/meta.json', 'utf8')) as Record<string, { inputs: object }>;
  return new Set(Object.values(chunks).flatMap(({ inputs }) => Object.keys(inputs)));
};

/** Each package of which at least one file is in the program, in the order of their folders. */
export const bundledPackages = (): Bundled[] => {
  const packages = Map.groupBy(bundledFiles(), (file) => IN_PACKAGE.exec(file)?.[1]);
  packages.delete(undefined);
  return [...packages].map(([folder = '', inside]) => read(folder, inside)).sort(byName);
};

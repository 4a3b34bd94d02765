/**
 * The program's components as CycloneDX 1.6. Leaves out the optional time and serial number,
 * so that the same program has the same document.
 */
import { readFileSync } from 'node:fs';
import type { Bundled } from './bundled.ts';

interface Component {
  readonly type: 'library' | 'platform';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly scope: 'required';
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
  readonly purl: string;
}

/** The used part of package.json. */
interface Program {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  /** Includes the program's direct dependencies. */
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The used part of package-lock.json. */
interface Lock {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
}

/** Package URL. It encodes only the `@` of a scope. */
const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** Converts the lock file's `sha512-` hash to CycloneDX. */
const hashesOf = (integrity: string | undefined): Pick<Component, 'hashes'> => {
  const [, digest] = /^sha512-(\S+)$/.exec(integrity ?? '') ?? [];
  if (digest === undefined) return {};
  return { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] };
};

const identity = (name: string, version: string) => {
  const purl = purlOf(name, version);
  return { 'bom-ref': purl, name, version, purl };
};

const libraryOf = ({ name, version, license, folder }: Bundled, { packages }: Lock): Component => ({
  type: 'library',
  ...identity(name, version),
  scope: 'required',
  ...hashesOf(packages[folder]?.integrity),
  licenses: [{ license: { id: license } }],
});

const bunOf = (version: string): Component => ({
  type: 'platform',
  ...identity('bun', version),
  scope: 'required',
  licenses: [{ license: { id: 'MIT' } }],
});

/** Bundled dependencies of each package. */
const dependenciesOf = (
  root: string,
  { devDependencies }: Program,
  packages: readonly Bundled[],
  others: readonly Component[],
) => {
  const among = (names: readonly string[]): string[] =>
    packages.filter(({ name }) => names.includes(name)).map(({ name, version }) => purlOf(name, version));
  return [
    { ref: root, dependsOn: [...among(Object.keys(devDependencies)), ...others.map(({ purl }) => purl)] },
    ...packages.map(({ name, version, needs }) => ({ ref: purlOf(name, version), dependsOn: among(needs) })),
    ...others.map(({ purl }) => ({ ref: purl, dependsOn: [] })),
  ];
};

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** The document as text. `bun` is the version of Bun inside a standalone program. */
export const sbomOf = (packages: readonly Bundled[], bun?: string): string => {
  const program = readJson('package.json') as Program;
  const lock = readJson('package-lock.json') as Lock;
  const { name, version, description, license } = program;
  const root = identity(name, version);
  const runtime = bun === undefined ? [] : [bunOf(bun)];
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: { type: 'application', ...root, description, licenses: [{ license: { id: license } }] },
    },
    components: [...packages.map((one) => libraryOf(one, lock)), ...runtime],
    dependencies: dependenciesOf(root.purl, program, packages, runtime),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
};

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUN } from '../../scripts/pinned.ts';
import { newFolder } from '../support/program.ts';
import { bundledFolders } from './metafile.ts';

interface Component {
  readonly type: string;
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
}

interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly version: number;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** The top-level members that CycloneDX 1.6 allows. */
const TOP = ['bomFormat', 'specVersion', 'version', 'metadata', 'components', 'dependencies'];

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

const printed = (...args: readonly string[]): string =>
  execFileSync(process.execPath, ['scripts/sbom.ts', ...args], { encoding: 'utf8' });

const text = readFileSync('dist/sbom.cdx.json', 'utf8');

describe.each([
  ['of the npm package', text],
  ['of the standalone program', printed('--standalone')],
])('the SBOM %s', (_whose, document) => {
  const sbom = JSON.parse(document) as Sbom;
  const all = [sbom.metadata.component, ...sbom.components];

  it('is CycloneDX 1.6', () => {
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
    expect(Object.keys(sbom)).toEqual(TOP);
  });

  it('describes this program', () => {
    const { name, version, license } = readJson('package.json');
    expect(sbom.metadata.component).toMatchObject({
      type: 'application',
      name,
      version,
      purl: `pkg:npm/${name}@${version}`,
      licenses: [{ license: { id: license } }],
    });
  });

  it('identifies each component by its package URL, once', () => {
    for (const { name, version, purl, 'bom-ref': ref, licenses } of all) {
      expect(purl).toBe(`pkg:npm/${name.replace(/^@/, '%40')}@${version}`);
      expect(ref).toBe(purl);
      expect(licenses[0]?.license.id).toMatch(/^[\w.-]+$/);
    }
    expect(new Set(all.map(({ purl }) => purl)).size).toBe(all.length);
  });

  it('lists the dependencies of each component, all of which exist', () => {
    const refs = all.map(({ purl }) => purl);
    expect(sbom.dependencies.map(({ ref }) => ref)).toEqual(refs);
    const used = new Set(sbom.dependencies.flatMap(({ dependsOn }) => dependsOn));
    expect([...used].sort()).toEqual(refs.slice(1).sort());
  });
});

describe('the SBOM', () => {
  const { components } = JSON.parse(text) as Sbom;

  it('has exactly the bundled packages', () => {
    const bundled = bundledFolders().map((folder) => readJson(join(folder, 'package.json')));
    const inside = bundled.map(({ name, version, license }) => `${name} ${version} ${license}`);
    expect(components.map(({ name, version, licenses }) => `${name} ${version} ${licenses[0]?.license.id}`)).toEqual(
      inside,
    );
    expect(components.map(({ type }) => type)).toEqual(components.map(() => 'library'));
  });

  it("has the checksums from npm's lock file", () => {
    const { packages } = readJson('package-lock.json');
    for (const { name, hashes } of components) {
      const [{ alg, content } = { alg: '', content: '' }] = hashes ?? [];
      expect(alg).toBe('SHA-512');
      const integrity = `sha512-${Buffer.from(content, 'hex').toString('base64')}`;
      expect(integrity, name).toBe(packages[`node_modules/${name}`].integrity);
    }
  });

  it('of a standalone program adds Bun', () => {
    const standalone = JSON.parse(printed('--standalone')) as Sbom;
    expect(standalone.components.slice(0, -1)).toEqual(components);
    expect(standalone.components.at(-1)).toMatchObject({ type: 'platform', name: 'bun', version: BUN });
  });

  it('is printed or written to a file, and reproducible', () => {
    expect(printed()).toBe(text);
    const file = join(newFolder('sbom'), 'paycli.cdx.json');
    expect(printed(file)).toBe('');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

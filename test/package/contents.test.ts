import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { beforeAll, describe, expect, it } from 'vitest';
import { packedTarball, unpacked } from './npm.ts';

/** Every file name that the package may have, and how often. */
const FILES: readonly (readonly [name: RegExp, least: number, most: number])[] = [
  [/^package\.json$/, 1, 1],
  [/^LICENSE$/, 1, 1],
  [/^README\.md$/, 1, 1],
  [/^SKILL\.md$/, 1, 1],
  [/^CHANGELOG\.md$/, 1, 1],
  [/^bin\/paycli\.js$/, 1, 1],
  [/^dist\/main\.js$/, 1, 1],
  [/^dist\/chunks\/[\w.-]+\.js$/, 5, 200],
  [/^dist\/jq\/(?:worker\.js|jq\.wasm)$/, 2, 2],
  [/^dist\/THIRD-PARTY-LICENSES\.txt$/, 1, 1],
  [/^dist\/sbom\.cdx\.json$/, 1, 1],
  [/^dist\/openapi\.json$/, 1, 1],
  [/^dist\/man\/man1\/paycli[\w-]*\.1$/, 50, 120],
];

describe('the npm package', () => {
  let folder = '';
  let manifest: Record<string, unknown> = {};

  beforeAll(async () => {
    folder = await unpacked(await packedTarball());
    manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  });

  it('contains the files it needs and no others', () => {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .replaceAll('\\', '/'),
      );
    expect(names.filter((name) => !FILES.some(([pattern]) => pattern.test(name)))).toEqual([]);
    for (const [pattern, least, most] of FILES) {
      const count = names.filter((name) => pattern.test(name)).length;
      expect(count, String(pattern)).toBeGreaterThanOrEqual(least);
      expect(count, String(pattern)).toBeLessThanOrEqual(most);
    }
  });

  it('has no dependencies to install', () => {
    for (const kind of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundledDependencies'])
      expect(manifest, kind).not.toHaveProperty(kind);
  });

  it('runs no scripts at installation', () => {
    const scripts = Object.keys(manifest['scripts'] as object);
    expect(scripts).toContain('build');
    for (const moment of ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare'])
      expect(scripts).not.toContain(moment);
  });

  it('passes publint', async () => {
    const { messages } = await publint({ pkgDir: folder, strict: true, pack: false });
    expect(messages).toEqual([]);
  });
});

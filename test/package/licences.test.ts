import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Bundled } from '../../scripts/bundled.ts';
import { licencesOf } from '../../scripts/licences.ts';
import { newFolder } from '../support/program.ts';
import { bundledFolders } from './metafile.ts';

const RULE = '='.repeat(80);

describe('the licences of the bundled packages', () => {
  const text = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8');

  it.each(bundledFolders())('include %s in full', (folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const [, section = ''] = text.split(`${RULE}\n${name} ${version} (${license})\n${RULE}\n`);
    expect(section.split(RULE)[0]).toMatch(/copyright.+as is/is);
  });

  it('include nothing else', () => {
    expect(text.split(RULE).length).toBe(2 * bundledFolders().length + 1);
  });

  it('include the parts of jq', () => {
    for (const words of ['Stephen Dolan', 'decNumber', 'K.Kosako', 'musl']) expect(text).toContain(words);
  });

  it('include third-party parts of undici', () => {
    for (const words of ['Copyright Fedor Indutny', 'Ethan Arrowood']) expect(text).toContain(words);
  });
});

describe('the build', () => {
  const bundled = (license: string, files: Readonly<Record<string, string>>): Bundled => {
    const folder = newFolder('package');
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return { name: 'x', version: '1.2.3', license, needs: [], folder, sources: [join(folder, 'lib', 'deep')] };
  };

  it('collects the licence texts of a package and of its parent folders', () => {
    const files = {
      LICENSE: 'own\r\ntext\n\n',
      'lib/deep/COPYING': 'deep',
      'lib/notice.md': 'mid',
      'elsewhere/LICENSE': 'no',
    };
    expect(licencesOf([bundled('MIT', files)])).toBe(
      [
        'paycli is one program with these packages in it, each under its own licence.',
        `${RULE}\nx 1.2.3 (MIT)\n${RULE}`,
        'own\ntext',
        'lib:',
        'mid',
        `${join('lib', 'deep')}:`,
        'deep\n',
      ].join('\n\n'),
    );
  });

  it.each(['GPL-3.0-only', 'MIT OR GPL-3.0-only', ''])('rejects a package under "%s"', (license) => {
    expect(() => licencesOf([bundled(license, { LICENSE: 'text' })])).toThrow(`x@1.2.3 is bundled under "${license}"`);
  });

  it('rejects a package without a licence text', () => {
    expect(() => licencesOf([bundled('MIT', { 'lib/LICENSE': 'text', NOTICE: 'text' })])).toThrow(
      'x@1.2.3 is bundled and has no licence text',
    );
  });
});

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manuals } from '../../scripts/manuals.ts';
import { tarOf } from '../../scripts/tar.ts';
import { commandsOf, commandTree } from '../../src/cli/tree.ts';
import { NOUNS } from '../../src/commands/all.ts';
import { newFolder } from '../support/program.ts';
import { SPECS } from '../support/specs.ts';
import { toolOf } from '../support/tool.ts';

const pages = await manuals();
const tree = commandTree(SPECS, NOUNS);
const mandoc = toolOf('mandoc');

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** A page as plain words: mandoc's line breaks are joined, and overstruck bold letters are reduced to one. */
const read = (page: string): string => {
  const parts = execFileSync(mandoc ?? '', ['-Tutf8', '-Owidth=400'], { input: page, encoding: 'utf8' }).split('\b');
  return oneLine(parts.map((part, index) => (index < parts.length - 1 ? part.slice(0, -1) : part)).join(''));
};

describe('the manual pages', () => {
  it('are one per command, and one for paycli', () => {
    const names = SPECS.map(({ path }) => `man/man1/paycli-${path.join('-')}.1`);
    expect([...pages.keys()].toSorted()).toEqual(['man/man1/paycli.1', ...names].toSorted());
  });

  it('are listed in package.json, so that npm links each (`npm run docs` writes the list)', () => {
    const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { man: string[] };
    expect(man).toEqual([...pages.keys()].map((path) => `dist/${path}`));
  });

  it.each(commandsOf(tree).map((node) => [`paycli-${node.path.join('-')}`, node] as const))(
    'have every option in %s',
    (name, { options }) => {
      const page = pages.get(`man/man1/${name}.1`) ?? '';
      const flags = options.map((one) => `Fl ${one.name.slice(1)}`);
      expect(flags.filter((flag) => !page.includes(flag))).toEqual([]);
      expect(page).toContain('.Sh EXIT STATUS');
    },
  );

  it.runIf(mandoc !== undefined)("pass mandoc's lint", () => {
    const folder = newFolder('man');
    for (const [name, text] of pages) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const files = readdirSync(join(folder, 'man', 'man1'));
    expect(files).toHaveLength(pages.size);
    const lint = spawnSync(mandoc ?? '', ['-Tlint', '-Wwarning', ...files], {
      cwd: join(folder, 'man', 'man1'),
      encoding: 'utf8',
    });
    expect(lint).toMatchObject({ stdout: '', stderr: '', status: 0 });
  });

  // Characters that roff would interpret (quotes, backslashes, dots, dashes) are shown as written.
  it.runIf(mandoc !== undefined).each(commandsOf(tree).map((node) => [node.path.join('-'), node] as const))(
    'show paycli-%s as its help does',
    (name, { args, options, output, examples, exits }) => {
      const shown = read(pages.get(`man/man1/paycli-${name}.1`) ?? '');
      const said = [...args, ...options].map(({ about }) => about);
      const lines = examples.flatMap(({ line }) => line.split('\n'));
      const wanted = [...said, output, ...lines, ...exits.map(({ meaning }) => meaning)].map(oneLine);
      expect(wanted.filter((text) => !shown.includes(text))).toEqual([]);
    },
  );
});

describe('the archive of manual pages', () => {
  it.runIf(toolOf('tar') !== undefined)('is readable by tar and reproducible', () => {
    const folder = newFolder('tar');
    const archive = tarOf(pages);
    expect(archive.equals(tarOf(pages))).toBe(true);
    writeFileSync(join(folder, 'man.tar.gz'), archive);
    execFileSync('tar', ['-xzf', 'man.tar.gz'], { cwd: folder });
    expect(readdirSync(join(folder, 'man', 'man1'))).toHaveLength(pages.size);
    const listed = execFileSync('tar', ['-tvzf', 'man.tar.gz'], { cwd: folder, encoding: 'utf8' });
    expect(listed).toMatch(/^-rw-r--r-- .* man\/man1\/paycli\.1$/m);
  });
});

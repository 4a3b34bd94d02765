import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseArgv } from '../../src/cli/program.ts';
import { NOUNS } from '../../src/commands/all.ts';
import { ERRORS, EXIT_CODES } from '../../src/core/error.ts';
import { SPECS } from '../support/specs.ts';
import { sourceFiles } from './imports.ts';
import { words } from './words.ts';

/** The anchors that GitHub generates from the headings of a page. */
const anchorsOf = (text: string): string[] => {
  const seen = new Map<string, number>();
  return [...text.replaceAll(/^( {4}|```).*$/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
};

const documents = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

describe.each(documents)('%s', (file) => {
  const text = readFileSync(file, 'utf8');

  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((link) => !/^https?:/.test(link))
    .map((link) => link.split('#'));
  const target = (path: string): string => (path === '' ? file : join(dirname(file), path));

  // GitHub renders only the repository's pages, nothing that a build creates.
  it('links to files of the repository', () => {
    const wrong = links.filter(([path = '']) => !existsSync(target(path)) || /^(?:\.\.|dist|\/)/.test(target(path)));
    expect(wrong).toEqual([]);
  });

  it('links to existing headings', () => {
    const wrong = links.filter(
      ([path = '', anchor]) => anchor !== undefined && !anchorsOf(readFileSync(target(path), 'utf8')).includes(anchor),
    );
    expect(wrong).toEqual([]);
  });

  it('has no placeholders', () => {
    expect(text).not.toMatch(/\b(?:TODO|TBD|FIXME|FIGURES|XXX)\b/);
  });
});

/** The command lines that a reader copies. */
const linesIn = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^ {4}/.test(line))
    .map((line) => line.trim().replace(/^npx --no-install /, ''))
    .filter((line) => line.startsWith('paycli '));

/** The project's files that a document links to. */
const linkedFrom = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) =>
    join(dirname(file), link),
  );

describe('a line to copy parses', () => {
  // test/blackbox/examples.test.ts tries the examples of commands.
  const ours = documents.filter((file) => !file.startsWith(join('docs', 'reference')));
  const lines = ours.flatMap((file) => linesIn(file).map((line) => [file, line] as const));

  it.each(lines)('%s: %s', (_file, line) => {
    const [, ...argv] = words(line.replaceAll('.…', '.AbCd.1').replaceAll(/\$(\w+)/g, '$1.AbCd.1'));
    const { kind } = parseArgv(argv, SPECS, { version: '0', nouns: NOUNS, env: {} });
    expect(['run', 'help']).toContain(kind);
  });
});

describe('the handwritten documents', () => {
  /** Words outside of the table that the bench writes. */
  const wordsIn = (file: string): number =>
    readFileSync(file, 'utf8')
      .replace(/<!-- bench -->.*<!-- \/bench -->/s, '')
      .split(/\s+/).length;
  const handwritten = documents.filter(
    (file) => file.startsWith('docs') && !file.startsWith(join('docs', 'reference')),
  );
  /** Pages for people who change paycli. */
  const inside = [join('docs', 'service.md'), join('docs', 'protocol.md')];
  const own = handwritten.filter((file) => !inside.includes(file));

  it('have at most 17,300 words', () => {
    expect(own.reduce((sum, file) => sum + wordsIn(file), 0)).toBeLessThanOrEqual(17_300);
  });

  it('have at most 2,300 words about the service and the protocol', () => {
    expect(inside.reduce((sum, file) => sum + wordsIn(file), 0)).toBeLessThanOrEqual(2300);
  });

  it.each(own.filter((file) => file.includes('adr')))('have at most 230 words in %s', (file) => {
    expect(wordsIn(file)).toBeLessThanOrEqual(230);
  });
});

describe('a comment', () => {
  const files = ['src', 'scripts', 'test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  const cited = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\b(docs\/[\w/-]+\.md)(?:, ([A-Z][a-z]+(?: [a-z]+)*))?/g)].map(
      ([, page = '', heading]) => ({ file, page, heading }),
    ),
  );

  it('cites pages and headings that exist', () => {
    expect(cited.length).toBeGreaterThan(50);
    const wrong = cited.filter(({ page, heading }) => {
      if (!existsSync(page)) return true;
      return heading !== undefined && !readFileSync(page, 'utf8').split('\n').includes(`## ${heading}`);
    });
    expect(wrong).toEqual([]);
  });
});

describe('the README', () => {
  const readme = readFileSync('README.md', 'utf8');

  it('has at most 720 words', () => {
    expect(readme.split(/\s+/).length).toBeLessThanOrEqual(720);
  });

  it('has commands to copy, and none that asks a registry for an unclaimed name', () => {
    expect(linesIn('README.md').length).toBeGreaterThan(5);
    expect(readme).not.toMatch(/npx paycli|^ {4}paycli /m);
  });

  it('leads to every document', () => {
    const reached = new Set(['README.md']);
    for (const file of reached) {
      for (const link of linkedFrom(file)) if (documents.includes(link)) reached.add(link);
    }
    expect(documents.filter((file) => !reached.has(file))).toEqual([]);
  });
});

describe('the page of exit codes', () => {
  const rows = readFileSync(join('docs', 'exit-codes.md'), 'utf8').split('\n');

  it.each(Object.entries(EXIT_CODES))('explains %s, and whether to run again', (kind, code) => {
    const { meaning, again } = ERRORS[kind as keyof typeof ERRORS];
    const row = rows.find((line) => line.startsWith(`| ${code} |`)) ?? '';
    expect(row).toContain(meaning.split(' (')[0]);
    expect(row).toContain(`| ${again} |`);
  });

  it('names the order of the codes of rows, as the program has it', () => {
    const order = [...Object.values(EXIT_CODES).filter((code) => code > EXIT_CODES.usage), 0];
    expect(rows.join(' ')).toContain(`in the order ${order.join(', ')}.`);
  });
});

describe('the page of variables', () => {
  const page = readFileSync(join('docs', 'environment.md'), 'utf8');
  const texts = sourceFiles().map((file) => readFileSync(file, 'utf8'));
  const read = texts.flatMap((text) => [...text.matchAll(/\benv\w*\['([A-Z]\w+)'\]/g)].map(([, name = '']) => name));
  /** Standard variables that every program reads. */
  const own = new Set(['HOME', 'OS', 'PATH', 'Path']);

  it.each([...new Set(read)].filter((name) => !own.has(name)))('documents %s', (name) => {
    expect(page).toContain(`\`${name}\``);
  });
});

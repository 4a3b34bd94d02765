import { describe, expect, it } from 'vitest';
import overview from '#overview' with { type: 'json' };
import { entries, LONGEST_PAGE } from '../../src/cli/help/layout.ts';
import { overviewOf } from '../../src/cli/help/overview.ts';
import { helpPage } from '../../src/cli/help/show.ts';
import { TOPICS } from '../../src/cli/program.ts';
import { commandsOf, commandTree } from '../../src/cli/tree.ts';
import { NOUNS } from '../../src/commands/all.ts';
import { unpainted } from '../../src/output/style.ts';
import { SPECS } from '../support/specs.ts';

const tree = commandTree(SPECS, NOUNS);

const page = (words: string, { all = false, width = 80 } = {}): Promise<string[]> =>
  helpPage(tree, { words: words.split(' ').filter((word) => word !== ''), all }, { width, heading: unpainted });

const commands = commandsOf(tree).map((node) => [node.path.join(' '), node] as const);
const names = commands.map(([name]) => name);
/** Lines to copy are never broken. */
const copied = commands.flatMap(([, { examples }]) =>
  examples.flatMap(({ about, line }) => [`# ${about}`, ...line.split('\n')]),
);

it('the first page of help is of all commands', () => {
  expect(overview).toEqual(overviewOf(tree));
});

describe('a page of help', () => {
  it.each(['', ...names])('is at most a screen: paycli %s --help', async (name) => {
    expect((await page(name)).length).toBeLessThanOrEqual(LONGEST_PAGE);
    expect((await page(name, { width: 100 })).length).toBeLessThanOrEqual(LONGEST_PAGE);
  });

  it.each(commands)('has examples first: paycli %s --help', async (name) => {
    const [usage, , heading, first] = await page(name);
    expect(usage).toContain(`Usage: paycli ${name}`);
    expect(heading).toBe('Examples:');
    expect(first).toMatch(/^ {2}# /);
  });

  it.each(commands)('leaves out nothing unless it says so: paycli %s --help', async (name, node) => {
    const [short, whole] = await Promise.all([page(name), page(name, { all: true })]);
    expect(node.options.filter(({ name: flag }) => !whole.join('\n').includes(flag))).toEqual([]);
    expect(short.join('\n').includes(`paycli ${name} --help --all`)).toBe(short.join() !== whole.join());
  });

  it.each(['', ...names])('fits 60 columns: paycli %s --help --all', async (name) => {
    const lines = await page(name, { all: true, width: 60 });
    expect(lines.filter((line) => line.length > 60 && !copied.includes(line.trim()))).toEqual([]);
  });

  it.each(TOPICS)('is there for %s, and fits 60 columns', async (topic) => {
    const lines = await page(topic, { width: 60 });
    expect(lines.length).toBeGreaterThan(10);
    // Lines to copy are never broken.
    expect(lines.filter((line) => line.length > 60 && !line.startsWith('  '))).toEqual([]);
    expect(lines.join('\n')).not.toMatch(/\]\(|^#|^\||\*\*|```/m);
  });

  // An ellipsis alone is put into other words where the locale knows only ASCII, and each sign takes a column.
  it.each(['', ...names, ...TOPICS])('has plain signs: paycli help %s --all', async (name) => {
    expect((await page(name, { all: true })).filter((line) => !/^[ -~…]*$/.test(line))).toEqual([]);
  });

  it('is that of a noun', async () => {
    const text = (await page('payment')).join('\n');
    expect(text).toContain('Usage: paycli ugwo <command>');
    expect(text).toMatch(/^ {2}charge {2}charge a payment request/m);
  });

  it.each([
    ['chrage', /unknown command 'chrage'$/],
    ['ugwo chrage', /unknown command 'chrage' \(Did you mean charge\?\)/],
    ['ugvo', /Did you mean ugwo\?/],
    ['exit-code', /Did you mean exit-codes\?/],
    ['ugwo charge more', /unknown command 'more'$/],
  ])('is not there for "%s"', async (words, message) => {
    await expect(page(words)).rejects.toThrow(message);
  });
});

describe('terms and what they mean', () => {
  it('stand side by side, and a long term alone', () => {
    const long = '--billing-address <json|@file|->';
    expect(
      entries(
        [
          ['-a', 'one two three'],
          [long, 'four'],
        ],
        80,
      ),
    ).toEqual(['-a  one two three', long, '    four']);
    expect(entries([['-a', 'one two three four five six']], 24)).toEqual(['-a  one two three four', '    five six']);
  });
});

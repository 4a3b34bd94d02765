import { describe, expect, it } from 'vitest';
import overview from '#overview' with { type: 'json' };
import { helpEntryLines } from '../../src/cli/help/layout.ts';
import { overviewOf } from '../../src/cli/help/overview.ts';
import { commandsIn, tasksOf } from '../../src/cli/help/tasks.ts';
import { TOPICS } from '../../src/cli/program.ts';
import { commandsOf, commandTree } from '../../src/cli/tree.ts';
import { NOUNS } from '../../src/commands/all.ts';
import { helpLines } from '../support/help.ts';
import { SPECS } from '../support/specs.ts';

const tree = commandTree(SPECS, NOUNS);

const page = (words: string, { all = false, width = 80 } = {}): Promise<string[]> =>
  helpLines({ words: words.split(' ').filter((word) => word !== ''), all }, width);

const commands = commandsOf(tree).map((node) => [node.path.join(' '), node] as const);
const names = commands.map(([name]) => name);
/** Lines to copy are never broken. */
const copied = commands.flatMap(([, { examples }]) =>
  examples.flatMap(({ about, line }) => [`# ${about}`, ...line.split('\n')]),
);

/** Maximum lines of a short page, at 80 columns. */
const LONGEST_PAGE = 50;

describe('the overview of help', () => {
  it('lists all commands', () => {
    expect(overview).toEqual(overviewOf(tree));
  });

  it('has each command in exactly one task', () => {
    const listed = tasksOf(tree.commands).flatMap(commandsIn);
    expect(listed.map(({ path }) => path.join(' ')).toSorted()).toEqual(names.toSorted());
  });

  it.each([60, 80, 100, 140])('has a column of tasks and a column of names, at %i columns', async (width) => {
    const whole = await page('', { width });
    const lines = whole.slice(
      whole.findIndex((line) => line.startsWith('Payments')),
      whole.lastIndexOf(''),
    );
    expect(
      lines.filter((line) => !/^(?:[A-Z][\w ]{12}|[a-z]{8,11} {2,5}| {13})(?:[a-z]+ +| {12})\S/.test(line)),
    ).toEqual([]);
    expect(lines.filter((line) => line.length > width)).toEqual([]);
  });

  it('shows the global options and the topics with --all only', async () => {
    const [short, whole] = await Promise.all([page(''), page('', { all: true })]);
    for (const { name } of tree.options.filter((one) => !['--local', '--help'].includes(one.name))) {
      expect(short.join('\n')).not.toContain(name);
      expect(whole.join('\n')).toContain(name);
    }
    for (const topic of TOPICS) expect(whole.join('\n').split('Topics:')[1]).toContain(topic);
    expect(short.at(-1)).toContain('paycli --help --all');
    expect(whole.slice(0, short.length - 2)).toEqual(short.slice(0, -2));
  });
});

describe('a page of help', () => {
  it.each(names)('is short: paycli %s --help', async (name) => {
    expect((await page(name)).length).toBeLessThanOrEqual(LONGEST_PAGE);
    expect((await page(name, { width: 100 })).length).toBeLessThanOrEqual(LONGEST_PAGE);
  });

  it.each(commands)('begins with examples: paycli %s --help', async (name) => {
    const [usage, , heading, first] = await page(name);
    expect(usage).toContain(`Usage: paycli ${name}`);
    expect(heading).toBe('Examples:');
    expect(first).toMatch(/^ {2}# /);
  });

  it.each(commands)('shows rare options with --all only, and counts them: paycli %s --help', async (name, node) => {
    const [short, whole] = await Promise.all([page(name), page(name, { all: true })]);
    const shown = (lines: readonly string[]) => {
      const flags = lines.flatMap((line) => /^ {2}(?:-\w, )?(--[\w-]+)/.exec(line)?.[1] ?? []);
      return node.options.filter((one) => flags.includes(one.name));
    };
    expect(shown(whole)).toEqual(node.options);
    expect(shown(short)).toEqual(node.options.filter(({ rare }) => rare !== true));
    const rare = node.options.length - shown(short).length;
    const more = rare === 0 ? 'Details' : `${rare} more option${rare === 1 ? '' : 's'} and details`;
    expect(short.findLast((line) => !line.startsWith('More: '))).toBe(`${more}: paycli ${name} --help --all`);
  });

  it.each(commands)('names --dry-run only where it works: paycli %s --help', async (name, { previews }) => {
    const text = (await page(name)).join(' ');
    expect(/Global options: [^;]*--dry-run/.test(text)).toBe(previews);
  });

  it.each(commands)('has no example with an option that it leaves out: paycli %s --help', async (name, node) => {
    const text = (await page(name))
      .filter((line) => line.startsWith('  paycli '))
      .join(' ')
      .split(' ');
    expect(node.options.filter(({ rare, name: flag }) => rare === true && text.includes(flag))).toEqual([]);
  });

  it.each(['', ...names])('fits 60 columns: paycli %s --help --all', async (name) => {
    const lines = await page(name, { all: true, width: 60 });
    expect(lines.filter((line) => line.length > 60 && !copied.includes(line.trim()))).toEqual([]);
  });

  it.each(TOPICS)('exists for the topic %s, and fits 60 columns', async (topic) => {
    const lines = await page(`docs ${topic}`, { width: 60 });
    expect(lines.length).toBeGreaterThan(5);
    // Lines to copy are never broken.
    expect(lines.filter((line) => line.length > 60 && !line.startsWith('  '))).toEqual([]);
    expect(lines.join('\n')).not.toMatch(/\]\(|^#|^\||\*\*|```/m);
  });

  it('prints the tables of a topic with their heads and aligned columns, and numbered lists item by item', async () => {
    const codes = (await page('exit-codes', { width: 140 })).join('\n');
    const columns = /^exit( +)meaning( +)run it again\?$/m.exec(codes)?.[0] ?? '';
    const last = columns.indexOf('run it again?');
    expect(codes).toMatch(/^2 {5}bad arguments or input; nothing was sent {2,}no, fix the input$/m);
    expect(
      codes
        .split('\n')
        .find((line) => line.startsWith('2 '))
        ?.indexOf('no, fix'),
    ).toBe(last);
    expect((await page('docs safety', { width: 60 })).join('\n')).toMatch(
      /^1\. reads the payment request,\n2\. checks the ledger .*\n {3}.*\n3\. sends the charge once,\n4\. records/m,
    );
    expect((await page('docs safety')).join('\n')).not.toMatch(/^\S* *: /m);
    // A remark behind a long command moves above it.
    const remark = /^ +# the same message, later\n +paycli activity get act\S+ --share$/m;
    expect((await page('docs charging', { width: 60 })).join('\n')).toMatch(remark);
  });

  // Without UTF-8, only the ellipsis is replaced.
  it.each(['', ...names, ...TOPICS.map((topic) => `docs ${topic}`)])(
    'has only ASCII and ellipses: paycli help %s --all',
    async (name) => {
      expect((await page(name, { all: true })).filter((line) => !/^[ -~…]*$/.test(line))).toEqual([]);
    },
  );

  it('may describe a noun', async () => {
    const text = (await page('payment')).join('\n');
    expect(text).toContain('Usage: paycli ugwo <command>');
    expect(text).toContain('Payment requests. Alias: `paycli payment`.');
    expect(text).toMatch(/^Commands:\n {2}charge {2}charge a payment request.*\n {2}list {4}list payment requests/m);
  });

  it('lists the commands of a noun by task', async () => {
    const text = (await page('ledger', { width: 200 })).join('\n');
    expect([...text.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, heading]) => heading)).toEqual([
      'Examples',
      'Follow up',
      'Team and maintenance',
    ]);
    expect(text).toMatch(/^Team and maintenance:\n {2}use +/m);
  });

  it.each([
    ['guide', 'docs guide'],
    ['exit-code', 'docs exit-codes'],
    ['ledgers', 'ledger'],
    ['policies', 'policy'],
    ['webhooks', 'webhook'],
    ['profiles', 'profile'],
    ['docs ledgers', 'docs ledger'],
    ['ledger lists', 'ledger list'],
  ])('is the same for "%s" and "%s"', async (words, others) => {
    expect(await page(words)).toEqual(await page(others));
  });

  it.each(['ledger', 'watch', 'webhook', 'profile'])('names the topic of the command %s', async (name) => {
    const [, topic = ''] = /^More: paycli help (docs \w+)$/.exec((await page(name)).at(-1) ?? '') ?? [];
    expect((await page(topic)).length).toBeGreaterThan(10);
  });

  it('lists the topics with their titles', async () => {
    const lines = await page('docs');
    expect(lines).toContainEqual(expect.stringMatching(/^paycli help docs team +Shared ledger$/));
    expect(lines.slice(0, -2).length).toBe(TOPICS.length);
    expect(lines.at(-1)).toContain('paycli help --search WORD');
  });

  it('shows the paragraphs with a word, in any case, below the command that shows their page', async () => {
    const lines = await helpLines({ words: [], all: false, search: 'REUSE' }, 80);
    const headings = lines.filter((line) => !line.startsWith('  '));
    expect(headings).toEqual(expect.arrayContaining(['paycli help docs charging', 'paycli help ugwo charge --all']));
    const blocks = lines.join('\n').split(/^(?! )/m);
    expect(blocks.filter((block) => !/reuse/i.test(block.split('\n').slice(1).join('\n')))).toEqual([]);
    for (const heading of headings) {
      const words = heading.replace('paycli help ', '').replace(' --all', '');
      expect((await page(words, { all: true })).join('\n')).toMatch(/reuse/i);
    }
    await expect(helpLines({ words: [], all: false, search: 'zzzz' }, 80)).rejects.toThrow(
      /no page of the help has "zzzz"/,
    );
  });

  it('may describe a group named like a noun', async () => {
    expect((await page('emulator webhook')).join('\n')).toMatch(/^Commands:\n {2}add {9}send events/m);
  });

  it.each([
    ['chrage', /unknown command 'chrage'$/],
    ['ugwo chrage', /unknown command 'chrage' \(Did you mean charge\?\)/],
    ['ugvo', /Did you mean ugwo\?/],
    ['exit-cods', /Did you mean exit-codes\?/],
    ['ugwo charge more', /unknown command 'more'$/],
    ['docs chargin', /Did you mean charging\?/],
  ])('does not exist for "%s"', async (words, message) => {
    await expect(page(words)).rejects.toThrow(message);
  });
});

describe('entries', () => {
  it('has terms and descriptions side by side, and a long term on its own line', () => {
    const long = '--billing-address <json|@file|->';
    expect(
      helpEntryLines(
        [
          ['-a', 'one two three'],
          [long, 'four'],
        ],
        80,
      ),
    ).toEqual(['-a  one two three', long, '    four']);
    expect(helpEntryLines([['-a', 'one two three four five six']], 24)).toEqual([
      '-a  one two three four',
      '    five six',
    ]);
  });
});

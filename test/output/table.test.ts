import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ugwoView as realView } from '../../src/commands/ugwo/view.ts';
import type { ApiRecord } from '../../src/core/record.ts';
import type { OutputOptions, View } from '../../src/core/result.ts';
import { render } from '../../src/output/render.ts';
import { widthOf } from '../../src/output/text.ts';
import {
  CREATED_LOCALLY as AT,
  type FakeIo,
  options,
  pagesOf,
  pipe,
  received,
  recordOf,
  served,
  terminal,
  ugwo,
  ugwoView,
} from './support.ts';

/** The columns of a payment request that fit into 80. */
const VIEW: View = { columns: ugwoView.columns.filter(({ path }) => path !== 'ref') };

const drawn = async (
  io: FakeIo,
  pages: readonly (readonly ApiRecord[])[],
  more: Partial<OutputOptions> = {},
  view = VIEW,
): Promise<string> => {
  await render({ kind: 'list', pages: served(pagesOf(...pages)), view }, io, options({ format: 'table', ...more }));
  return io.stdout.text;
};

const RECORDS = [
  ugwo('a1'),
  ugwo('b2', { amount: 123456789, status: ['ugwo_successful', 'Paid'], description: '東京 🎉 order' }),
  ugwo('c3', { description: null, status: 'new_state' }),
];

const WIDE = `
uid          status                amount  description              created_at
────────────────────────────────────────────────────────────────────────────────────
ugw.WXYZ.a1  processing      NGN 5,000.00  School fees, first term  ${AT}
ugw.WXYZ.b2  paid        NGN 1,234,567.89  東京 🎉 order            ${AT}
ugw.WXYZ.c3  new_state       NGN 5,000.00                           ${AT}
`.trimStart();

const MIDDLE = `
uid          status                amount  description          created_at
────────────────────────────────────────────────────────────────────────────────
ugw.WXYZ.a1  processing      NGN 5,000.00  School fees, first…  ${AT}
ugw.WXYZ.b2  paid        NGN 1,234,567.89  東京 🎉 order        ${AT}
ugw.WXYZ.c3  new_state       NGN 5,000.00                       ${AT}
`.trimStart();

const NARROW = `
uid          ugw.WXYZ.a1
status       processing
amount       NGN 5,000.00
description  School fees, first term
created      ${AT}

uid          ugw.WXYZ.b2
status       paid
amount       NGN 1,234,567.89
description  東京 🎉 order
created      ${AT}

uid          ugw.WXYZ.c3
status       new_state
amount       NGN 5,000.00
created      ${AT}
`.trimStart();

describe('a table', () => {
  it.each([
    [120, WIDE],
    [84, WIDE],
    [80, MIDDLE],
    [38, NARROW],
  ])('fits a terminal of %d columns', async (columns, table) => {
    expect(await drawn(terminal(columns), [RECORDS])).toBe(table);
  });

  it('shortens nothing in a pipe', async () => {
    const description = 'x'.repeat(300);
    const text = await drawn(pipe(), [[ugwo('a1', { description })], [ugwo('b2', { description: `${description}y` })]]);
    expect(text).toContain(`  ${description}  ${AT}`);
    expect(text).toContain(`  ${description}y  ${AT}`);
  });

  it('omits columns that are empty or shown by another', async () => {
    const text = await drawn(pipe(), [
      [recordOf({ uid: 'u', amount: 1, currency: 'NGN', description: [], status: '' })],
    ]);
    expect(text.split('\n')[0]).toBe('uid    amount');
  });

  it('shows named columns in order, even if the view lacks them', async () => {
    const record = ugwo('a1', { meta: { tier: 'vip' } });
    expect(await drawn(pipe(), [[record]], { columns: ['meta', 'currency', 'meta.tier', 'amount'] })).toBe(
      `
meta             currency     meta.tier        amount
─────────────────────────────────────────────────────
{"tier": "vip"}  Naira (NGN)  vip        NGN 5,000.00
`.trimStart(),
    );
  });

  it.each([
    ['{"a":12345678901234567890,"currency":"NGN"}', 'NGN 123,456,789,012,345,678.90'],
    ['{"a":1e400,"currency":"NGN"}', '1e400 NGN (minor unit)'],
    ['{"a":"250","currency":["XOF","CFA franc (XOF)"]}', 'XOF 250'],
    ['{"a":250}', '250 (minor unit)'],
    ['{"a":{"x":0.10},"currency":"NGN"}', '{"x": 0.10}'],
  ])('rounds no amount: %s', async (text, amount) => {
    const view: View = { columns: [{ path: 'a', kind: 'money' }] };
    const lines = (await drawn(pipe(), [[received(text)]], {}, view)).split('\n');
    expect(lines[2]?.trimStart()).toBe(amount);
  });

  it('shows an unreadable time unchanged', async () => {
    expect(await drawn(pipe(), [[ugwo('a1', { created_at: 'yesterday' })]])).toMatch(/ {2}yesterday$/m);
  });

  /** The widths of the cells, which are full; undefined if records are stacked. */
  const widthsOf = async (
    columns: View['columns'],
    lengths: readonly number[],
    total: number,
    chosen: boolean,
  ): Promise<number[] | undefined> => {
    const record = Object.fromEntries(columns.map(({ path }, index) => [path, 'x'.repeat(lengths[index] ?? 0)]));
    const named = chosen ? { columns: columns.map(({ path }) => path) } : {};
    const [, rule, line = ''] = (await drawn(terminal(total), [[recordOf(record)]], named, { columns })).split('\n');
    return rule?.startsWith('─') ? line.split(/ +/).map(({ length }) => length) : undefined;
  };

  it('shrinks the widest flexible column first', async () => {
    const columns = [{ path: 'a', flexible: true }, { path: 'b' }, { path: 'c', flexible: true }];
    const widths = (total: number) => widthsOf(columns, [20, 5, 12], total, true);
    expect(await widths(20 + 5 + 12 + 4)).toEqual([20, 5, 12]);
    expect(await widths(39)).toEqual([18, 5, 12]);
    expect(await widths(29)).toEqual([10, 5, 10]);
    expect(await widths(25)).toEqual([8, 5, 8]);
    expect(await widths(24)).toBeUndefined();
  });

  it('omits columns before making one unreadable', async () => {
    const columns = [
      { path: 'a', flexible: true },
      { path: 'b', least: 3 },
      { path: 'c', flexible: true },
      { path: 'd' },
    ];
    const widths = (total: number, chosen = false) => widthsOf(columns, [20, 5, 15, 3], total, chosen);
    expect(await widths(10 + 5 + 10 + 3 + 6)).toEqual([10, 5, 10, 3]);
    expect(await widths(33)).toEqual([12, 5, 12]);
    expect(await widths(8 + 3 + 8 + 4)).toEqual([8, 3, 8]);
    expect(await widths(22)).toBeUndefined();
    expect(await widths(8 + 3 + 8 + 3 + 6, true)).toEqual([8, 3, 8, 3]);
  });

  it('colours a status, but not similar text', async () => {
    const text = await drawn(terminal(120), [[recordOf({ uid: 'failed' })]], { color: true });
    expect(text.split('\n')[2]).toBe('failed');
  });

  it('colours without changing the layout', async () => {
    const text = await drawn(terminal(120), [RECORDS], { color: true });
    expect(stripVTControlCharacters(text)).toBe(WIDE);
    expect(text).toContain('\u001b[36mprocessing\u001b[39m');
    expect(text).toContain('\u001b[32mpaid\u001b[39m        ');
    expect(text).toContain(' new_state  ');
    expect(text.split('\n')[1]).toBe(`\u001b[2m${WIDE.split('\n')[1]}\u001b[22m`);
  });

  it.each([
    ['successful', '\u001b[32mpaid'],
    ['requires_action', '\u001b[33mnot paid'],
    ['failed', '\u001b[31mfailed'],
    ['cancelled', '\u001b[31mcancelled'],
  ])('colours %s', async (status, word) => {
    expect(await drawn(terminal(120), [[recordOf({ status })]], { color: true })).toContain(word);
  });
});

describe('a list of payment requests', () => {
  const uid = (name: string): string => `ugw.Lcal.${name.padEnd(24, 'x')}`;
  const one = (name: string, more: object = {}): ApiRecord =>
    ugwo(name, {
      uid: uid(name),
      status: 'requires_ugwo',
      ref: `INV-000${name}`,
      onye: { uid: 'ony.Lcal.1', email: 'amaka.olawale16@example.com', first_name: 'Amaka', last_name: 'Olawale' },
      ...more,
    });
  const LIST = [
    one('120', { amount: 16_499_950 }),
    one('117', {
      amount: 123_456_700,
      onye: { uid: 'ony.Lcal.2', email: null, first_name: 'Ada', last_name: 'Bello' },
    }),
    one('116', { amount: 45_180_000, onye: { uid: 'ony.Lcal.p8Wdunr9tr1bMLFMnJArp5Qt' } }),
    one('115', { onye: null }),
  ];

  it('shows ref, customer, amount, status and time in 80 columns', async () => {
    const [head, , ...rows] = (await drawn(terminal(80), [LIST], {}, realView)).trimEnd().split('\n');
    expect(head).toMatch(/^ref +customer +amount {2}status +created_at$/);
    expect(rows).toEqual([
      expect.stringMatching(/^INV-000120 {2}amaka\.olawale\S*… +NGN 164,999\.50 {2}not paid +2026\S+ \d\d:\d\d$/),
      expect.stringMatching(/^INV-000117 {2}Ada Bello +NGN 1,234,567\.00 {2}not paid /),
      // An id is whole or not there.
      expect.stringMatching(/^INV-000116 +NGN 451,800\.00 {2}not paid /),
      expect.stringMatching(/^INV-000115 +NGN 5,000\.00 {2}not paid /),
    ]);
  });

  it('is stacked with whole ids if no table fits', async () => {
    const text = await drawn(terminal(36), [LIST], {}, realView);
    expect(text).toMatch(/^ref +INV-000120\ncustomer\s+amaka/);
    for (const name of ['120', '117', '116', '115']) expect(text).toContain(uid(name));
  });

  it('is ASCII in an ASCII locale', async () => {
    const io = terminal(80, { LC_ALL: 'C', LANG: 'en_NG.UTF-8' });
    const text = await drawn(io, [LIST], {}, realView);
    expect(text).toMatch(/^[ -~\n]+$/);
    expect(text.split('\n')[1]).toBe('-'.repeat(80));
    expect(text).toContain('...');
  });

  it.each([{}, { LANG: 'C' }, { LANG: 'en_NG.UTF-8', LC_ALL: 'POSIX' }])(
    'has an ASCII rule in a pipe with %j',
    async (env) => {
      expect((await drawn(pipe(env), [RECORDS])).split('\n')[1]).toMatch(/^-+$/);
    },
  );

  it.each([{ LANG: 'C.UTF-8' }, { LC_CTYPE: 'UTF-8', LANG: 'C' }, { OS: 'Windows_NT' }])(
    'has a Unicode rule with %j',
    async (env) => {
      expect((await drawn(pipe(env), [RECORDS])).split('\n')[1]).toMatch(/^─+$/);
    },
  );
});

describe('a list of charges', () => {
  const view: View = {
    columns: [
      { path: 'id', needed: true },
      { path: 'state', kind: 'state', needed: true },
      { path: 'medium', needed: true },
      { path: 'amount', kind: 'money', needed: true },
      { path: 'origin', flexible: true, needed: true, least: 12 },
      { path: 'ugwo' },
      { path: 'activity' },
    ],
  };
  const charge = recordOf({
    id: 'chg-pg39tvg2ed33',
    state: 'not_created',
    medium: 'bank_transfer',
    amount: 123_456_700,
    currency: 'NGN',
    origin: 'https://api-dev.example.com',
    ugwo: 'ugw.Lcal.p8Wdunr9tr1bMLFMnJArp5Qt',
    activity: 'act.Lcal.GRCMeV180TznAQvS7a9gTBRR',
  });

  it.each([
    [80, 'chg-pg39tvg2ed33  not created  bank_transfer  NGN 1,234,567.00  https://api-dev…'],
    [
      120,
      'chg-pg39tvg2ed33  not created  bank_transfer  NGN 1,234,567.00  https://api-dev.exam…  ugw.Lcal.p8Wdunr9tr1bMLFMnJArp5Qt',
    ],
  ])('has whole ids in %d columns', async (columns, row) => {
    expect((await drawn(terminal(columns), [[charge]], {}, view)).split('\n')[2]).toBe(row);
  });
});

describe('a table over several pages', () => {
  const later = ugwo('d4', { amount: 500_000_000_000_000, description: 'far too long for the column of page one' });

  it('has one header, and writes each page at once', async () => {
    const io = terminal(80);
    const text = await drawn(io, [RECORDS.slice(0, 2), [], RECORDS.slice(2)]);
    expect(text).toBe(MIDDLE);
    expect(io.stdout.writes.map((write) => write.split('\n').length - 1)).toEqual([4, 1]);
  });

  it('has one header and one layout for however many records of a page', async () => {
    const [head, rule, ...rows] = WIDE.trimEnd().split('\n');
    const records = Array.from({ length: 201 }, (_, at) => RECORDS[at % 3] as ApiRecord);
    const lines = (await drawn(pipe(), [records])).trimEnd().split('\n');
    expect(lines).toEqual([head, rule, ...records.map((_, at) => rows[at % 3])]);
  });

  it('never shortens an amount: the column of its page is wider', async () => {
    const text = await drawn(terminal(80), [RECORDS, [later, ...RECORDS.slice(0, 1)]]);
    expect(text.split('\n').slice(5)).toEqual([
      `ugw.WXYZ.d4  processing  NGN 5,000,000,000,000.00  far too long for t…  ${AT}`,
      `ugw.WXYZ.a1  processing              NGN 5,000.00  School fees, first…  ${AT}`,
      '',
    ]);
  });

  it('reserves space for longer values if possible', async () => {
    const small = ugwo('a1', { amount: 100, description: 'x', status: 'new' });
    const big = ugwo('b2', { amount: 1_000_000_000, description: 'x'.repeat(20), status: 'partially_refunded' });
    const [head = '', , ...rows] = (await drawn(terminal(120), [[small], [big]])).trimEnd().split('\n');
    expect(rows.map((row) => row.indexOf(AT))).toEqual([head.indexOf('created_at'), head.indexOf('created_at')]);
    const [alone = ''] = (await drawn(terminal(120), [[small]])).split('\n');
    expect(widthOf(alone)).toBeLessThan(widthOf(head));
  });

  it('stays stacked', async () => {
    const text = await drawn(terminal(36), [RECORDS.slice(0, 1), RECORDS.slice(1)]);
    expect(text).toBe(NARROW);
  });
});

describe('stacked records', () => {
  it('keep an id whole on its own line if it fits', async () => {
    const uid = `ugw.WXYZ.${'x'.repeat(24)}`;
    const text = await drawn(terminal(40), [[recordOf({ uid, description: 'a b', status: 's' })]], {
      columns: ['description', 'uid', 'status'],
    });
    expect(text).toBe(`description  a b\nuid\n  ${uid}\nstatus       s\n`);
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('東', '🫠', '👩‍🚀', 'e\u0301', 'a', ' ', '🇳🇬'), maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('\n', '\u001b', '\u009b', '\u202e', '\ud800', '\t', 'a'), maxLength: 20 }),
);

describe('any text', () => {
  it('fits the terminal and keeps the columns aligned', async () => {
    const record = fc.record({ uid: fc.constant('ugw.WXYZ.a1'), description: anyText });
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 26, max: 80 }),
        async (all, columns) => {
          const lines = (await drawn(terminal(columns), [all.map(recordOf)])).trimEnd().split('\n');
          expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
          expect(lines).toHaveLength(all.length + 2);
          for (const line of lines.slice(2)) expect(line).toMatch(/^ugw\.WXYZ\.a1(?: {2}|$)/);
        },
      ),
    );
  });

  it('is escaped, stacked, as a table or in a header', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, fc.constantFrom(30, 80), async (name, value, columns) => {
        const text = await drawn(
          terminal(columns),
          [[recordOf({ uid: 'u', [name]: value, status: value })]],
          {},
          {
            columns: [],
          },
        );
        expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}\u202e]/u);
      }),
    );
  });
});

import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Received } from '../../src/core/received.ts';
import { fitWidths } from '../../src/output/fit.ts';
import { render } from '../../src/output/render.ts';
import type { OutputOptions, View } from '../../src/output/view.ts';
import { widthOf } from '../../src/output/width.ts';
import type { FakeIo } from './support.ts';
import {
  CREATED_LOCALLY as AT,
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
  pages: readonly (readonly Received[])[],
  more: Partial<OutputOptions> = {},
  view = VIEW,
): Promise<string> => {
  await render({ kind: 'list', pages: served(pagesOf(...pages)), view }, io, options({ format: 'table', ...more }));
  return io.stdout.text;
};

const RECORDS = [
  ugwo('a1'),
  ugwo('b2', { amount: 123456789, status: ['ugwo_successful', 'Paid'], description: '東京 🫠 order' }),
  ugwo('c3', { description: null, status: 'new_state' }),
];

const WIDE = `
┌─────────────┬────────────┬──────────────────┬─────────────────────────┬──────────────────┐
│ uid         │ status     │           amount │ description             │ created_at       │
├─────────────┼────────────┼──────────────────┼─────────────────────────┼──────────────────┤
│ ugw.WXYZ.a1 │ processing │     NGN 5,000.00 │ School fees, first term │ ${AT} │
│ ugw.WXYZ.b2 │ Paid       │ NGN 1,234,567.89 │ 東京 🫠 order           │ ${AT} │
│ ugw.WXYZ.c3 │ new_state  │     NGN 5,000.00 │                         │ ${AT} │
└─────────────┴────────────┴──────────────────┴─────────────────────────┴──────────────────┘
`.trimStart();

const MIDDLE = `
┌─────────────┬────────────┬──────────────────┬─────────────┬──────────────────┐
│ uid         │ status     │           amount │ description │ created_at       │
├─────────────┼────────────┼──────────────────┼─────────────┼──────────────────┤
│ ugw.WXYZ.a1 │ processing │     NGN 5,000.00 │ School fee… │ ${AT} │
│ ugw.WXYZ.b2 │ Paid       │ NGN 1,234,567.89 │ 東京 🫠 or… │ ${AT} │
│ ugw.WXYZ.c3 │ new_state  │     NGN 5,000.00 │             │ ${AT} │
└─────────────┴────────────┴──────────────────┴─────────────┴──────────────────┘
`.trimStart();

const NARROW = `
uid          ugw.WXYZ.a1
status       processing
amount       NGN 5,000.00
description  School fees, first term
created      ${AT}

uid          ugw.WXYZ.b2
status       Paid
amount       NGN 1,234,567.89
description  東京 🫠 order
created      ${AT}

uid          ugw.WXYZ.c3
status       new_state
amount       NGN 5,000.00
created      ${AT}
`.trimStart();

describe('a table', () => {
  it.each([
    [120, WIDE],
    [92, WIDE],
    [80, MIDDLE],
    [40, NARROW],
  ])('fits a terminal of %d columns', async (columns, table) => {
    expect(await drawn(terminal(columns), [RECORDS])).toBe(table);
  });

  it('cuts nothing in a pipe, where there is no width', async () => {
    const description = 'x'.repeat(300);
    const text = await drawn(pipe(), [[ugwo('a1', { description })], [ugwo('b2', { description: `${description}y` })]]);
    expect(text).toContain(` ${description} │`);
    expect(text).toContain(` ${description}y │`);
  });

  it('leaves out columns that are empty, empty of sense, or said by another', async () => {
    const text = await drawn(pipe(), [
      [recordOf({ uid: 'u', amount: 1, currency: 'NGN', description: [], status: '' })],
    ]);
    expect(text.split('\n')[1]).toBe('│ uid │   amount │');
  });

  it('shows named columns in their order, known to the view or not', async () => {
    const record = ugwo('a1', { meta: { tier: 'vip' } });
    expect(await drawn(pipe(), [[record]], { columns: ['meta', 'currency', 'meta.tier', 'amount'] })).toBe(
      `
┌─────────────────┬─────────────┬───────────┬──────────────┐
│ meta            │ currency    │ meta.tier │       amount │
├─────────────────┼─────────────┼───────────┼──────────────┤
│ {"tier": "vip"} │ Naira (NGN) │ vip       │ NGN 5,000.00 │
└─────────────────┴─────────────┴───────────┴──────────────┘
`.trimStart(),
    );
  });

  it.each([
    ['{"a":12345678901234567890,"c":"NGN"}', 'NGN 123,456,789,012,345,678.90'],
    ['{"a":1e400,"c":"NGN"}', '1e400 NGN (minor unit)'],
    ['{"a":"250","c":["XOF","CFA franc (XOF)"]}', 'XOF 250'],
    ['{"a":250}', '250 (minor unit)'],
    ['{"a":{"x":0.10},"c":"NGN"}', '{"x": 0.10}'],
  ])('rounds no amount: %s', async (text, amount) => {
    const view: View = { columns: [{ path: 'a', kind: 'money', currency: 'c' }] };
    expect(await drawn(pipe(), [[received(text)]], {}, view)).toContain(`│ ${amount} │`);
  });

  it('shows a time that is none as it was sent', async () => {
    expect(await drawn(pipe(), [[ugwo('a1', { created_at: 'yesterday' })]])).toContain('│ yesterday  │');
  });

  it('takes width from the widest flexible column first', () => {
    const columns = [{ path: 'a', flexible: true }, { path: 'b' }, { path: 'c', flexible: true }];
    expect(fitWidths([20, 5, 12], columns, 20 + 5 + 12 + 10)).toEqual([20, 5, 12]);
    expect(fitWidths([20, 5, 12], columns, 45)).toEqual([18, 5, 12]);
    expect(fitWidths([20, 5, 12], columns, 35)).toEqual([10, 5, 10]);
    expect(fitWidths([20, 5, 12], columns, 31)).toEqual([8, 5, 8]);
    expect(fitWidths([20, 5, 12], columns, 30)).toBeUndefined();
  });

  it('colours a state, not a text that looks like one', async () => {
    expect(await drawn(terminal(120), [[recordOf({ uid: 'failed' })]], { color: true })).toContain(' failed ');
  });

  it('colours states and nothing that would move a border', async () => {
    const text = await drawn(terminal(120), [RECORDS], { color: true });
    expect(stripVTControlCharacters(text)).toBe(WIDE);
    expect(text).toContain('\u001b[36mprocessing\u001b[39m');
    expect(text).toContain('\u001b[32mPaid      \u001b[39m');
    expect(text).toContain(' new_state  ');
  });

  it.each([
    ['successful', '\u001b[32m'],
    ['requires_action', '\u001b[33m'],
    ['failed', '\u001b[31m'],
    ['cancelled', '\u001b[31m'],
  ])('colours %s', async (status, code) => {
    expect(await drawn(terminal(120), [[recordOf({ status })]], { color: true })).toContain(`${code}${status}`);
  });
});

describe('a table over several pages', () => {
  const later = ugwo('d4', { amount: 500_000_000_000_000, description: 'far too long for the column of page one' });

  it('has one header and one bottom, and writes each page when it is there', async () => {
    const io = terminal(80);
    const text = await drawn(io, [RECORDS.slice(0, 2), [], RECORDS.slice(2)]);
    expect(text).toBe(MIDDLE);
    expect(io.stdout.writes.map((write) => write.split('\n').length - 1)).toEqual([5, 1, 1]);
  });

  it('never shortens an amount: its row sticks out', async () => {
    const text = await drawn(terminal(80), [RECORDS, [later]]);
    expect(text.split('\n').slice(6)).toEqual([
      `│ ugw.WXYZ.d4 │ processing │ NGN 5,000,000,000,000.00 │ far too lo… │ ${AT} │`,
      '└─────────────┴────────────┴──────────────────┴─────────────┴──────────────────┘',
      '',
    ]);
  });

  it('keeps room for longer values where there is room', async () => {
    const small = ugwo('a1', { amount: 100, description: 'x', status: 'new' });
    const big = ugwo('b2', { amount: 1_000_000_000, description: 'x'.repeat(20), status: 'requires_action' });
    const lines = (await drawn(terminal(120), [[small], [big]])).trimEnd().split('\n');
    expect(new Set(lines.map(widthOf)).size).toBe(1);
    const alone = (await drawn(terminal(120), [[small]])).split('\n');
    expect(widthOf(alone[0] ?? '')).toBeLessThan(widthOf(lines[0] ?? ''));
  });

  it('stays stacked once it is', async () => {
    const text = await drawn(terminal(40), [RECORDS.slice(0, 1), RECORDS.slice(1)]);
    expect(text).toBe(NARROW);
  });
});

describe('stacked records', () => {
  it('keep an identifier whole on a line of its own where it fits one', async () => {
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
  it('keeps every line within the terminal, and every border in its place', async () => {
    const record = fc.record({ uid: fc.constant('ugw.WXYZ.a1'), description: anyText });
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 26, max: 80 }),
        async (all, columns) => {
          const lines = (await drawn(terminal(columns), [all.map(recordOf)])).trimEnd().split('\n');
          const widths = new Set(lines.map(widthOf));
          expect(widths.size).toBe(1);
          expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
          expect(lines).toHaveLength(all.length + 4);
        },
      ),
    );
  });

  it('lets no control character through, stacked, drawn or in a header', async () => {
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

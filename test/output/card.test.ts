import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiRecord } from '../../src/core/record.ts';
import type { OutputOptions, View } from '../../src/core/result.ts';
import { render } from '../../src/output/render.ts';
import { widthOf } from '../../src/output/text.ts';
import {
  CREATED_LOCALLY as AT,
  type FakeIo,
  options,
  pipe,
  received,
  recordOf,
  terminal,
  ugwo,
  ugwoView,
} from './support.ts';

const card = async (
  io: FakeIo,
  record: ApiRecord,
  more: Partial<OutputOptions> = {},
  view: View = ugwoView,
): Promise<string> => {
  await render({ kind: 'record', record, view }, io, options({ format: 'table', ...more }));
  return io.stdout.text;
};

const RECORD = ugwo('a1', {
  description: 'School fees for the first term of the year, both children',
  total_amount_paid: 0,
  is_test: false,
  ref: null,
  checkout: { uid: 'chk.WXYZ.a1' },
});

describe('a card', () => {
  it.each([
    [
      40,
      [
        'uid                ugw.WXYZ.a1',
        'status             processing',
        'amount             NGN 5,000.00',
        'description        School fees for the',
        '                   first term of the',
        '                   year, both children',
        `created            ${AT}`,
        'total_amount_paid  NGN 0.00',
        'is_test            false',
      ],
    ],
    [
      80,
      [
        'uid                ugw.WXYZ.a1',
        'status             processing',
        'amount             NGN 5,000.00',
        'description        School fees for the first term of the year, both children',
        `created            ${AT}`,
        'total_amount_paid  NGN 0.00',
        'is_test            false',
      ],
    ],
    [
      30,
      [
        'uid',
        '  ugw.WXYZ.a1',
        'status',
        '  processing',
        'amount',
        '  NGN 5,000.00',
        'description',
        '  School fees for the first',
        '  term of the year, both',
        '  children',
        'created',
        `  ${AT}`,
        'total_amount_paid',
        '  NGN 0.00',
        'is_test',
        '  false',
      ],
    ],
  ])('at %d columns', async (columns, lines) => {
    expect((await card(terminal(columns), RECORD)).split('\n')).toEqual([...lines, '']);
  });

  it('breaks no lines in a pipe', async () => {
    const text = await card(pipe(), ugwo('a1', { description: 'to be '.repeat(100) }));
    expect(text).toContain(`description  ${'to be '.repeat(100)}\n`);
  });

  it('has only the named columns, including empty ones', async () => {
    expect(await card(terminal(), RECORD, { columns: ['ref', 'checkout.uid', 'checkout'] })).toBe(
      'ref           \ncheckout.uid  chk.WXYZ.a1\ncheckout      {"uid": "chk.WXYZ.a1"}\n',
    );
  });

  it('preserves the digits of numbers', async () => {
    expect(await card(terminal(), received('{"uid":"u","a":12345678901234567890,"b":0.1000}'))).toBe(
      'uid  u\na    12345678901234567890\nb    0.1000\n',
    );
  });

  it('prints a non-object or an empty object as JSON', async () => {
    expect(await card(terminal(), received('[1,{"a":2}]'))).toBe('[1, {"a": 2}]\n');
    expect(await card(terminal(), received('{}'))).toBe('{}\n');
  });

  it('colours the status and dims the labels', async () => {
    const text = await card(terminal(), RECORD, { color: true });
    expect(text).toContain('\u001b[36mprocessing\u001b[39m\n');
    expect(text).toContain('\u001b[2mstatus           \u001b[22m  ');
    expect(stripVTControlCharacters(text)).toContain('status             processing\n');
  });

  it.each([30, 40, 80])('has the same text with and without colour in %d columns', async (columns) => {
    const text = await card(terminal(columns), RECORD, { color: true });
    expect(stripVTControlCharacters(text)).toBe(await card(terminal(columns), RECORD));
  });

  it('fits the terminal and escapes control characters', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', '東', '🫠', '\n', '\u001b', '\u202e', '\u009b'),
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(text, text, { minKeys: 1 }),
        fc.integer({ min: 30, max: 80 }),
        async (value, columns) => {
          const shown = await card(terminal(columns), recordOf(value));
          for (const line of shown.split('\n')) expect(widthOf(line.trimEnd())).toBeLessThanOrEqual(columns);
          expect(shown).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
        },
      ),
    );
  });
});

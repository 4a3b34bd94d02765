import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activityView } from '../../src/commands/activity/view.ts';
import type { ApiRecord } from '../../src/core/record.ts';
import type { OutputOptions, View } from '../../src/core/result.ts';
import { fromSpreadsheet } from '../../src/core/text.ts';
import { render } from '../../src/output/render.ts';
import { ANY_CHARACTER } from '../support/text.ts';
import { CREATED, options, pagesOf, pipe, received, recordOf, served, ugwo, ugwoView } from './support.ts';

/** RFC 4180: rows of cells. Throws on a misplaced quote or a last line without an end. */
const parseCsv = (text: string): string[][] => {
  const rows: string[][] = [];
  let row: string[] = [];
  let rest = text;
  while (rest !== '') {
    const match = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest);
    if (match === null) throw new Error(`not CSV: ${JSON.stringify(rest)}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '\r\n') {
      rows.push(row);
      row = [];
    }
    rest = rest.slice(match[0].length);
  }
  if (row.length > 0) throw new Error('the last line has no end');
  return rows;
};

const many = async (
  pages: readonly (readonly ApiRecord[])[],
  more: Partial<OutputOptions> = {},
  view = ugwoView,
): Promise<string> => {
  const io = pipe();
  await render({ kind: 'list', pages: served(pagesOf(...pages)), view }, io, options({ format: 'csv', ...more }));
  return io.stdout.text;
};

const AB: View = { columns: [{ path: 'a' }, { path: 'b' }] };
const HEADER = 'uid,status,amount_minor,currency,ref,description,onye.uid,created_at\r\n';

describe('csv, a list', () => {
  it('has one header, the columns of the view and raw values', async () => {
    const records = [ugwo('a1'), ugwo('b2', { description: 'say "hi"\nto all', onye: { uid: 'ony.b' }, ref: null })];
    expect(await many([[], records, [ugwo('c3', { description: '' })]])).toBe(
      `${HEADER}ugw.WXYZ.a1,processing,500000,NGN,order-a1,"School fees, first term",,${CREATED}\r\n` +
        `ugw.WXYZ.b2,processing,500000,NGN,,"say ""hi""\nto all",ony.b,${CREATED}\r\n` +
        `ugw.WXYZ.c3,processing,500000,NGN,order-c3,,,${CREATED}\r\n`,
    );
  });

  it('has a header without records', async () => {
    expect(await many([[]])).toBe(HEADER);
    expect(await many([[]], { columns: ['ref', 'meta.x'] })).toBe('ref,meta.x\r\n');
  });

  it('prints objects as compact JSON and preserves digits', async () => {
    const record = received('{"a":{"x": [1.0, "é"]},"b":12345678901234567890,"c":1e400,"d":0.1000}');
    expect(parseCsv(await many([[record]], {}, { columns: ['a', 'b', 'c', 'd'].map((path) => ({ path })) }))).toEqual([
      ['a', 'b', 'c', 'd'],
      ['{"x":[1.0,"é"]}', '12345678901234567890', '1e400', '0.1000'],
    ]);
  });

  it('has the named columns in order', async () => {
    expect(await many([[ugwo('a1')]], { columns: ['ref', 'uid'] })).toBe('ref,uid\r\norder-a1,ugw.WXYZ.a1\r\n');
  });
});

it('csv, a list: amounts in decimals with decimal, under their plain names', async () => {
  const records = [ugwo('a1'), ugwo('b2', { amount: '1', currency: 'JPY' }), ugwo('c3', { amount: null })];
  const asked = { decimal: true, columns: ['amount', 'currency', 'total_amount_paid_minor'] };
  expect(await many([[ugwo('d4', { total_amount_paid: -5 }), ...records]], asked)).toBe(
    'amount,currency,total_amount_paid\r\n5000.00,NGN,-0.05\r\n5000.00,NGN,\r\n1,JPY,\r\n,NGN,\r\n',
  );
});

it('csv, one object: a header and a row', async () => {
  const io = pipe();
  await render(
    { kind: 'record', record: ugwo('a1'), view: ugwoView },
    io,
    options({ format: 'csv', columns: ['uid', 'amount'] }),
  );
  await render(
    { kind: 'record', record: received('{"b":1,"a":null}'), view: { columns: [] } },
    io,
    options({ format: 'csv' }),
  );
  expect(io.stdout.text).toBe('uid,amount_minor\r\nugw.WXYZ.a1,500000\r\nb,a\r\n1,\r\n');
});

describe('a cell that a spreadsheet would evaluate', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+234803', "'+234803"],
    ['-5', "'-5"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t'=1"],
    ['x;=1+1', "x;'=1+1"],
    ['＝1+1', "'＝1+1"],
    ['a\tb', 'a\tb'],
    ['\r=1', "'\\r=1"],
    ['a=1', 'a=1'],
    ['\r\n=1', "'\r\n'=1"],
    ["'=1", "''=1"],
    ["'t Hooft", "''t Hooft"],
  ])('text %j becomes %j', async (text, cell) => {
    expect(parseCsv(await many([[recordOf({ a: text })]], {}, AB))[1]).toEqual([cell, '']);
  });

  it('is unchanged with rawCsv', async () => {
    expect(await many([[recordOf({ a: '=1,2', b: '-5' })]], { rawCsv: true }, AB)).toBe('a,b\r\n"=1,2",-5\r\n');
  });

  it('does not include numbers', async () => {
    expect(await many([[received('{"a":-5,"b":-12345678901234567890}')]], {}, AB)).toBe(
      'a,b\r\n-5,-12345678901234567890\r\n',
    );
  });

  it('may be a header', async () => {
    expect(await many([[recordOf({ '=x': 1 })]], {}, { columns: [] })).toBe("'=x\r\n1\r\n");
  });
});

describe('digits that a spreadsheet would change', () => {
  const ACTIVITY = recordOf({
    uid: 'act.A.b',
    next_action: { type: 'display_bank', headers: { account_number: '0736251840', account_name: 'A' } },
  });
  const columns = ['uid', 'next_action.headers.account_number'];
  const shown = async (rawCsv: boolean): Promise<string[][]> => {
    const io = pipe();
    await render(
      { kind: 'record', record: ACTIVITY, view: activityView },
      io,
      options({ format: 'csv', columns, rawCsv }),
    );
    return parseCsv(io.stdout.text);
  };

  it('are written as a formula in an account number', async () => {
    expect(await shown(false)).toEqual([columns, ['act.A.b', '="0736251840"']]);
  });

  it('are unchanged with rawCsv', async () => {
    expect(await shown(true)).toEqual([columns, ['act.A.b', '0736251840']]);
  });

  it('do not include numbers and names', async () => {
    const text = await many(
      [[received('{"01":12345678901234567890,"a":"12345678901234567890"}')]],
      {},
      { columns: [] },
    );
    expect(parseCsv(text)).toEqual([
      ['01', 'a'],
      ['12345678901234567890', '="12345678901234567890"'],
    ]);
  });
});

describe('any text', () => {
  const printable = fc.string({
    unit: fc.constantFrom('a', ',', '"', '\n', ' ', 'é', '東', '=', "'", '+', '\\', '\r\n', ';', '\t'),
  });

  it('round-trips after removing the escapes for spreadsheets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ a: printable, b: printable }), { minLength: 1 }), async (values) => {
        const [header, ...rows] = parseCsv(await many([values.map(recordOf)], {}, AB));
        expect(header).toEqual(['a', 'b']);
        expect(rows.map((cells) => cells.map(fromSpreadsheet))).toEqual(values.map(({ a, b }) => [a, b]));
      }),
    );
  });

  it('never starts a cell with a formula, and contains no control character except quoted line ends and tabs', async () => {
    const any = fc.oneof(
      fc.string({ unit: ANY_CHARACTER }),
      fc.string({ unit: fc.constantFrom('=', '＝', ';', '\t', '\r', '-', '\u0000', '\u009b', '1') }),
    );
    await fc.assert(
      fc.asyncProperty(any, any, async (a, b) => {
        const text = await many([[recordOf({ a, b })]], {}, AB);
        for (const cell of parseCsv(text).flat()) {
          const isDigits = /^="\d+"$/.test(cell);
          expect(isDigits ? '' : cell.replaceAll('\r\n', '\n')).not.toMatch(
            /(?:^|[;\t\n])[=+\-@＝＋－＠]|^[\t\r]|(?![\n\t])\p{Cc}/u,
          );
        }
      }),
    );
  });
});

import { expect, it } from 'vitest';
import type { Format, View } from '../../src/core/result.ts';
import { render } from '../../src/output/render.ts';
import { options, pagesOf, recordOf, served, terminal } from './support.ts';

const VIEW: View = {
  columns: [
    { path: 'id' },
    { path: 'rows', kind: 'count', always: true },
    { path: 'good', kind: 'count' },
    { path: 'bad', kind: 'count' },
  ],
};

const shown = async (format: Format, values: readonly object[], columns?: readonly string[]): Promise<string> => {
  const io = terminal(80);
  const records = values.map(recordOf);
  const [record] = records;
  const list = { kind: 'list', pages: served(pagesOf(records)), view: VIEW } as const;
  await render(
    record === undefined || values.length > 1 ? list : { kind: 'record', record, view: VIEW },
    io,
    options({ format, columns }),
  );
  return io.stdout.text;
};

const ONE = { id: 'a', rows: 1_234_567, good: 0, bad: 12_000 };

it('a card groups digits of counts and omits zeros', async () => {
  expect(await shown('table', [ONE])).toBe('id    a\nrows  1,234,567\nbad   12,000\n');
});

it('a card shows a zero count that is `always` or requested', async () => {
  expect(await shown('table', [{ ...ONE, rows: 0 }])).toMatch(/^rows +0$/m);
  expect(await shown('table', [ONE], ['good'])).toBe('good  0\n');
});

it('machine formats have every count unformatted', async () => {
  expect(await shown('tsv', [ONE])).toBe('id\ta\nrows\t1234567\ngood\t0\nbad\t12000\n');
  expect(await shown('csv', [ONE])).toBe('id,rows,good,bad\r\na,1234567,0,12000\r\n');
  expect(JSON.parse(await shown('json', [ONE]))).toEqual(ONE);
});

it('a table omits an all-zero column and leaves other zeros blank', async () => {
  expect(await shown('table', [ONE, { ...ONE, bad: 0 }, { ...ONE, rows: null }])).toBe(
    `
id       rows     bad
─────────────────────
a   1,234,567  12,000
a   1,234,567
a              12,000
`.trimStart(),
  );
});

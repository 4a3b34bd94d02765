import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { InputRow } from '../../src/bulk/cells.ts';
import { csvColumns, csvRows, failIn, ndjsonRows } from '../../src/bulk/formats.ts';
import { ANY_CHARACTER } from '../support/text.ts';
import { madeFolder, read, rowsOf } from './support.ts';

const fail = failIn('x');
const folder = madeFolder();

/** Any characters, with many special ones; no NUL, which no file may contain. */
const character = fc.oneof(
  fc.constantFrom('a', '"', ',', ';', '\t', '|', '\n', '\r', '\r\n', ' ', 'é', '東', '😀', '\\', "'", '='),
  fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 1 }).filter((text) => !/[\0\ufeff]/.test(text)),
);
const text = fc.array(character, { maxLength: 6 }).map((characters) => characters.join(''));
const table = fc
  .uniqueArray(
    text.filter((name) => isSaid([name])),
    { minLength: 1, maxLength: 5 },
  )
  .chain((columns) => {
    const row = fc.array(text, { minLength: columns.length, maxLength: columns.length });
    return fc.record({ columns: fc.constant(columns), rows: fc.array(row, { maxLength: 5 }) });
  });
const delimiter = fc.oneof(
  fc.constantFrom(',', ';', '\t', '|', ' ', 'a', '§', '東', '😀'),
  fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 1 }).filter((one) => !/["\r\n\0\ufeff]/.test(one)),
);

/** The bytes in chunks of this size, as from a file or a pipe. */
async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** False for a row of blank cells. */
const isSaid = (row: readonly string[]): boolean => row.some((cell) => /[^ \t\r\n\u00a0]/.test(cell));

const fieldsOf = (rows: readonly InputRow[], columns: readonly string[]): unknown[][] =>
  rows.map(({ fields }) => columns.map((name) => fields[name]));

it('CSV round-trips with any delimiter, line end and chunk size', async () => {
  await fc.assert(
    fc.asyncProperty(
      table,
      delimiter,
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      async ({ columns, rows }, by, end, quoted, eof, size) => {
        const options = {
          delimiter: by,
          record_delimiter: end,
          quote_record_delimiter: true,
          quoted,
          quoted_empty: true,
          eof,
        };
        const bytes = Buffer.from(stringify([columns, ...rows], options));
        expect(await csvColumns(inChunks(bytes, size), by, fail)).toEqual(columns);
        expect(fieldsOf(await rowsOf(csvRows(inChunks(bytes, size), by, columns, fail)), columns)).toEqual(
          rows.filter(isSaid),
        );
      },
    ),
    { numRuns: 200 },
  );
});

it('CSV with a usual delimiter round-trips without naming it', async () => {
  const plain = fc.uniqueArray(fc.stringMatching(/^[a-z"][a-z" \n]{0,3}$/), { minLength: 2, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(plain, text, fc.constantFrom(',', ';', '\t'), fc.boolean(), async (columns, cell, by, bom) => {
      const row = columns.map(() => cell);
      const content = stringify([columns, row], { delimiter: by, quoted_empty: true, bom });
      const found = await read(folder, 'x.csv', content);
      expect(found.columns).toEqual(columns);
      expect(found.rows.map((fields) => columns.map((name) => fields[name]))).toEqual([row].filter(isSaid));
    }),
  );
});

it('NDJSON round-trips with any chunk size', async () => {
  // After reading the name "\\", JSON.parse of Node 24 also reads "\\u0000" at the same place as "\\".
  const object = fc.dictionary(
    fc.string({ unit: ANY_CHARACTER }).filter((name) => !name.includes('\\')),
    fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value))),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(object),
      fc.constantFrom('\n', '\r\n', '\n\n'),
      fc.nat(40),
      async (objects, end, more) => {
        const bytes = Buffer.from(objects.map((value) => JSON.stringify(value)).join(end));
        const rows = await rowsOf(ndjsonRows(inChunks(bytes, more + 1), fail));
        expect(rows.map(({ fields }) => JSON.stringify(fields))).toEqual(objects.map((value) => JSON.stringify(value)));
      },
    ),
    { examples: [[[{ 'a\\b': 1 }], '\n', 0]] },
  );
});

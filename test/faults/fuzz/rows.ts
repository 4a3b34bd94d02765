import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import type { InputRow } from '../../../src/bulk/cells.ts';
import { csvColumns, csvRows, failIn, InputError, ndjsonRows } from '../../../src/bulk/formats.ts';
import { openInput } from '../../../src/bulk/read-file.ts';
import { printExact } from '../../../src/core/json.ts';
import { mayBeRenamed } from '../../support/engine.ts';
import { ANY_CHARACTER } from '../../support/text.ts';
import { mutatedInput, TOKENS } from './mutate.ts';
import { mutatedJson } from './mutate-json.ts';
import { CSV, CUSTOMERS, NDJSON } from './seeds.ts';
import { must, mustEqual, target } from './target.ts';

const fail = failIn('x');

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** The rows of a file up to the first unreadable one, and the error for that. */
interface Read {
  readonly columns: readonly string[];
  readonly rows: readonly InputRow[];
  readonly fault: string | undefined;
}

const readAll = async (
  open: () => Promise<{ columns: readonly string[]; rows: AsyncIterable<InputRow> }>,
): Promise<Read> => {
  const rows: InputRow[] = [];
  let columns: readonly string[] = [];
  try {
    const file = await open();
    columns = file.columns;
    for await (const row of file.rows) rows.push(row);
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    return { columns, rows, fault: thrown.message };
  }
  return { columns, rows, fault: undefined };
};

const readCsv = (bytes: Uint8Array, delimiter: string, size: number): Promise<Read> =>
  readAll(async () => {
    const columns = await csvColumns(inChunks(bytes, size), delimiter, fail);
    return { columns, rows: csvRows(inChunks(bytes, size), delimiter, columns, fail) };
  });

const readNdjson = (bytes: Uint8Array, size: number): Promise<Read> =>
  readAll(async () => ({ columns: [], rows: ndjsonRows(inChunks(bytes, size), fail) }));

const mustBeSame = (found: Read, wanted: Read, what: string): void =>
  must(isDeepStrictEqual(found, wanted), () => `${what}: ${JSON.stringify([found, wanted])}`);

const withoutLines = ({ rows, ...rest }: Read): Read => ({
  ...rest,
  rows: rows.map((row, at) => ({ ...row, line: at })),
});

const mustBeCounted = ({ rows }: Read): void =>
  must(
    rows.every(({ number }, index) => number === index + 1),
    () => `rows ${rows.map(({ number }) => number)}`,
  );

const size = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 300 }));

/** The same rows with any chunks, and again after they are written as CSV. */
export const csv = target(
  'csv',
  () => fc.tuple(mutatedInput(CSV), fc.constantFrom(',', ';', '\t', '|', '§'), size),
  async ([bytes, delimiter, chunk]) => {
    const whole = await readCsv(bytes, delimiter, bytes.length + 1);
    mustBeSame(await readCsv(bytes, delimiter, chunk), whole, `in chunks of ${chunk}`);
    mustBeCounted(whole);
    const { columns, rows, fault } = whole;
    for (const { fields } of rows) {
      must(isDeepStrictEqual(Object.keys(fields).sort(), [...columns].sort()), () => `a row of ${Object.keys(fields)}`);
    }
    if (fault !== undefined || columns.length === 0) return;
    const cells = rows.map(({ fields }) => columns.map((name) => fields[name] as string));
    const options = { delimiter, quoted: true, quoted_empty: true };
    const again = await readCsv(Buffer.from(stringify([columns, ...cells], options)), delimiter, chunk);
    // Blank lines are not written again.
    mustBeSame(withoutLines(again), withoutLines(whole), 'written as CSV once more');
  },
);

const text = fc
  .array(fc.oneof(fc.constantFrom(...TOKENS), fc.string({ unit: ANY_CHARACTER, maxLength: 3 })), { maxLength: 3 })
  .map((parts) =>
    parts
      .join('')
      .toWellFormed()
      .replaceAll(/[\0\ufeff]/g, ''),
  );
/** Rows of blank cells don't count, nor do unnamed columns at the end. */
const isSaid = (one: string): boolean => /[^ \t\r\n\u00a0]/.test(one);
const name = text.filter(isSaid);
const table = fc.uniqueArray(name, { minLength: 1, maxLength: 4 }).chain((columns) => {
  const row = fc.array(text, { minLength: columns.length, maxLength: columns.length });
  return fc.tuple(fc.constant(columns), fc.array(row, { maxLength: 4 }));
});

/** Written CSV is read back unchanged, cell by cell. */
export const tables = target(
  'tables',
  () => fc.tuple(table, fc.constantFrom(',', ';', '\t', '|', '§'), fc.constantFrom('\n', '\r\n', '\r'), size),
  async ([[columns, rows], delimiter, end, chunk]) => {
    const options = { delimiter, record_delimiter: end, quote_record_delimiter: true, quoted_empty: true };
    const found = await readCsv(Buffer.from(stringify([columns, ...rows], options)), delimiter, chunk);
    const cells = found.rows.map(({ fields }) => columns.map((column) => fields[column]));
    must(found.fault === undefined, () => `refused: ${found.fault}`);
    const wanted = rows.filter((row) => row.some(isSaid));
    must(isDeepStrictEqual([found.columns, cells], [columns, wanted]), () => JSON.stringify([found.columns, cells]));
  },
);

const NEWLINE = 0x0a;

/** The lines of a file, split in the simplest way. */
const linesOf = (bytes: Uint8Array): Buffer[] => {
  const all = Buffer.from(bytes);
  const ends = [...all.entries()].filter(([, byte]) => byte === NEWLINE).map(([at]) => at);
  return [...ends, all.length].map((end, nth) => all.subarray(nth === 0 ? 0 : (ends[nth - 1] as number) + 1, end));
};

/** The result of JSON.parse for a line: an object's text, undefined for a blank line, and false otherwise. */
const plainly = (line: Buffer): string | false | undefined => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
    if (text.trim() === '') return line.includes(0) ? false : undefined;
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? JSON.stringify(value) : false;
  } catch {
    return false;
  }
};

/** Lines of JSON, many of which are objects. */
const objects = fc
  .array(mutatedJson([...CUSTOMERS, Object.fromEntries([['__proto__', 1]])]), { minLength: 1, maxLength: 3 })
  .map((lines) => Uint8Array.from(Buffer.from(lines.join('\n'))));

/** A row equals JSON.parse of its line, and reading stops at the first invalid line. */
export const ndjson = target(
  'ndjson',
  () => fc.tuple(fc.oneof(mutatedInput(NDJSON), objects), size),
  async ([bytes, chunk]) => {
    const whole = await readNdjson(bytes, bytes.length + 1);
    mustBeSame(await readNdjson(bytes, chunk), whole, `in chunks of ${chunk}`);
    mustBeCounted(whole);
    if (mayBeRenamed(Buffer.from(bytes).toString('latin1'))) return;
    const lines = linesOf(bytes)
      .map(plainly)
      .filter((line) => line !== undefined);
    const bad = lines.indexOf(false);
    const wanted = (bad === -1 ? lines : lines.slice(0, bad)).slice(0, whole.rows.length);
    const found = whole.rows.map(({ fields }) => JSON.stringify(JSON.parse(printExact(fields))));
    mustEqual(found.join('\n'), wanted.join('\n'), 'the rows');
    if (bad === -1 && whole.fault === undefined) must(found.length === lines.length, () => `${found.length} rows`);
    else must(whole.fault?.includes(`row ${found.length + 1}`) === true, () => `stopped for ${whole.fault}`);
  },
);

const readFile = async (bytes: Uint8Array, name: string, spoolFolder: string): Promise<Read> => {
  const open = () => openInput({ stdin: inChunks(bytes, 4096), name, spoolFolder });
  const input = await open().catch((thrown: unknown) => {
    if (thrown instanceof InputError) return thrown;
    throw thrown;
  });
  if (input instanceof InputError) return { columns: [], rows: [], fault: input.message };
  const read = () => readAll(async () => ({ columns: input.columns, rows: input.rows() }));
  try {
    const once = await read();
    mustBeSame(await read(), once, 'read a second time');
    return once;
  } finally {
    await input.close();
  }
};

const MARK = Buffer.from('\ufeff');

/**
 * A file with any bytes yields rows or an input error; a second read gives the same result, also with a byte order
 * mark.
 */
export const files = target(
  'files',
  () => fc.tuple(mutatedInput([...CSV, ...NDJSON]), fc.constantFrom('x', 'x.csv', 'x.tsv', 'x.ndjson')),
  async ([bytes, name]) => {
    const folder = mkdtempSync(join(tmpdir(), 'paycli-fuzz-'));
    try {
      const once = await readFile(bytes, name, folder);
      mustBeCounted(once);
      const hasMark = Buffer.from(bytes).subarray(0, MARK.length).equals(MARK);
      const isUtf16 = /^(?:fffe|feff)/.test(Buffer.from(bytes).toString('hex'));
      if (hasMark || isUtf16) return;
      mustBeSame(await readFile(Buffer.concat([MARK, bytes]), name, folder), once, 'with a byte order mark');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { readNextAction } from '../../../src/core/charge.ts';
import { valueAt } from '../../../src/core/json.ts';
import type { ApiRecord } from '../../../src/core/record.ts';
import { FORMATS, type Format, type Result, type View } from '../../../src/core/result.ts';
import { forSpreadsheet, visibleCell } from '../../../src/core/text.ts';
import { exactValue, kindOfName, machineText } from '../../../src/output/cell.ts';
import { render } from '../../../src/output/render.ts';
import { options, pipe, served, terminal, ugwoView } from '../../output/support.ts';
import { mayBeRenamed } from '../../support/engine.ts';
import { TOKENS } from './mutate.ts';
import { mutatedJson } from './mutate-json.ts';
import { ACTIVITIES, CUSTOMERS, KEY, REQUESTS } from './seeds.ts';
import { must, mustEqual, target } from './target.ts';

/** Characters that no output contains, whatever the input. */
const STEERS = /(?!\r?\n|\t)[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
/** No output contains this many characters of the key in a row. */
const PIECE = 10;

/** Removes layout and escapes between the pieces of a wrapped key. */
const squeezed = (text: string): string => text.replaceAll(/[\s"'\\]/g, '');
const PIECES = Array.from({ length: KEY.length - PIECE + 1 }, (_, at) => squeezed(KEY.slice(at, at + PIECE))).filter(
  (piece) => piece.length >= 8,
);

const views: readonly View[] = [
  { columns: [] },
  ugwoView,
  {
    ...ugwoView,
    nextAction: readNextAction,
    lists: [
      { path: 'activities', heading: 'Activities', columns: [{ path: 'uid' }, { path: 'status', kind: 'state' }] },
    ],
  },
];

const withKey = (seed: object): object => ({ ...seed, description: `x${KEY}y`, [`k ${KEY}`]: [KEY] });
const SEEDS = [...REQUESTS, ...ACTIVITIES, ...CUSTOMERS];
const record = mutatedJson([
  ...SEEDS,
  ...SEEDS.map(withKey),
  Object.fromEntries(TOKENS.map((token) => [token, token])),
]).map((text): ApiRecord => ({ text, value: JSON.parse(text) }));

const holdsSafe = (text: string): void => {
  must(!STEERS.test(text), () => `it steers: ${JSON.stringify(STEERS.exec(text))} in ${JSON.stringify(text)}`);
  const dense = squeezed(text);
  must(!PIECES.some((piece) => dense.includes(piece)), () => `the key is shown: ${text}`);
};

const holdsKey = ({ text }: ApiRecord): boolean => /Kw9a|b7\\?\/Fq/.test(text);

/** JSON output equals the input. */
const holdsJson = (out: string, one: ApiRecord, isList: boolean): void => {
  const value: unknown = JSON.parse(out);
  const found = isList ? valueAt(value, 'data.0') : value;
  if (!holdsKey(one) && !mayBeRenamed(out)) mustEqual(JSON.stringify(found), JSON.stringify(one.value), 'JSON');
};

/**
 * A cell is the text of its value with visible control characters, or a form that a spreadsheet reads as that text.
 */
const holdsCsv = (out: string, one: ApiRecord, view: View, raw: boolean): void => {
  const lines: string[][] = parse(out, { bom: false, relax_column_count: false });
  if (holdsKey(one) || mayBeRenamed(one.text) || out === '') return;
  const [names = [], cells = []] = lines;
  const value = exactValue(one) as object;
  const columns =
    view.columns.length > 0 ? view.columns : Object.keys(value).map((path) => ({ path, kind: undefined }));
  // A line without columns is parsed as one empty name.
  if (columns.length === 0) return;
  must(names.length === columns.length, () => `${names.length} columns, and ${columns.length} were expected`);
  for (const [nth, { path, kind }] of columns.entries()) {
    const text = machineText(valueAt(value, path), kind ?? kindOfName(path));
    const wanted = [text, ...(raw ? [] : [forSpreadsheet(text)])].map((safe) => visibleCell(safe));
    must(
      wanted.includes(cells[nth] ?? ''),
      () => `the cell ${JSON.stringify([path, cells[nth]])}, and not ${JSON.stringify(text)}`,
    );
  }
};

const printed = async (result: Result, format: Format, columns: number, raw: boolean): Promise<[string, string]> => {
  const io = columns === 0 ? pipe() : terminal(columns);
  io.redactor.add(KEY);
  await render(result, io, options({ format, rawCsv: raw }));
  // Includes the redaction of the process, so that both are tested together.
  return [io.redactor.clean(io.stdout.text), io.redactor.clean(io.stderr.text)];
};

const shape = fc.record({
  format: fc.constantFrom(...FORMATS),
  view: fc.constantFrom(...views),
  columns: fc.constantFrom(0, 20, 80),
  raw: fc.boolean(),
  isList: fc.boolean(),
});

/**
 * Any record in any format: JSON and CSV preserve the input, no output controls a terminal, and the key never
 * appears.
 */
export const output = target(
  'output',
  () => fc.tuple(record, shape),
  async ([one, { format, view, columns, raw, isList }]) => {
    const pages = served([{ records: [one], cursor: undefined, nextCursor: null }]);
    const result: Result = isList ? { kind: 'list', pages, view } : { kind: 'record', record: one, view };
    const [out, err] = await printed(result, format, columns, raw);
    holdsSafe(out);
    holdsSafe(err);
    if (format === 'json' || format === 'ndjson') holdsJson(out, one, isList && format === 'json');
    if (format === 'csv') holdsCsv(out, one, view, raw);
  },
);

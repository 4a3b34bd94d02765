import { ACTIVITY } from '../support/activity.ts';
import { MIB } from '../support/units.ts';

/** The arguments of a run, its output formats, and the answer around the hostile value. */
export interface Asked {
  readonly args: readonly string[];
  readonly formats: readonly string[];
  readonly status: number;
  /** The possible exit codes; a proven write has no other, whatever else the answer contains. */
  readonly codes: readonly number[];
  readonly body: (value: string) => string;
}

/** One answer to one command. */
export interface Shape {
  readonly name: string;
  readonly args: readonly string[];
  readonly status: number;
  readonly codes: readonly number[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: () => string;
}

const UGWO = 'ugw.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
const ONYE = 'ony.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
const ACT = ACTIVITY.uid;

/** Repeats the piece to this length. */
const times = (bytes: number, piece: string): string => piece.repeat(Math.max(1, Math.floor(bytes / piece.length)));
const listOf = (bytes: number, element: string): string => `[${times(bytes, `${element},`).slice(0, -1)}]`;
/** Generated elements up to this length. */
const made = (bytes: number, one: (nth: number) => string, [open, close] = ['[', ']']): string => {
  const parts: string[] = [];
  for (let size = 0; size < bytes; size += (parts.at(-1)?.length ?? 0) + 1) parts.push(one(parts.length));
  return `${open}${parts.join(',')}${close}`;
};
const BRACES: [string, string] = ['{', '}'];
const deep = (levels: number, inner: string, name: string): string =>
  `${`{"${name}":`.repeat(levels)}${inner}${'}'.repeat(levels)}`;

/** JSON values of about this many bytes, one per kind. */
const KINDS: Readonly<Record<string, (bytes: number) => string>> = {
  'deep lists': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'deep objects': (bytes) => deep(bytes / 6, '1', 'a'),
  'deep, then wide': (bytes) => deep(58, listOf(bytes, '0'), 'a'.repeat(200)),
  'empty objects': (bytes) => listOf(bytes, '{}'),
  'empty lists': (bytes) => listOf(bytes, '[]'),
  zeros: (bytes) => listOf(bytes, '0'),
  members: (bytes) => made(bytes, (nth) => `"m${nth}":0`, BRACES),
  'objects of one member each': (bytes) => made(bytes, (nth) => `{"m${nth}":${nth}}`),
  'a long name over a list': (bytes) => `{"${'k'.repeat(bytes / 8)}":${listOf((bytes * 7) / 8, '0')}}`,
  'long names': (bytes) => made(bytes, (nth) => `"${nth}${'k'.repeat(2000)}":0`, BRACES),
  'a long name': (bytes) => `{"${'k'.repeat(bytes)}":0}`,
  'a long text': (bytes) => JSON.stringify('x'.repeat(bytes)),
  words: (bytes) => JSON.stringify(times(bytes, 'pay the bill ')),
  'short texts': (bytes) => made(bytes, (nth) => `"t${nth}"`),
  'repeated names': (bytes) => `{${times(bytes, '"status":"failed",').slice(0, -1)}}`,
  'a huge number': (bytes) => '9'.repeat(bytes),
  'huge numbers': (bytes) => listOf(bytes, '9'.repeat(40)),
  'long fractions': (bytes) => listOf(bytes, '0.10'),
  exponents: (bytes) => listOf(bytes, '1e400'),
  escapes: (bytes) => `"${times(bytes, '\\u001b')}"`,
  'control characters': (bytes) => `"${times(bytes / 2, '\u0085')}"`,
  'raw escapes of layout': (bytes) => `"${times(bytes, '\\n\\t')}"`,
  surrogates: (bytes) => `"${times(bytes, '\\ud83d')}"`,
  emoji: (bytes) => `"${times(bytes / 5, '👩‍🚀')}"`,
  'one character of many marks': (bytes) => `"e${times(bytes / 2, '\u0301')}"`,
  'wide characters': (bytes) => `"${times(bytes / 3, '東京 ')}"`,
  pairs: (bytes) => listOf(bytes, '["paid","Paid"]'),
  'a pair of long texts': (bytes) => `["${'p'.repeat(bytes / 2)}","${'q '.repeat(bytes / 4)}"]`,
  'blanks between tokens': (bytes) => `[${' \n'.repeat(bytes / 2)}1]`,
};

const MEMBERS = JSON.stringify(ACTIVITY).slice(0, -1);
const LOOKED = `{"uid":"${UGWO}","amount":5000,"currency":"NGN","status":"requires_ugwo"`;
const CHARGE = ['ugwo', 'charge', UGWO, '--medium', 'ussd', '--provider', 'gtb', '--no-preflight'];
/** A proven charge: 7 if the next action can't be read, 11 if the answer says it failed. */
const CHARGED = [0, 7, 11];

/** Places for the value in an answer, and their commands. */
const PLACES: Readonly<Record<string, Asked>> = {
  'charge, a field': {
    args: CHARGE,
    formats: ['tsv', 'json', 'table', 'csv'],
    status: 200,
    codes: CHARGED,
    body: (value) => `${MEMBERS},"x":${value}}`,
  },
  'charge, its identifier last': {
    args: CHARGE,
    formats: ['tsv', 'table'],
    status: 200,
    codes: CHARGED,
    body: (value) => `{"x":${value},"status":"requires_action","uid":"${ACT}"}`,
  },
  'charge, the status': {
    args: CHARGE,
    formats: ['table'],
    status: 200,
    codes: CHARGED,
    body: (value) => `{"uid":"${ACT}","status":${value}}`,
  },
  'charge, what the customer must do': {
    args: CHARGE,
    formats: ['table', 'json'],
    status: 200,
    codes: CHARGED,
    body: (value) =>
      `{"uid":"${ACT}","status":"requires_action","next_action":{"type":"user_action","headers":${value}}}`,
  },
  'charge, an instruction': {
    args: CHARGE,
    formats: ['table'],
    status: 200,
    codes: CHARGED,
    body: (value) =>
      `{"uid":"${ACT}","status":"requires_action","next_action":{"type":"user_action","instruction":${value}}}`,
  },
  'charge, an error': {
    args: CHARGE,
    formats: ['table'],
    status: 200,
    codes: CHARGED,
    body: (value) => `{"uid":"${ACT}","status":"failed","error":${value}}`,
  },
  'charge, no identifier': {
    args: CHARGE,
    formats: ['json'],
    status: 200,
    codes: [6],
    body: (value) => `{"uid":${value}}`,
  },
  'charge refused': {
    args: CHARGE,
    formats: ['table', 'json'],
    status: 422,
    codes: [3],
    body: (value) => `{"title":"No","status":422,"violations":${value}}`,
  },
  'update, the metadata': {
    args: ['onye', 'update', ONYE, '--first-name', 'Ada'],
    formats: ['tsv', 'table', 'json'],
    status: 200,
    codes: [0],
    body: (value) => `{"uid":"${ONYE}","first_name":"Ada","meta":${value}}`,
  },
  'update, the identifier': {
    args: ['onye', 'update', ONYE, '--first-name', 'Ada'],
    formats: ['table'],
    status: 200,
    codes: [6],
    body: (value) => `{"uid":${value},"first_name":"Ada"}`,
  },
  'get, a field': {
    args: ['ugwo', 'get', UGWO],
    formats: ['tsv', 'table', 'json'],
    status: 200,
    codes: [0, 8],
    body: (value) => `${LOOKED},"description":${value}}`,
  },
  'get, activities': {
    args: ['ugwo', 'get', UGWO],
    formats: ['table'],
    status: 200,
    codes: [0, 8],
    body: (value) => `${LOOKED},"activities":${value}}`,
  },
  'list, the records': {
    args: ['ugwo', 'list'],
    formats: ['table', 'ndjson', 'csv'],
    status: 200,
    codes: [0, 8],
    body: (value) => `{"data":${value},"next_cursor":null}`,
  },
  'list, a field': {
    args: ['ugwo', 'list'],
    formats: ['table', 'tsv', 'csv', 'json'],
    status: 200,
    codes: [0, 8],
    body: (value) => `{"data":[${LOOKED},"description":${value}}],"next_cursor":null}`,
  },
  'list, the cursor': {
    args: ['ugwo', 'list'],
    formats: ['table'],
    status: 200,
    codes: [0, 8],
    body: (value) => `{"data":[],"next_cursor":${value}}`,
  },
};

/** Just below the limit for an answer, and the sizes of past findings. */
const SIZES = [64 * 1024, 0.7 * MIB, 1.9 * MIB].map(Math.floor);

const nameOf = (bytes: number): string => (bytes < MIB ? `${bytes / 1024} KiB` : `${(bytes / MIB).toFixed(1)} MiB`);

/** Each kind in each place, with sizes and formats in turn; the largest size with all. */
export const shapes = (): Shape[] => {
  const all: Shape[] = [];
  let turn = 0;
  for (const [place, { args, formats, status, codes, body }] of Object.entries(PLACES)) {
    for (const [kind, make] of Object.entries(KINDS)) {
      turn += 1;
      const format = formats[turn % formats.length] as string;
      const bytes = SIZES[turn % 4 === 0 ? 0 : turn % 4 === 1 ? 1 : 2] as number;
      all.push({
        name: `${place}, ${kind}, ${nameOf(bytes)}, ${format}`,
        args: [...args, '-o', format],
        status,
        codes,
        headers: turn % 5 === 0 ? MANY_HEADERS : {},
        body: () => body(make(bytes)),
      });
    }
  }
  return all;
};

const MANY_HEADERS = Object.fromEntries(Array.from({ length: 300 }, (_, nth) => [`x-h-${nth}`, 'v'.repeat(20)]));

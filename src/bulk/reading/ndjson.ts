import { isJsonObject, parseExact } from '../../core/json.ts';
import { depthOf } from '../../core/json-scan.ts';
import type { Fail } from './fault.ts';
import { fieldsOf, type InputRow } from './row.ts';
import { LONGEST_ROW, textOf } from './text.ts';

const NEWLINE = 0x0a;
const MAX_DEPTH = 64;
const HINT = 'write one JSON object on each line, such as {"key": "value"}';

/** The lines without their ends. One that grows too long is given as far as it was read. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [parts, size]: [Uint8Array[], number] = [[], 0];
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]);
      [parts, size, from] = [[], 0, end + 1];
    }
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > LONGEST_ROW) yield Buffer.concat(parts);
  }
  yield Buffer.concat(parts);
}

const parsed = (text: string, wrong: (what: string) => Error): unknown => {
  if (depthOf(text) > MAX_DEPTH) throw wrong(`nested deeper than ${MAX_DEPTH} levels`);
  try {
    return parseExact(text);
  } catch (thrown) {
    throw wrong(`not JSON: ${thrown instanceof Error ? thrown.message : 'unreadable'}`);
  }
};

const entriesOf = (text: string, wrong: (what: string) => Error): [string, unknown][] => {
  const value = parsed(text, wrong);
  if (isJsonObject(value)) return Object.entries(value);
  throw wrong('not a JSON object');
};

/** One object a line; blank lines are not counted. Numbers are not rounded. */
export async function* ndjsonRows(bytes: AsyncIterable<Uint8Array>, fail: Fail): AsyncGenerator<InputRow> {
  let number = 1;
  for await (const line of linesOf(bytes)) {
    const wrong = (what: string, hint = HINT) => fail(number, undefined, what, hint);
    if (line.length > LONGEST_ROW) throw wrong(`longer than ${LONGEST_ROW} bytes`);
    const text = textOf(line);
    if (typeof text !== 'string') throw wrong(text.what, text.hint);
    if (text.trim() === '') continue;
    yield { number, fields: fieldsOf(entriesOf(text, wrong)) };
    number += 1;
  }
}

/** The names in the first row, in their order. */
export const ndjsonColumns = async (bytes: AsyncIterable<Uint8Array>, fail: Fail): Promise<readonly string[]> => {
  for await (const { fields } of ndjsonRows(bytes, fail)) return Object.keys(fields);
  return [];
};

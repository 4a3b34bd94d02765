import { membersOfObject } from './cells.ts';
import type { Fail } from './fault.ts';
import { fieldsOf, type InputRow } from './row.ts';
import { LONGEST_ROW, textOf } from './text.ts';

const NEWLINE = 0x0a;
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

/** One object a line; blank lines are not counted. Numbers are not rounded. */
export async function* ndjsonRows(bytes: AsyncIterable<Uint8Array>, fail: Fail): AsyncGenerator<InputRow> {
  let number = 1;
  for await (const line of linesOf(bytes)) {
    const wrong = (what: string, hint = HINT) => fail(number, undefined, what, hint);
    if (line.length > LONGEST_ROW) throw wrong(`longer than ${LONGEST_ROW} bytes`);
    const text = textOf(line, wrong);
    if (text.trim() === '') continue;
    const members = membersOfObject(text);
    if (typeof members === 'string') throw wrong(members);
    yield { number, fields: fieldsOf(members) };
    number += 1;
  }
}

/** The names in the first row, in their order. */
export const ndjsonColumns = async (bytes: AsyncIterable<Uint8Array>, fail: Fail): Promise<readonly string[]> => {
  for await (const { fields } of ndjsonRows(bytes, fail)) return Object.keys(fields);
  return [];
};

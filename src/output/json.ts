import { densePieces, indentedPieces, minify } from '../core/json.ts';
import type { Received } from '../core/received.ts';
import { visibleJson } from '../core/sanitize.ts';
import { CHUNK, shown, shownPieces } from './pieces.ts';
import type { Sink } from './sink.ts';

/** The line breaks between tokens stay: there are none inside strings. */
const visibleIndented = (text: string): string => text.split('\n').map(visibleJson).join('\n');

/** One record as JSON: a line for programs, indented for people. */
export function* jsonRecord(record: Received, indented: boolean): Generator<string> {
  const [pieces, show] = indented
    ? ([indentedPieces(record.text), visibleIndented] as const)
    : ([densePieces(record.text), visibleJson] as const);
  for (const piece of pieces) yield* shownPieces(piece, show);
  yield '\n';
}

/** A record of a list, on one line: every field and number as it was sent. */
const lineOf = (record: Received): Uint8Array => record.bytes ?? Buffer.from(shown(minify(record.text), visibleJson));

/** Puts bytes one behind the other, always in the same place: a new one for each page would be most of the memory of a walk. */
const openRoom = () => {
  let room = Buffer.alloc(0);
  return (parts: readonly Uint8Array[]): Uint8Array => {
    const size = parts.reduce((sum, { length }) => sum + length, 0);
    if (size > room.length) room = Buffer.allocUnsafeSlow(2 * size);
    let at = 0;
    for (const part of parts) {
      room.set(part, at);
      at += part.length;
    }
    return room.subarray(0, size);
  };
};

/** Makes lines of records, between what stands before the first and behind the last. One that is large is made in pieces, as a single one is. */
const openLines = (separator: string) => {
  const put = openRoom();
  const between = Buffer.from(separator);
  return function* (records: readonly Received[], start: string, end: string): ReturnType<Sink['page']> {
    let lines: Uint8Array[] = [Buffer.from(start)];
    for (const [index, record] of records.entries()) {
      if (index > 0) lines.push(between);
      if ((record.bytes ?? record.text).length <= CHUNK) {
        lines.push(lineOf(record));
        continue;
      }
      yield put(lines);
      lines = [];
      for (const piece of densePieces(record.text)) yield* shownPieces(piece, visibleJson);
    }
    yield put([...lines, Buffer.from(end)]);
  };
};

/** `{"data":[…],"next_cursor":…}`, a record a line, valid from the first page to a walk that broke off. */
export const jsonSink = (): Sink => {
  const linesOf = openLines(',\n');
  let opened = false;
  let filled = false;
  const open = (): string => {
    if (opened) return '';
    opened = true;
    return '{"data":[';
  };
  return {
    *page(records) {
      const start = open();
      if (records.length === 0) return yield start;
      const separator = filled ? ',\n' : '\n';
      filled = true;
      yield* linesOf(records, start + separator, '');
    },
    end: (next) => `${open()}${filled ? '\n' : ''}],"next_cursor":${visibleJson(JSON.stringify(next))}}\n`,
  };
};

/** A record a line. */
export const ndjsonSink = (): Sink => {
  const linesOf = openLines('\n');
  return {
    *page(records) {
      if (records.length > 0) yield* linesOf(records, '', '\n');
    },
    end: () => '',
  };
};

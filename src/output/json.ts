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

/** A record of a list, whose text has no blanks between its tokens. */
const bytesOf = (record: Received): Uint8Array => record.bytes ?? Buffer.from(shown(minify(record.text), visibleJson));

/** Records a line each, between what stands before the first and behind the last; one that is large is made in pieces, as a single one is. */
function* linesOf(
  records: readonly Received[],
  [start, separator, end]: readonly [start: string, separator: string, end: string],
): ReturnType<Sink['page']> {
  const between = Buffer.from(separator);
  let lines: Uint8Array[] = [Buffer.from(start)];
  for (const [index, record] of records.entries()) {
    if (index > 0) lines.push(between);
    if ((record.bytes ?? record.text).length <= CHUNK) {
      lines.push(bytesOf(record));
      continue;
    }
    yield Buffer.concat(lines);
    lines = [];
    for (const piece of densePieces(record.text)) yield* shownPieces(piece, visibleJson);
  }
  yield Buffer.concat([...lines, Buffer.from(end)]);
}

/** `{"data":[…],"next_cursor":…}`, a record a line, valid from the first page to a walk that broke off. */
export const jsonSink = (): Sink => {
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
      yield* linesOf(records, [start + separator, ',\n', '']);
    },
    end: (next) => `${open()}${filled ? '\n' : ''}],"next_cursor":${visibleJson(JSON.stringify(next))}}\n`,
  };
};

/** A record a line. */
export const ndjsonSink = (): Sink => ({
  *page(records) {
    if (records.length === 0) return;
    yield* linesOf(records, ['', '\n', '\n']);
  },
  end: () => '',
});

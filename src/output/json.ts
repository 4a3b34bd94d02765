import { densePieces, indentedPieces, minify } from '../core/json.ts';
import type { Received } from '../core/received.ts';
import { isPlain, visibleJson } from '../core/sanitize.ts';
import { shown, shownPieces } from './pieces.ts';
import type { Sink } from './sink.ts';

/** The record's own text, every field and number as it was sent, on one line. */
const lineOf = (record: Received): string => shown(minify(record.text), visibleJson);

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

/** The same for a record of a list, whose text has no blanks between its tokens: most are plain, and need nothing done. */
const lineInList = (record: Received): string => (isPlain(record.text) ? record.text : lineOf(record));

const linesOf = (records: readonly Received[], separator: string): string => records.map(lineInList).join(separator);

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
    page: (records) => {
      const start = open();
      if (records.length === 0) return start;
      const separator = filled ? ',\n' : '\n';
      filled = true;
      return start + separator + linesOf(records, ',\n');
    },
    end: (next) => `${open()}${filled ? '\n' : ''}],"next_cursor":${visibleJson(JSON.stringify(next))}}\n`,
  };
};

/** A record a line. */
export const ndjsonSink = (): Sink => ({
  page: (records) => (records.length === 0 ? '' : `${linesOf(records, '\n')}\n`),
  end: () => '',
});

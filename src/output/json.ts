import { indent, minify } from '../core/json.ts';
import type { Received } from '../core/received.ts';
import { visibleJson } from './sanitize.ts';
import type { Sink } from './sink.ts';

/** Blanks beside a bracket, comma or colon; a string may hold the same, which costs time and changes nothing. */
const MAYBE_LOOSE = /^\s|\s$|[,:{[]\s|\s[}\],:]/;

/** Most services send no blanks, and looking for one is ten times cheaper than taking out none. */
const dense = (text: string): string => (MAYBE_LOOSE.test(text) ? minify(text) : text);

/** The record's own text, every field and number as it was sent, on one line. */
const lineOf = (record: Received): string => visibleJson(dense(record.text));

/** One record as JSON: a line for programs, indented for people. */
export const jsonRecord = (record: Received, indented: boolean): string =>
  `${indented ? indent(lineOf(record)) : lineOf(record)}\n`;

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
      return start + separator + records.map(lineOf).join(',\n');
    },
    end: (next) => `${open()}${filled ? '\n' : ''}],"next_cursor":${visibleJson(JSON.stringify(next))}}\n`,
  };
};

/** A record a line. */
export const ndjsonSink = (): Sink => ({
  page: (records) => records.map((record) => `${lineOf(record)}\n`).join(''),
  end: () => '',
});

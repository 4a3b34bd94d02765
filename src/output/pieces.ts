import { free, turn } from '../core/async.ts';
import type { Clock, Io, Output } from '../core/io.ts';
import type { ApiRecord } from '../core/record.ts';
import { type Clean, cleanedJson, holdsSecret } from '../core/redact.ts';

/** Renders a list a page at a time. The caller writes the text and waits for the reader. */
export interface Sink {
  /**
   * The text of the next page, including everything before it, in pieces: one a row, and several for a large row.
   * `more` is true where pages may follow. Yielded bytes are valid until the next piece is requested.
   */
  page(records: readonly ApiRecord[], more: boolean): Generator<string | Uint8Array>;
  /** The text that closes the list; `next` is the cursor to continue at, null when nothing remains. */
  end(next: string | null): string;
  /** A notice about how the list was shown; undefined where there is none. */
  notice?(): string | undefined;
}

/** The longest time between two yields to the event loop, in milliseconds: signals are handled only there. */
const LONGEST_MS = 25;
/** In characters: converting a text of this size takes a few milliseconds. */
export const CHUNK = 64 * 1024;
/** The size of one write, in characters. */
const PORTION = 4 * CHUNK;
/** The output after which memory is freed. No page of a walk is as large, so none is delayed by it. */
const MUCH = 32 * CHUNK;

/**
 * The position at which a text can be split: after its last character that can't be part of a key. Keys are printable
 * ASCII, so each key stays whole. 0 where there is no such position.
 */
const lastApart = (text: string): number => {
  // The next chunk may begin with the other half of the last character.
  let maySplit = false;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const code = text.charCodeAt(at);
    const isFirstHalf = code >= 0xd800 && code <= 0xdbff;
    if ((code < 0x21 || code > 0x7e) && (maySplit || !isFirstHalf)) return at + 1;
    maySplit = code < 0xdc00 || code > 0xdfff;
  }
  return 0;
};

/**
 * Converts a text by `show` a chunk at a time. No secret to be removed spans two pieces. An empty piece is a chance to
 * pause.
 */
export function* shownPieces(text: string, show: (text: string) => string, size = CHUNK): Generator<string> {
  let whole = '';
  for (let from = 0; from < text.length; from += size) {
    const chunk = text.slice(from, from + size);
    const end = from + size >= text.length ? chunk.length : lastApart(chunk);
    yield end === 0 ? '' : show(whole + chunk.slice(0, end));
    whole = end === 0 ? whole + chunk : chunk.slice(end);
  }
}

/** Same as `shownPieces`, in one string, for short texts. */
export const shown = (text: string, show: (text: string) => string): string => [...shownPieces(text, show)].join('');

interface RowOptions {
  /** Renders a text as a cell. */
  readonly show: (text: string) => Generator<string>;
  readonly between: string;
  readonly end: string;
}

/** A row of cells in one piece, except that long cells have their own pieces. */
export function* rowPieces(texts: readonly string[], { show, between, end }: RowOptions): Generator<string> {
  let row = '';
  for (const [index, text] of texts.entries()) {
    if (index > 0) row += between;
    if (text.length <= CHUNK) {
      for (const piece of show(text)) row += piece;
      continue;
    }
    yield row;
    row = '';
    yield* show(text);
  }
  yield row + end;
}

/** Joins pieces to larger ones, so that there are few writes; an empty piece remains a chance to pause. */
export function* joined<T extends string | Uint8Array>(pieces: Iterable<T>): Generator<T | string> {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    if (piece !== '' && text.length < CHUNK && typeof piece === 'string') continue;
    yield text;
    text = '';
    if (typeof piece !== 'string') yield piece;
  }
  yield text;
}

/**
 * Writes pieces one after the other, as fast as the reader reads; yields to the event loop in between, so that signals
 * are handled.
 */
export const writePieces = async (
  output: Output,
  pieces: Iterable<string | Uint8Array>,
  clock: Clock,
): Promise<void> => {
  let [since, written, isMuch] = [clock.ticks(), 0, false];
  for (const piece of pieces) {
    for (const part of typeof piece === 'string' ? shownPieces(piece, (text) => text, PORTION) : [piece]) {
      if (output.closed) return;
      if (part !== '') await output.write(part);
      written += part.length;
      if (written >= MUCH) {
        free();
        [written, isMuch] = [0, true];
      }
      if (clock.ticks() - since < LONGEST_MS) continue;
      await turn();
      since = clock.ticks();
    }
  }
  if (isMuch) free();
};

/** Returns the function that removes secrets from data. */
export const cleanOf =
  ({ redactor }: Pick<Io, 'redactor'>): Clean =>
  (text) =>
    redactor.clean(text);

/** The record without secrets: a changed copy where one of its strings contains a secret. */
export const cleanedRecord = (record: ApiRecord, clean: Clean): ApiRecord => {
  const text = cleanedJson(record.text, clean);
  return text === record.text ? record : { ...record, text, bytes: undefined, value: JSON.parse(text) };
};

/**
 * Checks a whole page for secrets at once: a check for each record would take much of the time of a walk. Records with
 * bytes were checked on arrival, and are checked again when they are written.
 */
const cleanedRecords = (records: readonly ApiRecord[], clean: Clean): readonly ApiRecord[] => {
  const texts = records.filter(({ bytes }) => bytes === undefined).map(({ text }) => text);
  return holdsSecret(texts.join('\n'), clean) ? records.map((record) => cleanedRecord(record, clean)) : records;
};

/** Wraps a sink so that it gets only cleaned records. */
export const cleanedSink = (sink: Sink, clean: Clean): Sink => ({
  ...sink,
  page: (records, more) => sink.page(cleanedRecords(records, clean), more),
  end: (next) => sink.end(next === null ? null : clean(next)),
});

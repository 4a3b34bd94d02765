import { free, turn } from '../core/async.ts';
import type { Clock, Io, Output } from '../core/io.ts';
import type { ApiRecord } from '../core/record.ts';
import { type Clean, cleanedJson, holdsSecret } from '../core/redact.ts';

/** Makes the text of a list, a page at a time; whoever drives it writes the text and waits for the reader. */
export interface Sink {
  /**
   * The text of the next page, everything that goes before it included, in pieces: a row each, and several of one that is large.
   * `more` says that pages may follow. Bytes hold until the next ones are asked for.
   */
  page(records: readonly ApiRecord[], more: boolean): Generator<string | Uint8Array>;
  /** What closes the list; `next` is where to go on, null when nothing remains. */
  end(next: string | null): string;
  /** What people should know of how it was shown; undefined where there is nothing to tell. */
  notice?(): string | undefined;
}

/** In milliseconds: a signal is heard only between two turns of the event loop. */
const LONGEST_MS = 25;
/** In characters: what makes a text of another takes a few milliseconds for so many. */
export const CHUNK = 64 * 1024;
/** What is written at once. */
const PORTION = 4 * CHUNK;
/** Memory is freed each time that so much has been written. No page of a walk is as large, so that none waits for it. */
const MUCH = 32 * CHUNK;

/**
 * Where a text can be taken apart: behind its last character that can't stand in a key, which is printable ASCII, so that each
 * key stays whole; 0 where there is none.
 */
const lastApart = (text: string): number => {
  // What follows the last character is not known here: it may be its other half.
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
 * A text as `show` shows it, made a chunk at a time, in pieces between which nothing stands that is to be taken out by its value:
 * an empty piece is a chance to pause.
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

/** The same in one go, for what nobody waits for. */
export const shown = (text: string, show: (text: string) => string): string => [...shownPieces(text, show)].join('');

interface RowOptions {
  /** Makes a cell of a text. */
  readonly show: (text: string) => Generator<string>;
  readonly between: string;
  readonly end: string;
}

/** A row of cells: one piece, but for cells that are long, which have pieces of their own. */
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

/** Joins pieces to larger ones, so that few are written; an empty one stays a chance to pause. */
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

/** Writes pieces one after the other, as the reader takes them; what takes long gives way to signals in between. */
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

/** What takes secrets out of the data. */
export const cleanOf =
  ({ redactor }: Pick<Io, 'redactor'>): Clean =>
  (text) =>
    redactor.clean(text);

/** The record as it may be laid out: where a secret stands in one of its strings, another one without it. */
export const cleanedRecord = (record: ApiRecord, clean: Clean): ApiRecord => {
  const text = cleanedJson(record.text, clean);
  return text === record.text ? record : { ...record, text, bytes: undefined, value: JSON.parse(text) };
};

/**
 * One look at all of a page: one for each record would take much of the time of a walk. What can be handed on as bytes has had its
 * own as it came, and has another as it is written.
 */
const cleanedRecords = (records: readonly ApiRecord[], clean: Clean): readonly ApiRecord[] => {
  const texts = records.filter(({ bytes }) => bytes === undefined).map(({ text }) => text);
  return holdsSecret(texts.join('\n'), clean) ? records.map((record) => cleanedRecord(record, clean)) : records;
};

/** The sink, given nothing but such records. */
export const cleanedSink = (sink: Sink, clean: Clean): Sink => ({
  ...sink,
  page: (records, more) => sink.page(cleanedRecords(records, clean), more),
  end: (next) => sink.end(next === null ? null : clean(next)),
});

import { nextTurn } from '../core/async.ts';
import type { Clock, Io, Output } from '../core/io.ts';
import type { ApiPage, ApiRecord } from '../core/record.ts';
import type { Column } from '../core/result.ts';
import { type Clean, cleanedJson, holdsSecret } from '../core/secret.ts';

/** Renders a list a page at a time. The caller writes the text and waits for the reader. */
export interface Sink {
  /**
   * Text of the next page; that of the first page includes what opens the list. `more` is true if pages may follow.
   * Yielded bytes are valid until the next piece is requested.
   */
  page(records: readonly ApiRecord[], more: boolean): Generator<string | Uint8Array>;
  /** The text that closes the list; `next` is the cursor to continue at, null if nothing remains. */
  end(next: string | null): string;
  /** A notice about how the list was shown; undefined if there is none. */
  notice?(): string | undefined;
  /** The columns of the table; none if there is no table (yet). */
  readonly shown?: () => readonly Column[];
}

/** The longest time between two yields to the event loop, in milliseconds: signals are handled only there. */
const TURN_MS = 25;
/** The size of one write, in characters. */
const PORTION = 256 * 1024;

/**
 * The position at which a text can be split: after its last character that can't be part of a key. Keys are printable
 * ASCII, so each key stays whole. 0 if there is no such position.
 */
const placeToSplit = (text: string): number => {
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

/** Splits a text into portions. No secret spans two of them. */
function* portionsOf(text: string): Generator<string> {
  let whole = '';
  for (let from = 0; from < text.length; from += PORTION) {
    const chunk = text.slice(from, from + PORTION);
    const end = from + PORTION >= text.length ? chunk.length : placeToSplit(chunk);
    if (end > 0) yield whole + chunk.slice(0, end);
    whole = end === 0 ? whole + chunk : chunk.slice(end);
  }
}

/** Joins short pieces, so that there are few writes. */
function* joinPieces(pieces: Iterable<string | Uint8Array>): Generator<string | Uint8Array> {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    if (typeof piece === 'string' && text.length < PORTION) continue;
    yield* portionsOf(text);
    text = '';
    if (typeof piece !== 'string') yield piece;
  }
  yield* portionsOf(text);
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
  let since = clock.ticks();
  for (const part of joinPieces(pieces)) {
    if (output.closed) return;
    await output.write(part);
    if (clock.ticks() - since < TURN_MS) continue;
    await nextTurn();
    since = clock.ticks();
  }
};

/** Returns a function that removes the known secrets from a text. */
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

type WalkIo = Pick<Io, 'stdout' | 'clock'>;

export interface Walked {
  /**
   * `end`: complete, or the maximum was reached with nothing left; `max`: stopped at the maximum, and more remain;
   * `closed`: the reader has closed its end; `broken`: a page failed.
   */
  readonly how: 'end' | 'max' | 'closed' | 'broken';
  readonly shown: number;
  /** The cursor to continue at; null if nothing remains. */
  readonly next: string | null;
  /** The number of records at `next` that were shown already. */
  readonly repeats: number;
  /** The error of a broken walk. */
  readonly fault?: unknown;
}

/** Selects the records of a page to show, and the cursor for the rest. */
const selectRecords = (page: ApiPage, room: number) => {
  // The first page has no cursor to return to, so it is not cut: better to show some records too many than to lose
  // some.
  const records = page.cursor === undefined ? page.records : page.records.slice(0, room);
  const cut = records.length < page.records.length;
  return { records, next: cut ? (page.cursor ?? null) : page.nextCursor, repeats: cut ? records.length : 0 };
};

type Step = IteratorResult<ApiPage, unknown> | { readonly done: 'broken'; readonly fault: unknown };

const nextPage = async (iterator: AsyncIterator<ApiPage>): Promise<Step> => {
  try {
    return await iterator.next();
  } catch (fault) {
    return { done: 'broken', fault };
  }
};

const drive = async (
  iterator: AsyncIterator<ApiPage>,
  max: number,
  { stdout, clock }: WalkIo,
  sink: Sink,
): Promise<Walked> => {
  let walked: Walked = { how: 'end', shown: 0, next: null, repeats: 0 };
  let started = false;
  const write = async (text: string): Promise<void> => {
    if (text !== '' && !stdout.closed) await stdout.write(text);
  };
  for (;;) {
    if (stdout.closed) return { ...walked, how: 'closed' };
    const step = await nextPage(iterator);
    if (step.done === 'broken') {
      // A list that failed before its first page prints nothing: the error says everything.
      if (started) await write(sink.end(walked.next));
      return { ...walked, how: 'broken', fault: step.fault };
    }
    if (step.done === true) break;
    started = true;
    const { records, next, repeats } = selectRecords(step.value, max - walked.shown);
    const shown = walked.shown + records.length;
    walked = { how: shown >= max && next !== null ? 'max' : 'end', shown, next, repeats };
    await writePieces(stdout, sink.page(records, shown < max && next !== null), clock);
    if (shown >= max) break;
  }
  await write(sink.end(walked.next));
  return walked;
};

/**
 * Writes the pages of a list to stdout through a sink. A page is requested when the reader has read the previous one;
 * no page is stored. Requests end after `max` records, or when the reader has closed its end. A failed page closes the
 * output and is returned as `broken`, not thrown.
 */
export const walk = async (
  pages: AsyncIterable<ApiPage>,
  max: number | undefined,
  io: WalkIo,
  sink: Sink,
): Promise<Walked> => {
  const iterator = pages[Symbol.asyncIterator]();
  try {
    return await drive(iterator, max ?? Number.POSITIVE_INFINITY, io, sink);
  } finally {
    await iterator.return?.();
  }
};

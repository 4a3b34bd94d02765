import { turn } from '../core/async.ts';
import type { Io, Output } from '../core/io.ts';
import type { ApiPage, ApiRecord } from '../core/record.ts';
import { type Clean, cleanedJson, holdsSecret } from '../core/secret.ts';

/** Renders a list a page at a time. The caller writes the text and waits for the reader. */
export interface Sink {
  /**
   * The next page, as texts or as bytes; the first page includes what opens the list. `more` is true where pages may
   * follow. Yielded bytes are valid until the next piece is requested.
   */
  page(records: readonly ApiRecord[], more: boolean): Generator<string | Uint8Array>;
  /** The text that closes the list; `next` is the cursor to continue at, null when nothing remains. */
  end(next: string | null): string;
  /** A notice about how the list was shown; undefined where there is none. */
  notice?(): string | undefined;
}

/** Writes a page: its text at once, or its bytes. */
const writePage = async (output: Output, pieces: Iterable<string | Uint8Array>): Promise<void> => {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else if (!output.closed) await output.write(piece);
  }
  if (text !== '' && !output.closed) await output.write(text);
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

/** The end of a walk over a list. */
export interface Walked {
  /**
   * `end`: complete, or the cap was reached with nothing left; `max`: stopped at the cap, and more remain; `closed`:
   * the reader has closed its end; `broken`: a page failed.
   */
  readonly how: 'end' | 'max' | 'closed' | 'broken';
  readonly shown: number;
  /** The cursor to continue at; null when nothing remains. */
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

const drive = async (iterator: AsyncIterator<ApiPage>, max: number, stdout: Output, sink: Sink): Promise<Walked> => {
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
    await writePage(stdout, sink.page(records, shown < max && next !== null));
    if (shown >= max) break;
    // Signals are handled only in a turn of the event loop, which neither the ledger's file nor a fast reader needs.
    await turn();
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
  stdout: Output,
  sink: Sink,
): Promise<Walked> => {
  const iterator = pages[Symbol.asyncIterator]();
  try {
    return await drive(iterator, max ?? Number.POSITIVE_INFINITY, stdout, sink);
  } finally {
    await iterator.return?.();
  }
};

import type { Io } from '../core/io.ts';
import type { ApiPage } from '../core/record.ts';
import { type Sink, writePieces } from './pieces.ts';

type WalkIo = Pick<Io, 'stdout' | 'clock'>;

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
const take = (page: ApiPage, room: number) => {
  // The first page has no cursor to return to, so it is not cut: better to show some records too many than to lose
  // some.
  const records = page.cursor === undefined ? page.records : page.records.slice(0, room);
  const cut = records.length < page.records.length;
  return { records, next: cut ? (page.cursor ?? null) : page.nextCursor, repeats: cut ? records.length : 0 };
};

type Step = IteratorResult<ApiPage, unknown> | { readonly done: 'broken'; readonly fault: unknown };

const pull = async (iterator: AsyncIterator<ApiPage>): Promise<Step> => {
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
    const step = await pull(iterator);
    if (step.done === 'broken') {
      // A list that failed before its first page prints nothing: the error says everything.
      if (started) await write(sink.end(walked.next));
      return { ...walked, how: 'broken', fault: step.fault };
    }
    if (step.done === true) break;
    started = true;
    const { records, next, repeats } = take(step.value, max - walked.shown);
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

import type { Io } from '../core/io.ts';
import type { ApiPage, ApiRecord } from '../core/record.ts';
import { joined, type Sink, writePieces } from './pieces.ts';

type WalkIo = Pick<Io, 'stdout' | 'clock'>;

/** How a walk over a list ended. */
export interface Walked {
  /** `end`: as asked; `max`: at the cap, and more remain; `closed`: the reader has gone; `broken`: a page failed. */
  readonly how: 'end' | 'max' | 'closed' | 'broken';
  readonly shown: number;
  /** Where to go on; null when nothing remains. */
  readonly next: string | null;
  /** How many of the records at `next` were shown already. */
  readonly repeats: number;
  /** What a broken walk threw. */
  readonly fault?: unknown;
}

/** What is to be shown of a page, and what then remains. */
const take = (page: ApiPage, room: number) => {
  // The first page has no cursor to come back with, so it is not cut: rather some more than some lost.
  const records = page.cursor === undefined ? page.records : page.records.slice(0, room);
  const cut = records.length < page.records.length;
  return { records, next: cut ? (page.cursor ?? null) : page.nextCursor, repeats: cut ? records.length : 0 };
};

/** Characters of records that are made into one text: far more than a page has whose records are as documented. */
const SLICE = 256 * 1024;

/** The text of a page, a slice after the other where it is large. */
function* textsOf(records: readonly ApiRecord[], more: boolean, sink: Sink): ReturnType<Sink['page']> {
  let [from, size] = [0, 0];
  for (const [index, record] of records.entries()) {
    size += (record.bytes ?? record.text).length;
    if (size < SLICE || index + 1 === records.length) continue;
    yield* sink.page(records.slice(from, index + 1), true);
    [from, size] = [index + 1, 0];
  }
  yield* sink.page(records.slice(from), more);
}

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
      // A list that failed before its first page prints nothing at all: that page's failure is all there is to say.
      if (started) await write(sink.end(walked.next));
      return { ...walked, how: 'broken', fault: step.fault };
    }
    if (step.done === true) break;
    started = true;
    const { records, next, repeats } = take(step.value, max - walked.shown);
    const shown = walked.shown + records.length;
    walked = { how: shown >= max && next !== null ? 'max' : 'end', shown, next, repeats };
    await writePieces(stdout, joined(textsOf(records, shown < max && next !== null, sink)), clock);
    if (shown >= max) break;
  }
  await write(sink.end(walked.next));
  return walked;
};

/**
 * Drives the pages of a list through a sink to stdout: a page is asked for when the one before has been taken by the
 * reader, none is kept, and none is asked for after `max` records or when the reader has gone. A page that fails closes
 * the output and is told as `broken`, not thrown.
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

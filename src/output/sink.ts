import type { Received } from '../core/received.ts';

/** Makes the text of a list, a page at a time; whoever drives it writes the text and waits for the reader. */
export interface Sink {
  /**
   * The text of the next page, everything that goes before it included, in pieces: a row each, and several of one that is large.
   * `more` says that pages may follow. Bytes hold until the next ones are asked for.
   */
  page(records: readonly Received[], more: boolean): Generator<string | Uint8Array>;
  /** What closes the list; `next` is where to go on, null when nothing remains. */
  end(next: string | null): string;
  /** What people should know of how it was shown; undefined where there is nothing to tell. */
  notice?(): string | undefined;
}

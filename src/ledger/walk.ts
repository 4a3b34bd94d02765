import type { Entry } from './entry.ts';

/** In milliseconds since the epoch, by the ledger's clock; the end is left out. Open where it says nothing. */
export interface Period {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Takes entries, and says in the end what they come to. */
export interface Taker<T> {
  take(entries: readonly Entry[]): void;
  end(): T;
}

import type { HandOver } from './marker.ts';

/** When an attempt ends at the latest. */
export interface Limits {
  /** From look-up to last byte, in milliseconds. */
  readonly timeout: number;
  /** Ends the attempt wherever it is. */
  readonly signal: AbortSignal;
  /** Ends it only while nothing has been handed over; afterwards `held` is called once and the answer awaited. */
  readonly stop?: { readonly signal: AbortSignal; readonly held: () => void };
}

/** The one signal that ends an attempt early. */
interface Ends {
  readonly signal: AbortSignal;
  /** Lets go of all that was waited for: the attempt is over. */
  readonly release: () => void;
}

/** Calls `told` with the reason once the signal is aborted; gives the way to stop listening. */
const onAbort = (signal: AbortSignal, told: (reason: unknown) => void): (() => void) => {
  const listener = (): void => told(signal.reason);
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
};

/** Calls `told` after `ms`, unless it is cancelled before. */
const after = (ms: number, told: () => void): (() => void) => {
  const timer = setTimeout(told, ms);
  return () => clearTimeout(timer);
};

/**
 * What ends an attempt: its own signal, its timeout, and a signal of the user that finds nothing handed over; one that has
 * been handed over is told about and awaited. A run has one pair of signals and may have a million attempts, so nothing
 * of an attempt stays with them. (AbortSignal.any would keep what somebody still listens to.)
 */
export const endsOf = ({ signal, stop, timeout }: Limits, mark: HandOver): Ends => {
  const end = new AbortController();
  const onStop = (reason: unknown): void => {
    if (mark.handedOver) stop?.held();
    else end.abort(reason);
  };
  const releases = [
    onAbort(signal, (reason) => end.abort(reason)),
    // The reason is the sentence that an error will show.
    after(timeout, () => end.abort(new Error(`no complete answer within ${timeout / 1000} s (--timeout)`))),
    ...(stop === undefined ? [] : [onAbort(stop.signal, onStop)]),
  ];
  return {
    signal: end.signal,
    release: () => {
      for (const release of releases) release();
    },
  };
};

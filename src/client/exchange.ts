import type { Operation } from '../contract/operations.ts';
import type { Params } from '../contract/proof.ts';
import type { IdPrefix } from '../core/ids.ts';
import { interrupted } from '../core/interrupt.ts';
import type { Clock, Flight, Signals } from '../core/io.ts';
import type { Hold } from './hold.ts';

/** A thing that is named by the last parameter of a path. */
export interface Subject {
  readonly prefix: IdPrefix;
  readonly uid: string;
}

/** One operation with its path, query and body made: what travels, but for the key. */
export interface Exchange {
  readonly operation: Operation;
  readonly path: string;
  readonly body: string | undefined;
  /** The parameters in the path. */
  readonly params: Params;
  /** The one thing that is read: an answer about anything else says nothing. */
  readonly subject?: Subject;
}

/** What sending needs of the world. */
export interface SendContext {
  readonly origin: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signals: Signals;
  readonly flight: Flight;
  readonly hold: Hold;
  /** Bound on one attempt, from look-up to last byte, in milliseconds. */
  readonly timeout: number;
  /** One line per HTTP step (--debug). */
  readonly debug: (line: string) => void;
  /** A line for people while they wait. */
  readonly notice: (line: string) => void;
}

/** How an error names the request; the query stays out, since a cursor is long and says nothing. */
export const requestOf = ({ operation, path }: Exchange): { method: string; path: string } => ({
  method: operation.method,
  path: path.split('?')[0] ?? path,
});

/** Waits between two attempts; a signal ends the run there, since nothing is in flight. */
export const pause = async (context: SendContext, ms: number, signal?: AbortSignal): Promise<void> => {
  const stop = signal === undefined ? context.signals.stop : AbortSignal.any([context.signals.stop, signal]);
  try {
    await context.clock.sleep(ms, stop);
  } catch (thrown) {
    if (context.signals.stop.aborted) throw interrupted(context.signals.stop.reason);
    throw thrown;
  }
};

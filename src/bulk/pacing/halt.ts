import type { PayError } from '../../core/error.ts';

/** Why no new row was started; `signal` is the first Ctrl-C or SIGTERM. */
export type Stopped = PayError | 'signal';

/** The end of starting rows. The first reason counts; a fault is kept beside it, since it must not be lost. */
export interface Halt {
  /** Aborted once nothing new may start. */
  readonly signal: AbortSignal;
  readonly stopped: Stopped | undefined;
  /** The first thing that was thrown. */
  readonly fault: { readonly thrown: unknown } | undefined;
  stop(why: Stopped): void;
  fail(thrown: unknown): void;
  /** From here on a signal changes nothing. */
  release(): void;
}

export const openHalt = (signal: AbortSignal): Halt => {
  const over = new AbortController();
  let stopped: Stopped | undefined;
  let fault: Halt['fault'];
  const stop = (why: Stopped): void => {
    stopped ??= why;
    over.abort();
  };
  const onSignal = (): void => stop('signal');
  signal.addEventListener('abort', onSignal);
  if (signal.aborted) onSignal();
  return {
    signal: over.signal,
    get stopped() {
      return stopped;
    },
    get fault() {
      return fault;
    },
    stop,
    fail: (thrown) => {
      fault ??= { thrown };
      over.abort();
    },
    release: () => signal.removeEventListener('abort', onSignal),
  };
};

import type { PayError } from '../../core/error.ts';

/** Why no new row was started; `signal` is the first Ctrl-C or SIGTERM. */
export type Stopped = PayError | 'signal';

/** The end of starting rows. The first reason counts; a fault is kept beside it, since it must not be lost. */
export const openHalt = (signal: AbortSignal) => {
  const over = new AbortController();
  let stopped: Stopped | undefined;
  let fault: { readonly thrown: unknown } | undefined;
  const stop = (why: Stopped): void => {
    stopped ??= why;
    over.abort();
  };
  const onSignal = (): void => stop('signal');
  signal.addEventListener('abort', onSignal);
  if (signal.aborted) onSignal();
  return {
    /** Aborted once nothing new may start. */
    signal: over.signal,
    get stopped(): Stopped | undefined {
      return stopped;
    },
    /** The first thing that was thrown. */
    get fault(): typeof fault {
      return fault;
    },
    stop,
    fail: (thrown: unknown): void => {
      fault ??= { thrown };
      over.abort();
    },
    /** From here on a signal changes nothing. */
    release: (): void => signal.removeEventListener('abort', onSignal),
  };
};
export type Halt = ReturnType<typeof openHalt>;

import { PayError } from './error.ts';

/** The signals that end a run, and the exit code of each when nothing was in flight. */
export const STOP_SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143, SIGQUIT: 143 } as const;
export type StopSignal = keyof typeof STOP_SIGNALS;

/** A signal as people know it. */
export const signalWord = (signal: unknown): string => (signal === 'SIGINT' ? 'Ctrl-C' : String(signal));

/**
 * The end of a run that a signal stopped with nothing in flight; `signal` is the reason of an aborted `stop`, `what` says what
 * was done before.
 */
export const interrupted = (signal: unknown, what = 'nothing was changed'): PayError => {
  const name = String(signal);
  const exitCode = Object.hasOwn(STOP_SIGNALS, name) ? STOP_SIGNALS[name as StopSignal] : STOP_SIGNALS.SIGINT;
  return new PayError('interrupted', `cancelled by ${signalWord(name)}; ${what}`, { exitCode });
};

/** The end of a run in which a person said no to a question, or gave no answer. */
export const declined = (): PayError => new PayError('interrupted', 'cancelled; nothing was changed');

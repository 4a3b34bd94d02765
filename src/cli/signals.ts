import { abruptExit } from '../core/exit.ts';
import { STOP_SIGNALS } from '../core/interrupt.ts';
import type { Flight, Signals } from '../core/io.ts';

/**
 * The first signal asks the run to stop, the second to leave what it waits for; a third ends it on the spot. A full file
 * size (SIGXFSZ) is not a reason to die: the write that hit it fails and says so.
 */
export const listenToSignals = (flight: Flight, exit: (code: number) => never): Signals => {
  const [stop, leave] = [new AbortController(), new AbortController()];
  let signals = 0;
  for (const [name, code] of Object.entries(STOP_SIGNALS)) {
    process.on(name, () => {
      signals += 1;
      if (signals === 1) stop.abort(name);
      else if (signals === 2) leave.abort(name);
      else exit(abruptExit(flight, code));
    });
  }
  if (process.platform !== 'win32') process.on('SIGXFSZ', () => undefined);
  return { stop: stop.signal, leave: leave.signal };
};

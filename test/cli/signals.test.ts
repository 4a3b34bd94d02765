import { expect, it, onTestFinished } from 'vitest';
import { processIo } from '../../src/cli/process-io.ts';
import { STOP_SIGNALS } from '../../src/core/error.ts';
import type { Flight } from '../../src/core/io.ts';

/** The signal listeners, removed after the test. */
const listening = (flight: Flight) => {
  const names = [...Object.keys(STOP_SIGNALS), 'SIGXFSZ'];
  const before = new Map(names.map((name) => [name, process.rawListeners(name)]));
  onTestFinished(() => {
    for (const name of names) {
      for (const listener of process.rawListeners(name)) {
        if (before.get(name)?.includes(listener) !== true) process.removeListener(name, listener as () => void);
      }
    }
  });
  const exits: number[] = [];
  const { signals } = processIo(flight, (code) => {
    exits.push(code);
    return undefined as never;
  });
  return { signals, exits };
};

it.each([
  ['no open write', { open: 0, accepted: 0 }, 143],
  ['writes that may have been applied', { open: 2, accepted: 0 }, 6],
  ['an accepted write whose answer was not recorded', { open: 0, accepted: 1 }, 7],
  ['both', { open: 16, accepted: 1 }, 7],
])('a third signal exits at once; with %s with its own code', (_what, flight, code) => {
  const { signals, exits } = listening(flight);
  process.emit('SIGQUIT');
  expect([signals.stop.reason, signals.leave.aborted]).toEqual(['SIGQUIT', false]);
  process.emit('SIGQUIT');
  expect([signals.leave.reason, exits]).toEqual(['SIGQUIT', []]);
  process.emit('SIGQUIT');
  expect(exits).toEqual([code]);
});

import { constants } from 'node:os';
import process from 'node:process';

type Signal = NodeJS.Signals;

const SIGNALS = Object.keys(constants.signals) as Signal[];

/** Who listened to each signal when this module was loaded. */
const before = new Map(SIGNALS.map((name) => [name, process.rawListeners(name)]));

/** Takes away every listener to a signal that has come since. */
export const dropNewSignalListeners = (): void => {
  for (const name of SIGNALS) {
    for (const listener of process.rawListeners(name)) {
      if (!before.get(name)?.includes(listener)) process.removeListener(name, listener as () => void);
    }
  }
};

import { constants } from 'node:os';
import process from 'node:process';

const SIGNALS = Object.keys(constants.signals) as NodeJS.Signals[];

/** The listeners of each signal when this module was loaded. */
const earlierListeners = new Map(SIGNALS.map((name) => [name, process.rawListeners(name)]));

/** Removes every signal listener that was added since this module was loaded. */
export const dropNewSignalListeners = (): void => {
  for (const name of SIGNALS) {
    for (const listener of process.rawListeners(name)) {
      if (!earlierListeners.get(name)?.includes(listener)) process.removeListener(name, listener as () => void);
    }
  }
};

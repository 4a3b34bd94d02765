import { dropNewSignalListeners } from './signals-before.ts';

// The only import of conf. The order of the imports matters: the first one records the signal listeners before conf
// adds its own.

import Conf from 'conf';

// A package below conf (when-exit) answers the first Ctrl-C by raising the signal again. That would look like a second
// Ctrl-C and end a charge in flight, so only the one signal handler of this program stays.
dropNewSignalListeners();

export { Conf };

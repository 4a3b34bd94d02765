import { dropNewSignalListeners } from './signals-before.ts';

// conf, and only here. The order of the imports matters: the one above remembers what was there before the one below.

import Conf from 'conf';

// A package below conf (when-exit) answers the first Ctrl-C by raising the signal again. That would look like a second
// Ctrl-C and end a charge in flight, so signals are left to the one place that handles them.
dropNewSignalListeners();

export { Conf };

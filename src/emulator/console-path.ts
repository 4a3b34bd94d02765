import { derivedText } from './ids.ts';
import type { Store } from './store/open.ts';

/** Where the console is, beside the service; its token follows. */
export const CONSOLE = '/console/';

/**
 * The token stands in the path: a cookie would go to every port of this machine. It is the same as long as the data file is, so
 * that an address can be kept, and opens none of the control endpoints.
 */
export const consoleToken = (store: Pick<Store, 'setting'>): string =>
  derivedText(`console ${store.setting('control_token') ?? ''}`, 32);

export const consolePath = (store: Pick<Store, 'setting'>): string => `${CONSOLE}${consoleToken(store)}/`;

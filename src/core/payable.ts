import type { EnumLike } from './medium.ts';
import { machineValue } from './medium.ts';
import { readNextAction } from './next-action.ts';

/** An activity, as far as it says what is asked of the customer. */
interface Asking {
  readonly status: EnumLike;
  readonly next_action?: unknown;
}

/**
 * Until when the customer can still do what is asked of them, in milliseconds since the epoch by the service's clock;
 * undefined where nothing says so. Only a `requires_action` asks for something: with any other status they have acted, or
 * what it means is not known here, and an expiry bounds nothing.
 */
export const payableUntil = (activity: Asking): number | undefined => {
  if (machineValue(activity.status) !== 'requires_action') return undefined;
  const action = readNextAction(activity);
  return action?.kind === 'transfer' ? action.expiresAt : undefined;
};

import { statusOf } from './charge.ts';
import { readNextAction } from './next-action.ts';
import { valueAt } from './path.ts';
import { parseInstant } from './time.ts';

/**
 * Until when the customer can still do what an activity asks of them, in milliseconds since the epoch by the service's clock;
 * undefined where nothing says so for certain. Only a `requires_action` asks for something: with any other status they have
 * acted, or what it means is not known here, and an expiry bounds nothing.
 */
export const payableUntil = (activity: unknown): number | undefined => {
  if (statusOf(activity) !== 'requires_action' || readNextAction(activity)?.kind !== 'transfer') return undefined;
  const text = valueAt(activity, 'next_action.headers.expires_at');
  return typeof text === 'string' ? parseInstant(text)?.ms : undefined;
};

import { BOUNDS } from '../core/bounds.ts';
import { statusOf } from '../core/charge.ts';
import { printExact } from '../core/json.ts';
import { valueAt } from '../core/path.ts';
import type { KeptActivity } from './entry.ts';

/** How long a value is as JSON, as far as it is no longer than `most`: printed to be counted, an answer may take millions. */
const lengthUpTo = (most: number, value: unknown): number => {
  if (typeof value === 'string' && value.length > most) return value.length;
  if (typeof value !== 'object' || value === null) return printExact(value).length;
  let length = 1;
  for (const [name, member] of Object.entries(value)) {
    const named = Array.isArray(value) ? 0 : lengthUpTo(most, name) + 1;
    length += named + lengthUpTo(most - length, member) + 1;
    if (length > most) break;
  }
  return Math.max(length, 2);
};

/** What the customer must do. So much of it as nobody can do is not kept; the answer itself has been shown. */
const keptAction = (action: unknown): unknown =>
  lengthUpTo(BOUNDS.kept, action) > BOUNDS.kept ? null : (action ?? null);

/** What is kept of an activity, whatever its fields are like; `servedAt` is the service's clock as it told it. */
export const keptActivity = (activity: unknown, servedAt?: number): KeptActivity => {
  const [uid, createdAt] = ['uid', 'created_at'].map((name) => valueAt(activity, name));
  return {
    uid: typeof uid === 'string' ? uid : '',
    status: statusOf(activity),
    nextAction: keptAction(valueAt(activity, 'next_action')),
    createdAt: typeof createdAt === 'string' && createdAt.length <= BOUNDS.word ? createdAt : undefined,
    ...(servedAt === undefined ? {} : { servedAt }),
  };
};

/** The other way: an activity as far as it is known here, in the service's own fields. */
export const asActivity = ({ uid, status, nextAction, createdAt }: KeptActivity): Record<string, unknown> => ({
  uid,
  activity_type: 'charge',
  status,
  next_action: nextAction,
  ...(createdAt === undefined ? {} : { created_at: createdAt }),
});

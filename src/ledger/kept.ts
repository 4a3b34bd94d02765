import { BOUNDS } from '../core/bounds.ts';
import { statusOf } from '../core/charge.ts';
import { printExact } from '../core/json.ts';
import { valueAt } from '../core/path.ts';
import type { KeptActivity } from './ledger.ts';

/** What the customer must do. So much of it as nobody can do is not kept; the answer itself has been shown. */
const keptAction = (action: unknown): unknown => (printExact(action).length > BOUNDS.kept ? null : (action ?? null));

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

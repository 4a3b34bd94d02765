import { statusOf } from '../core/charge.ts';
import { valueAt } from '../core/path.ts';
import type { KeptActivity } from './ledger.ts';

/** What is kept of an activity, whatever its fields are like; `servedAt` is the service's clock as it told it. */
export const keptActivity = (activity: unknown, servedAt?: number): KeptActivity => {
  const [uid, createdAt] = ['uid', 'created_at'].map((name) => valueAt(activity, name));
  return {
    uid: typeof uid === 'string' ? uid : '',
    status: statusOf(activity),
    nextAction: valueAt(activity, 'next_action') ?? null,
    createdAt: typeof createdAt === 'string' ? createdAt : undefined,
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

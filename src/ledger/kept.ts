import type { EnumLike } from '../core/medium.ts';
import { machineValue } from '../core/medium.ts';
import { valueAt } from '../core/path.ts';
import type { KeptActivity } from './ledger.ts';

/** What is kept of an activity that the contract has accepted; `servedAt` is the service's clock as it told it. */
export const keptActivity = (activity: unknown, servedAt?: number): KeptActivity => {
  const createdAt = valueAt(activity, 'created_at');
  return {
    uid: String(valueAt(activity, 'uid')),
    status: machineValue(valueAt(activity, 'status') as EnumLike),
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

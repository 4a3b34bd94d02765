import type { Activity } from '../contract/activity.ts';
import { standingOf } from '../core/charge.ts';
import { type PayError, usageError } from '../core/error.ts';
import type { Ending } from '../core/local.ts';
import { machineValue } from '../core/medium.ts';
import { readNextAction } from '../core/next-action.ts';
import { utcAtom } from '../core/time.ts';
import { endActivity, endDue } from './ends.ts';
import type { KeptActivity } from './store/activities.ts';
import type { Store } from './store/open.ts';

export interface Settling {
  readonly activity: string;
  readonly as: Ending;
  /** Milliseconds from now; at once when it is undefined. */
  readonly after: number | undefined;
  /** What is paid with a success, in the minor unit; all that was asked for when it is undefined. */
  readonly amount?: number | undefined;
}

export interface Settled {
  /** The activity as it now stands. */
  readonly activity: Activity;
  /** When it will end, in milliseconds since the epoch; undefined when it has. */
  readonly due: number | undefined;
}

export const unknownActivity = (uid: string): PayError =>
  usageError(`there is no activity ${uid} in the emulator's data`, {
    hint: 'name the data file that it was charged in with --data',
  });

/** One that can end so: an open one, or a paid one whose money is taken back. */
const endable = (store: Store, uid: string, as: Ending): KeptActivity => {
  const kept = store.activity(uid);
  if (kept === undefined) throw unknownActivity(uid);
  const status = machineValue(kept.activity.status);
  if (as === 'taken_back') {
    if (status === 'successful') return kept;
    throw usageError(`the activity ${uid} is not paid: its status is ${status}`);
  }
  if (standingOf(status) === 'open') return kept;
  throw usageError(`the activity ${uid} has ended already: its status is ${status}`);
};

const refuseAfterExpiry = (activity: Activity, due: number): void => {
  const action = readNextAction(activity);
  if (action?.kind !== 'transfer' || action.expiresAt === undefined || due <= action.expiresAt) return;
  const at = utcAtom(action.expiresAt);
  throw usageError(`the account of the activity ${activity.uid} expires before that, at ${at}`);
};

/** Ends an activity as it is told, now or later. Throws usage errors. */
export const settle = (store: Store, { activity: uid, as, after, amount }: Settling, now: number): Settled =>
  store.write(() => {
    endDue(store, now);
    const kept = endable(store, uid, as);
    const plan = { ending: as, due: now + (after ?? 0), paid: amount };
    if (after === undefined) return { activity: endActivity(store, kept, plan), due: undefined };
    refuseAfterExpiry(kept.activity, plan.due);
    store.replaceActivity(kept.activity, plan);
    return { activity: kept.activity, due: plan.due };
  });

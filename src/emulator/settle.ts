import type { Activity } from '../contract/activity.ts';
import { standingOf } from '../core/charge.ts';
import { type PayError, usageError } from '../core/error.ts';
import type { Ending } from '../core/local.ts';
import { machineValue } from '../core/medium.ts';
import { readNextAction } from '../core/next-action.ts';
import { formatDateAtom } from '../core/time.ts';
import { isPaid } from './paid.ts';
import type { KeptActivity, Store } from './store.ts';

const FAULTS = {
  failed: { code: 'psp.error.declined', message: 'The provider refused this charge, as the emulator was asked to.' },
  expired: { code: 'psp.error.expired', message: 'The customer did not pay in time.' },
} as const satisfies Partial<Record<Ending, unknown>>;

const utc = (ms: number): string => formatDateAtom({ ms, offset: 0 });

const isOpen = ({ status }: Activity): boolean => standingOf(machineValue(status)) === 'open';

/** An activity as it has ended. The contract knows no status for an account that expired: that is a failure, too. */
const ended = (activity: Activity, ending: Ending, at: number): Activity => ({
  ...activity,
  next_action: null,
  status: ending === 'successful' ? 'successful' : 'failed',
  error: ending === 'successful' ? null : FAULTS[ending],
  updated_at: utc(at),
});

const isProcessing = ({ status }: { readonly status?: Activity['status'] | null | undefined }): boolean =>
  machineValue(status ?? '') === 'processing';

/** Pays a payment request; true when it was paid before, so that the customer has paid twice (public material). */
const payTwice = (store: Store, uid: string): boolean => {
  const wasPaid = isPaid(store.ugwo(uid) ?? {});
  store.addPayment(uid);
  if (!wasPaid) store.setUgwoStatus(uid, 'ugwo_successful');
  return wasPaid;
};

/** A payment request is `processing` for as long as one of its activities is. */
const release = (store: Store, uid: string): void => {
  if (!isProcessing(store.ugwo(uid) ?? {}) || store.activitiesOn(uid).some(isProcessing)) return;
  store.setUgwoStatus(uid, 'requires_ugwo');
};

const end = (store: Store, { activity, ugwo }: KeptActivity, ending: Ending, at: number): Activity => {
  const plain = ended(activity, ending, at);
  const result = ending === 'successful' && payTwice(store, ugwo) ? { ...plain, is_double_charge: true } : plain;
  store.replaceActivity(result, undefined);
  if (ending !== 'successful') release(store, ugwo);
  return result;
};

const endDue = (store: Store, now: number): void => {
  for (const kept of store.dueActivities(now)) end(store, kept, kept.ending, kept.due);
};

/** Ends every activity whose time has come, so that whoever reads next sees what it was to become. */
export const catchUp = (store: Store, now: number): void => {
  if (store.dueActivities(now).length > 0) store.write(() => endDue(store, now));
};

export interface Settling {
  readonly activity: string;
  readonly as: Ending;
  /** Milliseconds from now; at once when it is undefined. */
  readonly after: number | undefined;
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

const openActivity = (store: Store, uid: string): KeptActivity => {
  const kept = store.activity(uid);
  if (kept === undefined) throw unknownActivity(uid);
  if (isOpen(kept.activity)) return kept;
  const status = machineValue(kept.activity.status);
  throw usageError(`the activity ${uid} has ended already: its status is ${status}`);
};

const refuseAfterExpiry = (activity: Activity, due: number): void => {
  const action = readNextAction(activity);
  if (action?.kind !== 'transfer' || action.expiresAt === undefined || due <= action.expiresAt) return;
  throw usageError(`the account of the activity ${activity.uid} expires before that, at ${utc(action.expiresAt)}`);
};

/** Ends an open activity as it is told, now or later. Throws usage errors. */
export const settle = (store: Store, { activity: uid, as, after }: Settling, now: number): Settled =>
  store.write(() => {
    endDue(store, now);
    const kept = openActivity(store, uid);
    if (after === undefined) return { activity: end(store, kept, as, now), due: undefined };
    const due = now + after;
    refuseAfterExpiry(kept.activity, due);
    store.replaceActivity(kept.activity, { ending: as, due });
    return { activity: kept.activity, due };
  });

import type { Activity } from '../contract/activity.ts';
import type { Refund } from '../contract/refund.ts';
import type { Ugwo } from '../contract/ugwo.ts';
import type { Ending } from '../core/local.ts';
import { machineValue } from '../core/medium.ts';
import { utcAtom } from '../core/time.ts';
import { isPaid } from './paid.ts';
import { takenBackAfter } from './scripted.ts';
import type { ActivityPlan, KeptActivity } from './store/activities.ts';
import type { Store } from './store/open.ts';
import type { RefundEnding } from './store/refunds.ts';
import { tell, tellEnd, tellRequest } from './tell.ts';

const FAULTS = {
  failed: { code: 'psp.error.declined', message: 'The provider refused this charge, as the emulator was asked to.' },
  expired: { code: 'psp.error.expired', message: 'The customer did not pay in time.' },
  taken_back: { code: 'psp.error.reversed', message: 'The provider took the payment back.' },
} as const satisfies Partial<Record<Ending, unknown>>;

export const REFUND_FAULT = { message: 'The bank of the destination refused this refund.' };

/** What an activity has brought in, or would. */
export const chargedBy = ({ charged_amount, amount }: Activity): number => Number(charged_amount ?? amount ?? 0);

/** An activity as it has ended. The contract knows no status for an account that expired: that is a failure, too. */
const ended = (activity: Activity, ending: Ending, at: number): Activity => ({
  ...activity,
  next_action: null,
  status: ending === 'successful' ? 'successful' : 'failed',
  error: ending === 'successful' ? null : FAULTS[ending],
  updated_at: utcAtom(at),
});

const isProcessing = ({ status }: Activity): boolean => machineValue(status) === 'processing';

/** The status of a payment request by what was paid of it; one that was called off, or refunded, stays so. */
const statusBy = (ugwo: Ugwo, activities: readonly Activity[]): string => {
  const status = machineValue(ugwo.status ?? '');
  if (status === 'cancelled' || (isPaid(ugwo) && status !== 'ugwo_successful')) return status;
  const paid = Number(ugwo['total_amount_paid'] ?? 0);
  if (paid > 0 && paid >= (ugwo.amount ?? 0)) return 'ugwo_successful';
  return activities.some(isProcessing) ? 'processing' : 'requires_ugwo';
};

/** Brings a payment request to where its payments and its activities leave it. */
const settleRequest = (store: Store, uid: string): void => {
  const ugwo = store.ugwo(uid);
  if (ugwo === undefined) return;
  const status = statusBy(ugwo, store.activitiesOn(uid));
  if (status !== machineValue(ugwo.status ?? '')) store.setUgwoStatus(uid, status);
};

/** A success: with another amount than was asked for where that was paid, and twice where it had been paid before (public material). */
const paidWith = (activity: Activity, ugwo: Ugwo, paid: number): Activity => ({
  ...activity,
  ...(paid === activity['amount'] ? {} : { charged_amount: paid }),
  ...(isPaid(ugwo) ? { is_double_charge: true } : {}),
});

/** Ends an activity as it is told, with its payment request. */
export const endActivity = (
  store: Store,
  kept: KeptActivity,
  { ending, due, paid = chargedBy(kept.activity) }: ActivityPlan,
): Activity => {
  const ugwo = store.ugwo(kept.ugwo);
  const plain = ended(kept.activity, ending, due);
  const result = ending === 'successful' && ugwo !== undefined ? paidWith(plain, ugwo, paid) : plain;
  const backAfter = ending === 'successful' && ugwo !== undefined ? takenBackAfter(ugwo) : undefined;
  store.replaceActivity(result, backAfter === undefined ? undefined : { ending: 'taken_back', due: due + backAfter });
  if (ending === 'successful') store.addPayment(kept.ugwo, paid);
  if (ending === 'taken_back') store.addPayment(kept.ugwo, -paid);
  settleRequest(store, kept.ugwo);
  tellEnd(store, due, result);
  if (ugwo !== undefined) tellRequest(store, due, ugwo);
  return result;
};

/** What was given back of an activity, counting those refunds that `counts` does. */
export const refundedOf = (store: Store, activity: string, counts: (status: string) => boolean): number =>
  store
    .refundsOf(activity)
    .filter(({ status }) => counts(machineValue(status)))
    .reduce((sum, { amount }) => sum + (amount ?? 0), 0);

const isDone = (status: string): boolean => status === 'successful';

/** Marks an activity and its payment request as given back, in part or whole. */
const markRefunded = (store: Store, { activity, ugwo }: KeptActivity, at: number): void => {
  const before = store.ugwo(ugwo);
  const isWhole = refundedOf(store, activity.uid, isDone) >= chargedBy(activity);
  const result = { ...activity, status: isWhole ? 'refunded' : 'partially_refunded', updated_at: utcAtom(at) };
  store.replaceActivity(result, undefined);
  const all = store.activitiesOn(ugwo).reduce((sum, { uid }) => sum + refundedOf(store, uid, isDone), 0);
  const paid = Number(before?.['total_amount_paid'] ?? 0);
  store.setUgwoStatus(ugwo, all >= paid ? 'refunded' : 'partially_refunded');
  tellEnd(store, at, result);
  if (before !== undefined) tellRequest(store, at, before);
};

/** Ends a refund as it is told, with what it was of. */
export const endRefund = (store: Store, refund: Refund, ending: RefundEnding, at: number): Refund => {
  const error = ending === 'failed' ? REFUND_FAULT : null;
  const result = { ...refund, status: ending, error, updated_at: utcAtom(at) };
  store.endRefund(result);
  tell(store, at, ending === 'failed' ? 'refund.failed' : 'refund.successful', () => result);
  const kept = store.activity(machineValue(refund['ugwo_activity']));
  if (ending === 'successful' && kept !== undefined) markRefunded(store, kept, at);
  return result;
};

/** Ends all whose time has come, in the order of their times; what ends may be to become something else later. */
export const endDue = (store: Store, now: number): void => {
  for (let next = store.dueActivity(now); next !== undefined; next = store.dueActivity(now)) {
    endActivity(store, next, next);
  }
  for (let next = store.dueRefund(now); next !== undefined; next = store.dueRefund(now)) {
    endRefund(store, next.refund, next.ending, next.due);
  }
};

/** The same, so that whoever reads next sees what it was to become. */
export const catchUp = (store: Store, now: number): void => {
  if ((store.dueActivity(now) ?? store.dueRefund(now)) !== undefined) store.write(() => endDue(store, now));
};

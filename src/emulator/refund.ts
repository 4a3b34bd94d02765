import type { Activity } from '../contract/activity.ts';
import type { Refund } from '../contract/ugwo.ts';
import { machineValue } from '../core/charge.ts';
import { utcAtom } from '../core/time.ts';
import { derivedId, newId } from './ids.ts';
import { asksFor, chargedBy, REFUND_FAULT, refundedOf, refundWish, tell } from './payments.ts';
import { invalidBy, type OperationHandler, type RequestOf, refusal, UNFUNDED } from './service.ts';
import type { EmulatorStore } from './store.ts';

type Body = RequestOf<'refund.create'>['body'];

/** Minimum refund in kobo (public material); nothing is known of other currencies. */
const LEAST: Readonly<Record<string, number>> = { NGN: 20_000 };

/** Duration of a refund that isn't scripted, in milliseconds. */
const USUAL_MS = 10_000;

const PAID = ['successful', 'partially_refunded', 'refunded'];

/**
 * A transfer needs a destination, since the service doesn't know the payer's account. Other mediums refund to the
 * source.
 */
const needsDestination = ({ psp }: Activity): boolean => psp === derivedId('psp', 'bank_transfer');

/** Returns the amount of a refund. Throws a ProblemError if it can't be made. */
const amountOf = (body: Body, activity: Activity, currency: string, store: EmulatorStore): number => {
  if (!PAID.includes(machineValue(activity.status))) throw refusal(409, 'nzube.refund.error.activity_not_paid');
  const left = chargedBy(activity) - refundedOf(store, activity.uid, (status) => status !== 'failed');
  const amount = body.amount === undefined ? left : Number(String(body.amount));
  const isWholly = machineValue(activity.status) === 'refunded' || left <= 0;
  if (isWholly || amount > left) throw invalidBy('nzube.refund.error.refund_amount_too_high', 'amount');
  if (amount < (LEAST[currency] ?? 1)) throw invalidBy('nzube.refund.error.refund_amount_too_low', 'amount');
  if (needsDestination(activity) && body.destination === undefined) {
    throw invalidBy('nzube.refund.error.missing_destination', 'destination');
  }
  return amount;
};

/**
 * Refunds the payment of an activity, in part or whole (public material). A refund takes some time; it may also fail at
 * once.
 */
export const createRefund: OperationHandler<'refund.create'> = ({ body, now }, store): Refund => {
  const kept = store.activity(body.ugwo_activity);
  const ugwo = store.ugwo(kept?.ugwo ?? '');
  if (kept === undefined || ugwo === undefined)
    throw refusal(404, 'activity.error.not_found', { field: 'ugwo_activity' });
  if (asksFor(ugwo, '402')) throw refusal(402, UNFUNDED);
  const currency = machineValue(ugwo.currency ?? '');
  const amount = amountOf(body, kept.activity, currency, store);
  const scripted = refundWish(ugwo);
  const isFailed = scripted?.ending === 'failed' && scripted.after === 0;
  const at = utcAtom(now);
  const refund: Refund = {
    ...body,
    uid: newId('rfd'),
    status: isFailed ? 'failed' : 'processing',
    amount,
    currency,
    ref: body.ref ?? null,
    reason: body.reason ?? null,
    ugwo_activity: kept.activity.uid,
    ugwo: { uid: ugwo.uid },
    destination: body.destination ?? null,
    error: isFailed ? REFUND_FAULT : null,
    created_at: at,
    updated_at: at,
  };
  const plan = isFailed
    ? undefined
    : { ending: scripted?.ending ?? ('successful' as const), due: now + (scripted?.after ?? USUAL_MS) };
  store.addRefund(refund, kept.activity.uid, plan);
  if (isFailed) tell(store, now, 'refund.failed', () => refund);
  return refund;
};

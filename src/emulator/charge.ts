import { EXPIRY_LIMIT_MS, type Medium, mediumNamed, propertyOf } from '../charge/mediums.ts';
import type { Activity, ActivityCreate } from '../contract/activity.ts';
import type { CheckoutSnapshot } from '../contract/checkout.ts';
import type { Refund, Ugwo } from '../contract/ugwo.ts';
import { BANK_CODES } from '../core/banks.ts';
import { machineValue } from '../core/charge.ts';
import type { Violation } from '../core/error.ts';
import { formatMoney, SMALLEST_REFUND } from '../core/money.ts';
import { parseInstant, utcAtom } from '../core/time.ts';
import { derivedDigits, newServiceId, randomText } from './ids.ts';
import {
  asksFor,
  chargedBy,
  emit,
  emitRequestChange,
  isPaid,
  missingAmount,
  REFUND_FAULT,
  refundedOf,
  type Scripted,
  scriptedOf,
  scriptedRefund,
  settleRequest,
} from './payments.ts';
import { PSP } from './records.ts';
import {
  invalid,
  invalidBy,
  type OperationHandler,
  present,
  problemError,
  type RequestOf,
  UNFUNDED,
} from './service.ts';
import type { ActivityPlan, EmulatorStore, StoredActivity } from './store.ts';

type ActivityOutcome = Pick<Activity, 'status' | 'next_action' | 'error'>;

interface Attempt {
  readonly uid: string;
  /** The provider's own reference. */
  readonly reference: string | null;
  readonly outcome: ActivityOutcome;
  /** ISO 8601 */
  readonly at: string;
}

/**
 * Builds an attempt to charge a payment request with its amount (docs/service.md, Activities), with undocumented fields
 * too.
 */
export const activityOn = (ugwo: Ugwo, { uid, reference, outcome, at }: Attempt): Activity => ({
  uid,
  ugwo_uid: ugwo.uid,
  activity_type: 'charge',
  amount: ugwo.amount,
  checkout: ugwo.checkout,
  ugwo_medium: null,
  psp: PSP,
  psp_external_id: reference,
  ...outcome,
  created_at: at,
  updated_at: at,
});

/** Returns one activity, for polling (docs/service.md, Activities); 404 if it belongs to another payment request. */
export const getActivity: OperationHandler<'activity.get'> = ({ params }, store) => {
  const ugwo = present(store.ugwo(params.ugwoUid), 'ugwo.error.not_found');
  const kept = store.activity(params.activityUid);
  if (kept?.ugwo !== ugwo.uid) throw problemError(404, 'activity.error.not_found');
  return kept.activity;
};

type Data = ActivityCreate['data'];

/** Checks what only the service can: the mediums of the checkout and the table of banks. */
const breachesOf = (data: Data, checkout: CheckoutSnapshot): Violation[] => {
  const offered = (checkout.mediums ?? []).map(({ medium }) => machineValue(medium));
  const violations: Violation[] = [];
  if (!offered.includes(data.medium)) {
    const title = `is not configured on the checkout, which offers ${offered.join(', ')}`;
    violations.push({ propertyPath: 'data.medium', title });
  }
  const codes: readonly unknown[] = BANK_CODES;
  for (const field of mediumNamed(data.medium)?.fields ?? []) {
    const property = propertyOf(field);
    if (field.bank && !codes.includes(data[property]))
      violations.push({ propertyPath: `data.${property}`, title: 'is not a supported bank code' });
  }
  return violations;
};

/** An account to pay to (docs/service.md, Next actions). Names no real bank: money sent there could not come back. */
const transfer = (ugwo: Ugwo, uid: string, expiresAt: number): Activity['next_action'] => {
  const amount = formatMoney(ugwo.amount ?? 0, machineValue(ugwo.currency ?? ''));
  return {
    type: 'user_action',
    instruction: `Transfer exactly ${amount} to this account before it expires. A test: no money moves.`,
    headers: {
      bank_name: 'Emulator Bank',
      account_name: 'Paycli Emulator',
      account_number: derivedDigits(uid, 10),
      expires_at: utcAtom(expiresAt),
    },
  };
};

const dial = (ugwo: Ugwo, uid: string): Activity['next_action'] => {
  const amount = formatMoney(ugwo.amount ?? 0, machineValue(ugwo.currency ?? ''));
  const code = `*000*${derivedDigits(uid, 6)}#`;
  const instruction = `Dial ${code} on the phone of your bank account to pay ${amount}. A test: no money moves.`;
  return { type: 'user_action', instruction, headers: { ussd: code } };
};

const emulatedStep = ({ medium }: Pick<Data, 'medium'>): Medium['step'] | undefined => mediumNamed(medium)?.step;

/** The page of a provider, which the customer opens. */
const redirect = (ugwo: Ugwo): Activity['next_action'] => ({
  type: 'redirect',
  instruction: 'Open the page of the provider to pay. A test: no money moves.',
  headers: { url: `https://provider.invalid/${ugwo.uid}` },
});

/** Time after which an account accepts no transfer; none for any other step. */
const accountExpiry = (data: Data, now: number): number => {
  if (emulatedStep(data) !== 'transfer') return Number.POSITIVE_INFINITY;
  return parseInstant(String(data['expires_at'] ?? ''))?.ms ?? now + EXPIRY_LIMIT_MS;
};

const declined = ({ medium }: Data): ActivityOutcome => {
  const message = `The provider refused this ${medium} charge, as metadata.emulate of the payment request asks.`;
  return { status: 'failed', next_action: null, error: { code: 'psp.error.declined', message } };
};

/** Returns the initial state of a charge and the customer's next step (docs/service.md, Activities). */
export const activityOutcome = (data: Data, ugwo: Ugwo, uid: string, now: number): ActivityOutcome => {
  const asking = (next_action: Activity['next_action']) => ({ status: 'requires_action', next_action, error: null });
  const step = emulatedStep(data);
  if (step === 'transfer') return asking(transfer(ugwo, uid, accountExpiry(data, now)));
  if (step === 'dial') return asking(dial(ugwo, uid));
  if (step === 'redirect') return asking(redirect(ugwo));
  return { status: 'processing', next_action: null, error: null };
};

/** Plans how an open charge ends by itself: an account expires, unless metadata.emulate asks for an earlier end. */
const activityPlan = (data: Data, scripted: Scripted | undefined, now: number): ActivityPlan | undefined => {
  const expiry = accountExpiry(data, now);
  if (scripted?.kind === 'end' && now + scripted.after <= expiry) {
    return { ending: scripted.ending, due: now + scripted.after, paid: scripted.paid };
  }
  return expiry < Number.POSITIVE_INFINITY ? { ending: 'expired', due: expiry } : undefined;
};

/** Refuses a charge on a paid or cancelled payment request (docs/service.md, Payment requests). */
const refuseEnded = (ugwo: Ugwo): void => {
  if (isPaid(ugwo)) throw problemError(409, 'ugwo_processed');
  if (machineValue(ugwo.status ?? '') === 'cancelled') throw problemError(409, 'ugwo_cancelled');
};

/** Throws a 422 if the payment request has no checkout, or its checkout doesn't offer this medium or bank. */
const refuseUnrouted = (data: Data, { checkout }: Ugwo): void => {
  if (checkout === null || checkout === undefined) {
    throw invalid([
      { propertyPath: 'checkout', title: 'the payment request has no checkout, so it cannot be charged' },
    ]);
  }
  const violations = breachesOf(data, checkout);
  if (violations.length > 0) throw invalid(violations);
};

/**
 * Makes an attempt to charge a payment request with what is missing of its amount (docs/service.md, Activities).
 * Attempts are independent: an open or failed one prevents no other.
 */
export const createCharge: OperationHandler<'ugwo.charge'> = ({ params, body, now, hangUp }, store) => {
  const ugwo = present(store.ugwo(params.ugwoUid), 'ugwo.error.not_found');
  refuseEnded(ugwo);
  refuseUnrouted(body.data, ugwo);
  const { medium } = body.data;
  const uid = newServiceId('act');
  const scripted = scriptedOf(ugwo, medium);
  if (scripted?.kind === 'unfunded') throw problemError(402, UNFUNDED);
  const asked = { ...ugwo, amount: missingAmount(ugwo) };
  const outcome = scripted?.kind === 'fail' ? declined(body.data) : activityOutcome(body.data, asked, uid, now);
  const reference = outcome.status === 'failed' ? null : `EMU-${randomText(16)}`;
  const activity = activityOn(asked, { uid, reference, outcome, at: utcAtom(now) });
  if (scripted?.kind === 'lost') hangUp();
  if (scripted?.kind === 'lost' && !scripted.made) return activity;
  const plan = scripted?.kind === 'fail' ? undefined : activityPlan(body.data, scripted, now);
  store.addActivity({ activity, ugwo: ugwo.uid, medium }, plan);
  settleRequest(store, ugwo.uid);
  emit(store, now, 'ugwo.activity.created', () => activity);
  emitRequestChange(store, now, ugwo);
  return activity;
};

type RefundBody = RequestOf<'refund.create'>['body'];

/** Duration of a refund that isn't scripted, in milliseconds. */
const REFUND_MS = 10_000;

/** Returns the amount of a refund. Throws a ProblemError if it can't be made. */
const refundAmount = (body: RefundBody, kept: StoredActivity, currency: string, store: EmulatorStore): number => {
  const { activity } = kept;
  if (!['successful', 'partially_refunded', 'refunded'].includes(machineValue(activity.status)))
    throw problemError(409, 'nzube.refund.error.activity_not_paid');
  const left = chargedBy(activity) - refundedOf(store, activity.uid, (status) => status !== 'failed');
  const amount = body.amount === undefined ? left : Number(String(body.amount));
  const isRefunded = machineValue(activity.status) === 'refunded' || left <= 0;
  if (isRefunded || amount > left) throw invalidBy('nzube.refund.error.refund_amount_too_high', 'amount');
  if (amount < (SMALLEST_REFUND.get(currency) ?? 1))
    throw invalidBy('nzube.refund.error.refund_amount_too_low', 'amount');
  // The service doesn't know the account that a transfer came from. Other mediums refund to the source.
  if (emulatedStep(kept) === 'transfer' && body.destination === undefined) {
    throw invalidBy('nzube.refund.error.missing_destination', 'destination');
  }
  return amount;
};

/**
 * Refunds the payment of an activity, in part or whole (docs/service.md, Refunds). A refund takes some time; it may
 * also fail at once.
 */
export const createRefund: OperationHandler<'refund.create'> = ({ body, now }, store): Refund => {
  const kept = store.activity(body.ugwo_activity);
  const ugwo = store.ugwo(kept?.ugwo ?? '');
  if (kept === undefined || ugwo === undefined)
    throw problemError(404, 'activity.error.not_found', { field: 'ugwo_activity' });
  if (asksFor(ugwo, '402')) throw problemError(402, UNFUNDED);
  const currency = machineValue(ugwo.currency ?? '');
  const amount = refundAmount(body, kept, currency, store);
  const scripted = scriptedRefund(ugwo);
  const isFailed = scripted?.ending === 'failed' && scripted.after === 0;
  const at = utcAtom(now);
  const refund: Refund = {
    ...body,
    uid: newServiceId('rfd'),
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
    : { ending: scripted?.ending ?? ('successful' as const), due: now + (scripted?.after ?? REFUND_MS) };
  store.addRefund(refund, kept.activity.uid, plan);
  if (isFailed) emit(store, now, 'refund.failed', () => refund);
  return refund;
};

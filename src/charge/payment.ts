/**
 * Payments: the money that arrived for a charge, as far as answers of the service show it. Only this file maps a status
 * of the service to a payment. Amounts count the currency's minor unit; an undefined one is unknown, not zero.
 */
import { BOUNDS } from '../core/bounds.ts';
import { activitiesOf, isAccount, machineValue, readNextAction, statusOf, textAt } from '../core/charge.ts';
import { valueAt } from '../core/json.ts';
import { parseInstant } from '../core/time.ts';

/**
 * Payments of accepted charges, in output order. `end` is the kind of error with which a wait for it ends, if it is no
 * success. `brings`: the customer's money is here. `frees`: the payment request may be charged again. `retried`:
 * `--retry-failed` charges its row again. A payment without `final` may still change by itself.
 */
export const PAYMENTS = {
  paid: { final: true, brings: true, frees: false, retried: false, end: undefined },
  overpaid: { final: true, brings: true, frees: false, retried: false, end: undefined },
  underpaid: { final: true, brings: true, frees: false, retried: false, end: 'underpaid' },
  open: { final: false, brings: false, frees: false, retried: false, end: 'pending' },
  expired: { final: true, brings: false, frees: true, retried: true, end: 'pending' },
  failed: { final: true, brings: false, frees: true, retried: true, end: 'charge_failed' },
  reversed: { final: true, brings: false, frees: true, retried: false, end: 'charge_failed' },
  refunded: { final: true, brings: true, frees: false, retried: false, end: 'charge_failed' },
  partially_refunded: { final: true, brings: true, frees: false, retried: false, end: undefined },
} as const;
export type Payment = keyof typeof PAYMENTS;

export const PAYMENT_NAMES = Object.keys(PAYMENTS) as readonly Payment[];

export const paymentsThat = (property: 'final' | 'brings' | 'frees' | 'retried'): readonly Payment[] =>
  PAYMENT_NAMES.filter((name) => PAYMENTS[name][property]);

/**
 * Kind of the error with which a wait for a payment ends; undefined for a success. After a partial refund it depends on
 * what is missing of the payment request's amount.
 */
export const endKindOf = (payment: Payment, missing = 0): (typeof PAYMENTS)[Payment]['end'] =>
  payment === 'partially_refunded' && missing > 0 ? 'underpaid' : PAYMENTS[payment].end;

/** The end of an accepted charge that `--retry-failed` charges again; undefined for another one. */
export const endOf = (payment: Payment): 'failed' | 'expired' | undefined => {
  if (payment === 'expired') return payment;
  return PAYMENTS[payment].retried ? 'failed' : undefined;
};

/** True for a write whose outcome nobody knows yet. */
export const isUndecided = (state: string): boolean => state === 'sending' || state === 'unknown';

/** True if a charge in this state has ended without all of its money, so that its payment request may be charged. */
export const isUnpaid = (state: string, payment: Payment | null | undefined): boolean =>
  payment ? payment === 'underpaid' || PAYMENTS[payment].frees : !isUndecided(state);

/** Facts about one activity (docs/service.md, Activities). Instants are milliseconds by the service's clock. */
export interface ActivityFacts {
  /** Empty if the answer shows none. */
  readonly uid: string;
  /** Machine value; empty if it can't be read. */
  readonly status: string;
  /** Amount that it was asked to collect. */
  readonly amount?: number | undefined;
  /** Amount that it has collected (`charged_amount`). */
  readonly charged?: number | undefined;
  readonly isDoubleCharge?: boolean | undefined;
  readonly failureCode?: string | undefined;
  readonly createdAt?: number | undefined;
  readonly updatedAt?: number | undefined;
  /** Moment at which the account of a transfer ends. */
  readonly accountUntil?: number | undefined;
}

/** Facts about a payment request (docs/service.md, Payment requests). */
export interface RequestFacts {
  readonly status: string;
  /** Amount that was asked. */
  readonly amount?: number | undefined;
  /** Amount received over all activities (`total_amount_paid`). */
  readonly total?: number | undefined;
  /** All activities; undefined if the answer doesn't list them. */
  readonly activities?: readonly ActivityFacts[] | undefined;
}

/** Amount in the minor unit, from a number or a text of digits; undefined if it can't be represented exactly. */
export const amountAt = (value: unknown, path: string): number | undefined => {
  const found = valueAt(value, path);
  if (typeof found === 'string') return /^\d{1,15}(?:\.0+)?$/.test(found) ? Number(found) : undefined;
  return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : undefined;
};

/** Instant in milliseconds; undefined for a time without offset, which may be of any zone. */
const instantAt = (value: unknown, path: string): number | undefined => {
  const found = valueAt(value, path);
  return typeof found === 'string' ? parseInstant(found)?.ms : undefined;
};

const failureCodeOf = (activity: unknown): string | undefined => {
  const error = valueAt(activity, 'error');
  const code = machineValue(valueAt(error, 'code') ?? error);
  return code === '' || code.length > BOUNDS.word ? undefined : code;
};

/** Reads the facts of an activity, whatever the types of its fields. */
export const activityFacts = (activity: unknown): ActivityFacts => ({
  uid: textAt(activity, 'uid'),
  status: statusOf(activity),
  amount: amountAt(activity, 'amount'),
  charged: amountAt(activity, 'charged_amount'),
  isDoubleCharge: valueAt(activity, 'is_double_charge') === true,
  failureCode: failureCodeOf(activity),
  createdAt: instantAt(activity, 'created_at'),
  updatedAt: instantAt(activity, 'updated_at'),
  accountUntil: isAccount(readNextAction(activity)) ? instantAt(activity, 'next_action.headers.expires_at') : undefined,
});

export const requestFacts = (ugwo: unknown): RequestFacts => ({
  status: statusOf(ugwo),
  amount: amountAt(ugwo, 'amount'),
  total: amountAt(ugwo, 'total_amount_paid'),
  activities: activitiesOf(ugwo)?.map(activityFacts),
});

/** Statuses of an activity whose money came (docs/service.md, Activities). */
const BRINGING: readonly string[] = ['successful', 'partially_refunded', 'refunded'];
const FAILED: readonly string[] = ['failed', 'expired'];
/** Statuses of an activity that is under way. Any other status may mean anything. */
const UNDER_WAY: readonly string[] = ['requires_action', 'processing'];

const brings = ({ status }: ActivityFacts): boolean => BRINGING.includes(status);

/** Money of one activity. */
interface Received {
  /** Undefined if nothing tells how much. */
  readonly received: number | undefined;
  /** The service shows no amount, so this one is what was asked. */
  readonly isAssumed: boolean;
}

/** An amount of 0 on a successful activity, or on a refund, counts as missing. */
export const positive = (amount: number | undefined): number | undefined => (amount === 0 ? undefined : amount);

/** Money that an activity brought by itself. `asked`: amount of its payment request. */
export const ownMoney = ({ charged, amount }: ActivityFacts, asked: number | undefined): Received => {
  const shown = positive(charged);
  return { received: shown ?? positive(amount) ?? asked, isAssumed: shown === undefined };
};

const receivedOf = (
  activity: ActivityFacts,
  request: RequestFacts | undefined,
  asked: number | undefined,
): Received => {
  const paying = request?.activities?.filter(brings) ?? [];
  const total = positive(request?.total);
  const isOnly = paying.length === 1 && paying[0]?.uid === activity.uid;
  const decides = isOnly || (request?.activities === undefined && positive(activity.charged) === undefined);
  return decides && total !== undefined ? { received: total, isAssumed: false } : ownMoney(activity, asked);
};

export const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Sum over all paying activities: what the service says, else what they show themselves. */
const totalOf = ({ total, activities = [] }: RequestFacts, asked: number | undefined): number =>
  positive(total) ?? sum(activities.filter(brings).map((one) => ownMoney(one, asked).received ?? 0));

/** Everything that decides about a payment besides its activity. */
interface PaymentContext {
  /** The payment request of the same read; undefined if it was not read. */
  readonly request?: RequestFacts | undefined;
  /** Amount that was asked, if the read does not say so. */
  readonly asked?: number | undefined;
  readonly earlier?: Payment | undefined;
  /** True if the time to pay was over some time before this read, so that a payment in time would show. */
  readonly isLapsed?: boolean;
  /** Known end of the account, where the activity no longer shows it. */
  readonly accountUntil?: number | undefined;
  /** Amount that was paid back, as far as it is known. */
  readonly paidBack?: number | undefined;
}

export interface PaymentRead {
  readonly payment: Payment;
  /** Gross: refunds leave it unchanged. 0 if nothing came; undefined if nothing tells how much. */
  readonly received: number | undefined;
  readonly receivedAssumed: boolean;
  readonly refunded: number | undefined;
}

const unpaid = (payment: Payment): PaymentRead => ({ payment, received: 0, receivedAssumed: false, refunded: 0 });

const compared = ({ received = 0 }: Received, asked: number | undefined, total: number): Payment => {
  if (asked === undefined) return 'paid';
  if (received > asked) return 'overpaid';
  return total >= asked ? 'paid' : 'underpaid';
};

const readPaid = (activity: ActivityFacts, { request, asked: known, paidBack }: PaymentContext): PaymentRead => {
  const asked = request?.amount ?? known ?? activity.amount;
  const money = receivedOf(activity, request, asked);
  const read = { received: money.received, receivedAssumed: money.isAssumed };
  if (activity.status === 'refunded') return { ...read, payment: 'refunded', refunded: money.received };
  if (activity.status === 'partially_refunded') return { ...read, payment: 'partially_refunded', refunded: paidBack };
  const total = request === undefined ? (money.received ?? 0) : Math.max(totalOf(request, asked), money.received ?? 0);
  return { ...read, payment: compared(money, asked, total), refunded: 0 };
};

const isReversal = ({ charged = 0, failureCode = '' }: ActivityFacts): boolean =>
  charged > 0 || /revers/i.test(failureCode);

const isExpiry = ({ status, failureCode = '', updatedAt, accountUntil }: ActivityFacts, known?: number): boolean => {
  const until = accountUntil ?? known;
  const hasEnded = until !== undefined && updatedAt !== undefined && until <= updatedAt;
  return status === 'expired' || /expired/i.test(failureCode) || hasEnded;
};

/** True if the money was here when an earlier reading was made. */
export const wasPaid = (earlier: Payment | undefined): boolean =>
  earlier !== undefined && (PAYMENTS[earlier].brings || earlier === 'reversed');

/** The payment that an activity's reading shows. An unrecognized status counts as open: it may still become anything. */
export const paymentOf = (activity: ActivityFacts, context: PaymentContext = {}): PaymentRead => {
  const { earlier, isLapsed = false, accountUntil } = context;
  if (brings(activity)) return readPaid(activity, context);
  const isFailed = FAILED.includes(activity.status);
  if (isFailed && (isReversal(activity) || wasPaid(earlier))) return unpaid('reversed');
  if (earlier === 'reversed' && UNDER_WAY.includes(activity.status)) return unpaid('reversed');
  if (isFailed) return unpaid(isExpiry(activity, accountUntil) ? 'expired' : 'failed');
  return unpaid(isLapsed ? 'expired' : 'open');
};

/** The payment that one reading of an activity shows by itself. */
export const paymentShown = (activity: unknown): Payment => paymentOf(activityFacts(activity)).payment;

/**
 * True if an open activity asks for a step that can't be passed on: no instruction, no account number and no code to
 * dial, or an account number that was pruned. A person has to check it.
 */
export const isStepUnreadable = (activity: unknown): boolean => {
  if (paymentShown(activity) !== 'open') return false;
  const action = readNextAction(activity);
  return action?.kind === 'other' && action.instruction === undefined;
};

/** The money of a whole payment request. */
export interface Balance {
  readonly asked: number | undefined;
  readonly received: number;
  readonly refunded: number;
  /** Missing amount; undefined if nothing says how much was asked. */
  readonly missing: number | undefined;
  /** Amount that came too much and was not paid back; undefined if nothing says how much was asked. */
  readonly excess: number | undefined;
  /** True if the customer has paid more than once, and has not got the excess back. */
  readonly isPaidTwice: boolean;
  /** Money that came too much, by activity: the amounts to pay back. */
  readonly surplus: readonly Surplus[];
}

/** Money of one activity that came too much. */
export interface Surplus {
  readonly activity: string;
  readonly amount: number;
}

/**
 * Spreads an excess over the activities that brought it. The later of two payments came too much; the service marks it,
 * too. One that can pay back all of it comes first; else each pays back what it brought.
 */
const surplusOf = (
  paying: readonly ActivityFacts[],
  excess: number,
  leftOf: (one: ActivityFacts) => number,
): readonly Surplus[] => {
  const latest = paying.toSorted(
    (a, b) =>
      Number(b.isDoubleCharge ?? false) - Number(a.isDoubleCharge ?? false) || (b.createdAt ?? 0) - (a.createdAt ?? 0),
  );
  const whole = latest.filter((one) => leftOf(one) >= excess).slice(0, 1);
  let rest = excess;
  return (whole.length === 0 ? latest : whole).flatMap((one) => {
    const amount = Math.min(rest, leftOf(one));
    rest -= amount;
    return amount > 0 ? [{ activity: one.uid, amount }] : [];
  });
};

/** Sums of the known refunds of activities that are refunded in part, by activity. */
export type PaidBack = ReadonlyMap<string, number>;

export const balanceOf = (
  request: RequestFacts,
  { asked: known, paidBack = new Map() }: { asked?: number | undefined; paidBack?: PaidBack | undefined } = {},
): Balance => {
  const asked = request.amount ?? known;
  const paying = (request.activities ?? []).filter(brings);
  const received = totalOf(request, asked);
  const readOf = (one: ActivityFacts): PaymentRead =>
    paymentOf(one, { request, asked, paidBack: paidBack.get(one.uid) });
  const refunded = request.status === 'refunded' ? received : sum(paying.map((one) => readOf(one).refunded ?? 0));
  const excess = asked === undefined ? undefined : Math.max(0, received - refunded - asked);
  const leftOf = (one: ActivityFacts): number => {
    const { received: brought = 0, refunded: back = 0 } = readOf(one);
    return brought - back;
  };
  const isRepeated =
    paying.length > 1 || paying.some((one) => one.isDoubleCharge) || received >= 2 * (asked ?? Infinity);
  const isPaidTwice = (excess ?? 0) > 0 && isRepeated;
  return {
    asked,
    received,
    refunded,
    excess,
    isPaidTwice,
    missing: asked === undefined ? undefined : Math.max(0, asked - received),
    surplus: surplusOf(paying, excess ?? 0, leftOf),
  };
};

/** Missing amount of a payment request that is paid in part; undefined for another one. */
export const missingPart = (request: RequestFacts | undefined): number | undefined => {
  const { received = 0, missing } = request === undefined ? {} : balanceOf(request);
  return received > 0 && missing ? missing : undefined;
};

/** Time of a reading, as far as it is known, in milliseconds. */
interface ReadingTime {
  /** The activity's own `updated_at`, with an offset. */
  readonly updatedAt?: number | undefined;
  /** The latest `updated_at` among all activities of its payment request. */
  readonly requestUpdatedAt?: number | undefined;
  /** The service's clock at the answer (`Date`). */
  readonly servedAt?: number | undefined;
}

/** Effect of a reading on the stored one. `disputes`: it shows less money, and nothing proves that it is newer. */
export type ReadingVerdict = 'replaces' | 'older' | 'disputes';

const isBefore = (one: number | undefined, other: number | undefined): boolean =>
  one !== undefined && other !== undefined && one < other;

const PAID_BACK: readonly Payment[] = ['partially_refunded', 'refunded'];

/** A stored reading. Without a status of its payment request, only the activity was read. */
type StoredReading = PaymentRead & ReadingTime & { readonly requestStatus?: string | undefined };

/** True if less than the stored sum is less money. What an activity alone let assume holds until its request is read. */
const isFirm = ({ receivedAssumed, requestStatus }: StoredReading): boolean =>
  !receivedAssumed || requestStatus !== undefined;

/** True if a reading shows less money of the activity itself. */
const showsLess = (stored: StoredReading, read: PaymentRead): boolean =>
  PAYMENTS[stored.payment].brings &&
  (!PAYMENTS[read.payment].brings ||
    PAID_BACK.indexOf(read.payment) < PAID_BACK.indexOf(stored.payment) ||
    (isFirm(stored) && !read.receivedAssumed && isBefore(read.received, stored.received)));

/** True if a reading shows that a part of the request's money is missing, after all of it was there. */
const showsPart = (stored: StoredReading, read: PaymentRead): boolean =>
  read.payment === 'underpaid' && stored.payment !== 'underpaid' && isFirm(stored);

/**
 * Decides what a reading of an activity does to the stored one. More money replaces less, unless it is dated earlier.
 * Less money must prove itself by a later `updated_at`: a replica that lags sends old content with a fresh `Date`.
 * Nothing under way proves that money went back. `isLater`: the read began after the stored one was recorded.
 */
export const verdictOn = (
  stored: StoredReading,
  read: PaymentRead & ReadingTime,
  activity: ActivityFacts,
  isLater: boolean,
): ReadingVerdict => {
  if (isBefore(read.updatedAt, stored.updatedAt) || isBefore(read.servedAt, stored.servedAt)) return 'older';
  const isLess = showsLess(stored, read);
  if (!isLess && !(PAYMENTS[stored.payment].brings && showsPart(stored, read))) return 'replaces';
  const isBack = PAYMENTS[read.payment].brings || read.payment === 'reversed';
  const isDated = isLess
    ? isBefore(stored.updatedAt, read.updatedAt)
    : isBefore(stored.requestUpdatedAt, read.requestUpdatedAt);
  if (isBack && (isDated || (FAILED.includes(activity.status) && isReversal(activity)))) return 'replaces';
  return isLater ? 'disputes' : 'older';
};

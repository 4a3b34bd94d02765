import {
  activityFacts,
  amountAt,
  balanceOf,
  isUndecided,
  PAYMENTS,
  type PaidBack,
  type Payment,
  type PaymentRead,
  paymentOf,
  type ReadingVerdict,
  type RequestFacts,
  verdictOn,
  wasPaid,
} from '../charge/payment.ts';
import { refundShown } from '../charge/refund.ts';
import { CHARGE, type ChargeState, REFUND, textAt } from '../core/charge.ts';
import { payableFor, payableUntilOf } from './clock.ts';
import {
  type Entry,
  type Evidence,
  evidenceOf,
  type Intent,
  type KeptActivity,
  type Moment,
  type Money,
  type RequestTerms,
  type Sender,
  type ServiceTime,
  type StoredOutcome,
  withEvidence,
} from './entry.ts';
import { asActivity } from './snapshot.ts';

/** New entry for a charge about to be sent. The backend assigns its place (`seq`). */
export const started = (
  id: string,
  { bound, evidence = [], ...intent }: Intent,
  sender: Sender,
  { at, mark }: Moment,
): Entry => ({
  ...intent,
  id,
  deadline: at + bound,
  seq: 0,
  state: 'sending',
  sender,
  createdAt: at,
  begun: mark,
  took: undefined,
  told: undefined,
  recordedAt: undefined,
  exitCode: undefined,
  activity: undefined,
  money: undefined,
  evidence,
});

/** New state of a charge, with the fields that change with it. */
interface StateChange {
  readonly state: ChargeState;
  readonly moment: Moment;
  /** Duration of the sending, in milliseconds; undefined if its process died before storing it. */
  readonly took: number | undefined;
  readonly exitCode: number | undefined;
  readonly activity: KeptActivity | undefined;
  readonly request?: RequestFacts | undefined;
  readonly evidence: readonly Evidence[];
}

const serviceTimeBy = (activity: KeptActivity | undefined, { at, mark }: Moment): ServiceTime | undefined =>
  activity?.servedAt === undefined ? undefined : { service: activity.servedAt, at, mark };

/** Activity for storage. The service's time is stored in `told`, with the moment of that reading. */
const withoutTime = ({ uid, status, nextAction, createdAt }: KeptActivity): KeptActivity => ({
  uid,
  status,
  nextAction: nextAction ?? null,
  createdAt,
});

/**
 * A refund as the answer to its request shows it; open if only a person says that it was made. An answer that comes after
 * that word names it.
 */
const refundMade = (
  { kind, refund, asked }: Entry,
  { state, moment, evidence }: StateChange,
): Pick<Entry, 'refund' | 'asked'> => {
  if (kind !== REFUND || state !== 'accepted') return { refund: undefined };
  if (refund !== undefined && refund.state !== 'refund_open') return { refund };
  const answer = evidence.findLast((one) => one['uid'] !== undefined);
  const amount = amountAt(answer, 'amount');
  return {
    refund: { state: refundShown(textAt(answer, 'status')), uid: textAt(answer, 'uid') || undefined, at: moment.at },
    ...(amount !== undefined && { asked: { ...asked, amount } }),
  };
};

export const withState = (charge: Entry, change: StateChange): Entry => {
  const { state, moment, took, exitCode, activity, request, evidence } = change;
  const next: Entry = {
    ...charge,
    ...refundMade(charge, change),
    state,
    took,
    exitCode,
    evidence,
    recordedAt: moment.at,
  };
  // The stored reading stays where it is newer than the answer.
  if (activity !== undefined && activity === charge.activity) return next;
  const read = { ...next, told: serviceTimeBy(activity, moment), activity: activity && withoutTime(activity) };
  return { ...read, money: activity && moneyRead(read, charge, { activity, request, moment }) };
};

/** True for a refund of which nobody knows how it ended. */
export const isRefundUnsettled = ({ refund }: Entry): boolean =>
  refund?.state === 'refund_open' || refund?.state === 'refund_disputed';

export const withMore = (charge: Entry, evidence: Evidence | undefined): Entry => ({
  ...charge,
  evidence: withEvidence(charge.evidence, evidence),
});

/** Explains why the outcome of a charge or an update is unknown. */
export const STALE = 'its process ended before it could save the result';

/** Marks a charge as unknown because its process has died. */
export const markStale = (charge: Entry, moment: Moment): Entry => {
  const ended = evidenceOf('process_gone', moment.at, { pid: charge.sender.pid, why: STALE });
  const evidence = withEvidence(charge.evidence, ended);
  return withState(charge, { ...charge, state: 'unknown', moment, evidence });
};

/** A reading of a charge's activity. */
export interface ActivityReading {
  readonly activity: KeptActivity;
  readonly moment: Moment;
  /** Its payment request, if the same answer shows it. */
  readonly request?: RequestFacts | undefined;
  /** Sums of this ledger's refunds in the minor unit, by activity. */
  readonly paidBack?: PaidBack | undefined;
}

/** Time that a last-moment payment may take to show, in milliseconds. */
const SHOWN_WITHIN_MS = 15_000;

/** True if a charge's status was read late enough after its account expired, by the service's clock. */
export const wasSeenExpired = (charge: Entry): boolean =>
  charge.told !== undefined && (payableFor(charge, charge.told) ?? 0) <= -SHOWN_WITHIN_MS;

/** The latest of some moments; undefined if none is known. */
const latestMoment = (moments: readonly (number | undefined)[]): number | undefined => {
  const known = moments.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};

const balanceIn = (request: RequestFacts, asked: number | undefined, paidBack: PaidBack | undefined) => {
  const { missing, excess, isPaidTwice, surplus } = balanceOf(request, { asked, paidBack });
  const requestUpdatedAt = latestMoment((request.activities ?? []).map(({ updatedAt }) => updatedAt));
  return {
    missing,
    excess,
    isPaidTwice,
    surplus,
    requestStatus: request.status,
    requestTotal: request.total,
    requestUpdatedAt,
  };
};

/** Moment of a payment: the service's own, else when it was first seen. It stays while the money stays. */
const paidAtOf = (before: Money | undefined, { payment }: PaymentRead, { activity, moment }: ActivityReading) => {
  if (!PAYMENTS[payment].brings) return before?.paidAt;
  if (before?.paidAt !== undefined && PAYMENTS[before.payment].brings) return before.paidAt;
  return activity.facts?.updatedAt ?? activity.servedAt ?? moment.at;
};

/** The payment that a reversal took back, as it was seen last. */
const reversedBy = (before: Money | undefined, { payment }: PaymentRead, at: number): Money['reversed'] => {
  if (payment !== 'reversed' || before === undefined) return undefined;
  return PAYMENTS[before.payment].brings ? { payment: before.payment, received: before.received, at } : before.reversed;
};

/** Balance of a payment request whose money has changed since it was read. */
const NO_BALANCE = {
  missing: undefined,
  excess: undefined,
  isPaidTwice: undefined,
  surplus: undefined,
  requestUpdatedAt: undefined,
};

/** True if a reading shows no sum, of the activity or of its payment request. */
const isSumless = ({ receivedAssumed }: PaymentRead, { request }: ActivityReading): boolean =>
  receivedAssumed && (request?.total ?? 0) === 0;

/**
 * True if a reading shows nothing new of a payment whose sum is known: it shows no sum, or it is of the activity alone. How
 * much of the asked amount came is known from the payment request.
 */
const isSamePayment = (
  { activity: before }: Entry,
  { received, receivedAssumed }: Money,
  shown: PaymentRead,
  reading: ActivityReading,
): boolean => {
  const { activity, request } = reading;
  const isRepeated = request === undefined && shown.received === received;
  return (
    activity.status === 'successful' &&
    before?.status === activity.status &&
    !receivedAssumed &&
    (isSumless(shown, reading) || isRepeated)
  );
};

/**
 * The dispute that a reading leaves: one about the whole payment request, after a read of the activity alone, and one about
 * a known sum, after a reading that shows none.
 */
const disputeLeft = (before: Money | undefined, shown: PaymentRead, reading: ActivityReading): Money['disputed'] => {
  if (before?.disputed === undefined) return undefined;
  const { disputed, received, receivedAssumed } = before;
  const isOfRequest = disputed.received === received;
  const isOfSum = !isOfRequest && !receivedAssumed && PAYMENTS[disputed.payment].brings;
  const isLeft = isOfRequest ? reading.request === undefined : isOfSum && isSumless(shown, reading);
  return isLeft ? disputed : undefined;
};

/** Money of an accepted charge by a reading that `charge` holds already. `earlier` is the charge without that reading. */
const moneyRead = (charge: Entry, earlier: Entry, reading: ActivityReading): Money | undefined => {
  const { activity, request, paidBack, moment } = reading;
  if (charge.kind !== CHARGE) return undefined;
  const before = earlier.activity?.uid === activity.uid ? moneyKnown(earlier) : undefined;
  // A line of the emergency file holds a stored activity.
  const facts = activity.facts ?? activityFacts(asActivity(activity));
  const asked = charge.asked?.amount;
  const shown = paymentOf(facts, {
    request,
    asked,
    paidBack: paidBack?.get(activity.uid),
    earlier: before?.payment,
    isLapsed: wasSeenExpired(charge),
    accountUntil: charge.activity && payableUntilOf({ ...charge.activity, status: 'requires_action' }),
  });
  const isKept = before !== undefined && isSamePayment(earlier, before, shown, reading);
  const read = isKept ? before : shown;
  const isSame = read.received === before?.received && read.refunded === before?.refunded;
  const balance = isSame ? undefined : NO_BALANCE;
  return {
    ...before,
    ...read,
    paidAt: paidAtOf(before, read, reading),
    reversed: reversedBy(before, read, moment.at),
    disputed: disputeLeft(before, shown, reading),
    readAt: moment.at,
    // An answer without this time leaves the date of the money that it shows again.
    updatedAt: facts.updatedAt ?? (isSame && read.payment === before?.payment ? before.updatedAt : undefined),
    failureCode: facts.failureCode,
    isDoubleCharge: facts.isDoubleCharge,
    psp: activity.psp ?? before?.psp,
    pspReference: activity.pspReference ?? before?.pspReference,
    accountLast4: activity.accountLast4 ?? before?.accountLast4,
    accountDigest: activity.accountDigest ?? before?.accountDigest,
    ...(request === undefined || isKept ? balance : balanceIn(request, asked, paidBack)),
  };
};

/**
 * Money of an accepted charge; undefined for other kinds, and for charges not known to be made. One that a person found
 * made, without its activity, is open.
 */
export const moneyKnown = ({ kind, state, money }: Entry): Money | undefined => {
  if (kind !== CHARGE || state !== 'accepted') return undefined;
  return money ?? { payment: 'open', received: 0, receivedAssumed: false, refunded: 0 };
};

/** Payment of an accepted charge; undefined for any other entry. */
export const paymentIn = (charge: Entry): Payment | undefined => moneyKnown(charge)?.payment;

/** Applies a reading. The last next action stays stored when the service no longer shows one. */
const observed = (charge: Entry, reading: ActivityReading): Entry => {
  const { activity, moment } = reading;
  const next: Entry = {
    ...charge,
    told: serviceTimeBy(activity, moment) ?? charge.told,
    activity: {
      ...withoutTime(activity),
      nextAction: activity.nextAction ?? charge.activity?.nextAction ?? null,
      createdAt: charge.activity?.createdAt ?? activity.createdAt,
    },
  };
  return { ...next, money: moneyRead(next, charge, reading) };
};

const ASKED = ['amount', 'currency', 'ref', 'customer', 'email'] as const;

/** True if a read has shown more of the payment request's terms than is stored. */
export const addsTo = ({ asked = {} }: Entry, shown: RequestTerms): boolean =>
  ASKED.some((name) => asked[name] === undefined && shown[name] !== undefined);

/** Adds missing terms. The first known value of each stays. */
export const asking = (charge: Entry, shown: RequestTerms): Entry => ({
  ...charge,
  asked: Object.fromEntries(ASKED.map((name) => [name, charge.asked?.[name] ?? shown[name]])),
});

/** Kinds of evidence that can decide a charge's state. */
export const DECISIVE: readonly string[] = ['resolved', 'answer', 'emergency_line'];

/** True if a person made the last decision about a charge. */
export const wasResolved = ({ evidence }: Pick<Entry, 'evidence'>): boolean =>
  evidence.findLast(({ kind }) => DECISIVE.includes(kind))?.kind === 'resolved';

/** True if money that came or went back proves that an entry was made. */
const hasMovedMoney = (entry: Entry): boolean =>
  wasPaid(paymentIn(entry)) || entry.refund?.state === 'paid_back' || entry.refund?.state === 'refund_disputed';

/** True if a word that an entry was made leaves it its activity, and with that its readings. */
export const keepsActivity = ({ activity }: Entry, state: ChargeState, named: string | undefined): boolean =>
  state === 'accepted' && (named === undefined || named === activity?.uid);

/** True if a person may replace a person's earlier word about an entry by this state and this activity. */
export const mayCorrect = (entry: Entry, state: ChargeState, named: string | undefined): boolean =>
  wasResolved(entry) && (keepsActivity(entry, state, named) || !hasMovedMoney(entry));

/**
 * True if a process's outcome for its own charge overrides a state that others have set meanwhile. Acceptance by the
 * service always does. An unknown outcome overrides `not_created`, which was then concluded too soon.
 */
export const changesState = ({ state }: Entry, said: Pick<StoredOutcome, 'state'>): boolean =>
  isUndecided(state) || said.state === 'accepted' || (state === 'not_created' && said.state === 'unknown');

/** The charge as a reading shows it, and what that does to the stored reading. A first reading replaces nothing. */
const judged = (
  charge: Entry,
  reading: ActivityReading,
): { readonly next: Entry; readonly verdict: ReadingVerdict } => {
  const { activity } = reading;
  const [next, before] = [observed(charge, reading), moneyKnown(charge)];
  const isFirst = charge.activity?.uid !== activity.uid || before?.readAt === undefined;
  if (isFirst || next.money === undefined) return { next, verdict: 'replaces' };
  const facts = activity.facts ?? activityFacts(asActivity(activity));
  const read = { ...next.money, servedAt: activity.servedAt };
  const isLater = activity.askedAt !== undefined && activity.askedAt >= before.readAt;
  return { next, verdict: verdictOn({ ...before, servedAt: charge.told?.service }, read, facts, isLater) };
};

/** The activity to store with an outcome: the stored one, unless the answer is newer. */
export const latest = (charge: Entry, activity: KeptActivity, moment: Moment): KeptActivity =>
  charge.activity === undefined || judged(charge, { activity, moment }).verdict === 'replaces'
    ? activity
    : charge.activity;

/** Stores what a reading shows that disputes the money. A repeated one adds nothing, also after a person's word. */
const disputing = (charge: Entry, { money: shown }: Entry, { at }: Moment): Entry => {
  const money = moneyKnown(charge);
  if (money === undefined || shown === undefined) return charge;
  const { payment, received } = shown;
  if (money.disputed?.payment === payment && money.disputed.received === received) return charge;
  const evidence = evidenceOf('reading', at, { payment, received, message: 'less money, not proven to be newer' });
  return withMore({ ...charge, money: { ...money, disputed: { payment, received, at } } }, evidence);
};

/** True if a reading showed less money of a charge, nothing proves that it is newer, and nobody has settled it yet. */
export const isDisputed = ({ money }: Pick<Entry, 'money'>): boolean =>
  money?.disputed !== undefined && money.disputed.settled !== true;

/** True if money of a charge was here at its last reading. */
export const hasMoney = (charge: Entry): boolean => {
  const payment = paymentIn(charge);
  return payment !== undefined && PAYMENTS[payment].brings;
};

/** Applies a reading, as far as it proves something. */
export const withReading = (charge: Entry, reading: ActivityReading): Entry => {
  const { next, verdict } = judged(charge, reading);
  if (verdict === 'replaces') return next;
  return verdict === 'older' ? charge : disputing(charge, next, reading.moment);
};

/** Applies a person's word about a disputed charge. */
export const withWord = (charge: Entry, as: 'paid' | 'reversed', evidence: Evidence, { at }: Moment): Entry => {
  const { money } = charge;
  if (money?.disputed === undefined) return charge;
  const { payment, received, disputed } = money;
  const none = { payment: 'reversed', received: 0, receivedAssumed: false, refunded: 0, disputed: undefined } as const;
  const said =
    as === 'paid'
      ? { ...money, disputed: { ...disputed, settled: true } }
      : { ...money, ...NO_BALANCE, ...none, reversed: { payment, received, at } };
  return withMore({ ...charge, money: said }, evidence);
};

/** Evidence for an outcome that arrived after the charge was no longer `sending`. The history must show it. */
export const lateAnswer = ({ state }: Entry, { evidence }: StoredOutcome, at: number): Evidence | undefined =>
  evidence ?? (state === 'sending' ? undefined : evidenceOf('answer', at, { message: 'the answer came after all' }));

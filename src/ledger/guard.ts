import { randomInt } from 'node:crypto';
import { areDifferent, isOtherMedium, mediumShown } from '../charge/mediums.ts';
import { activityFacts, balanceOf, endOf, PAYMENTS, type Payment, paymentOf, paymentShown } from '../charge/payment.ts';
import { gravityOf, type Override, REFUSALS, type RefusalReason, refusalByStatus } from '../charge/refusals.ts';
import { NEXT_STEP } from '../charge/words.ts';
import { CHARGE, isTakenUp, REFUND, rowStateOf } from '../core/charge.ts';
import { PayError } from '../core/error.ts';
import type { Backend, Query } from './backend.ts';
import { codeOpenFor, codeUntil, earliestServiceTime, payableFor, payableUntilOf } from './clock.ts';
import {
  type Charge,
  type Entry,
  type Intent,
  isCharge,
  isEmulator,
  type KeptActivity,
  type Moment,
  type Sender,
} from './entry.ts';
import type { BeginOptions, BeginResult, Judged, Obstacle, PlannedRows } from './ledger.ts';
import { isNoCharge } from './match.ts';
import { type Allowance, type AllowanceOf, dayOf, forbids, isPlan, withPlan, withRow } from './policy.ts';
import { activitiesIn, keptActivity, type Snapshot } from './snapshot.ts';
import {
  isDisputed,
  isRefundUnsettled,
  markStale,
  moneyKnown,
  paymentIn,
  started,
  wasSeenExpired,
  withReading,
} from './transitions.ts';

/** Parts of an intent that the guard uses. */
type Wanted = Pick<Intent, 'kind' | 'medium'> &
  Partial<Pick<Intent, 'digest' | 'job' | 'workspace'>> &
  Pick<BeginOptions, 'once' | 'equalSince'>;

/** An accepted charge, or an activity that somebody else made, as it stands in the way of a charge. */
interface EarlierPayment {
  readonly payment: Payment;
  /** True if it certainly uses another medium. */
  readonly isOther: boolean;
  /** Time in milliseconds in which it can still be paid; undefined if no end is known. */
  readonly left: number | undefined;
  /** A read has shown it since its time to pay was over. */
  readonly isSeen: boolean;
}

/** Returns why a payment blocks a charge. Until somebody reads it after its account expired, it may have been paid. */
const refusalByPayment = ({ payment, isOther, left, isSeen }: EarlierPayment): RefusalReason | undefined => {
  const { frees, brings } = PAYMENTS[payment];
  if (frees) return undefined;
  if (brings) return payment === 'underpaid' ? 'underpaid' : 'paid';
  if (left === undefined || left > 0) return isOther ? 'other_medium' : 'payable';
  return isOther || isSeen ? undefined : 'unseen';
};

/** Obstacle of an earlier entry or of an activity, before any option. */
const obstacleByPayment = (
  earlier: EarlierPayment,
  by: Entry | undefined,
  activity: KeptActivity | undefined,
): readonly Obstacle[] => {
  const why = refusalByPayment(earlier);
  return why === undefined ? [] : [{ why, by, activity, left: earlier.left }];
};

const earlierPaymentOf = (
  charge: Charge,
  payment: Payment,
  medium: string,
  moment: Moment,
  seenNow: boolean,
): EarlierPayment => {
  const other = areDifferent(charge.medium, medium);
  const left = payableFor(charge, moment) ?? (other ? codeOpenFor(charge, moment) : undefined);
  return { payment, isOther: other, left, isSeen: seenNow || wasSeenExpired(charge) };
};

/** True for an entry of another file's row that asked for the same lately, in the same workspace. */
const isEqualRow = (earlier: Entry, { digest, job, workspace, equalSince = Infinity }: Wanted): boolean =>
  earlier.createdAt >= equalSince &&
  earlier.digest === digest &&
  earlier.workspace === workspace &&
  earlier.job !== undefined &&
  earlier.job !== job;

/**
 * Obstacle from an earlier entry, if it is one. Entries of other kinds block a charge only while their outcome is open.
 */
const obstacleBy = (earlier: Entry, wanted: Wanted, moment: Moment, seenNow: boolean): readonly Obstacle[] => {
  const { kind, medium = '', once } = wanted;
  const { state, activity } = earlier;
  const because = (why: RefusalReason): Obstacle[] => [{ why, by: earlier, activity }];
  if (state === 'unknown') return because('unresolved');
  if (state === 'sending') return because('in_progress');
  if (kind === REFUND && isRefundUnsettled(earlier)) return because('refund_open');
  const isMade = once === true || isEqualRow(earlier, wanted);
  if (isMade && earlier.kind === kind && state === 'accepted' && !hasFailed(earlier)) return because('made');
  const payment = paymentIn(earlier);
  if (kind !== CHARGE || !isCharge(earlier) || payment === undefined) return [];
  if (isDisputed(earlier)) return because('disputed');
  return obstacleByPayment(earlierPaymentOf(earlier, payment, medium, moment, seenNow), earlier, activity);
};

/** Earlier entries with the readings of their activities that a read of the payment request shows. */
const withShown = (
  earlier: readonly Entry[],
  shown: Snapshot | undefined,
  moment: Moment,
): readonly { readonly entry: Entry; readonly seenNow: boolean }[] => {
  const read = (shown === undefined ? [] : activitiesIn(shown)).map((raw) => keptActivity(raw, shown));
  const activities = new Map(read.map((one) => [one.uid, one]));
  return earlier.map((entry) => {
    const activity = entry.activity && activities.get(entry.activity.uid);
    if (activity === undefined) return { entry, seenNow: false };
    return { entry: withReading(entry, { activity, request: shown?.facts, moment }), seenNow: true };
  });
};

/** Activities of charges that no entry of this ledger made: a colleague, the dashboard or another machine did. */
const othersIn = (earlier: readonly Entry[], shown: Snapshot): readonly unknown[] => {
  const owned = new Set(earlier.map(({ activity }) => activity?.uid));
  return activitiesIn(shown).filter((raw) => !owned.has(keptActivity(raw).uid) && !isNoCharge(raw));
};

const obstacleByOther = (raw: unknown, shown: Snapshot, medium: string, moment: Moment): readonly Obstacle[] => {
  const activity = keptActivity(raw, shown);
  const other = isOtherMedium(raw, medium) || areDifferent(mediumShown(raw) ?? '', medium);
  const until = payableUntilOf(activity) ?? (other ? codeUntil(activity) : undefined);
  const left = until === undefined ? undefined : until - earliestServiceTime(shown.servedAt, moment);
  const { payment } = paymentOf(activityFacts(raw), { request: shown.facts });
  return obstacleByPayment({ payment, isOther: other, left, isSeen: true }, undefined, activity);
};

/** Why a payment request itself must not be charged. `isExplained`: an open payment keeps it `processing`. */
const refusalByRequest = ({ status, facts }: Snapshot, isExplained: boolean): RefusalReason | undefined => {
  const final = refusalByStatus(status);
  if (final !== undefined) return final.why;
  const { received = 0, missing = 0 } = facts === undefined ? {} : balanceOf(facts);
  if (received > 0) return missing > 0 ? 'underpaid' : 'paid';
  return status === 'processing' && !isExplained ? 'processing' : undefined;
};

/** Obstacle from the payment request, with the activity that paid it if there is one. */
const obstacleByRequest = (shown: Snapshot, isExplained: boolean, found: readonly Obstacle[]): readonly Obstacle[] => {
  const why = refusalByRequest(shown, isExplained);
  if (why === undefined) return [];
  const paid = found.find((one) => one.why === (why === 'underpaid' ? 'underpaid' : 'paid'));
  return [{ why, by: paid?.by, activity: paid?.activity }];
};

/** Tells if an option or an answer applies to an obstacle. */
const OVERRIDES: Readonly<Record<Override, (obstacle: Obstacle, how: BeginOptions) => boolean>> = {
  '--again': (_obstacle, { again }) => again,
  '--remaining': (_obstacle, { remaining }) => remaining === true,
  yes: ({ activity }, { beside = [] }) => activity !== undefined && beside.includes(activity.uid),
};

/** True if the intent passes this obstacle. */
const isOverridden = (obstacle: Obstacle, how: BeginOptions): boolean =>
  REFUSALS[obstacle.why].passedBy?.some((by) => OVERRIDES[by](obstacle, how)) === true;

/** Missing amount of a payment request that was paid in part. */
const amountMissing = (shown: Snapshot | undefined, by: Entry | undefined): number | undefined => {
  const asked = by?.asked?.amount;
  const { missing, received } = (by && moneyKnown(by)) ?? {};
  const left = asked === undefined || received === undefined ? undefined : asked - received;
  return (shown?.facts && balanceOf(shown.facts).missing) ?? missing ?? left;
};

/**
 * Returns the gravest obstacle to an intent, if any (docs/protocol.md, Guard; ADR 10, 17): an earlier entry, or the
 * result of a read of the payment request. `earlier` holds all entries about the same thing at the same service, in any
 * order.
 */
export const guard = (
  earlier: readonly Entry[],
  intent: Wanted,
  how: BeginOptions,
  moment: Moment,
): Obstacle | undefined => {
  const { shown, once = false, remaining = false, equalSince } = how;
  const wanted = { ...intent, once, equalSince };
  const known = withShown(earlier, shown, moment);
  const others = shown === undefined ? [] : othersIn(earlier, shown);
  const payments = [...known.map(({ entry }) => paymentIn(entry)), ...others.map(paymentShown)];
  const isExplained = payments.includes('open');
  const found = [
    ...known.flatMap(({ entry, seenNow }) => obstacleBy(entry, wanted, moment, seenNow)),
    ...(shown === undefined ? [] : others.flatMap((raw) => obstacleByOther(raw, shown, wanted.medium ?? '', moment))),
  ];
  const request = shown === undefined ? [] : obstacleByRequest(shown, isExplained, found);
  const isPartPaid = request.some(({ why }) => why === 'underpaid');
  const notPartPaid: Obstacle[] =
    remaining && !isPartPaid ? [{ why: 'not_underpaid', by: undefined, activity: undefined }] : [];
  const [gravest] = [...found, ...request, ...notPartPaid]
    .filter((one) => !isOverridden(one, how))
    .sort((a, b) => gravityOf(a.why) - gravityOf(b.why) || (b.by?.seq ?? 0) - (a.by?.seq ?? 0));
  return gravest?.why === 'underpaid' ? { ...gravest, missing: amountMissing(shown, gravest.by) } : gravest;
};

/** Finds an entry about the same thing at another origin that may lead to a second payment. */
const elsewhereOf = (others: readonly Entry[], wanted: Wanted, moment: Moment): Entry | undefined =>
  others.find((other) => obstacleBy(other, wanted, moment, false).some(({ why }) => REFUSALS[why].mayBePaid));

type Liveness = Pick<Backend, 'hasEnded' | 'moment'>;

/** True if the process that was sending a charge or an update has died. */
export const isStale = (
  {
    state,
    sender,
    deadline,
    id,
  }: { readonly state: string; readonly sender: Sender; readonly deadline: number; readonly id?: string },
  { hasEnded, moment }: Liveness,
): boolean => state === 'sending' && hasEnded(sender, moment().at > deadline, id);

/** A `sending` charge whose process has died counts as `unknown`. */
export const resolveStale = (charge: Entry, deps: Liveness): Entry =>
  isStale(charge, deps) ? markStale(charge, deps.moment()) : charge;

/** Charges whose process has died, as they are to be stored. */
const staleAmong = (charges: readonly Entry[], deps: Liveness): Entry[] =>
  charges.filter((charge) => isStale(charge, deps)).map((charge) => markStale(charge, deps.moment()));

const SENDING = { states: ['sending'] } as const;

/** Writes `unknown` for all `sending` charges whose process has died. */
export const expireStale = async (backend: Backend): Promise<void> => {
  const sending = await backend.read(SENDING);
  if (!sending.some((charge) => isStale(charge, backend))) return;
  await backend.change('note', [SENDING], ([found = []]) => ({ write: staleAmong(found, backend), result: undefined }));
};

/** Reads charges; those of dead processes are marked as unknown first. */
export const readResolved = async (backend: Backend, query: Query): Promise<readonly Entry[]> => {
  if (query.states !== undefined) await expireStale(backend);
  const found = await backend.read(query);
  if (!found.some((charge) => isStale(charge, backend))) return found;
  await expireStale(backend);
  return backend.read(query);
};

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const HALF = 2 ** 30;

/** Half of an id, in 32 letters that can be read out over the phone: no two look alike. */
const sixLetters = (half: number): string =>
  [25, 20, 15, 10, 5, 0].map((shift) => LETTERS.charAt((half >> shift) % LETTERS.length)).join('');

/**
 * Odd, so that the sequence visits all numbers before it repeats. Large, so that neighbours differ in several letters.
 */
const ID_STEP = 20_706_943;

/**
 * Halves of this process's last id. Ids ascend from a random start: those of one file are then neighbours in the index,
 * where random ones would touch an index page each.
 */
let lastId: readonly [high: number, low: number] | undefined;

/** Returns an id that is unique in all ledgers. */
export const newEntryId = (kind: string): string => {
  let [high, low] = lastId ?? [randomInt(HALF), randomInt(HALF)];
  low += ID_STEP;
  if (low >= HALF) [high, low] = [(high + 1) % HALF, low - HALF];
  lastId = [high, low];
  return `${kind === CHARGE ? 'chg' : kind}-${sixLetters(high)}${sixLetters(low)}`;
};

/** The end of an accepted entry; undefined if it is not over. */
export const endIn = (entry: Entry): 'failed' | 'expired' | undefined => {
  const payment = paymentIn(entry);
  if (payment !== undefined) return endOf(payment);
  return entry.refund?.state === 'refund_failed' ? 'failed' : undefined;
};

export const hasFailed = (entry: Entry): boolean => endIn(entry) !== undefined;

/** True if the last entry of a job's row keeps the row from being started again. */
const isRowDone = (entry: Entry, retry: boolean): boolean => !isTakenUp(rowStateOf(entry.state, endIn(entry)), retry);

/** Finds an obstacle to an intent, among the entries about the same thing and the last entry of its row. */
const obstacleOf = (
  intent: Intent,
  how: BeginOptions,
  earlier: readonly Entry[],
  ofRow: Entry | undefined,
  now: Moment,
): Obstacle | undefined => {
  if (ofRow !== undefined && isRowDone(ofRow, how.retry === true)) {
    return { why: 'done', by: ofRow, activity: ofRow.activity };
  }
  const here = earlier.filter(({ service }) => service === intent.service);
  return guard(here, intent, how, now);
};

/** Obstacle from a policy, which no option overrides. */
const policyObstacle = (allowance: Allowance | undefined, intent: Intent): Obstacle | undefined => {
  if (allowance === undefined) return undefined;
  const forbidden = forbids(allowance, intent);
  if (forbidden === undefined) return undefined;
  return { why: 'policy', by: undefined, activity: undefined, policy: { profile: allowance.kept.profile, forbidden } };
};

/** Queries for the entries that may block an intent: those about the same thing, and the last one of its row. */
const queriesFor = ({ about, job, row = 0 }: Intent): readonly Query[] => [
  { earlier: about },
  ...(job === undefined ? [] : [{ job, rows: [row, row], order: 'newest' } as const]),
];

/** Selects the entries that count against the policy of an intent; undefined if no policy applies to it. */
const spendingOf = ({ kind, profile, job }: Intent, { now }: Pick<Backend, 'now'>): AllowanceOf | undefined => {
  if (kind !== CHARGE && kind !== REFUND) return undefined;
  // An intent that waits beyond midnight also counts the entries of the day before. It never counts too few.
  return { kind, profile, since: dayOf(now()), job: kind === REFUND || isPlan(job ?? '') ? undefined : job };
};

/** Decision about an intent, from the entries that `queriesFor` finds. */
const decisionOn = (
  intent: Intent,
  how: BeginOptions,
  backend: Backend,
  [earlier = [], ofRow = []]: readonly (readonly Entry[])[],
  allowance: Allowance | undefined,
) => {
  const now = backend.moment();
  const [last] = ofRow.map((charge) => resolveStale(charge, backend));
  const known = earlier.map((charge) => resolveStale(charge, backend));
  const others = isEmulator(intent.service) ? [] : known.filter((charge) => charge.service !== intent.service);
  return {
    now,
    obstacle: obstacleOf(intent, how, known, last, now) ?? policyObstacle(allowance, intent),
    elsewhere: elsewhereOf(others, intent, now),
    lost: staleAmong(earlier, backend),
  };
};

/** True for a duplicate key, in SQLite or PostgreSQL: an index holds back a second open request about the same thing. */
const isDuplicate = (thrown: unknown): boolean => {
  const { code, errcode } = ((thrown instanceof Error ? thrown.cause : undefined) as Record<string, unknown>) ?? {};
  return code === '23505' || errcode === 2067;
};

const missedByGuard = ({ about }: Intent, cause: unknown): PayError =>
  new PayError('refused', `nothing was sent for ${about}: another request for it is unknown or is being sent`, {
    hint: NEXT_STEP.reportMissed,
    cause,
  });

/** Runs the guard and stores the intent in one transaction (docs/protocol.md, Order). */
export const begin = (backend: Backend, intent: Intent, how: BeginOptions): Promise<BeginResult> => {
  // Created outside the rule, so that it stays the same when the rule runs again.
  const id = newEntryId(intent.kind);
  const decide: Parameters<typeof backend.change<BeginResult>>[2] = (found, allowance) => {
    const { now, obstacle, elsewhere, lost } = decisionOn(intent, how, backend, found, allowance);
    if (obstacle !== undefined) {
      return { write: lost, result: { kind: 'refused', intent, moment: now, ...obstacle } };
    }
    return {
      write: [started(id, { ...intent, bound: intent.bound + backend.slack }, backend.self, now)],
      result: { kind: 'begun', id, elsewhere },
    };
  };
  return backend.change('intent', queriesFor(intent), decide, spendingOf(intent, backend)).catch((thrown: unknown) => {
    throw isDuplicate(thrown) ? missedByGuard(intent, thrown) : thrown;
  });
};

/** The entry that an intent would leave: a charge that the customer can pay. */
const asMade = (intent: Intent, ...by: [Sender, Moment]): Entry => ({
  ...started(`row ${intent.row ?? ''} of this file`, intent, ...by),
  state: 'accepted',
});

/** Runs the guard and writes nothing. A clear intent is added to the plan, and counts from then on. */
export const judgeIntent = async (
  backend: Backend,
  intent: Intent,
  how: BeginOptions,
  plan: PlannedRows,
): Promise<Judged> => {
  const spending = spendingOf(intent, backend);
  const [earlier = [], ...ofRow] = await Promise.all(queriesFor(intent).map(backend.read));
  const allowance = spending && (await backend.policies.allowance(spending));
  const planned = plan.made?.get(intent.about);
  const found = [planned === undefined ? earlier : [...earlier, planned], ...ofRow];
  const { now, obstacle, elsewhere } = decisionOn(intent, how, backend, found, withPlan(allowance, plan.total));
  if (obstacle !== undefined) return { kind: 'refused', intent, moment: now, ...obstacle };
  plan.made?.set(intent.about, asMade(intent, backend.self, now));
  plan.total = withRow(plan.total, intent.asked ?? {});
  return { kind: 'clear', elsewhere };
};

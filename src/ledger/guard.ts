import { CHARGE, isMedium, payableUntil, paymentStatusOf } from '../core/charge.ts';
import { valueAt } from '../core/json.ts';
import { serviceTime, serviceTimeNow } from './clock.ts';
import { type Charge, type Entry, type Intent, isCharge, type KeptActivity, type Moment } from './entry.ts';
import type { BeginOptions, Obstacle, RefusalReason } from './ledger.ts';
import { isNoCharge, isOtherMedium, mediumOf } from './match.ts';
import { keptActivity, type Snapshot } from './snapshot.ts';
import { latest } from './transitions.ts';

const untilOf = (activity: KeptActivity | undefined): number | undefined =>
  activity && payableUntil({ status: activity.status, next_action: activity.nextAction });

/** For so long the customer can still do what a charge asks of them, in milliseconds; undefined where nothing says so. */
export const payableFor = (charge: Entry, moment: Moment): number | undefined => {
  const until = untilOf(charge.activity);
  return until === undefined ? undefined : until - serviceTime(charge, moment);
};

/** So long a payment that was made at the last moment may take to show, in milliseconds. */
const SHOWS_WITHIN_MS = 15_000;

/** Whether somebody has looked at a charge since its account expired, and late enough. */
export const wasSeenExpired = (charge: Entry): boolean =>
  charge.told !== undefined && (payableFor(charge, charge.told) ?? 0) <= -SHOWS_WITHIN_MS;

/** What an intent is, as far as the guard goes. */
type Wanted = Pick<Intent, 'kind' | 'medium'> & Pick<BeginOptions, 'once'>;

/** What is no medium that we know may be any. */
const isOther = (earlier: string, medium: string): boolean =>
  earlier !== medium && isMedium(earlier) && isMedium(medium);

/** Why an activity stands in the way of a charge; `left` is how long it can still be paid. */
const refusalByActivity = (
  status: string,
  otherMedium: boolean,
  left: number | undefined,
): RefusalReason | 'expired' | undefined => {
  const standing = paymentStatusOf(status);
  if (standing === 'failed') return undefined;
  if (standing !== 'open') return 'paid';
  if (otherMedium) return undefined;
  return left === undefined || left > 0 ? 'payable' : 'expired';
};

/** What is known to have been made stands in the way of nothing else. */
const refusalByState = ({ state }: Entry): RefusalReason | undefined =>
  state === 'unknown' ? 'unresolved' : state === 'sending' ? 'in_progress' : undefined;

/** Without a look that came after it, nobody knows what an expired account has come to. */
const refusalByCharge = (
  charge: Charge,
  medium: string,
  moment: Moment,
  seenNow: boolean,
): RefusalReason | undefined => {
  if (charge.state !== 'accepted') return undefined;
  const left = payableFor(charge, moment);
  const why = refusalByActivity(charge.activity?.status ?? '', isOther(charge.medium, medium), left);
  if (why !== 'expired') return why;
  return seenNow || wasSeenExpired(charge) ? undefined : 'unseen';
};

/** A payment request that is in one of these states is not charged (public-facts.md, Payment requests). */
const FINAL: Readonly<Record<string, RefusalReason>> = {
  ugwo_successful: 'paid',
  partially_refunded: 'refunded',
  refunded: 'refunded',
  cancelled: 'cancelled',
};

const refusalByRequest = ({ status, paidInFull, noCheckout }: Snapshot): RefusalReason | undefined => {
  if (Object.hasOwn(FINAL, status)) return FINAL[status];
  if (paidInFull) return 'paid';
  return noCheckout ? 'no_checkout' : undefined;
};

/** Why an earlier one stands in the way of an intent. What else was made than charges keeps nobody from charging. */
const refusalBy = (earlier: Entry, wanted: Wanted, moment: Moment, seenNow: boolean): RefusalReason | undefined => {
  const { kind, medium, once } = wanted;
  const open = refusalByState(earlier);
  if (open !== undefined) return open;
  if (once === true && earlier.kind === kind && earlier.state === 'accepted') return 'made';
  if (kind !== CHARGE || !isCharge(earlier)) return undefined;
  return refusalByCharge(earlier, medium ?? '', moment, seenNow);
};

/** A charge as a look has just shown it. */
export const asShown = <T extends Entry>(charge: T, activity: KeptActivity, { at, mark }: Moment): T => {
  const { servedAt } = activity;
  const told = servedAt === undefined ? {} : { told: { service: servedAt, at, mark } };
  const now = latest(charge.activity, activity);
  // What the customer was asked to do stays known when nothing more is asked.
  const nextAction = now.nextAction ?? charge.activity?.nextAction ?? null;
  return { ...charge, ...told, activity: { ...now, nextAction } };
};

/** All activities that a look shows: those that are listed, and the latest where it is not among them. */
const activitiesIn = ({ activities = [], last }: Snapshot): readonly unknown[] => {
  const uid = valueAt(last, 'uid');
  const isListed = last === undefined || activities.some((one) => valueAt(one, 'uid') === uid);
  return isListed ? activities : [...activities, last];
};

/** The same, by uid. */
const byUid = (shown: Snapshot): ReadonlyMap<string, KeptActivity> =>
  new Map(
    activitiesIn(shown)
      .map((raw) => keptActivity(raw, shown.servedAt))
      .map((one) => [one.uid, one]),
  );

const ofEarlier = (
  earlier: readonly Entry[],
  shown: ReadonlyMap<string, KeptActivity>,
  wanted: Wanted,
  moment: Moment,
): Obstacle[] =>
  earlier.flatMap((known) => {
    const seen = known.activity && shown.get(known.activity.uid);
    const by = seen === undefined ? known : asShown(known, seen, moment);
    const why = refusalBy(by, wanted, moment, seen !== undefined);
    return why === undefined ? [] : [{ why, by, activity: by.activity }];
  });

/** Activities that nobody here has made: a colleague, the dashboard, another machine. */
const ofOthers = (earlier: readonly Entry[], shown: Snapshot, medium: string, moment: Moment): Obstacle[] => {
  const { servedAt } = shown;
  const owned = new Set(earlier.map(({ activity }) => activity?.uid));
  return activitiesIn(shown).flatMap((raw) => {
    const activity = keptActivity(raw, servedAt);
    if (owned.has(activity.uid) || isNoCharge(raw)) return [];
    const until = untilOf(activity);
    const left = until === undefined ? undefined : until - serviceTimeNow(servedAt, moment);
    const otherMedium = isOtherMedium(raw, medium) || isOther(mediumOf(raw) ?? '', medium);
    const why = refusalByActivity(activity.status, otherMedium, left);
    return why === undefined || why === 'expired' ? [] : [{ why, by: undefined, activity }];
  });
};

/** What the payment request itself says, with the activity that says the same where one does. */
const ofRequest = (shown: Snapshot, others: readonly Obstacle[]): Obstacle[] => {
  const why = refusalByRequest(shown);
  if (why === undefined) return [];
  const paid = others.find((one) => one.why === 'paid');
  return [{ why, by: paid?.by, activity: paid?.activity }];
};

/** From the gravest on: what can't be overridden comes first. */
const GRAVITY: readonly RefusalReason[] = [
  'unresolved',
  'in_progress',
  'cancelled',
  'refunded',
  'paid',
  'payable',
  'unseen',
  'no_checkout',
  'made',
];
const OVERRIDABLE: readonly RefusalReason[] = ['refunded', 'paid', 'payable', 'unseen', 'no_checkout', 'made'];

/**
 * Whether something stands in the way of an intent (charge-protocol, The guard; ADR 10, 17): an earlier one, or what a look at
 * the payment request has just shown. `earlier` is all that there is at its service about the same, in any order.
 */
export const guard = (
  earlier: readonly Entry[],
  intent: Wanted,
  { again, shown, once = false }: BeginOptions,
  moment: Moment,
): Obstacle | undefined => {
  const wanted = { ...intent, once };
  const found = [
    ...ofEarlier(earlier, shown === undefined ? new Map() : byUid(shown), wanted, moment),
    ...(shown === undefined ? [] : ofOthers(earlier, shown, wanted.medium ?? '', moment)),
  ];
  const all = shown === undefined ? found : [...found, ...ofRequest(shown, found)];
  return all
    .filter(({ why }) => !again || !OVERRIDABLE.includes(why))
    .sort((a, b) => GRAVITY.indexOf(a.why) - GRAVITY.indexOf(b.why) || (b.by?.seq ?? 0) - (a.by?.seq ?? 0))[0];
};

/** One about the same at another origin that may lead to a second payment. */
export const elsewhereOf = (others: readonly Entry[], wanted: Wanted, moment: Moment): Entry | undefined =>
  others.find((other) => {
    const why = refusalBy(other, wanted, moment, false);
    return why === 'unresolved' || why === 'in_progress' || why === 'payable';
  });

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

/** Milliseconds that the customer still has to pay a charge; undefined if no end is known. */
export const payableFor = (charge: Entry, moment: Moment): number | undefined => {
  const until = untilOf(charge.activity);
  return until === undefined ? undefined : until - serviceTime(charge, moment);
};

/** Time that a last-moment payment may take to show, in milliseconds. */
const SHOWS_WITHIN_MS = 15_000;

/** True if somebody read the charge's status late enough after its account expired. */
export const wasSeenExpired = (charge: Entry): boolean =>
  charge.told !== undefined && (payableFor(charge, charge.told) ?? 0) <= -SHOWS_WITHIN_MS;

/** Parts of an intent that the guard uses. */
type Wanted = Pick<Intent, 'kind' | 'medium'> & Pick<BeginOptions, 'once'>;

/** True if both are known mediums and differ. An unknown medium may be any medium. */
const isOther = (earlier: string, medium: string): boolean =>
  earlier !== medium && isMedium(earlier) && isMedium(medium);

/** Returns why an activity blocks a charge. `left` is the time in milliseconds in which it can still be paid. */
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

/** An entry with a known outcome blocks nothing by its state alone. */
const refusalByState = ({ state }: Entry): RefusalReason | undefined =>
  state === 'unknown' ? 'unresolved' : state === 'sending' ? 'in_progress' : undefined;

/** Until somebody reads it after its account expired, nobody knows whether the charge was paid. */
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

/** States in which a payment request must not be charged (public-facts.md, Payment requests). */
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

/**
 * Returns why an earlier entry blocks an intent. Entries of other kinds block a charge only while their outcome is
 * open.
 */
const refusalBy = (earlier: Entry, wanted: Wanted, moment: Moment, seenNow: boolean): RefusalReason | undefined => {
  const { kind, medium, once } = wanted;
  const open = refusalByState(earlier);
  if (open !== undefined) return open;
  if (once === true && earlier.kind === kind && earlier.state === 'accepted') return 'made';
  if (kind !== CHARGE || !isCharge(earlier)) return undefined;
  return refusalByCharge(earlier, medium ?? '', moment, seenNow);
};

/** Updates a charge with the activity that a read has just shown. */
export const asShown = <T extends Entry>(charge: T, activity: KeptActivity, { at, mark }: Moment): T => {
  const { servedAt } = activity;
  const told = servedAt === undefined ? {} : { told: { service: servedAt, at, mark } };
  const now = latest(charge.activity, activity);
  // Keep the customer's next action when the service no longer shows one.
  const nextAction = now.nextAction ?? charge.activity?.nextAction ?? null;
  return { ...charge, ...told, activity: { ...now, nextAction } };
};

/** All activities that a read shows: the listed ones, and the latest one if it isn't listed. */
const activitiesIn = ({ activities = [], last }: Snapshot): readonly unknown[] => {
  const uid = valueAt(last, 'uid');
  const isListed = last === undefined || activities.some((one) => valueAt(one, 'uid') === uid);
  return isListed ? activities : [...activities, last];
};

/** Activities that a read shows, by uid. */
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

/** Obstacles from activities that no entry of this ledger made: a colleague, the dashboard or another machine did. */
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

/** Obstacle from the payment request's own status, with the paid activity if there is one. */
const ofRequest = (shown: Snapshot, others: readonly Obstacle[]): Obstacle[] => {
  const why = refusalByRequest(shown);
  if (why === undefined) return [];
  const paid = others.find((one) => one.why === 'paid');
  return [{ why, by: paid?.by, activity: paid?.activity }];
};

/** Gravest reason first. Reasons that can't be overridden come before the others. */
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
 * Returns the gravest obstacle to an intent, if any (charge-protocol, The guard; ADR 10, 17): an earlier entry, or the
 * result of a read of the payment request. `earlier` holds all entries about the same thing at the same service, in any
 * order.
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

/** Finds an entry about the same thing at another origin that may lead to a second payment. */
export const elsewhereOf = (others: readonly Entry[], wanted: Wanted, moment: Moment): Entry | undefined =>
  others.find((other) => {
    const why = refusalBy(other, wanted, moment, false);
    return why === 'unresolved' || why === 'in_progress' || why === 'payable';
  });

import { standingOf } from '../core/charge.ts';
import { isMedium } from '../core/medium.ts';
import { valueAt } from '../core/path.ts';
import { payableUntil } from '../core/payable.ts';
import { serviceTime, serviceTimeNow } from './clock.ts';
import { isNoCharge, isOtherMedium, mediumOf } from './fits.ts';
import { keptActivity } from './kept.ts';
import type { BeginOptions, Charge, KeptActivity, Moment, Obstacle, Refusal } from './ledger.ts';
import { latest } from './news.ts';
import type { Shown } from './shown.ts';

const untilOf = (activity: KeptActivity | undefined): number | undefined =>
  activity && payableUntil({ status: activity.status, next_action: activity.nextAction });

/** For so long the customer can still do what a charge asks of them, in milliseconds; undefined where nothing says so. */
export const payableFor = (charge: Charge, moment: Moment): number | undefined => {
  const until = untilOf(charge.activity);
  return until === undefined ? undefined : until - serviceTime(charge, moment);
};

/** So long a payment that was made at the last moment may take to show, in milliseconds. */
const SHOWS_WITHIN_MS = 15_000;

/** Whether somebody has looked at a charge since its account expired, and late enough. */
export const wasSeenExpired = (charge: Charge): boolean =>
  charge.told !== undefined && (payableFor(charge, charge.told) ?? 0) <= -SHOWS_WITHIN_MS;

/** What is no medium that we know may be any. */
const isOther = (earlier: string, medium: string): boolean =>
  earlier !== medium && isMedium(earlier) && isMedium(medium);

/** Why an activity stands in the way of a charge; `left` is how long it can still be paid. */
const refusalByActivity = (
  status: string,
  otherMedium: boolean,
  left: number | undefined,
): Refusal | 'expired' | undefined => {
  const standing = standingOf(status);
  if (standing === 'failed') return undefined;
  if (standing !== 'open') return 'paid';
  if (otherMedium) return undefined;
  return left === undefined || left > 0 ? 'payable' : 'expired';
};

/** Without a look that came after it, nobody knows what an expired account has come to. */
const refusalByCharge = (charge: Charge, medium: string, moment: Moment, seenNow: boolean): Refusal | undefined => {
  if (charge.state === 'unknown') return 'unresolved';
  if (charge.state === 'sending') return 'in_progress';
  if (charge.state !== 'accepted') return undefined;
  const left = payableFor(charge, moment);
  const why = refusalByActivity(charge.activity?.status ?? '', isOther(charge.medium, medium), left);
  if (why !== 'expired') return why;
  return seenNow || wasSeenExpired(charge) ? undefined : 'unseen';
};

/** A payment request that is in one of these states is not charged (public-facts.md, Payment requests). */
const FINAL: Readonly<Record<string, Refusal>> = {
  ugwo_successful: 'paid',
  partially_refunded: 'refunded',
  refunded: 'refunded',
  cancelled: 'cancelled',
};

const refusalByRequest = ({ status, paidInFull, noCheckout }: Shown): Refusal | undefined => {
  if (Object.hasOwn(FINAL, status)) return FINAL[status];
  if (paidInFull) return 'paid';
  return noCheckout ? 'no_checkout' : undefined;
};

/** A charge as a look has just shown it. */
export const asShown = (charge: Charge, activity: KeptActivity, { at, mark }: Moment): Charge => {
  const { servedAt } = activity;
  const told = servedAt === undefined ? {} : { told: { service: servedAt, at, mark } };
  const now = latest(charge.activity, activity);
  // What the customer was asked to do stays known when nothing more is asked.
  const nextAction = now.nextAction ?? charge.activity?.nextAction ?? null;
  return { ...charge, ...told, activity: { ...now, nextAction } };
};

/** All activities that a look shows: those that are listed, and the latest where it is not among them. */
const activitiesIn = ({ activities = [], last }: Shown): readonly unknown[] => {
  const uid = valueAt(last, 'uid');
  const isListed = last === undefined || activities.some((one) => valueAt(one, 'uid') === uid);
  return isListed ? activities : [...activities, last];
};

/** The same, by uid. */
const byUid = (shown: Shown): ReadonlyMap<string, KeptActivity> =>
  new Map(
    activitiesIn(shown)
      .map((raw) => keptActivity(raw, shown.servedAt))
      .map((one) => [one.uid, one]),
  );

const ofCharges = (
  charges: readonly Charge[],
  shown: ReadonlyMap<string, KeptActivity>,
  medium: string,
  moment: Moment,
): Obstacle[] =>
  charges.flatMap((known) => {
    const seen = known.activity && shown.get(known.activity.uid);
    const by = seen === undefined ? known : asShown(known, seen, moment);
    const why = refusalByCharge(by, medium, moment, seen !== undefined);
    return why === undefined ? [] : [{ why, by, activity: by.activity }];
  });

/** Activities that nobody here has made: a colleague, the dashboard, another machine. */
const ofOthers = (charges: readonly Charge[], shown: Shown, medium: string, moment: Moment): Obstacle[] => {
  const { servedAt } = shown;
  const owned = new Set(charges.map(({ activity }) => activity?.uid));
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
const ofRequest = (shown: Shown, others: readonly Obstacle[]): Obstacle[] => {
  const why = refusalByRequest(shown);
  if (why === undefined) return [];
  const paid = others.find((one) => one.why === 'paid');
  return [{ why, by: paid?.by, activity: paid?.activity }];
};

/** From the gravest on: what can't be overridden comes first. */
const GRAVITY: readonly Refusal[] = [
  'unresolved',
  'in_progress',
  'cancelled',
  'refunded',
  'paid',
  'payable',
  'unseen',
  'no_checkout',
];
const OVERRIDABLE: readonly Refusal[] = ['refunded', 'paid', 'payable', 'unseen', 'no_checkout'];

/**
 * Whether something stands in the way of a charge by `medium` (charge-protocol, The guard; ADR 10, 17): an earlier charge, or
 * what a look at the payment request has just shown. `charges` are all that its service and payment request have, in any
 * order.
 */
export const guard = (
  charges: readonly Charge[],
  medium: string,
  { again, shown }: BeginOptions,
  moment: Moment,
): Obstacle | undefined => {
  const activities = [
    ...ofCharges(charges, shown === undefined ? new Map() : byUid(shown), medium, moment),
    ...(shown === undefined ? [] : ofOthers(charges, shown, medium, moment)),
  ];
  const all = shown === undefined ? activities : [...activities, ...ofRequest(shown, activities)];
  return all
    .filter(({ why }) => !again || !OVERRIDABLE.includes(why))
    .sort((a, b) => GRAVITY.indexOf(a.why) - GRAVITY.indexOf(b.why) || (b.by?.seq ?? 0) - (a.by?.seq ?? 0))[0];
};

/** A charge of the same payment request at another origin that may lead to a second payment. */
export const elsewhereOf = (charges: readonly Charge[], medium: string, moment: Moment): Charge | undefined =>
  charges.find((charge) => {
    const why = refusalByCharge(charge, medium, moment, false);
    return why === 'unresolved' || why === 'in_progress' || why === 'payable';
  });

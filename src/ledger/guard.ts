import { randomInt } from 'node:crypto';
import { memo } from '../core/async.ts';
import { CHARGE, isMedium, isTakenUp, payableUntil, paymentStatusOf, rowStateOf } from '../core/charge.ts';
import { EXIT_CODES } from '../core/error.ts';
import { valueAt } from '../core/json.ts';
import type { Backend, Query } from './backend.ts';
import { serviceTime, serviceTimeNow } from './clock.ts';
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
import type { BeginOptions, Begun, Judged, Obstacle, PlannedRows, RefusalReason } from './ledger.ts';
import { isNoCharge, isOtherMedium, mediumOf } from './match.ts';
import { type Allowance, type AllowanceOf, dayOf, forbids, withPlan, withRow } from './policy.ts';
import { keptActivity, type Snapshot } from './snapshot.ts';
import { latest, markStale, started } from './transitions.ts';

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

type World = Pick<Backend, 'isGone' | 'moment'>;

/** True if the process that was sending a charge or an update has died. */
export const isStale = (
  {
    state,
    sender,
    deadline,
    id,
  }: { readonly state: string; readonly sender: Sender; readonly deadline: number; readonly id?: string },
  { isGone, moment }: World,
): boolean => state === 'sending' && isGone(sender, moment().at > deadline, id);

/** A `sending` charge whose process has died counts as `unknown`. */
export const resolveStale = (charge: Entry, world: World): Entry =>
  isStale(charge, world) ? markStale(charge, world.moment()) : charge;

/** Charges whose process has died, as they are to be stored. */
const staleAmong = (charges: readonly Entry[], world: World): Entry[] =>
  charges.filter((charge) => isStale(charge, world)).map((charge) => markStale(charge, world.moment()));

const SENDING = { states: ['sending'] } as const;

/** Writes `unknown` for all `sending` charges whose process has died. */
export const expireStale = async (backend: Backend): Promise<void> => {
  const sending = await backend.read(SENDING);
  if (!sending.some((charge) => isStale(charge, backend))) return;
  await backend.change('note', [SENDING], ([found = []]) => ({ write: staleAmong(found, backend), result: undefined }));
};

/** Reads charges after marking those of dead processes as unknown. */
export const readResolved = async (backend: Backend, query: Query): Promise<readonly Entry[]> => {
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
const STEP = 20_706_943;

/**
 * Ids for one process, ascending from a random start. Ids of one file are then neighbours in the index: random ones
 * would touch an index page each.
 */
export const idsFrom = (first: number, second: number): ((kind: string) => string) => {
  let [high, low] = [first, second];
  return (kind) => {
    low += STEP;
    if (low >= HALF) [high, low] = [(high + 1) % HALF, low - HALF];
    return `${kind === CHARGE ? 'chg' : kind}-${sixLetters(high)}${sixLetters(low)}`;
  };
};

const ids = memo(() => idsFrom(randomInt(HALF), randomInt(HALF)));

/** Returns an id that is unique in all ledgers. */
export const newId = (kind: string): string => ids()(kind);

/** Status of an accepted entry. Entries other than charges know at once, by their exit code, whether they failed. */
const statusOf = ({ kind, activity, exitCode }: Entry): string | undefined =>
  kind !== CHARGE && exitCode === EXIT_CODES.charge_failed ? 'failed' : activity?.status;

/** True if the last entry of a job's row keeps the row from being started again. */
const isDone = (entry: Entry, retry: boolean): boolean => !isTakenUp(rowStateOf(entry.state, statusOf(entry)), retry);

/** Finds an obstacle to an intent, among the entries about the same thing and the last entry of its row. */
const obstacleOf = (
  intent: Intent,
  how: BeginOptions,
  standing: readonly Entry[],
  ofRow: Entry | undefined,
  now: Moment,
): Obstacle | undefined => {
  if (ofRow !== undefined && isDone(ofRow, how.retry === true)) {
    return { why: 'done', by: ofRow, activity: ofRow.activity };
  }
  const here = standing.filter(({ service }) => service === intent.service);
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
  { standing: about },
  ...(job === undefined ? [] : [{ job, rows: [row, row], order: 'newest' } as const]),
];

/** Selects the charges that count against the policy of an intent; undefined if no policy applies to it. */
const spendingOf = ({ kind, profile }: Intent, { now }: Pick<Backend, 'now'>): AllowanceOf | undefined =>
  // An intent that waits beyond midnight also counts the charges of the day before. It never counts too few.
  kind === CHARGE ? { profile, since: dayOf(now()) } : undefined;

/** Decision about an intent, from the entries that `queriesFor` finds. */
const decisionOn = (
  intent: Intent,
  how: BeginOptions,
  backend: Backend,
  [standing = [], ofRow = []]: readonly (readonly Entry[])[],
  allowance: Allowance | undefined,
) => {
  const now = backend.moment();
  // The row's last entry may also be among the standing ones.
  const found = new Map([...standing, ...ofRow].map((charge) => [charge.id, charge]));
  const [last] = ofRow.map((charge) => resolveStale(charge, backend));
  const known = standing.map((charge) => resolveStale(charge, backend));
  const others = isEmulator(intent.service) ? [] : known.filter((charge) => charge.service !== intent.service);
  return {
    now,
    obstacle: obstacleOf(intent, how, known, last, now) ?? policyObstacle(allowance, intent),
    elsewhere: elsewhereOf(others, intent, now),
    lost: staleAmong([...found.values()], backend),
  };
};

/** Runs the guard and stores the intent in one transaction (charge-protocol, steps 1 and 2). */
export const begin = (backend: Backend, intent: Intent, how: BeginOptions): Promise<Begun> => {
  // Created outside the rule, so that it stays the same when the rule runs again.
  const id = newId(intent.kind);
  const decide: Parameters<typeof backend.change<Begun>>[2] = (found, allowance) => {
    const { now, obstacle, elsewhere, lost } = decisionOn(intent, how, backend, found, allowance);
    if (obstacle !== undefined) {
      return { write: lost, result: { kind: 'refused', intent, moment: now, ...obstacle } };
    }
    return {
      write: [...lost, started(id, { ...intent, bound: intent.bound + backend.slack }, backend.self, now)],
      result: { kind: 'begun', id, elsewhere },
    };
  };
  return backend.change('intent', queriesFor(intent), decide, spendingOf(intent, backend));
};

/** Runs the guard and writes nothing. A clear intent is added to the plan, and counts from then on. */
export const judge = async (
  backend: Backend,
  intent: Intent,
  how: BeginOptions,
  plan: PlannedRows,
): Promise<Judged> => {
  const spending = spendingOf(intent, backend);
  const found = await Promise.all(queriesFor(intent).map(backend.read));
  const allowance = spending && (await backend.policies.allowance(spending));
  const { now, obstacle, elsewhere } = decisionOn(intent, how, backend, found, withPlan(allowance, plan.total));
  if (obstacle !== undefined) return { kind: 'refused', intent, moment: now, ...obstacle };
  plan.total = withRow(plan.total, intent.asked ?? {});
  return { kind: 'clear', elsewhere };
};

import { isId } from '../core/ids.ts';
import { valueAt } from '../core/path.ts';
import { parseInstant } from '../core/time.ts';
import { boundOf, elapsed, sendingTime } from './clock.ts';
import type { Charge, Moment } from './entry.ts';
import { contradictionOf, isDeclinedAtOnce, isNoCharge, isOfOther, isOtherMedium, mediumOf, wordAt } from './fits.ts';
import { hasGoneOn } from './looks.ts';
import type { RequestSeen } from './request-seen.ts';

/** What a read of the payment request showed, or why it showed nothing. */
export type RequestRead =
  | (Pick<RequestSeen, 'servedAt' | 'age' | 'activities'> & Partial<Pick<RequestSeen, 'status'>>)
  /** `status` is the one of the answer, when there was an answer. */
  | { readonly unavailable: string; readonly status?: number };

/** When a read was asked for, and the moment when its answer was there. */
export interface Timed extends Moment {
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
}

/** One look at a payment request. */
export type Look = RequestRead & Timed;
/** A look, as far as time goes. */
type Sighted = Timed & { readonly servedAt?: number };

/** As much of an activity as evidence may keep: nothing that a customer or a key could be read from. */
export interface KeptCandidate {
  readonly uid: string | null;
  readonly status: string | null;
  readonly medium: string | null;
  readonly created_at: string | null;
}

/** Why an activity can't be the charge's. */
type Exclusion =
  | 'owned by another charge'
  | 'no charge'
  | 'of another payment request'
  | 'another medium'
  | 'made too early';
/** Why an activity is not taken for the charge's, though it may have to do with it: it never counts as absent. */
type Contradiction =
  | 'made too late'
  | 'another next action'
  | 'another expiry'
  | 'another provider'
  | 'another phone'
  | 'declined at once';
/** Why an activity that can't be excluded is no proof either. */
type Doubt =
  | 'no identifier'
  | 'no time'
  | 'medium unclear'
  | 'made before the charge was sent'
  | 'made after its sending must have ended'
  | 'clocks not compared'
  | 'clock may have been set'
  | typeof OLD_ANSWER;

/** What speaks against a look until another one shows that the service's clock goes on. */
export const OLD_ANSWER = 'the answer may be an old one';

export interface Candidate {
  readonly activity: unknown;
  readonly kept: KeptCandidate;
  /** Undefined: it is the charge's as far as can be seen. */
  readonly doubt: Doubt | undefined;
}

export interface Excluded {
  readonly kept: KeptCandidate;
  readonly why: Exclusion | Contradiction;
}

/** The activities of a look, sorted by whether they can be the charge's. */
export interface Sorted {
  readonly candidates: readonly Candidate[];
  readonly excluded: readonly Excluded[];
  /** Those among the excluded for which the look is not empty. */
  readonly contradicted: readonly Excluded[];
  /** What the service's clock shows beyond ours; undefined where it did not tell its time. */
  readonly skew: number | undefined;
}

/** How far from the sending an activity may have been made by clocks that were compared, in milliseconds. */
const WINDOW_MS = 2 * 60_000;
/** Made earlier than this before the charge was sent, it can't be the charge's. */
const BEFORE_MS = 10_000;
/** The service tells its time to the second. */
const DATE_RESOLUTION_MS = 1000;

/** Only what is earlier by more than this certainly came before: the service's clock is known to within the round trip and a second. */
const leeway = ({ askedAt, at }: Pick<Timed, 'askedAt' | 'at'>): number =>
  BEFORE_MS + DATE_RESOLUTION_MS + at - askedAt;

/** The moment that an activity says it was made at; undefined where it can't be read. */
const createdAt = (activity: unknown): number | undefined => {
  const text = valueAt(activity, 'created_at');
  return typeof text === 'string' ? parseInstant(text)?.ms : undefined;
};

const keptOf = (activity: unknown): KeptCandidate => {
  const uid = valueAt(activity, 'uid');
  return {
    uid: typeof uid === 'string' && isId('act', uid) ? uid : null,
    status: wordAt(activity, 'status'),
    medium: mediumOf(activity),
    created_at: createdAt(activity) === undefined ? null : String(valueAt(activity, 'created_at')),
  };
};

/** When a charge was sent, by the service's clock. */
interface Sending {
  readonly from: number;
  readonly until: number;
  /** Later than that it was certainly over. */
  readonly certain: number;
  /** Why nothing can be excluded by its time; undefined where it can. */
  readonly unsure: 'clocks not compared' | 'clock may have been set' | undefined;
  /** The service's clock is slow, or far from ours, and was not seen going on: a cache that hides its age shows the same. */
  readonly mayBeOld: boolean;
}

/**
 * The service's clock as it was when the charge was sent: from what it shows now, back by how long the machine has been up
 * since. Where that can't be told (a restart), by this machine's clock, which may have been set meanwhile.
 */
const sendingOf = (charge: Charge, { askedAt, at, mark, servedAt }: Sighted): Sending => {
  const passed = elapsed(charge.begun, mark);
  const now = servedAt ?? at;
  const from = passed === undefined ? charge.createdAt + now - at : now - passed;
  // A paused virtual machine, whose uptime stands still, and a clock that was set: neither agrees with the service's.
  const isNear = Math.abs(from - charge.createdAt) <= WINDOW_MS;
  const agrees = passed !== undefined && isNear;
  const isSlow = from < charge.createdAt - leeway({ askedAt, at });
  const compared = agrees ? undefined : 'clock may have been set';
  return {
    from,
    until: from + Math.min(sendingTime(charge), boundOf(charge)),
    certain: charge.took === undefined ? Number.POSITIVE_INFINITY : from + sendingTime(charge),
    unsure: servedAt === undefined ? 'clocks not compared' : compared,
    mayBeOld: servedAt !== undefined && (!isNear || isSlow) && !hasGoneOn(charge, { at, mark, servedAt }),
  };
};

const isBefore = ({ from }: Sending, created: number, look: Timed): boolean => created < from - leeway(look);

/** Why the activity can't be the charge's; undefined when it can. */
const exclusionOf = (
  charge: Charge,
  activity: unknown,
  kept: KeptCandidate,
  { from }: Sending,
  owned: ReadonlySet<string>,
): Exclusion | undefined => {
  if (kept.uid !== null && owned.has(kept.uid)) return 'owned by another charge';
  if (isNoCharge(activity)) return 'no charge';
  if (isOfOther(activity, charge.about)) return 'of another payment request';
  if (isOtherMedium(activity, charge.medium)) return 'another medium';
  const created = createdAt(activity);
  return created !== undefined && created < from - WINDOW_MS ? 'made too early' : undefined;
};

/** A transfer or a dial string begins with something for the customer to do; only where that fails at once is there none. */
const contradictionBy = (charge: Charge, activity: unknown, { certain }: Sending): Contradiction | undefined => {
  const created = createdAt(activity);
  if (created !== undefined && created > certain + WINDOW_MS) return 'made too late';
  const asksFirst = charge.medium === 'bank_transfer' || charge.medium === 'ussd';
  if (asksFirst && isDeclinedAtOnce(activity)) return 'declined at once';
  return contradictionOf(charge, activity);
};

const doubtOf = (
  charge: Charge,
  activity: unknown,
  kept: KeptCandidate,
  sending: Sending,
  look: Sighted,
): Doubt | undefined => {
  if (kept.uid === null) return 'no identifier';
  const created = createdAt(activity);
  if (created === undefined) return 'no time';
  // What the next action of a mobile_money charge looks like is not written.
  if (kept.medium !== null && kept.medium !== charge.medium) return 'medium unclear';
  // A machine may have slept between the intent and the send.
  if (created > sending.until + WINDOW_MS) return 'made after its sending must have ended';
  if (look.servedAt !== undefined && isBefore(sending, created, look)) return 'made before the charge was sent';
  return sending.mayBeOld ? OLD_ANSWER : undefined;
};

const byClock = ({ why }: Excluded): boolean => why === 'made too early' || why === 'made too late';

/**
 * Which of a payment request's activities can be the charge's: those that fit in every field that is there. Where the clocks
 * are not sure, those that only they speak against are candidates too, in doubt.
 */
export const sortActivities = (
  charge: Charge,
  look: Sighted,
  activities: readonly unknown[],
  owned: ReadonlySet<string>,
): Sorted => {
  const sending = sendingOf(charge, look);
  const { unsure } = sending;
  const candidates: Candidate[] = [];
  const excluded: Excluded[] = [];
  const contradicted: Excluded[] = [];
  for (const activity of activities) {
    const kept = keptOf(activity);
    const exclusion = exclusionOf(charge, activity, kept, sending, owned);
    const why = exclusion ?? contradictionBy(charge, activity, sending);
    if (why === undefined) {
      candidates.push({ activity, kept, doubt: doubtOf(charge, activity, kept, sending, look) });
    } else if (unsure !== undefined && byClock({ kept, why })) {
      candidates.push({ activity, kept, doubt: unsure });
    } else {
      excluded.push({ kept, why });
      if (exclusion === undefined) contradicted.push({ kept, why });
    }
  }
  const skew = look.servedAt === undefined ? undefined : look.servedAt - look.at;
  return { candidates, excluded, contradicted, skew };
};

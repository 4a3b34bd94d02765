import {
  findOtherTerms,
  hasForeignStep,
  isFilled,
  isOtherMedium,
  mediumNamed,
  mediumShown,
} from '../charge/mediums.ts';
import { wordAt } from '../core/charge.ts';
import { isId } from '../core/ids.ts';
import { valueAt } from '../core/json.ts';
import { parseInstant } from '../core/time.ts';
import { boundOf, clockAdvances, elapsed, sendingTime } from './clock.ts';
import { type Charge, isSamePhone, lastDigits, type Moment, readTerm } from './entry.ts';
import type { Snapshot } from './snapshot.ts';

// Matching of activities to the charge that made them. Any field of an activity may be missing or odd.

/** True for another type of activity, for example a refund. A missing type proves nothing. */
export const isNoCharge = (activity: unknown): boolean => (wordAt(activity, 'activity_type') ?? 'charge') !== 'charge';

/** True if the activity names another payment request. */
const isOfOther = (activity: unknown, ugwo: string): boolean => {
  const named = valueAt(activity, 'ugwo_uid');
  return typeof named === 'string' && named !== '' && named !== ugwo;
};

/** Tolerance for two values of one expiry, in milliseconds: a service may cut seconds off. */
const SAME_EXPIRY_MS = 60_000;

const stringAt = (activity: unknown, paths: readonly string[]): string | undefined =>
  paths.map((path) => valueAt(activity, path)).find((text): text is string => typeof text === 'string' && text !== '');

/** Text of a term that an activity may show; where is not documented. */
const termAt = (activity: unknown, name: string): string | undefined =>
  stringAt(activity, [name, `data.${name}`, `next_action.headers.${name}`]);

/** Returns the first contradiction between an activity and the terms of the charge, or undefined if there is none. */
const firstMismatch = (
  { medium, expiresAt, provider, phone }: Pick<Charge, 'medium' | 'expiresAt' | 'provider' | 'phone'>,
  activity: unknown,
): string | undefined => {
  if (hasForeignStep(activity, medium)) return 'another next action';
  // An unknown expiry is NaN, so that the comparison below is false.
  const until = parseInstant(stringAt(activity, ['next_action.headers.expires_at']) ?? '')?.ms ?? Number.NaN;
  if (Math.abs(until - (expiresAt ?? Number.NaN)) > SAME_EXPIRY_MS) return 'another expiry';
  const shownProvider = termAt(activity, 'provider');
  if (provider !== undefined && shownProvider !== undefined && shownProvider !== provider) return 'another provider';
  const shownPhone = termAt(activity, 'phone');
  if (phone !== undefined && shownPhone !== undefined && lastDigits(shownPhone) !== phone) return 'another phone';
  return undefined;
};

/**
 * True if an activity shows another provider or phone than a charge with this data would have, or doesn't show its
 * other terms.
 */
export const mismatchesOf = (activity: unknown, data: Readonly<Record<string, unknown>>): boolean => {
  const [medium = '', provider, phone] = ['medium', 'provider', 'phone'].map((name) => readTerm(data[name]));
  const shown = termAt(activity, 'phone');
  if (phone !== undefined && shown !== undefined && !isSamePhone(phone, shown)) return true;
  const others = Object.entries(findOtherTerms(data));
  if (others.some(([name, value]) => termAt(activity, name) !== readTerm(value))) return true;
  const asked = { medium, provider, phone: undefined, expiresAt: undefined };
  return firstMismatch(asked, activity) !== undefined;
};

/** True if the activity failed at its creation, without ever asking the customer for anything. */
const isDeclinedAtOnce = (activity: unknown): boolean => {
  const [created, updated] = ['created_at', 'updated_at'].map((name) => valueAt(activity, name));
  const hasChanged = typeof updated === 'string' && typeof created === 'string' && updated !== created;
  return wordAt(activity, 'status') === 'failed' && !isFilled(valueAt(activity, 'next_action')) && !hasChanged;
};

/** Reason why a read of a payment request showed nothing. `status` is the HTTP status, if there was an answer. */
interface Unread {
  readonly unavailable: string;
  readonly status?: number;
}

/** Result of a read of a payment request. */
export type RequestRead = Snapshot | Unread;

/** The parts of a read that decide about an unknown charge. */
type JudgedRead =
  | (Pick<Snapshot, 'servedAt' | 'age' | 'activities'> & Partial<Pick<Snapshot, 'status' | 'facts'>>)
  | Unread;

/** Start of a read, and the moment at which its answer had arrived. */
export interface Timed extends Moment {
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
}

export type SnapshotAt = JudgedRead & Timed;
/** Clock readings of a read. */
type TimedRead = Timed & { readonly servedAt?: number };

/** Part of an activity that evidence may store: nothing that reveals a customer or a key. */
interface KeptCandidate {
  readonly uid: string | null;
  readonly status: string | null;
  readonly medium: string | null;
  readonly created_at: string | null;
}

/** Doubt about a read until another read shows that the service's clock advances. */
export const OLD_ANSWER = 'the answer may be an old one';

export interface Candidate {
  readonly activity: unknown;
  readonly kept: KeptCandidate;
  /** Undefined if nothing speaks against the match. */
  readonly doubt: string | undefined;
}

interface Excluded {
  readonly kept: KeptCandidate;
  readonly why: string;
}

/** Activities of a read, sorted by whether they can be the charge's. */
export interface SortedActivities {
  readonly candidates: readonly Candidate[];
  readonly excluded: readonly Excluded[];
  /** Excluded activities because of which the read does not count as empty. */
  readonly contradicted: readonly Excluded[];
  /** Service's clock minus ours, in milliseconds; undefined without a `Date`. */
  readonly skew: number | undefined;
}

/** Tolerance around the sending for an activity's creation time, with compared clocks, in milliseconds. */
const WINDOW_MS = 2 * 60_000;
/** Tolerance for an activity that seems to be created before the charge was sent, in milliseconds. */
const BEFORE_MS = 10_000;
/** The service's `Date` has a resolution of one second. */
const DATE_RESOLUTION_MS = 1000;

/** Tolerance for "created before sent": 10 s + round trip + 1 s of rounding. */
const leeway = ({ askedAt, at }: Pick<Timed, 'askedAt' | 'at'>): number =>
  BEFORE_MS + DATE_RESOLUTION_MS + at - askedAt;

/** Creation time that an activity states, in milliseconds since the epoch; undefined if it can't be parsed. */
const activityCreatedAt = (activity: unknown): number | undefined => {
  const text = valueAt(activity, 'created_at');
  return typeof text === 'string' ? parseInstant(text)?.ms : undefined;
};

const keptCandidate = (activity: unknown): KeptCandidate => {
  const uid = valueAt(activity, 'uid');
  return {
    uid: typeof uid === 'string' && isId('act', uid) ? uid : null,
    status: wordAt(activity, 'status'),
    medium: mediumShown(activity),
    created_at: activityCreatedAt(activity) === undefined ? null : String(valueAt(activity, 'created_at')),
  };
};

/** Time span of a charge's sending, by the service's clock. */
interface Sending {
  readonly from: number;
  readonly until: number;
  /** Moment after which the sending was certainly over. */
  readonly certain: number;
  /** Reason why no activity can be excluded by its time; undefined if the clocks can be trusted. */
  readonly unsure: string | undefined;
  /**
   * The service's clock is slow or far from ours, and no read has shown it advancing. A cache that hides its age looks
   * the same.
   */
  readonly mayBeOld: boolean;
}

/**
 * Estimates the service's clock at the time of sending: its current reading minus the machine's uptime since then.
 * After a restart, the wall clock replaces the uptime; it may have been set meanwhile.
 */
const sendingWindow = (charge: Charge, { askedAt, at, mark, servedAt }: TimedRead): Sending => {
  const passed = elapsed(charge.begun, mark);
  const now = servedAt ?? at;
  const from = passed === undefined ? charge.createdAt + now - at : now - passed;
  // False for a paused virtual machine, whose uptime stands still, and for a clock that was set.
  const isNear = Math.abs(from - charge.createdAt) <= WINDOW_MS;
  const agrees = passed !== undefined && isNear;
  const isSlow = from < charge.createdAt - leeway({ askedAt, at });
  const compared = agrees ? undefined : 'clock may have been set';
  return {
    from,
    until: from + Math.min(sendingTime(charge), boundOf(charge)),
    certain: charge.took === undefined ? Number.POSITIVE_INFINITY : from + sendingTime(charge),
    unsure: servedAt === undefined ? 'clocks not compared' : compared,
    mayBeOld: servedAt !== undefined && (!isNear || isSlow) && !clockAdvances(charge, { at, mark, servedAt }),
  };
};

/** Returns why the activity can't be the charge's, or undefined if it can. */
const exclusionOf = (
  charge: Charge,
  activity: unknown,
  kept: KeptCandidate,
  { from }: Sending,
  owned: ReadonlySet<string>,
): string | undefined => {
  if (kept.uid !== null && owned.has(kept.uid)) return 'owned by another charge';
  if (isNoCharge(activity)) return 'no charge';
  if (isOfOther(activity, charge.about)) return 'of another payment request';
  if (isOtherMedium(activity, charge.medium)) return 'another medium';
  const created = activityCreatedAt(activity);
  return created !== undefined && created < from - WINDOW_MS ? 'made too early' : undefined;
};

/**
 * Returns why the activity is not matched to the charge though it may be related. Such a read does not count as empty. A
 * transfer or a dial string begins with a step for the customer. It has none only if it failed at once.
 */
const contradictionBy = (charge: Charge, activity: unknown, { certain }: Sending): string | undefined => {
  const created = activityCreatedAt(activity);
  if (created !== undefined && created > certain + WINDOW_MS) return 'made too late';
  const step = mediumNamed(charge.medium)?.step;
  const asksFirst = step === 'transfer' || step === 'dial';
  if (asksFirst && isDeclinedAtOnce(activity)) return 'declined at once';
  return firstMismatch(charge, activity);
};

/** Returns why an activity that can't be excluded is no proof either. */
const doubtOf = (
  charge: Charge,
  activity: unknown,
  kept: KeptCandidate,
  sending: Sending,
  look: TimedRead,
): string | undefined => {
  if (kept.uid === null) return 'no identifier';
  const created = activityCreatedAt(activity);
  if (created === undefined) return 'no time';
  // The next action of an approval is not documented.
  if (kept.medium !== null && kept.medium !== charge.medium) return 'medium unclear';
  // A machine may have slept between the intent and the send.
  if (created > sending.until + WINDOW_MS) return 'made after its sending must have ended';
  if (look.servedAt !== undefined && created < sending.from - leeway(look)) return 'made before the charge was sent';
  return sending.mayBeOld ? OLD_ANSWER : undefined;
};

const isByTime = ({ why }: Excluded): boolean => why === 'made too early' || why === 'made too late';

/**
 * Sorts a payment request's activities: candidates fit the charge in every field that is there. If the clocks can't be
 * trusted, activities that only their time excludes are doubtful candidates.
 */
export const sortActivities = (
  charge: Charge,
  look: TimedRead,
  activities: readonly unknown[],
  owned: ReadonlySet<string>,
): SortedActivities => {
  const sending = sendingWindow(charge, look);
  const { unsure } = sending;
  const candidates: Candidate[] = [];
  const excluded: Excluded[] = [];
  const contradicted: Excluded[] = [];
  for (const activity of activities) {
    const kept = keptCandidate(activity);
    const exclusion = exclusionOf(charge, activity, kept, sending, owned);
    const why = exclusion ?? contradictionBy(charge, activity, sending);
    if (why === undefined) {
      candidates.push({ activity, kept, doubt: doubtOf(charge, activity, kept, sending, look) });
    } else if (unsure !== undefined && isByTime({ kept, why })) {
      candidates.push({ activity, kept, doubt: unsure });
    } else {
      excluded.push({ kept, why });
      if (exclusion === undefined) contradicted.push({ kept, why });
    }
  }
  const skew = look.servedAt === undefined ? undefined : look.servedAt - look.at;
  return { candidates, excluded, contradicted, skew };
};

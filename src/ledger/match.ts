import { isMedium, machineValue, readNextAction } from '../core/charge.ts';
import { isId } from '../core/ids.ts';
import { valueAt } from '../core/json.ts';
import { parseInstant } from '../core/time.ts';
import { boundOf, elapsed, hasGoneOn, sendingTime } from './clock.ts';
import type { Charge, Moment } from './entry.ts';
import { isSamePhone, lastDigits } from './privacy.ts';
import type { Snapshot } from './snapshot.ts';

// What an activity, as the service shows it, says about the charge that made it. Every field may be missing or odd.

/** A machine value; sentences, numbers and keys, which have dots, are none. */
const WORD = /^[a-z][\w-]{0,63}$/i;

/** The machine value at a path; null where there is none that can be read. */
export const wordAt = (value: unknown, path: string): string | null => {
  const word = machineValue(valueAt(value, path));
  return WORD.test(word) ? word : null;
};

/** The mediums that a next action can be told apart by (interface.md 2.5). */
const ACTION_MEDIUMS = { transfer: 'bank_transfer', dial: 'ussd', other: null } as const;

const actionMedium = (activity: unknown): string | null => {
  const action = readNextAction(activity);
  return action === undefined ? null : ACTION_MEDIUMS[action.kind];
};

/** The medium that an activity names, or that its next action is of; null where it shows neither. */
export const mediumOf = (activity: unknown): string | null => wordAt(activity, 'medium') ?? actionMedium(activity);

/** `[]` is how an empty object comes. */
const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** A stored card or wallet: none of the mediums that paycli charges by (interface.md 2.4). */
const isStored = (activity: unknown): boolean => isFilled(valueAt(activity, 'ugwo_medium'));

/** What the next action of a charge by this medium looks like is written (interface.md 4.2 rule 4). */
const hasWrittenAction = (medium: string): boolean => medium === 'bank_transfer' || medium === 'ussd';

/** How a card or a wallet goes on, in a browser: none of the mediums that paycli charges by. */
const REDIRECT = /^redirect/i;

/** Whether the next action is another medium's. A type that is not written says nothing: the service may have a new one. */
const hasForeignAction = (activity: unknown, medium: string): boolean => {
  const type = wordAt(activity, 'next_action.type');
  if (!hasWrittenAction(medium) || type === null) return false;
  const own = actionMedium(activity);
  return own === null ? REDIRECT.test(type) : own !== medium;
};

/** Whether an activity was certainly made by another medium. */
export const isOtherMedium = (activity: unknown, medium: string): boolean => {
  if (!isMedium(medium)) return false;
  const named = wordAt(activity, 'medium');
  if (isStored(activity)) return true;
  return named === null ? hasForeignAction(activity, medium) : named !== medium;
};

/** Whether it is no charge at all, but a refund, say. A missing type says nothing. */
export const isNoCharge = (activity: unknown): boolean => (wordAt(activity, 'activity_type') ?? 'charge') !== 'charge';

/** Whether it names another payment request. */
export const isOfOther = (activity: unknown, ugwo: string): boolean => {
  const named = valueAt(activity, 'ugwo_uid');
  return typeof named === 'string' && named !== '' && named !== ugwo;
};

/** So far apart may two words about one expiry be, in milliseconds: a service may cut seconds off. */
const SAME_EXPIRY_MS = 60_000;

const textAt = (activity: unknown, paths: readonly string[]): string | undefined =>
  paths.map((path) => valueAt(activity, path)).find((text): text is string => typeof text === 'string' && text !== '');

/** Where providers and phones may be shown; neither is documented. */
const PROVIDER_PATHS = ['provider', 'data.provider', 'next_action.headers.provider'];
const PHONE_PATHS = ['phone', 'data.phone', 'next_action.headers.phone'];

/** What of an activity contradicts what the charge was made with; undefined where nothing does. */
export const firstMismatch = (
  { medium, expiresAt, provider, phone }: Pick<Charge, 'medium' | 'expiresAt' | 'provider' | 'phone'>,
  activity: unknown,
): 'another next action' | 'another expiry' | 'another provider' | 'another phone' | undefined => {
  if (hasForeignAction(activity, medium)) return 'another next action';
  // What is not known is not a number, which is not far from any.
  const until = parseInstant(textAt(activity, ['next_action.headers.expires_at']) ?? '')?.ms ?? Number.NaN;
  if (Math.abs(until - (expiresAt ?? Number.NaN)) > SAME_EXPIRY_MS) return 'another expiry';
  const shownProvider = textAt(activity, PROVIDER_PATHS);
  if (provider !== undefined && shownProvider !== undefined && shownProvider !== provider) return 'another provider';
  const shownPhone = textAt(activity, PHONE_PATHS);
  if (phone !== undefined && shownPhone !== undefined && lastDigits(shownPhone) !== phone) return 'another phone';
  return undefined;
};

/** Whether an activity shows another provider or phone than a charge with this data would have. */
export const mismatchesOf = (activity: unknown, data: Readonly<Record<string, unknown>>): boolean => {
  const textOf = (name: string): string | undefined => (data[name] === undefined ? undefined : String(data[name]));
  const [provider, phone, shown] = [textOf('provider'), textOf('phone'), textAt(activity, PHONE_PATHS)];
  if (phone !== undefined && shown !== undefined && !isSamePhone(phone, shown)) return true;
  const asked = { medium: textOf('medium') ?? '', provider, phone: undefined, expiresAt: undefined };
  return firstMismatch(asked, activity) !== undefined;
};

/** It failed as it was made, without ever asking anything of the customer. */
export const isDeclinedAtOnce = (activity: unknown): boolean => {
  const [created, updated] = ['created_at', 'updated_at'].map((name) => valueAt(activity, name));
  const hasChanged = typeof updated === 'string' && typeof created === 'string' && updated !== created;
  return wordAt(activity, 'status') === 'failed' && !isFilled(valueAt(activity, 'next_action')) && !hasChanged;
};

/** What a read of the payment request showed, or why it showed nothing. */
export type RequestRead =
  | (Pick<Snapshot, 'servedAt' | 'age' | 'activities'> & Partial<Pick<Snapshot, 'status'>>)
  /** `status` is the one of the answer, when there was an answer. */
  | { readonly unavailable: string; readonly status?: number };

/** When a read was asked for, and the moment when its answer was there. */
export interface Timed extends Moment {
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
}

/** One look at a payment request. */
export type SnapshotAt = RequestRead & Timed;
/** A look, as far as time goes. */
type Sighted = Timed & { readonly servedAt?: number };

/** As much of an activity as evidence may keep: nothing that a customer or a key could be read from. */
interface KeptCandidate {
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

interface Excluded {
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
  return firstMismatch(charge, activity);
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

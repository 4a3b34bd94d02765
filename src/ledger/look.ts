import { isId } from '../core/ids.ts';
import { isMedium } from '../core/medium.ts';
import { readNextAction } from '../core/next-action.ts';
import { valueAt } from '../core/path.ts';
import { parseInstant } from '../core/time.ts';
import { elapsed } from './clock.ts';
import type { Charge, Moment } from './ledger.ts';

/** What a read of the payment request showed, or why it showed nothing. */
export type Sight =
  | {
      /** The service's own clock as it answered, in milliseconds, to the second; where it said so. */
      readonly servedAt?: number;
      /** How the payment request stands. */
      readonly status?: string;
      /** Undefined where the service does not list them. */
      readonly activities: readonly unknown[] | undefined;
    }
  /** `status` is the one of the answer, when there was an answer. */
  | { readonly unavailable: string; readonly status?: number };

/** When a read was asked for, and the moment when its answer was there. */
export interface Timed extends Moment {
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
}

/** One look at a payment request. */
export type Look = Sight & Timed;
/** A look, as far as time goes. */
type Sighted = Timed & { readonly servedAt?: number };

/** As much of an activity as evidence may keep: nothing that a customer or a key could be read from. */
export interface Kept {
  readonly uid: string | null;
  readonly status: string | null;
  readonly medium: string | null;
  readonly created_at: string | null;
}

/** Why an activity is no candidate. */
type Exclusion = 'owned by another charge' | 'another medium' | 'made too early' | 'made too late';
/** Why an activity that can't be excluded is no proof either. */
type Doubt =
  | 'no identifier'
  | 'no time'
  | 'medium unclear'
  | 'made before the charge was sent'
  | 'made after its sending must have ended'
  | 'clocks not compared'
  | 'clock may have been set';

export interface Candidate {
  readonly activity: unknown;
  readonly kept: Kept;
  /** Undefined: it is the charge's as far as can be seen. */
  readonly doubt: Doubt | undefined;
}

export interface Excluded {
  readonly kept: Kept;
  readonly why: Exclusion;
}

/** The activities of a look, sorted by whether they can be the charge's. */
export interface Sorted {
  readonly candidates: readonly Candidate[];
  readonly excluded: readonly Excluded[];
  /** What the service's clock shows beyond ours; undefined where it did not tell its time. */
  readonly skew: number | undefined;
}

/** How far from the sending an activity may have been made by clocks that were compared, in milliseconds. */
const WINDOW_MS = 2 * 60_000;
/** Made earlier than this before the charge was sent, it can't be the charge's. */
const BEFORE_MS = 10_000;
/** The service tells its time to the second. */
const DATE_RESOLUTION_MS = 1000;

/** A machine value; sentences, numbers and keys, which have dots, are none. */
const WORD = /^[a-z][\w-]{0,63}$/i;

/** The machine value of an enum of the service: a string, or the first of a pair. */
export const wordAt = (value: unknown, path: string): string | null => {
  const found = valueAt(value, path);
  const word: unknown = Array.isArray(found) ? found[0] : found;
  return typeof word === 'string' && WORD.test(word) ? word : null;
};

/** The mediums that a next action can be told apart by (interface.md 2.5). */
const ACTION_MEDIUMS = { transfer: 'bank_transfer', dial: 'ussd', other: null } as const;

const actionMedium = (activity: unknown): string | null => {
  const action = readNextAction(activity);
  return action === undefined ? null : ACTION_MEDIUMS[action.kind];
};

/** The moment that an activity says it was made at; undefined where it can't be read. */
const createdAt = (activity: unknown): number | undefined => {
  const text = valueAt(activity, 'created_at');
  return typeof text === 'string' ? parseInstant(text)?.ms : undefined;
};

const keptOf = (activity: unknown): Kept => {
  const uid = valueAt(activity, 'uid');
  return {
    uid: typeof uid === 'string' && isId('act', uid) ? uid : null,
    status: wordAt(activity, 'status'),
    medium: wordAt(activity, 'medium') ?? actionMedium(activity),
    created_at: createdAt(activity) === undefined ? null : String(valueAt(activity, 'created_at')),
  };
};

/** How long the sending of a charge was let to take, in milliseconds. */
const boundOf = ({ deadline, createdAt }: Charge): number => deadline - createdAt;

/** After how long the sending of a charge was over, in milliseconds. On a machine that slept it is more than it was let to. */
export const sendingTime = (charge: Charge): number => Math.max(charge.took ?? boundOf(charge), 0);

/** When a charge was sent, by the service's clock. */
interface Sending {
  readonly from: number;
  readonly until: number;
  /** Later than that it was certainly over. */
  readonly certain: number;
  /** Why nothing can be excluded by its time; undefined where it can. */
  readonly unsure: 'clocks not compared' | 'clock may have been set' | undefined;
}

/**
 * The service's clock as it was when the charge was sent: from what it shows now, back by how long the machine has been up
 * since. Where that can't be told (a restart), by this machine's clock, which may have been set meanwhile.
 */
const sendingOf = (charge: Charge, { at, mark, servedAt }: Sighted): Sending => {
  const passed = elapsed(charge.begun, mark);
  const now = servedAt ?? at;
  const from = passed === undefined ? charge.createdAt + now - at : now - passed;
  // A paused virtual machine, whose uptime stands still, and a clock that was set: neither agrees with the service's.
  const agrees = passed !== undefined && Math.abs(from - charge.createdAt) <= WINDOW_MS;
  const compared = agrees ? undefined : 'clock may have been set';
  return {
    from,
    until: from + Math.min(sendingTime(charge), boundOf(charge)),
    certain: charge.took === undefined ? Number.POSITIVE_INFINITY : from + sendingTime(charge),
    unsure: servedAt === undefined ? 'clocks not compared' : compared,
  };
};

/** `medium unclear`: the next action looks like another medium's, but what the charge's own looks like is not written. */
const judgeMedium = (
  charge: Charge,
  activity: unknown,
  { medium }: Kept,
): 'another medium' | 'medium unclear' | undefined => {
  if (medium === null || medium === charge.medium) return undefined;
  const written = charge.medium === 'bank_transfer' || charge.medium === 'ussd';
  const named = isMedium(charge.medium) && wordAt(activity, 'medium') !== null;
  return written || named ? 'another medium' : 'medium unclear';
};

const judgeTime = ({ from, certain }: Sending, created: number): Exclusion | undefined => {
  if (created < from - WINDOW_MS) return 'made too early';
  return created > certain + WINDOW_MS ? 'made too late' : undefined;
};

/** The service's clock is known to within the round trip and a second. */
const isBefore = ({ from }: Sending, created: number, { at, askedAt }: Timed): boolean =>
  created < from - BEFORE_MS - DATE_RESOLUTION_MS - (at - askedAt);

/** Why the activity can't be the charge's; undefined when it can. */
const exclusionOf = (
  charge: Charge,
  activity: unknown,
  kept: Kept,
  sending: Sending,
  owned: ReadonlySet<string>,
): Exclusion | undefined => {
  if (kept.uid !== null && owned.has(kept.uid)) return 'owned by another charge';
  if (judgeMedium(charge, activity, kept) === 'another medium') return 'another medium';
  const created = createdAt(activity);
  return created === undefined ? undefined : judgeTime(sending, created);
};

const doubtOf = (charge: Charge, activity: unknown, kept: Kept, sending: Sending, look: Sighted): Doubt | undefined => {
  if (kept.uid === null) return 'no identifier';
  const created = createdAt(activity);
  if (created === undefined) return 'no time';
  if (judgeMedium(charge, activity, kept) !== undefined) return 'medium unclear';
  // A machine may have slept between the intent and the send.
  if (created > sending.until + WINDOW_MS) return 'made after its sending must have ended';
  const compared = look.servedAt !== undefined;
  return compared && isBefore(sending, created, look) ? 'made before the charge was sent' : undefined;
};

const byClock = ({ why }: { readonly why: Exclusion }): boolean => why === 'made too early' || why === 'made too late';

/**
 * Which of a payment request's activities can be the charge's. Where the clocks are not sure, those that only they speak
 * against are candidates too, in doubt.
 */
export const sortActivities = (
  charge: Charge,
  look: Sighted,
  activities: readonly unknown[],
  owned: ReadonlySet<string>,
): Sorted => {
  const sending = sendingOf(charge, look);
  const candidates: Candidate[] = [];
  const excluded: (Excluded & { readonly activity: unknown })[] = [];
  for (const activity of activities) {
    const kept = keptOf(activity);
    const why = exclusionOf(charge, activity, kept, sending, owned);
    if (why === undefined) candidates.push({ activity, kept, doubt: doubtOf(charge, activity, kept, sending, look) });
    else excluded.push({ activity, kept, why });
  }
  const skew = look.servedAt === undefined ? undefined : look.servedAt - look.at;
  const { unsure } = sending;
  if (unsure === undefined) return { candidates, excluded, skew };
  const doubtful = excluded.filter(byClock).map(({ activity, kept }) => ({ activity, kept, doubt: unsure }));
  return { candidates: [...candidates, ...doubtful], excluded: excluded.filter((one) => !byClock(one)), skew };
};

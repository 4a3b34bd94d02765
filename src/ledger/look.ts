import { isId } from '../core/ids.ts';
import { readNextAction } from '../core/next-action.ts';
import { valueAt } from '../core/path.ts';
import { parseInstant } from '../core/time.ts';
import type { Charge } from './ledger.ts';

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

/** When a read was asked for and when its answer was there, by this machine's clock, in milliseconds. */
export interface Timed {
  readonly askedAt: number;
  readonly at: number;
}

/** One look at a payment request. */
export type Look = Sight & Timed;
/** A look, as far as time goes. */
type Moment = Timed & { readonly servedAt?: number };

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
type Doubt = 'no identifier' | 'no time' | 'medium unclear' | 'made before the charge was sent' | 'clocks not compared';

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

/** A machine value; sentences, numbers and keys are none. */
const WORD = /^[a-z][\w.-]{0,63}$/i;

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

/** By when the sending of a charge has ended, as far as is known at `now`. */
export const endOf = ({ settledAt, deadline }: Charge, now: number): number => Math.min(settledAt ?? now, deadline);

/** `medium unclear`: the next action looks like another medium's, but what the charge's own looks like is not written. */
const judgeMedium = (
  charge: Charge,
  activity: unknown,
  { medium }: Kept,
): 'another medium' | 'medium unclear' | undefined => {
  if (medium === null || medium === charge.medium) return undefined;
  const written = charge.medium === 'bank_transfer' || charge.medium === 'ussd';
  return written || wordAt(activity, 'medium') !== null ? 'another medium' : 'medium unclear';
};

const judgeTime = (charge: Charge, created: number, at: number, skew: number): Exclusion | undefined => {
  if (created < charge.createdAt + skew - WINDOW_MS) return 'made too early';
  if (created > endOf(charge, at) + skew + WINDOW_MS) return 'made too late';
  return undefined;
};

/** The service's clock is known to within the round trip and a second. */
const isBefore = (charge: Charge, created: number, { at, askedAt }: Timed, skew: number): boolean =>
  created < charge.createdAt + skew - BEFORE_MS - DATE_RESOLUTION_MS - (at - askedAt);

const skewOf = ({ servedAt, at }: Moment): number | undefined => (servedAt === undefined ? undefined : servedAt - at);

/** Why the activity can't be the charge's; undefined when it can. */
const exclusionOf = (charge: Charge, activity: unknown, kept: Kept, look: Moment, owned: ReadonlySet<string>) => {
  if (kept.uid !== null && owned.has(kept.uid)) return 'owned by another charge';
  if (judgeMedium(charge, activity, kept) === 'another medium') return 'another medium';
  const created = createdAt(activity);
  return created === undefined ? undefined : judgeTime(charge, created, look.at, skewOf(look) ?? 0);
};

const doubtOf = (charge: Charge, activity: unknown, kept: Kept, look: Moment): Doubt | undefined => {
  if (kept.uid === null) return 'no identifier';
  const created = createdAt(activity);
  if (created === undefined) return 'no time';
  if (judgeMedium(charge, activity, kept) !== undefined) return 'medium unclear';
  const skew = skewOf(look);
  return skew !== undefined && isBefore(charge, created, look, skew) ? 'made before the charge was sent' : undefined;
};

const byClock = ({ why }: { readonly why: Exclusion }): boolean => why === 'made too early' || why === 'made too late';

/**
 * Which of a payment request's activities can be the charge's. Where the service did not tell its time, those that only
 * the clock speaks against are candidates in doubt, unless there is a better one.
 */
export const sortActivities = (
  charge: Charge,
  look: Moment,
  activities: readonly unknown[],
  owned: ReadonlySet<string>,
): Sorted => {
  const candidates: Candidate[] = [];
  const excluded: (Excluded & { readonly activity: unknown })[] = [];
  for (const activity of activities) {
    const kept = keptOf(activity);
    const why = exclusionOf(charge, activity, kept, look, owned);
    if (why === undefined) candidates.push({ activity, kept, doubt: doubtOf(charge, activity, kept, look) });
    else excluded.push({ activity, kept, why });
  }
  const skew = skewOf(look);
  if (skew !== undefined || candidates.length > 0) return { candidates, excluded, skew };
  const doubtful = excluded
    .filter(byClock)
    .map(({ activity, kept }) => ({ activity, kept, doubt: 'clocks not compared' as const }));
  return { candidates: doubtful, excluded: excluded.filter((one) => !byClock(one)), skew };
};

import { valueAt } from '../core/path.ts';
import { parseInstant } from '../core/time.ts';
import type { ChargeWorld } from './charge.ts';
import { evidenceOf } from './evidence.ts';
import type { Charge, Evidence, KeptActivity, Ledger } from './ledger.ts';
import type { Candidate, Look, Sight, Sorted } from './look.ts';
import { endOf, sortActivities, wordAt } from './look.ts';
import { cleaned, withoutPhoneEnding } from './private.ts';

/**
 * Why a charge stays unknown. `not_yet`: nothing is there so far. `several`, `doubtful`: what is there proves nothing.
 * `unlisted`: the service does not show activities. `unreadable`: the read failed.
 */
export type Why = 'not_yet' | 'several' | 'doubtful' | 'unlisted' | 'unreadable';

/** What a look allows to be said of an unknown charge. */
export type Conclusion =
  | { readonly state: 'accepted'; readonly activity: KeptActivity; readonly evidence: Evidence }
  | { readonly state: 'not_created'; readonly evidence: Evidence }
  | {
      readonly state: 'unknown';
      readonly why: Why;
      /** The end of a sentence about the charge. */
      readonly reason: string;
      /** When another look can settle it, in milliseconds; undefined where none can. */
      readonly again?: number;
      /** What is to be kept of the look; undefined where an earlier one says the same. */
      readonly evidence?: Evidence;
    };

/** Two empty looks must be this far apart, in milliseconds. */
const APART_MS = 60_000;
/** The last of them must be this long after the sending ended. */
const SETTLED_MS = 15 * 60_000;
/** So many activities of a kind are kept of one look. */
const MOST_KEPT = 10;

/** Up to the next second: what is read back is never before the look itself, so that no wait is cut short. */
const wholeSecond = (ms: number): number => Math.ceil(ms / 1000) * 1000;

const lookEvidence = (look: Look, found: string, { candidates, excluded, skew }: Sorted): Evidence =>
  evidenceOf('look', wholeSecond(look.at), {
    found,
    skew_ms: skew ?? null,
    round_trip_ms: look.at - look.askedAt,
    ugwo_status: wordAt(look, 'status'),
    candidates: candidates
      .slice(0, MOST_KEPT)
      .map(({ kept, doubt }) => (doubt === undefined ? kept : { ...kept, doubt })),
    candidates_count: candidates.length,
    excluded: excluded.slice(0, MOST_KEPT).map(({ kept, why }) => ({ ...kept, why })),
    excluded_count: excluded.length,
  });

const looksOf = ({ evidence }: Charge): Evidence[] => evidence.filter(({ kind }) => kind === 'look');

/** When the empty looks were, that no other look came after; oldest first. */
const emptySince = (charge: Charge): number[] => {
  const looks = looksOf(charge);
  return looks
    .slice(looks.findLastIndex(({ found }) => found !== 'none') + 1)
    .flatMap(({ at }) => parseInstant(at)?.ms ?? []);
};

/** The first of the empty looks decides, so the later ones are kept ever more rarely. */
const addsToEmpty = ([first, ...later]: readonly number[], at: number): boolean =>
  first === undefined || at - first >= Math.max(APART_MS, 2 * ((later.at(-1) ?? first) - first));

const judgeEmpty = (charge: Charge, look: Look, sorted: Sorted): Conclusion => {
  const empty = emptySince(charge);
  const first = empty[0] ?? look.at;
  const evidence = lookEvidence(look, 'none', sorted);
  const settled = look.at - first >= APART_MS && look.at - endOf(charge, look.at) >= SETTLED_MS;
  if (settled) return { state: 'not_created', evidence };
  return {
    state: 'unknown',
    why: 'not_yet',
    reason: 'no activity of it is there so far',
    again: Math.max(first + APART_MS, endOf(charge, Number.POSITIVE_INFINITY) + SETTLED_MS),
    ...(addsToEmpty(empty, look.at) ? { evidence } : {}),
  };
};

const unproven = (
  charge: Charge,
  look: Look,
  sorted: Sorted,
  why: 'several' | 'doubtful',
  reason: string,
): Conclusion => {
  const evidence = lookEvidence(look, why, sorted);
  const last = looksOf(charge).at(-1);
  const repeats =
    last?.['found'] === why && JSON.stringify(last['candidates']) === JSON.stringify(evidence['candidates']);
  return { state: 'unknown', why, reason, ...(repeats ? {} : { evidence }) };
};

const activityOf = ({ phone }: Charge, { activity, kept }: Candidate, uid: string): KeptActivity => ({
  uid,
  status: kept.status ?? '',
  nextAction: cleaned(valueAt(activity, 'next_action') ?? null, (text) => withoutPhoneEnding(text, phone)),
  createdAt: kept.created_at ?? undefined,
});

/** The statuses of an answer that a later look will hardly change: there is no such read, or it is off the contract. */
const lasting = (status: number | undefined): boolean =>
  status !== undefined && status !== 408 && status !== 429 && status < 500;

/**
 * What one look says of a charge that may have been made. Only one candidate, beyond doubt, makes it accepted, and only
 * two empty looks, long after the sending, make it not created; whatever else is seen leaves it unknown.
 */
export const judgeLook = (charge: Charge, look: Look, ownedByOthers: ReadonlySet<string>): Conclusion => {
  if ('unavailable' in look) {
    const why = lasting(look.status) ? 'unlisted' : 'unreadable';
    return { state: 'unknown', why, reason: look.unavailable };
  }
  if (look.activities === undefined) {
    return { state: 'unknown', why: 'unlisted', reason: 'the service does not list the activities' };
  }
  const sorted = sortActivities(charge, look, look.activities, ownedByOthers);
  const [only, ...more] = sorted.candidates;
  if (only === undefined) return judgeEmpty(charge, look, sorted);
  if (more.length > 0) {
    return unproven(charge, look, sorted, 'several', `${more.length + 1} activities can be its own`);
  }
  const { uid } = only.kept;
  if (only.doubt !== undefined || uid === null) {
    return unproven(
      charge,
      look,
      sorted,
      'doubtful',
      `the one activity that can be its own is no proof: ${only.doubt}`,
    );
  }
  return { state: 'accepted', activity: activityOf(charge, only, uid), evidence: lookEvidence(look, 'one', sorted) };
};

/** A charge as it now stands, and why it is still unknown where it is. */
export interface Reconciled {
  readonly charge: Charge;
  readonly left: Extract<Conclusion, { state: 'unknown' }> | undefined;
}

const ownedByOthers = async (ledger: Ledger, charge: Charge, sight: Sight): Promise<ReadonlySet<string>> => {
  const activities = 'activities' in sight ? (sight.activities ?? []) : [];
  const uids = activities.map((activity) => valueAt(activity, 'uid')).filter((uid) => typeof uid === 'string');
  const owned = await ledger.owned(uids);
  // What may be its own must not be taken for somebody else's.
  return new Set([...owned].filter((uid) => uid !== charge.activity?.uid));
};

const isOpen = ({ state }: Charge): boolean => state === 'unknown' || state === 'sending';

const LOST_RACE: Extract<Conclusion, { state: 'unknown' }> = {
  state: 'unknown',
  why: 'unreadable',
  reason: 'another process was at it',
};

/** Writes what was concluded; undefined when nothing is left to be said. */
const write = async (ledger: Ledger, id: string, conclusion: Conclusion): Promise<Reconciled['left']> => {
  if (conclusion.state !== 'unknown') return (await ledger.resolve(id, conclusion)) ? undefined : LOST_RACE;
  if (conclusion.evidence !== undefined) await ledger.note(id, conclusion.evidence);
  return conclusion;
};

/**
 * Looks at an unknown charge once, judges and writes what that allows. When somebody else is first, the charge is given
 * back as it then stands. Throws what `look` and the ledger throw.
 */
export const reconcile = async (
  ledger: Ledger,
  charge: Charge,
  look: (charge: Charge) => Promise<Sight>,
  { now, clean }: Pick<ChargeWorld, 'now' | 'clean'>,
): Promise<Reconciled> => {
  const askedAt = now();
  const sight = cleaned(await look(charge), clean);
  const seen = { ...sight, askedAt, at: now() };
  // The read took its time: others may have looked, or resolved it, meanwhile.
  const current = (await ledger.get(charge.id)) ?? charge;
  if (!isOpen(current)) return { charge: current, left: undefined };
  const conclusion = judgeLook(current, seen, await ownedByOthers(ledger, current, sight));
  const left = await write(ledger, charge.id, conclusion);
  const after = (await ledger.get(charge.id)) ?? current;
  return { charge: after, left: isOpen(after) ? left : undefined };
};

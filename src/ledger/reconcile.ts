import { statusOf } from '../core/charge.ts';
import { valueAt } from '../core/json.ts';
import { type ApiRecord, servedBy } from '../core/record.ts';
import { APART_MS, apart, areSteady, elapsed, type LookTime, looksOf, sendingTime, timeOf } from './clock.ts';
import { type Charge, type Entry, type Evidence, evidenceOf, isCharge, type KeptActivity } from './entry.ts';
import type { Ledger, ListFilter } from './ledger.ts';
import {
  type Candidate,
  OLD_ANSWER,
  type RequestRead,
  type SnapshotAt,
  type Sorted,
  sortActivities,
  type Timed,
  wordAt,
} from './match.ts';
import { cleaned } from './privacy.ts';
import type { SendDeps } from './send.ts';
import { keptActivity, snapshotOf } from './snapshot.ts';

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

/** The last of them must be this long after the sending ended. */
const OVER_MS = 15 * 60_000;
/** So many activities of a kind are kept of one look. */
const MOST_KEPT = 10;

const lookEvidence = (look: SnapshotAt, found: string, { candidates, excluded, skew }: Sorted): Evidence =>
  evidenceOf('look', look.at, {
    found,
    mark: look.mark,
    served_at: 'servedAt' in look ? (look.servedAt ?? null) : null,
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

/** The empty looks that no other look came after; oldest first. */
const emptySince = (charge: Charge): LookTime[] => {
  const looks = looksOf(charge);
  return looks.slice(looks.findLastIndex(({ found }) => found !== 'none') + 1).flatMap(timeOf);
};

/** How long the sending has been over for certain: by its own mark, else since the first empty look. */
const overFor = (charge: Charge, first: LookTime, now: LookTime): number | undefined => {
  const passed = elapsed(charge.begun, now.mark);
  return passed === undefined ? apart(first, now) : passed - sendingTime(charge);
};

/** The first of the empty looks decides, so the later ones are kept ever more rarely. */
const addsToEmpty = (first: LookTime | undefined, last: LookTime | undefined, now: LookTime): boolean => {
  // After a restart without a word of the service's clock, counting begins anew.
  if (first === undefined || last === undefined) return true;
  return (apart(first, now) ?? 0) >= Math.max(APART_MS, 2 * (apart(first, last) ?? 0));
};

const judgeEmpty = (charge: Charge, look: SnapshotAt, sorted: Sorted): Conclusion => {
  const now: LookTime = { at: look.at, mark: look.mark, servedAt: 'servedAt' in look ? look.servedAt : undefined };
  const empty = emptySince(charge);
  const earlier = empty.find((one) => apart(one, now) !== undefined && areSteady(one, now));
  const first = earlier ?? now;
  const evidence = lookEvidence(look, 'none', sorted);
  const [between, over] = [apart(first, now) ?? 0, overFor(charge, first, now) ?? 0];
  if (between >= APART_MS && over >= OVER_MS) return { state: 'not_created', evidence };
  return {
    state: 'unknown',
    why: 'not_yet',
    reason: 'no activity found yet',
    again: look.at + Math.max(APART_MS - between, OVER_MS - over),
    ...(addsToEmpty(earlier, empty.at(-1), now) ? { evidence } : {}),
  };
};

const MOST_NAMED = 3;

const namesOf = (candidates: readonly Pick<Candidate, 'kept'>[]): string => {
  const names = candidates.slice(0, MOST_NAMED).map(({ kept }) => kept.uid ?? 'one without an identifier');
  return candidates.length > names.length
    ? `${names.join(', ')} and ${candidates.length - names.length} more`
    : names.join(', ');
};

const unproven = (
  charge: Charge,
  look: SnapshotAt,
  sorted: Sorted,
  why: 'several' | 'doubtful',
  reason: string,
): Extract<Conclusion, { state: 'unknown' }> => {
  const evidence = lookEvidence(look, why, sorted);
  const last = looksOf(charge).at(-1);
  const repeats =
    last?.['found'] === why &&
    JSON.stringify(last['candidates']) === JSON.stringify(evidence['candidates']) &&
    // One that showed an old time leaves nothing that a later one could be compared with.
    timeOf(last).every((one) => areSteady(one, look));
  return { state: 'unknown', why, reason, ...(repeats ? {} : { evidence }) };
};

const activityOf = ({ activity, kept }: Candidate, uid: string, servedAt: number | undefined): KeptActivity => ({
  uid,
  status: kept.status ?? '',
  nextAction: valueAt(activity, 'next_action') ?? null,
  createdAt: kept.created_at ?? undefined,
  ...(servedAt === undefined ? {} : { servedAt }),
});

/** The statuses of an answer that a later look will hardly change: there is no such read, or it is off the contract. */
const lasting = (status: number | undefined): boolean =>
  status !== undefined && status !== 408 && status !== 429 && status < 500;

/** An answer that a cache has kept from before the charge was sent shows nothing of it. */
const isOlderThanSend = (
  charge: Charge,
  { age = 0, at, askedAt, mark }: Timed & { readonly age?: number },
): boolean => {
  const passed = elapsed(charge.begun, mark) ?? at - charge.createdAt;
  return age > 0 && passed - (at - askedAt) <= age;
};

/** What lay in a cache shows how things stood when the service gave it. */
const whenServed = <T extends Timed>(look: T, age: number): T => ({
  ...look,
  askedAt: look.askedAt - age,
  at: look.at - age,
  mark: { ...look.mark, uptime: look.mark.uptime - age },
});

/**
 * What one look says of a charge that may have been made. Only one candidate, beyond doubt, makes it accepted, and only
 * two empty looks, long after the sending, make it not created; whatever else is seen leaves it unknown.
 */
export const judgeLook = (charge: Charge, seen: SnapshotAt, ownedByOthers: ReadonlySet<string>): Conclusion => {
  if ('unavailable' in seen) {
    const why = lasting(seen.status) ? 'unlisted' : 'unreadable';
    return { state: 'unknown', why, reason: seen.unavailable };
  }
  if (isOlderThanSend(charge, seen)) {
    return { state: 'unknown', why: 'unreadable', reason: 'the answer came from a cache and is older than the charge' };
  }
  const look = whenServed(seen, seen.age ?? 0);
  if (look.activities === undefined) {
    return { state: 'unknown', why: 'unlisted', reason: "the service doesn't list activities" };
  }
  const sorted = sortActivities(charge, look, look.activities, ownedByOthers);
  const [only, ...more] = sorted.candidates;
  if (only === undefined && sorted.contradicted.length > 0) {
    const [first] = sorted.contradicted;
    const reason = `${namesOf(sorted.contradicted)} may be it, but doesn't fit: ${first?.why}`;
    return unproven(charge, look, sorted, 'doubtful', reason);
  }
  if (only === undefined) return judgeEmpty(charge, look, sorted);
  if (more.length > 0)
    return unproven(charge, look, sorted, 'several', `several activities fit: ${namesOf(sorted.candidates)}`);
  const { uid } = only.kept;
  if (only.doubt !== undefined || uid === null) {
    const reason = `${namesOf([only])} may be it, but that is not proven: ${only.doubt}`;
    const again = only.doubt === OLD_ANSWER ? { again: look.at + APART_MS } : {};
    return { ...unproven(charge, look, sorted, 'doubtful', reason), ...again };
  }
  return {
    state: 'accepted',
    activity: activityOf(only, uid, look.servedAt),
    evidence: lookEvidence(look, 'one', sorted),
  };
};

/** A charge as it now stands, and why it is still unknown where it is. */
interface Reconciled {
  readonly charge: Charge;
  readonly left: Extract<Conclusion, { state: 'unknown' }> | undefined;
}

const ownedIn = async (ledger: Ledger, sight: RequestRead): Promise<ReadonlySet<string>> => {
  const activities = 'activities' in sight ? (sight.activities ?? []) : [];
  return ledger.owned(activities.map((activity) => valueAt(activity, 'uid')).filter((uid) => typeof uid === 'string'));
};

const isOpen = ({ state }: Charge): boolean => state === 'unknown' || state === 'sending';

const LOST_RACE: Extract<Conclusion, { state: 'unknown' }> = {
  state: 'unknown',
  why: 'unreadable',
  reason: 'another process changed it meanwhile',
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
  look: (charge: Charge) => Promise<RequestRead>,
  { clean }: Pick<SendDeps, 'clean'>,
): Promise<Reconciled> => {
  const askedAt = ledger.moment().at;
  const sight = cleaned(await look(charge), clean);
  const seen = { ...sight, askedAt, ...ledger.moment() };
  // The read took its time: others may have looked, or resolved it, meanwhile.
  const asNow = async (): Promise<Charge> => ({ ...charge, ...(await ledger.get(charge.id)) }) as Charge;
  const current = await asNow();
  if (!isOpen(current)) return { charge: current, left: undefined };
  const conclusion = judgeLook(current, seen, await ownedIn(ledger, sight));
  const left = await write(ledger, charge.id, conclusion);
  const after = await asNow();
  return { charge: after, left: isOpen(after) ? left : undefined };
};

/** What a refresh needs of a client: a read, undefined where the service has none. Throws what a read throws. */
interface Reader {
  look(
    id: 'ugwo.get' | 'activity.get',
    input: { readonly params: Readonly<Record<string, string>> },
  ): Promise<ApiRecord | undefined>;
}

const PAGE = 200;

/** Charges page by page, oldest first, from the place `after` on; what is added meanwhile comes at the end. */
export async function* chargesOf(ledger: Ledger, filter: Omit<ListFilter, 'limit'>): AsyncGenerator<Charge> {
  for (let { after = 0 } = filter; ; ) {
    const found = await ledger.list({ ...filter, oldestFirst: true, after, limit: PAGE });
    yield* found.filter(isCharge);
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE) return;
    after = last.seq;
  }
}

/** Reads how the activity of a charge stands, and writes it. False where the service shows nothing of it. */
export const refreshCharge = async (ledger: Ledger, { about, activity }: Entry, reader: Reader): Promise<boolean> => {
  if (activity === undefined) return false;
  const request = await reader.look('ugwo.get', { params: { uid: about } });
  const { activities, asked } = snapshotOf(request?.value, request);
  const listed = activities?.find((one) => valueAt(one, 'uid') === activity.uid);
  const params = { ugwoUid: about, activityUid: activity.uid };
  const record = listed === undefined ? await reader.look('activity.get', { params }) : undefined;
  const seen = listed ?? record?.value;
  // What is known already says more than a status that can't be read.
  if (seen === undefined || statusOf(seen) === '') return false;
  await ledger.observe([keptActivity(seen, servedBy(record ?? request))], asked, true);
  return true;
};

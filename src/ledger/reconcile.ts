import { isUndecided, type RequestFacts } from '../charge/payment.ts';
import { firstFew } from '../core/bounds.ts';
import { NOT_CREATED_AFTER_MS, statusOf, wordAt } from '../core/charge.ts';
import { valueAt } from '../core/json.ts';
import type { ApiRecord } from '../core/record.ts';
import { APART_MS, clocksAgree, elapsed, type ReadTime, readsOf, sendingTime, steadyElapsed, timeOf } from './clock.ts';
import { type Charge, cleaned, type Entry, type Evidence, evidenceOf, isCharge, type KeptActivity } from './entry.ts';
import type { Ledger, ListFilter } from './ledger.ts';
import {
  type Candidate,
  OLD_ANSWER,
  type RequestRead,
  type SnapshotAt,
  type SortedActivities,
  sortActivities,
  type Timed,
} from './match.ts';
import { activitiesIn, keptActivity, snapshotOf, withActivity } from './snapshot.ts';
import { hasMoney, isDisputed } from './transitions.ts';

/**
 * Reason why a charge stays unknown. `not_yet`: no activity has appeared so far. `several`, `doubtful`: the activities
 * prove nothing. `unlisted`: the service does not list activities. `unreadable`: the read failed.
 */
export type UnknownReason = 'not_yet' | 'several' | 'doubtful' | 'unlisted' | 'unreadable';

/** Conclusion that a read allows about an unknown charge. */
type Conclusion =
  | {
      readonly state: 'accepted';
      readonly activity: KeptActivity;
      readonly request: RequestFacts | undefined;
      readonly evidence: Evidence;
    }
  | { readonly state: 'not_created'; readonly evidence: Evidence }
  | {
      readonly state: 'unknown';
      readonly why: UnknownReason;
      /** End of a sentence about the charge. */
      readonly reason: string;
      /** Moment at which another read can settle it, in milliseconds; undefined if none can. */
      readonly again?: number;
      /** Evidence to store; undefined if an earlier read shows the same. */
      readonly evidence?: Evidence;
    };

/** Number of activities of a kind that are stored of one read. */
const MOST_KEPT = 10;

const readEvidence = (look: SnapshotAt, found: string, { candidates, excluded, skew }: SortedActivities): Evidence =>
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

/** Empty reads since the last read that was not empty, oldest first. */
const emptyReads = (charge: Charge): ReadTime[] => {
  const looks = readsOf(charge);
  return looks.slice(looks.findLastIndex(({ found }) => found !== 'none') + 1).flatMap(timeOf);
};

/** Milliseconds since the sending was certainly over, by its uptime mark or else since the first empty read. */
const elapsedSinceSend = (charge: Charge, first: ReadTime, now: ReadTime): number | undefined => {
  const passed = elapsed(charge.begun, now.mark);
  return passed === undefined ? steadyElapsed(first, now) : passed - sendingTime(charge);
};

/** True if an empty read is worth storing. The first one decides, so later ones are stored more and more rarely. */
const isWorthStoring = (first: ReadTime | undefined, last: ReadTime | undefined, now: ReadTime): boolean => {
  // After a restart without a reading of the service's clock, counting starts over.
  if (first === undefined || last === undefined) return true;
  return (steadyElapsed(first, now) ?? 0) >= Math.max(APART_MS, 2 * (steadyElapsed(first, last) ?? 0));
};

const judgeEmpty = (charge: Charge, look: SnapshotAt, sorted: SortedActivities): Conclusion => {
  const now: ReadTime = { at: look.at, mark: look.mark, servedAt: 'servedAt' in look ? look.servedAt : undefined };
  const empty = emptyReads(charge);
  const earlier = empty.find((one) => steadyElapsed(one, now) !== undefined && clocksAgree(one, now));
  const first = earlier ?? now;
  const evidence = readEvidence(look, 'none', sorted);
  const [between, over] = [steadyElapsed(first, now) ?? 0, elapsedSinceSend(charge, first, now) ?? 0];
  if (between >= APART_MS && over >= NOT_CREATED_AFTER_MS) return { state: 'not_created', evidence };
  return {
    state: 'unknown',
    why: 'not_yet',
    reason: 'no activity found yet',
    again: look.at + Math.max(APART_MS - between, NOT_CREATED_AFTER_MS - over),
    ...(isWorthStoring(earlier, empty.at(-1), now) ? { evidence } : {}),
  };
};

const candidateNames = (candidates: readonly Pick<Candidate, 'kept'>[]): string =>
  firstFew(
    candidates.map(({ kept }) => kept.uid ?? 'one without an identifier'),
    3,
  );

const unproven = (
  charge: Charge,
  look: SnapshotAt,
  sorted: SortedActivities,
  why: 'several' | 'doubtful',
  reason: string,
): Extract<Conclusion, { state: 'unknown' }> => {
  const evidence = readEvidence(look, why, sorted);
  const last = readsOf(charge).at(-1);
  const repeats =
    last?.['found'] === why &&
    JSON.stringify(last['candidates']) === JSON.stringify(evidence['candidates']) &&
    // A read with an old `Date` can't be compared with later ones, so it doesn't count as the same.
    timeOf(last).every((one) => clocksAgree(one, look));
  return { state: 'unknown', why, reason, ...(repeats ? {} : { evidence }) };
};

/**
 * True for HTTP statuses that a later read will hardly change: the service has no such read, or violates the contract.
 */
const isLastingStatus = (status: number | undefined): boolean =>
  status !== undefined && status !== 408 && status !== 429 && status < 500;

/** True if the answer is a cached one from before the charge was sent. It shows nothing of the charge. */
const isOlderThanSend = (
  charge: Charge,
  { age = 0, at, askedAt, mark }: Timed & { readonly age?: number },
): boolean => {
  const passed = elapsed(charge.begun, mark) ?? at - charge.createdAt;
  return age > 0 && passed - (at - askedAt) <= age;
};

/** A cached answer shows the state at the time when the service sent it. */
const whenServed = <T extends Timed>(look: T, age: number): T => ({
  ...look,
  askedAt: look.askedAt - age,
  at: look.at - age,
  mark: { ...look.mark, uptime: look.mark.uptime - age },
});

/**
 * Judges one read of a charge that may have been made. Only a single candidate without doubt makes it `accepted`. Only
 * two empty reads long after the sending make it `not_created`. Anything else leaves it `unknown`.
 */
export const judgeRead = (charge: Charge, seen: SnapshotAt, ownedByOthers: ReadonlySet<string>): Conclusion => {
  if ('unavailable' in seen) {
    const why = isLastingStatus(seen.status) ? 'unlisted' : 'unreadable';
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
    const reason = `${candidateNames(sorted.contradicted)} may be it, but doesn't fit: ${first?.why}`;
    return unproven(charge, look, sorted, 'doubtful', reason);
  }
  if (only === undefined) return judgeEmpty(charge, look, sorted);
  if (more.length > 0)
    return unproven(charge, look, sorted, 'several', `several activities fit: ${candidateNames(sorted.candidates)}`);
  if (only.doubt !== undefined || only.kept.uid === null) {
    const reason = `${candidateNames([only])} may be it, but that is not proven: ${only.doubt}`;
    const again = only.doubt === OLD_ANSWER ? { again: look.at + APART_MS } : {};
    return { ...unproven(charge, look, sorted, 'doubtful', reason), ...again };
  }
  return {
    state: 'accepted',
    activity: keptActivity(only.activity, seen),
    request: look.facts,
    evidence: readEvidence(look, 'one', sorted),
  };
};

/** Charge after a read, and the reason why it is still unknown, if it is. */
interface Reconciled {
  readonly charge: Charge;
  readonly left: Extract<Conclusion, { state: 'unknown' }> | undefined;
}

const ownedIn = async (ledger: Ledger, snapshot: RequestRead): Promise<ReadonlySet<string>> => {
  const activities = 'activities' in snapshot ? (snapshot.activities ?? []) : [];
  return ledger.owned(activities.map((activity) => valueAt(activity, 'uid')).filter((uid) => typeof uid === 'string'));
};

const LOST_RACE: Extract<Conclusion, { state: 'unknown' }> = {
  state: 'unknown',
  why: 'unreadable',
  reason: 'another process changed it meanwhile',
};

/** Writes the conclusion. Returns undefined if the charge is resolved. */
const writeConclusion = async (ledger: Ledger, id: string, conclusion: Conclusion): Promise<Reconciled['left']> => {
  if (conclusion.state !== 'unknown') return (await ledger.resolve(id, conclusion)) ? undefined : LOST_RACE;
  if (conclusion.evidence !== undefined) await ledger.note(id, conclusion.evidence);
  return conclusion;
};

/**
 * Reads an unknown charge's payment request once, and writes what it shows of other charges, and then the conclusion. If
 * another process resolves the charge first, returns its new state. Throws what `look` and the ledger throw.
 */
export const reconcile = async (
  ledger: Ledger,
  charge: Charge,
  look: (charge: Charge) => Promise<RequestRead>,
): Promise<Reconciled> => {
  const askedAt = ledger.moment().at;
  const snapshot = cleaned(await look(charge), ledger.clean);
  const seen = { ...snapshot, askedAt, ...ledger.moment() };
  // Another charge of it may be paid, and the next read may show less.
  if (!('unavailable' in snapshot)) await ledger.observe(snapshot, true);
  // Other processes may have stored a read or resolved the charge during this read.
  const asNow = async (): Promise<Charge> => ({ ...charge, ...(await ledger.get(charge.id)) }) as Charge;
  const current = await asNow();
  if (!isUndecided(current.state)) return { charge: current, left: undefined };
  const conclusion = judgeRead(current, seen, await ownedIn(ledger, snapshot));
  const left = await writeConclusion(ledger, charge.id, conclusion);
  const after = await asNow();
  return { charge: after, left: isUndecided(after.state) ? left : undefined };
};

/**
 * Read access to the status of an activity. Resolves to undefined if the service has no such read. Throws what a read throws.
 */
interface Reader {
  look(
    id: 'ugwo.get' | 'activity.get',
    input: { readonly params: Readonly<Record<string, string>> },
  ): Promise<ApiRecord | undefined>;
}

const ENTRIES_PER_PAGE = 200;

/** A part of the ledger's entries. `test` is for what the database can't compare. */
export interface EntryFilter extends Omit<ListFilter, 'limit' | 'before' | 'after' | 'oldestFirst'> {
  readonly test?: ((entry: Entry) => boolean) | undefined;
}

/** Finds at most `limit` entries behind a place. Reads on, a page at a time, until enough of them pass the test. */
export const entriesBehind = async (
  ledger: Ledger,
  { test, ...filter }: EntryFilter,
  behind: number | undefined,
  limit: number,
): Promise<readonly Entry[]> => {
  const read = (seq: number | undefined, most: number) => ledger.list({ ...filter, before: seq, limit: most });
  if (test === undefined) return read(behind, limit);
  const found: Entry[] = [];
  for (let [at, isLast] = [behind, false]; found.length < limit && !isLast; ) {
    const some = await read(at, ENTRIES_PER_PAGE);
    found.push(...some.filter(test));
    [at, isLast] = [some.at(-1)?.seq, some.length < ENTRIES_PER_PAGE];
  }
  return found.slice(0, limit);
};

/** Lists charges page by page, oldest first, from the place `after` on. Charges added meanwhile come at the end. */
export async function* walkCharges(ledger: Ledger, filter: Omit<ListFilter, 'limit'>): AsyncGenerator<Charge> {
  for (let { after = 0 } = filter; ; ) {
    const found = await ledger.list({ ...filter, oldestFirst: true, after, limit: ENTRIES_PER_PAGE });
    yield* found.filter(isCharge);
    const last = found.at(-1);
    if (last === undefined || found.length < ENTRIES_PER_PAGE) return;
    after = last.seq;
  }
}

/** Reads the status of a charge's activity, and stores it. Returns false if the service shows nothing of it. */
export const refreshCharge = async (ledger: Ledger, charge: Entry, reader: Reader): Promise<boolean> => {
  const { id, about, activity } = charge;
  if (activity === undefined) return false;
  const request = await reader.look('ugwo.get', { params: { uid: about } });
  const shown = request && snapshotOf(request.value, request);
  const isShown = (one: unknown): boolean => valueAt(one, 'uid') === activity.uid && statusOf(one) !== '';
  const listed = shown === undefined ? [] : activitiesIn(shown);
  // It may show the payment of another charge of the request.
  if (shown !== undefined && listed.length > 0) await ledger.observe(shown, true);
  if (listed.some(isShown)) {
    const now = hasMoney(charge) ? await ledger.get(id) : undefined;
    // The list of activities may be older than the activity itself.
    if (now === undefined || !isDisputed(now)) return true;
  }
  const record = await reader.look('activity.get', { params: { ugwoUid: about, activityUid: activity.uid } });
  // The stored status says more than one that can't be parsed.
  if (record === undefined || !isShown(record.value)) return false;
  await ledger.observe({ ...withActivity(undefined, record), asked: shown?.asked ?? {} }, true);
  return true;
};

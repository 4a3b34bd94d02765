import type { EventState } from '../core/event.ts';
import { checkPrivate } from '../database/access.ts';
import { groupCommit } from '../database/group.ts';
import { openDatabase } from '../database/open.ts';
import { QUEUE_FILE, queueError, queuePath } from './file.ts';
import type { Delivery, EventSummary, KeptEvent, Refused } from './kept.ts';
import type { EventFilter, Head, Statements } from './statements.ts';
import { statements } from './statements.ts';

/** What was made of a delivery. */
export type Kept = { readonly kind: 'new' } | { readonly kind: 'repeat'; readonly repeats: number };

/** How far a reader of the queue has come; each has its own place. */
export type Reader = 'telling' | 'told' | 'news';

/**
 * Received events on the disk, in the order in which they came. What is written in one turn of the program shares a commit: it is
 * synced when its promise resolves, and nothing of it is kept where that rejects.
 */
export interface Queue {
  /** An event that is there already is counted, or kept once more. */
  keep(delivery: Delivery, how: { readonly state: EventState; readonly duplicates: boolean }): Promise<Kept>;
  /** One that was turned away; only the newest stay. */
  refuse(refused: Refused): Promise<void>;
  refused(limit: number): readonly Refused[];
  find(uid: string): KeptEvent | undefined;
  /** At most so many behind a place, oldest first. */
  behind(seq: number, limit: number): readonly KeptEvent[];
  /** At most so many before a place, newest first. */
  before(seq: number, filter: EventFilter, limit: number): readonly EventSummary[];
  place(reader: Reader): number;
  setPlace(reader: Reader, seq: number): Promise<void>;
  /** The heads of lanes that are tried first. */
  heads(limit: number): readonly Head[];
  at(seq: number): KeptEvent | undefined;
  /** The head of a lane is done with: the next one's turn has come. */
  done(head: Head, end: Answered & { readonly state: 'forwarded' | 'failed' }): Promise<void>;
  /** The head of a lane was refused, and is tried again. */
  delay(head: Head, end: Answered & { readonly until: number; readonly refusedSince: number }): Promise<void>;
  /** Lanes that would be tried later than that are tried now. */
  noLater(latest: number, now: number): Promise<void>;
  setting(name: 'target'): string | undefined;
  set(name: 'target', value: string): Promise<void>;
  close(): void;
}

/** What came of trying to forward an event. */
interface Answered {
  readonly answer: string;
  readonly at: number;
}

const keepIn = (
  sql: Statements,
  one: Delivery,
  { state, duplicates }: { readonly state: EventState; readonly duplicates: boolean },
): Kept => {
  const isRepeat = sql.events.has(one.uid);
  const repeats = isRepeat ? sql.events.repeat(one.uid) : 0;
  if (!isRepeat || duplicates) {
    const lane = one.ugwo ?? one.uid;
    const seq = sql.events.insert(one, repeats, lane, state);
    if (state === 'waiting') sql.lanes.open(lane, seq, one.receivedAt);
  }
  return isRepeat ? { kind: 'repeat', repeats } : { kind: 'new' };
};

/** So many are read at once where a filter may leave out most. */
const STEP = 200;

const beforeIn = (sql: Statements, from: number, filter: EventFilter, limit: number): EventSummary[] => {
  const found: EventSummary[] = [];
  for (let seq = from; found.length < limit; ) {
    const some = sql.events.before(seq, filter.ugwo, STEP);
    found.push(
      ...some.filter(
        ({ event, state }) => filter.states?.includes(state) !== false && filter.isWanted?.(event) !== false,
      ),
    );
    if (some.length < STEP) break;
    seq = some.at(-1)?.seq ?? 0;
  }
  return found.slice(0, limit);
};

// No signal of the user's ends a commit: what is in flight is kept.
const NEVER = new AbortController().signal;

/** Opens the queue in a folder; made where there is none. Throws a `ledger` error where it can't be used. */
export const openQueue = (folder: string, uid: number | undefined): Queue => {
  const path = queuePath(folder);
  const file = { name: 'the queue of webhook events', path, error: queueError };
  checkPrivate(file, uid);
  return openDatabase(path, QUEUE_FILE, (db) => {
    // Its folder may have been missing, and made by somebody else meanwhile.
    checkPrivate(file, uid);
    const sql = statements(db);
    const together = groupCommit(db, async (transaction) => transaction(), [NEVER]);
    const write = <T>(work: () => T): Promise<T> => together(work, NEVER);
    return {
      keep: (delivery, how) => write(() => keepIn(sql, delivery, how)),
      refuse: (refused) => write(() => sql.refuse(refused)),
      refused: sql.refused,
      find: sql.events.find,
      behind: sql.events.behind,
      before: (seq, filter, limit) => beforeIn(sql, seq, filter, limit),
      place: sql.place,
      setPlace: (reader, seq) => write(() => sql.setPlace(reader, seq)),
      heads: sql.lanes.first,
      at: sql.lanes.at,
      done: ({ lane, seq }, { state, answer, at }) =>
        write(() => {
          sql.lanes.answered(seq, state, answer, at, undefined);
          sql.lanes.advance(lane, at);
        }),
      delay: ({ lane, seq }, { answer, at, until, refusedSince }) =>
        write(() => {
          sql.lanes.answered(seq, 'waiting', answer, at, refusedSince);
          sql.lanes.delay(lane, until);
        }),
      noLater: (latest, now) => write(() => sql.lanes.noLater(latest, now)),
      setting: sql.setting,
      set: (name, value) => write(() => sql.set(name, value)),
      close: () => db.close(),
    };
  });
};

import { hash } from 'node:crypto';
import { PayError } from '../core/error.ts';
import { type EventState, LOCK_FILE_NAME, QUEUE_FILE_NAME } from '../core/webhook-event.ts';
import { compact } from '../database/connect.ts';
import { checkPrivate } from '../database/file.ts';
import { groupCommit } from '../database/group.ts';
import type { DatabaseFault, DatabaseKind } from '../database/kind.ts';
import { openDatabase } from '../database/open.ts';
import { type Delivery, digestUid, type EventSummary, OTHER_BODY, type RefusedDelivery } from './event.ts';
import { type Aged, type EventFilter, type Head, MIGRATIONS, type QueueStatements, statements } from './statements.ts';

const queuePath = (folder: string): string => `${folder}/${QUEUE_FILE_NAME}`;
export const lockPath = (folder: string): string => `${folder}/${LOCK_FILE_NAME}`;
/** Held by whoever tells the ledger what it hears of a service. */
export const newsLockPath = (folder: string, service: string): string =>
  `${lockPath(folder)}-${hash('sha256', service).slice(0, 16)}`;

const HINTS: Readonly<Record<DatabaseFault['kind'], string>> = {
  foreign: 'move it away, or set PAYCLI_HOME to another folder',
  newer: 'use the newer paycli; this one does not touch a queue that it does not understand',
  damaged:
    'first copy it and the -wal file beside it; `sqlite3 FILE .recover` reads what is left. If you move it away, events ' +
    'that were told before are told again when they come again',
  unusable:
    'free some disk space, mount a read-only file system writable, or give yourself access to the file and its folder (chmod 600, chmod 700)',
};

/** Any trouble with the queue. */
const queueError = ({ kind, path, what, cause }: DatabaseFault): PayError =>
  new PayError('ledger', `the queue of webhook events ${path} ${what}`, { hint: HINTS[kind], cause });

/** So long SQLite waits for a reader that keeps the file locked, in milliseconds. */
const BUSY_MS = 2000;

/** What was acknowledged must outlive a loss of power. */
const QUEUE_FILE: DatabaseKind = {
  // "payw"
  applicationId: 0x70617977,
  migrations: MIGRATIONS,
  survives: 'power loss',
  busyTimeout: BUSY_MS,
  error: queueError,
};

/** What was made of a delivery. */
type Enqueued =
  | { readonly kind: 'new' }
  | { readonly kind: 'repeat'; readonly repeats: number }
  /** Its uid was known with another body: it is kept as this one. */
  | { readonly kind: 'other'; readonly uid: string };

/** How far a reader of the queue has come; each has its own place. */
type Reader = 'telling' | 'told' | 'news';

/** What came of trying to forward an event, and when its lane is tried next, by the forwarder's clock. */
interface Answered {
  readonly answer: string;
  readonly at: number;
  readonly due: number;
}

interface Keeping {
  readonly state: EventState;
  readonly duplicates: boolean;
  /** When it can be tried first, by the forwarder's clock. */
  readonly due: number;
}

const keepIn = (sql: QueueStatements, came: Delivery, { state, duplicates, due }: Keeping): Enqueued => {
  const isOther = sql.events.known(came.uid, came.body) === 'other';
  const one = isOther ? { ...came, uid: digestUid(came.body) } : came;
  const isRepeat = sql.events.known(one.uid, one.body) !== undefined;
  const repeats = isRepeat ? sql.events.repeat(one.uid) : 0;
  if (!isRepeat || duplicates) {
    const lane = one.ugwo ?? one.uid;
    // The service may send an event again as it has become: whoever knows its uid has no need of it twice.
    const then = isOther && !duplicates ? 'kept' : state;
    const seq = sql.events.insert(one, isOther && !isRepeat ? OTHER_BODY : repeats, lane, then);
    if (then === 'waiting') sql.lanes.open(lane, seq, due);
  }
  if (isRepeat) return { kind: 'repeat', repeats };
  return isOther ? { kind: 'other', uid: one.uid } : { kind: 'new' };
};

/** So many are read at once where a filter may leave out most. */
const STEP = 200;

const beforeIn = (sql: QueueStatements, from: number, filter: EventFilter, limit: number): EventSummary[] => {
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

/** So many are looked at, and pruned in one commit: a delivery waits for no more than that. */
const PRUNED_AT_ONCE = 500;

/** What pruning would come to. */
interface Prunable {
  readonly count: number;
  /** As old, and still to be forwarded. */
  readonly waiting: number;
}

/** Events that were told and came before a moment, some at a time, in the order in which they came; ends at the first younger ones. */
function* agedIn(sql: QueueStatements, before: number): Generator<readonly Aged[]> {
  const told = sql.place('told');
  for (let after = 0; ; ) {
    const some = sql.events.aged(after, told, PRUNED_AT_ONCE);
    const aged = some.filter(({ receivedAt }) => receivedAt < before);
    if (aged.length === 0) return;
    yield aged;
    after = some.at(-1)?.seq ?? after;
  }
}

// No signal of the user's ends a commit: what is in flight is kept.
const NEVER = new AbortController().signal;

/**
 * Received events on the disk, in the order in which they came; made where there is no queue. What is written in one turn of the
 * program shares a commit: it is synced when its promise resolves, and nothing of it is kept where that rejects. Throws a `ledger`
 * error where it can't be used.
 */
export const openQueue = (folder: string, uid: number | undefined) => {
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
      /** An event that is there already is counted, or kept once more. */
      keep: (delivery: Delivery, how: Keeping): Promise<Enqueued> => write(() => keepIn(sql, delivery, how)),
      /** One that was turned away; only the newest stay. */
      refuse: (refused: RefusedDelivery): Promise<void> => write(() => sql.refuse(refused)),
      refused: sql.refused,
      find: sql.events.find,
      /** At most so many behind a place, oldest first. */
      behind: sql.events.behind,
      /** At most so many before a place, newest first. */
      before: (seq: number, filter: EventFilter, limit: number): readonly EventSummary[] =>
        beforeIn(sql, seq, filter, limit),
      place: (reader: Reader): number => sql.place(reader),
      setPlace: (reader: Reader, seq: number): Promise<void> => write(() => sql.setPlace(reader, seq)),
      /** The heads of lanes that are tried first. */
      heads: sql.lanes.first,
      at: sql.lanes.at,
      /** The head of a lane is done with: the next one's turn has come. */
      done: ({ lane, seq }: Head, { state, answer, at, due }: Answered & { readonly state: 'forwarded' | 'failed' }) =>
        write(() => {
          sql.lanes.answered(seq, state, answer, at, undefined);
          sql.lanes.advance(lane, due);
        }),
      /** The head of a lane was refused, and is tried again. */
      delay: ({ lane, seq }: Head, { answer, at, due, refusedSince }: Answered & { readonly refusedSince: number }) =>
        write(() => {
          sql.lanes.answered(seq, 'waiting', answer, at, refusedSince);
          sql.lanes.delay(lane, due);
        }),
      /** Lanes that would be tried later than that are tried now. */
      noLater: (latest: number, now: number): Promise<void> => write(() => sql.lanes.noLater(latest, now)),
      prunable: (before: number): Prunable => {
        const aged = agedIn(sql, before).toArray().flat();
        const waiting = aged.filter(({ isWaiting }) => isWaiting).length;
        return { count: aged.length - waiting, waiting };
      },
      /** Removes the events that are done with and came before a moment, but for their uids, until `stop`. Gives how many. */
      prune: async (before: number, stop: AbortSignal): Promise<number> => {
        let count = 0;
        for (const aged of agedIn(sql, before)) {
          if (stop.aborted) break;
          const done = aged.filter(({ isWaiting }) => !isWaiting);
          await write(() => done.forEach(sql.events.prune));
          count += done.length;
        }
        return count;
      },
      /** Gives the room of what was removed back to the disk; false where that can't be. */
      compact: (): Promise<boolean> => compact(db, async (work) => work()),
      setting: (name: 'target'): string | undefined => sql.setting(name),
      set: (name: 'target', value: string): Promise<void> => write(() => sql.set(name, value)),
      close: (): void => db.close(),
    };
  });
};
export type Queue = ReturnType<typeof openQueue>;

import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { PayError } from '../core/error.ts';
import { type EventState, LOCK_FILE_NAME, QUEUE_FILE_NAME } from '../core/webhook-event.ts';
import { compact, type DatabaseFault, type DatabaseKind, upgradeReader } from '../database/connect.ts';
import { checkPrivate } from '../database/file.ts';
import { groupCommit } from '../database/group.ts';
import { holdLock, isFileLocked, openDatabase } from '../database/open.ts';
import {
  type Delivery,
  digestUid,
  type EventSummary,
  type KeptEvent,
  OTHER_BODY,
  type RefusedDelivery,
} from './event.ts';
import {
  type Aged,
  type EventFilter,
  type Head,
  QUEUE_TABLES,
  type QueueStatements,
  queueStatements,
} from './statements.ts';

/** The lock of the process that reports events of a service to the ledger. */
export const recorderLockPath = (folder: string, service: string): string =>
  `${join(folder, LOCK_FILE_NAME)}-${hash('sha256', service).slice(0, 16)}`;

/** True while a `webhook listen` over this data folder reports events of this service to the ledger. */
export const isListening = (folder: string, service: string): boolean =>
  isFileLocked(recorderLockPath(folder, service));

const QUEUE_HINTS: Readonly<Record<DatabaseFault['kind'], string>> = {
  foreign: 'move it away, or set PAYCLI_HOME to another folder',
  newer: 'use the newer paycli; this version does not change a queue that it does not know',
  unreleased: 'move it away; events that wait are lost, and events that come again count as new',
  damaged:
    'first copy it and the -wal file beside it; `sqlite3 FILE .recover` reads what is readable. If you move it away, ' +
    'events that wait are lost, and events that come again count as new',
  unusable:
    'free some disk space, mount a read-only file system writable, or give yourself access to the file and its folder (chmod 600, chmod 700)',
};

const queueError = ({ kind, path, what, cause }: DatabaseFault): PayError =>
  new PayError('ledger', `the queue of events ${path} ${what}`, { hint: QUEUE_HINTS[kind], cause });

/** Milliseconds that SQLite waits for a reader that has the file locked. */
const BUSY_MS = 2000;

/** Acknowledged events must survive a power loss. */
const QUEUE_FILE: DatabaseKind = {
  // "payw"
  applicationId: 0x70617977,
  first: 4,
  migrations: [QUEUE_TABLES],
  survives: 'power loss',
  busyTimeout: BUSY_MS,
  error: queueError,
};

type Enqueued =
  | { readonly kind: 'new' }
  | { readonly kind: 'repeat'; readonly repeats: number }
  /** Its uid is known with another body; it is stored under this uid. */
  | { readonly kind: 'other'; readonly uid: string };

/** The readers of the queue, and the name in the file under which each has its own position. */
const READERS = { printing: 'telling', printed: 'told', recorded: 'news' } as const;
type Reader = keyof typeof READERS;

/** The result of an attempt to forward an event. `due` is the next attempt for its key, by the forwarder's clock. */
interface Answered {
  readonly answer: string;
  readonly at: number;
  readonly due: number;
}

interface Keeping {
  readonly state: EventState;
  readonly duplicates: boolean;
  /** The instant of the first attempt, by the forwarder's clock. */
  readonly due: number;
}

const storeIn = (sql: QueueStatements, came: Delivery, { state, duplicates, due }: Keeping): Enqueued => {
  const isOther = sql.events.known(came.uid, came.body) === 'other';
  const one = isOther ? { ...came, uid: digestUid(came.body) } : came;
  const isRepeat = sql.events.known(one.uid, one.body) !== undefined;
  const repeats = isRepeat ? sql.events.repeat(one.uid) : 0;
  if (!isRepeat || duplicates) {
    const key = one.ugwo ?? one.uid;
    // The service may send an event again with its current state: a consumer that knows the uid does not need it twice.
    const then = isOther && !duplicates ? 'kept' : state;
    const seq = sql.events.insert(one, isOther && !isRepeat ? OTHER_BODY : repeats, key, then);
    if (then === 'waiting') sql.heads.open(key, seq, due);
  }
  if (isRepeat) return { kind: 'repeat', repeats };
  return isOther ? { kind: 'other', uid: one.uid } : { kind: 'new' };
};

/** The number of events to prune in one commit: a delivery waits for no more than that. */
const PRUNED_AT_ONCE = 500;

/** The events to prune: those that are printed and wait for nothing, or all. */
type Prunable = 'finished' | 'all';

/**
 * Events that came before an instant, in batches, in order of arrival; unless for `all`, printed ones. Ends at the first
 * batch without such an event.
 */
function* agedIn(sql: QueueStatements, before: number, what: Prunable): Generator<readonly Aged[]> {
  const last = what === 'all' ? Number.MAX_SAFE_INTEGER : sql.place(READERS.printed);
  for (let after = 0; ; ) {
    const some = sql.events.aged(after, last, PRUNED_AT_ONCE);
    const aged = some.filter(({ receivedAt }) => receivedAt < before);
    if (aged.length === 0) return;
    yield aged;
    after = some.at(-1)?.seq ?? after;
  }
}

// No signal interrupts a commit, so that deliveries in progress are stored.
const NEVER_ABORTED = new AbortController().signal;

/**
 * The queue of received events, in order of arrival. Writes of one event-loop turn share a commit: a write is synced
 * when its promise resolves, and nothing of it is stored where it rejects.
 */
export class Queue {
  readonly #db: DatabaseSync;
  readonly #sql: QueueStatements;
  readonly #together: ReturnType<typeof groupCommit>;
  readonly uids: QueueStatements['events']['uids'];
  readonly #listeners: (() => void)[] = [];
  #release: (() => void) | undefined;

  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#sql = queueStatements(db);
    this.uids = this.#sql.events.uids;
    const upgraded = upgradeReader(db, path, QUEUE_FILE);
    const within = <T>(work: () => T): T => {
      const error = upgraded();
      if (error !== undefined) throw error;
      return work();
    };
    this.#together = groupCommit(db, async (transaction) => transaction(), [NEVER_ABORTED], within);
  }

  #write<T>(work: () => T): Promise<T> {
    return this.#together(work, NEVER_ABORTED);
  }

  /** Stores a delivery. A repeat is counted, and with `duplicates` stored again. */
  async keep(delivery: Delivery, how: Keeping): Promise<Enqueued> {
    const enqueued = await this.#write(() => storeIn(this.#sql, delivery, how));
    for (const listener of this.#listeners) listener();
    return enqueued;
  }

  /** Calls the listener after each delivery that is stored. */
  onKept(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Stores a refused delivery; only the newest ones stay. */
  refuse(refused: RefusedDelivery): Promise<void> {
    return this.#write(() => this.#sql.refuse(refused));
  }

  refused(limit: number): RefusedDelivery[] {
    return this.#sql.refused(limit);
  }

  find(uid: string): KeptEvent | undefined {
    return this.#sql.events.find(uid);
  }

  /** Events after a position, oldest first, at most `limit`. */
  behind(seq: number, limit: number): KeptEvent[] {
    return this.#sql.events.behind(seq, limit);
  }

  /** Events before a position, newest first, at most `limit`. */
  before(seq: number, filter: EventFilter, limit: number): EventSummary[] {
    return this.#sql.events.before(seq, filter, limit);
  }

  place(reader: Reader): number {
    return this.#sql.place(READERS[reader]);
  }

  setPlace(reader: Reader, seq: number): Promise<void> {
    return this.#write(() => this.#sql.setPlace(READERS[reader], seq));
  }

  /** The first waiting events of the order keys that are due first. */
  heads(limit: number): Head[] {
    return this.#sql.heads.first(limit);
  }

  waiting(): ReturnType<QueueStatements['heads']['waiting']> {
    return this.#sql.heads.waiting();
  }

  at(seq: number): KeptEvent | undefined {
    return this.#sql.heads.at(seq);
  }

  /** Finishes the first event of a key; the next one follows. */
  done({ key, seq }: Head, { state, answer, at, due }: Answered & { readonly state: 'forwarded' | 'failed' }) {
    return this.#write(() => {
      this.#sql.heads.answered(seq, state, answer, at, undefined);
      this.#sql.heads.advance(key, due);
    });
  }

  /** Postpones the first event of a key after a refusal. */
  delay({ key, seq }: Head, { answer, at, due, refusedSince }: Answered & { readonly refusedSince: number }) {
    return this.#write(() => {
      this.#sql.heads.answered(seq, 'waiting', answer, at, refusedSince);
      this.#sql.heads.delay(key, due);
    });
  }

  /** Lets the stored events with some names wait, and none with the others. The next attempts are at `due`. */
  choose(wanted: readonly string[], others: readonly string[], due: number): Promise<void> {
    return this.#write(() => this.#sql.heads.choose(wanted, others, due));
  }

  /** Moves attempts that are due after `latest` to `now`. */
  noLater(latest: number, now: number): Promise<void> {
    return this.#write(() => this.#sql.heads.noLater(latest, now));
  }

  /** Counts finished events from before an instant, those still to be forwarded, and refused deliveries. */
  prunable(before: number, what: Prunable = 'finished') {
    const aged = agedIn(this.#sql, before, what).toArray().flat();
    const waiting = aged.filter(({ isWaiting }) => isWaiting).length;
    return { count: aged.length - waiting, waiting, refused: this.#sql.oldRefused(before) };
  }

  /**
   * Removes refused deliveries from before an instant, and finished events, or all, except for their uids, until `stop`.
   * Returns the number of events.
   */
  async prune(before: number, stop: AbortSignal, what: Prunable = 'finished'): Promise<number> {
    await this.#write(() => this.#sql.pruneRefused(before));
    let count = 0;
    for (const aged of agedIn(this.#sql, before, what)) {
      if (stop.aborted) break;
      const done = aged.filter(({ isWaiting }) => what === 'all' || !isWaiting);
      await this.#write(() => done.forEach(this.#remove));
      count += done.length;
    }
    return count;
  }

  /** Removes an event. The next one of its key waits no longer for it. */
  readonly #remove = (one: Aged): void => {
    this.#sql.events.prune(one);
    if (one.isWaiting) this.#sql.heads.advance(one.key, 0);
  };

  /** Returns the space of removed events to the disk; resolves to false if that is impossible. */
  compact(): Promise<boolean> {
    return compact(this.#db, async (work) => work());
  }

  /** `target`: the last target of `webhook listen`. `place`: where `watch --exec` goes on. */
  setting(name: 'target' | 'place'): string | undefined {
    return this.#sql.setting(name);
  }

  set(name: 'target' | 'place', value: string): Promise<void> {
    return this.#write(() => this.#sql.set(name, value));
  }

  /** Holds a lock until the queue is closed; returns false if another process has it. */
  hold(lock: string): boolean {
    this.#release = holdLock(lock);
    return this.#release !== undefined;
  }

  close(): void {
    this.#db.close();
    this.#release?.();
  }
}

/** Opens the queue; creates it if there is none. Throws a `ledger` error where the queue can't be used. */
export const openQueue = (folder: string, uid: number | undefined, name = QUEUE_FILE_NAME): Queue => {
  const path = join(folder, name);
  const file = { name: 'the queue of events', path, error: queueError };
  checkPrivate(file, uid);
  return openDatabase(path, QUEUE_FILE, (db) => {
    // Another process may have created the missing folder meanwhile.
    checkPrivate(file, uid);
    return new Queue(db, path);
  });
};

/** Opens a queue for one process at a time; undefined if another process holds it. */
export const holdQueue = (
  folder: string,
  uid: number | undefined,
  name = QUEUE_FILE_NAME,
  lock = LOCK_FILE_NAME,
): Queue | undefined => {
  const queue = openQueue(folder, uid, name);
  if (queue.hold(join(folder, lock))) return queue;
  queue.close();
  return undefined;
};

import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { EVENT_STATES, type EventState } from '../core/webhook-event.ts';
import { optionalNumber, optionalText, sqlNumber, sqlText } from '../database/connect.ts';
import type { Delivery, EventSummary, Headers, KeptEvent, RefusedDelivery } from './event.ts';

/**
 * The queue's tables. An event is stored once, by its uid, permanently; `again` numbers the repeats that were stored on
 * request. A pruned event leaves its uid in a table of its own. `lane` is an order key: its events are forwarded in
 * order. It has a row while one of its events waits: the first event, and the instant of its next attempt.
 */
export const QUEUE_TABLES = `
   CREATE TABLE event (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     uid TEXT NOT NULL,
     again INTEGER NOT NULL DEFAULT 0,
     event TEXT NOT NULL,
     ugwo TEXT,
     activity TEXT,
     lane TEXT NOT NULL,
     delivery TEXT,
     signature TEXT NOT NULL,
     headers TEXT NOT NULL,
     body BLOB NOT NULL,
     received_at INTEGER NOT NULL,
     repeats INTEGER NOT NULL DEFAULT 0,
     state TEXT NOT NULL,
     attempts INTEGER NOT NULL DEFAULT 0,
     answer TEXT,
     answered_at INTEGER,
     refused_since INTEGER
   ) STRICT;
   CREATE UNIQUE INDEX event_uid ON event (uid, again);
   CREATE INDEX event_waiting ON event (lane, seq) WHERE state = 'waiting';
   CREATE INDEX event_ugwo ON event (ugwo, seq) WHERE ugwo IS NOT NULL;
   CREATE INDEX event_kind ON event (event, state);
   CREATE TABLE pruned (uid TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
   CREATE TABLE lane (lane TEXT NOT NULL PRIMARY KEY, head INTEGER NOT NULL, due INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE INDEX lane_due ON lane (due, head);
   CREATE TABLE place (name TEXT NOT NULL PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE setting (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE refused (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     at INTEGER NOT NULL,
     why TEXT NOT NULL,
     delivery TEXT,
     signature TEXT NOT NULL,
     size INTEGER NOT NULL,
     body BLOB NOT NULL
   ) STRICT;
`;

type Row = Readonly<Record<string, SQLOutputValue>>;

/** SQL for the text at the first of some paths in the body; null if it has none, or is no JSON. */
const inBody = (name: string, ...paths: readonly string[]): string => {
  const found = paths.map((path) => `CAST(body AS TEXT) ->> '$.data.${path}'`);
  return `CASE WHEN json_valid(CAST(body AS TEXT)) THEN CAST(coalesce(${found.join()}, NULL) AS TEXT) END AS ${name}`;
};

const SUMMARY_COLUMNS_SQL = [
  ...['seq', 'uid', 'again', 'event', 'ugwo', 'activity', 'delivery', 'signature', 'received_at', 'repeats', 'state'],
  ...['attempts', 'answer', 'answered_at', 'refused_since'],
  inBody('ref', 'ref', 'ugwo.ref'),
  inBody('amount', 'amount', 'ugwo.amount'),
  inBody('currency', 'currency', 'checkout.currency', 'ugwo.currency'),
].join();

const summaryOf = (row: Row): EventSummary => ({
  seq: sqlNumber(row['seq']),
  uid: sqlText(row['uid']),
  again: sqlNumber(row['again']),
  event: sqlText(row['event']),
  ugwo: optionalText(row['ugwo']),
  activity: optionalText(row['activity']),
  deliveryId: optionalText(row['delivery']),
  signature: sqlText(row['signature']),
  receivedAt: sqlNumber(row['received_at']),
  repeats: sqlNumber(row['repeats']),
  state: sqlText(row['state']) as EventState,
  attempts: sqlNumber(row['attempts']),
  answer: optionalText(row['answer']),
  answeredAt: optionalNumber(row['answered_at']),
  refusedSince: optionalNumber(row['refused_since']),
  ref: optionalText(row['ref']),
  amount: /^\d{1,15}$/.test(sqlText(row['amount'])) ? sqlNumber(row['amount']) : undefined,
  currency: optionalText(row['currency']),
});

const keptOf = (row: Row): KeptEvent => ({
  ...summaryOf(row),
  headers: JSON.parse(sqlText(row['headers'])) as Headers,
  body: row['body'] as Uint8Array,
});

/** The bytes of event bodies to have in memory at once. */
const MOST_BYTES = 4 * 1024 * 1024;

export interface EventFilter {
  readonly ugwo?: string | undefined;
  readonly states?: readonly EventState[] | undefined;
  /** Matches the event name against names, which may contain `*`. */
  readonly isWanted?: ((event: string) => boolean) | undefined;
}

/** The fields of an event that pruning needs. */
export interface Aged {
  readonly seq: number;
  readonly uid: string;
  /** Its order key. */
  readonly key: string;
  readonly isWaiting: boolean;
  readonly receivedAt: number;
}

/** The number of refused deliveries to store; the newest stay. */
const MOST_REFUSED = 1000;

/** Finds the events before a position, newest first. An index has each part in this order, and SQLite merges them. */
const summariesBefore = (db: DatabaseSync) => {
  // The index of names would be read from its start to its end without the recursion.
  const names = db.prepare(
    `WITH RECURSIVE name (event) AS (SELECT min(event) FROM event UNION ALL
       SELECT (SELECT min(event) FROM event WHERE event > name.event) FROM name WHERE event IS NOT NULL)
     SELECT event FROM name WHERE event IS NOT NULL`,
  );
  const namesIn = (): string[] => names.all().map(({ event }) => sqlText(event));
  return (seq: number, { ugwo, isWanted, states }: EventFilter, limit: number): EventSummary[] => {
    const fits = (event: string, state: EventState): boolean =>
      isWanted?.(event) !== false && states?.includes(state) !== false;
    const kinds = (): string[][] =>
      namesIn().flatMap((event) => EVENT_STATES.filter((state) => fits(event, state)).map((state) => [event, state]));
    const [where, parts] =
      ugwo !== undefined
        ? ['ugwo = ? AND', [[ugwo]]]
        : (isWanted ?? states) === undefined
          ? ['', [[]]]
          : ['event = ? AND state = ? AND', kinds()];
    if (parts.length === 0) return [];
    const sql = parts.map(() => `SELECT ${SUMMARY_COLUMNS_SQL} FROM event WHERE ${where} seq < ?`);
    // Few events have the same payment request, so all of these are read.
    return db
      .prepare(`${sql.join(' UNION ALL ')} ORDER BY seq DESC LIMIT ?`)
      .all(...parts.flatMap((values) => [...values, seq]), ugwo === undefined ? limit : -1)
      .map(summaryOf)
      .filter(({ event, state }) => fits(event, state))
      .slice(0, limit);
  };
};

/** Finds the events after a position whose bodies fit into MOST_BYTES; at least one, even a larger one. */
const eventsBehind = (db: DatabaseSync) => {
  const sizes = db.prepare('SELECT seq, length(body) AS size FROM event WHERE seq > ? ORDER BY seq LIMIT ?');
  const between = db.prepare('SELECT * FROM event WHERE seq > ? AND seq <= ? ORDER BY seq');
  return (seq: number, limit: number): KeptEvent[] => {
    let [last, bytes] = [seq, 0];
    for (const row of sizes.all(seq, limit)) {
      bytes += sqlNumber(row['size']);
      if (last > seq && bytes > MOST_BYTES) break;
      last = sqlNumber(row['seq']);
    }
    return between.all(seq, last).map(keptOf);
  };
};

const eventStatements = (db: DatabaseSync) => {
  const insert = db.prepare(
    `INSERT INTO event (uid, again, event, ugwo, activity, lane, delivery, signature, headers, body, received_at, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const byUid = db.prepare('SELECT * FROM event WHERE uid = ? AND again <= 0');
  const bodyOf = db.prepare('SELECT body = ? AS same FROM event WHERE uid = ? AND again <= 0');
  const pruned = db.prepare('SELECT 1 FROM pruned WHERE uid = ?');
  const like = db.prepare(
    `SELECT uid FROM (SELECT uid FROM event UNION ALL SELECT uid FROM pruned) WHERE uid > ? AND uid GLOB ? ORDER BY uid LIMIT ?`,
  );
  const old = db.prepare(
    'SELECT seq, uid, lane, state, received_at FROM event WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
  );
  const remove = db.prepare('DELETE FROM event WHERE seq = ?');
  const leave = db.prepare('INSERT INTO pruned VALUES (?) ON CONFLICT DO NOTHING');
  const repeat = db.prepare('UPDATE event SET repeats = repeats + 1 WHERE uid = ? AND again <= 0 RETURNING repeats');
  return {
    insert: (one: Delivery, again: number, key: string, state: EventState): number =>
      Number(
        insert.run(
          ...[one.uid, again, one.event, one.ugwo ?? null, one.activity ?? null, key, one.deliveryId ?? null],
          ...[one.signature, JSON.stringify(one.headers), one.body, one.receivedAt, state],
        ).lastInsertRowid,
      ),
    /** Returns `same` or `other` for a known uid, by its body; undefined for an unknown one. */
    known: (uid: string, body: Uint8Array): 'same' | 'other' | undefined => {
      const row = bodyOf.get(body, uid);
      // The body of a pruned event is no longer stored.
      if (row === undefined) return pruned.get(uid) === undefined ? undefined : 'same';
      return row['same'] === 1 ? 'same' : 'other';
    },
    /** Counts a repeat and returns the new count. */
    repeat: (uid: string): number => Number(repeat.get(uid)?.['repeats'] ?? 0),
    /** Uids after another that match a pattern, also those of pruned events, at most as many as a limit. */
    uids: (...of: [string, string, number]): string[] => like.all(...of).map(({ uid }) => sqlText(uid)),
    find: (uid: string): KeptEvent | undefined => byUid.all(uid).map(keptOf)[0],
    /** The events after a position, in order of arrival; fewer where they are large. */
    behind: eventsBehind(db),
    /** The fields for pruning of events after a position and up to another, oldest first. */
    aged: (seq: number, upTo: number, limit: number): Aged[] =>
      old.all(seq, upTo, limit).map((row) => ({
        seq: sqlNumber(row['seq']),
        uid: sqlText(row['uid']),
        key: sqlText(row['lane']),
        isWaiting: row['state'] === 'waiting',
        receivedAt: sqlNumber(row['received_at']),
      })),
    /** Removes an event, and stores its uid as pruned. */
    prune: ({ seq, uid }: Aged): void => {
      remove.run(seq);
      leave.run(uid);
    },
    before: summariesBefore(db),
  };
};

/** The first waiting event of an order key, and the instant of its next attempt. */
export interface Head {
  readonly key: string;
  readonly seq: number;
  readonly due: number;
}

const headStatements = (db: DatabaseSync) => {
  const open = db.prepare('INSERT INTO lane (lane, head, due) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const due = db.prepare('SELECT lane, head, due FROM lane ORDER BY due, head LIMIT ?');
  const next = db.prepare(`SELECT min(seq) AS seq FROM event WHERE lane = ? AND state = 'waiting'`);
  const move = db.prepare('UPDATE lane SET head = ?, due = ? WHERE lane = ?');
  const drop = db.prepare('DELETE FROM lane WHERE lane = ?');
  const delay = db.prepare('UPDATE lane SET due = ? WHERE lane = ?');
  const bring = db.prepare('UPDATE lane SET due = ? WHERE due > ?');
  const bySeq = db.prepare('SELECT * FROM event WHERE seq = ?');
  const answered = db.prepare(
    `UPDATE event SET state = ?, attempts = attempts + 1, answer = ?, answered_at = ?, refused_since = ? WHERE seq = ?`,
  );
  const waiting = db.prepare(`SELECT count(*) AS count, min(seq) AS seq FROM event WHERE state = 'waiting'`);
  const among = (state: EventState) => `state = '${state}' AND event IN (SELECT value FROM json_each(?))`;
  const want = db.prepare(`UPDATE event SET state = 'waiting' WHERE ${among('kept')}`);
  const leave = db.prepare(`UPDATE event SET state = 'kept' WHERE ${among('waiting')}`);
  const clear = db.prepare('DELETE FROM lane');
  const fill = db.prepare(`INSERT INTO lane SELECT lane, min(seq), ? FROM event WHERE state = 'waiting' GROUP BY lane`);
  return {
    /** Number of events that wait to be forwarded, and the first of them. */
    waiting: () => {
      const { count, seq = null } = waiting.get() ?? {};
      return { count: sqlNumber(count), first: bySeq.all(seq).map(keptOf)[0] };
    },
    open: (key: string, seq: number, at: number): void => void open.run(key, seq, at),
    /** Lets the stored events with some names wait, and none with the others. The next attempts are at `at`. */
    choose: (wanted: readonly string[], others: readonly string[], at: number): void => {
      want.run(JSON.stringify(wanted));
      leave.run(JSON.stringify(others));
      clear.run();
      fill.run(at);
    },
    /** The heads that are due first, whether their time has come or not. */
    first: (limit: number): Head[] =>
      due
        .all(limit)
        .map((row) => ({ key: sqlText(row['lane']), seq: sqlNumber(row['head']), due: sqlNumber(row['due']) })),
    /** Makes the next waiting event of a key its head, if there is one. */
    advance: (key: string, at: number): void => {
      const seq = optionalNumber(next.get(key)?.['seq']);
      if (seq === undefined) drop.run(key);
      else move.run(seq, at, key);
    },
    delay: (key: string, at: number): void => void delay.run(at, key),
    /** Limits the next attempt of all to `latest`: a clock that was set back would otherwise delay them by as much. */
    noLater: (latest: number, now: number): void => void bring.run(now, latest),
    at: (seq: number): KeptEvent | undefined => bySeq.all(seq).map(keptOf)[0],
    answered: (seq: number, state: EventState, answer: string, at: number, refusedSince: number | undefined): void =>
      void answered.run(state, answer, at, refusedSince ?? null, seq),
  };
};

const restStatements = (db: DatabaseSync) => {
  const place = db.prepare('SELECT seq FROM place WHERE name = ?');
  const setPlace = db.prepare('INSERT INTO place VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq');
  const refuse = db.prepare(
    'INSERT INTO refused (at, why, delivery, signature, size, body) VALUES (?, ?, ?, ?, ?, ?) RETURNING seq',
  );
  const forget = db.prepare('DELETE FROM refused WHERE seq <= ?');
  const refused = db.prepare('SELECT * FROM refused ORDER BY seq DESC LIMIT ?');
  const oldRefused = db.prepare('SELECT count(*) AS count FROM refused WHERE at < ?');
  const pruneRefused = db.prepare('DELETE FROM refused WHERE at < ?');
  const setting = db.prepare('SELECT value FROM setting WHERE name = ?');
  const set = db.prepare('INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value');
  return {
    /** The position of a reader; 0 if it has not started. */
    place: (name: string): number => Number(place.get(name)?.['seq'] ?? 0),
    setPlace: (name: string, seq: number): void => void setPlace.run(name, seq),
    refuse: ({ receivedAt, why, deliveryId, signature, size, body }: RefusedDelivery): void => {
      const seq = Number(refuse.get(receivedAt, why, deliveryId ?? null, signature, size, body)?.['seq']);
      forget.run(seq - MOST_REFUSED);
    },
    refused: (limit: number): RefusedDelivery[] =>
      refused.all(limit).map((row) => ({
        receivedAt: sqlNumber(row['at']),
        why: sqlText(row['why']),
        deliveryId: optionalText(row['delivery']),
        signature: sqlText(row['signature']),
        size: sqlNumber(row['size']),
        body: row['body'] as Uint8Array,
      })),
    /** The number of refused deliveries from before an instant. */
    oldRefused: (before: number): number => sqlNumber(oldRefused.get(before)?.['count']),
    pruneRefused: (before: number): void => void pruneRefused.run(before),
    setting: (name: string): string | undefined => optionalText(setting.get(name)?.['value']),
    set: (name: string, value: string): void => void set.run(name, value),
  };
};

export const queueStatements = (db: DatabaseSync) => ({
  events: eventStatements(db),
  heads: headStatements(db),
  ...restStatements(db),
});

export type QueueStatements = ReturnType<typeof queueStatements>;

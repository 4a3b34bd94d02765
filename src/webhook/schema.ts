import type { Migration } from '../database/kind.ts';

/**
 * The queue's tables. An event stands once, by its uid, for good; `again` numbers what was asked to be kept of its repeats.
 * An event that was pruned leaves its uid in a table of its own.
 * A lane is what must stay in order, and has a row while something in it waits: its first event, and when that is tried next.
 */
export const MIGRATIONS: readonly Migration[] = [
  `CREATE TABLE event (
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
   ) STRICT;`,
  'CREATE TABLE pruned (uid TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;',
];

import type { DatabaseSync } from 'node:sqlite';
import type { Onye } from '../../contract/onye.ts';
import type { Ugwo } from '../../contract/ugwo.ts';
import { openDatabase } from '../../database/open.ts';
import { rehearse, transact } from '../../database/transact.ts';
import { BeyondUse, DATA_FILE } from '../file.ts';
import { activities } from './activities.ts';
import { customers } from './customers.ts';
import { outbox } from './outbox.ts';
import { refunds } from './refunds.ts';
import { requests } from './requests.ts';
import { recordOf } from './rows.ts';
import { settings } from './settings.ts';

const whole = (db: DatabaseSync) => {
  const made = db.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?');
  const newest = {
    onye: db.prepare('SELECT record FROM onye ORDER BY seq DESC LIMIT 1'),
    ugwo: db.prepare('SELECT record FROM ugwo ORDER BY seq DESC LIMIT 1'),
  };
  const some = db.prepare(`SELECT EXISTS (SELECT 1 FROM onye) OR EXISTS (SELECT 1 FROM ugwo)
      OR EXISTS (SELECT 1 FROM setting WHERE name = 'emptied') AS some`);
  const listeners: (() => void)[] = [];
  return {
    /** How many records of a kind were ever made here. */
    made: (kind: 'onye' | 'ugwo') => Number(made.get(kind)?.['seq'] ?? 0),
    /** The `created_at` of the newest record of a kind. */
    newest: (kind: 'onye' | 'ugwo') => recordOf<Onye | Ugwo>(newest[kind].get())?.created_at ?? undefined,
    /** No record was ever made here, and none was ever removed. */
    isNew: () => some.get()?.['some'] === 0,
    /** The clock and the faults, too. What is made afterwards is numbered on from here, so that no identifier is ever given again. */
    removeRecords: () =>
      db.exec(`DELETE FROM refund; DELETE FROM activity; DELETE FROM ugwo; DELETE FROM onye; DELETE FROM fault; DELETE FROM delivery;
        DELETE FROM setting WHERE name = 'clock'; INSERT OR IGNORE INTO setting VALUES ('emptied', '');`),
    /** Another text whenever something was written, by this process or another one. */
    version: () => {
      const { changes } = db.prepare('SELECT total_changes() AS changes').get() ?? {};
      return `${db.prepare('PRAGMA data_version').get()?.['data_version']} ${changes}`;
    },
    /** Runs `work` alone among all processes; what it wrote is undone when it throws. */
    write: <T>(work: () => T): T => {
      const result = transact(db, work);
      for (const listener of listeners) listener();
      return result;
    },
    /** What `work` gives alone among all processes; nothing of what it wrote stays. */
    rehearse: <T>(work: () => T): T => rehearse(db, work),
    /** Calls it after each commit of this process. */
    onWrite: (listener: () => void) => void listeners.push(listener),
    close: () => db.close(),
  };
};

const storeOf = (db: DatabaseSync) => ({
  ...customers(db),
  ...requests(db),
  ...activities(db),
  ...refunds(db),
  ...settings(db),
  ...outbox(db),
  ...whole(db),
});

/**
 * The state of one data file. Its records are believed as they come: answers are checked when they leave. A record is found
 * by its identifier, also as the live dialect shows it.
 */
export interface Store extends ReturnType<typeof storeOf> {
  readonly key: string;
}

/** Opens the state in the file at an absolute path; made when missing. Throws usage errors. */
export const openStore = (path: string): Store =>
  openDatabase(path, DATA_FILE, (db) => {
    const store = storeOf(db);
    const key = store.setting('key');
    if (key === undefined) throw new BeyondUse(path, 'is damaged: it holds no key');
    return { key, ...store };
  });

/** Opens it for one use. */
export const withStore = <T>(path: string, use: (store: Store) => T): T => {
  const store = openStore(path);
  try {
    return use(store);
  } finally {
    store.close();
  }
};

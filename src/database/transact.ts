import type { DatabaseSync } from 'node:sqlite';

/** What `use` gives; the database is closed then, whatever came of it. */
export const closedAfter = <T>(db: DatabaseSync, use: (db: DatabaseSync) => T): T => {
  try {
    return use(db);
  } finally {
    db.close();
  }
};

/** Runs `work` alone among all processes; what it wrote is undone when it throws. */
export const transact = <T>(db: DatabaseSync, work: () => T): T => {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (thrown) {
    // A full disk, say, has ended the transaction already.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw thrown;
  }
};

/** The same, and what it wrote is undone when it is done, too. */
export const rehearse = <T>(db: DatabaseSync, work: () => T): T => {
  db.exec('BEGIN IMMEDIATE');
  try {
    return work();
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
};

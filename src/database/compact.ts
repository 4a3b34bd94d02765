import type { DatabaseSync } from 'node:sqlite';

/**
 * Writes the file anew without what was deleted, by a `wait` for whoever is at it. It takes as much room again meanwhile. False
 * where it can't be: what was deleted is still gone from the rows, and its room is used for others.
 */
export const compact = async (db: DatabaseSync, wait: (work: () => void) => Promise<unknown>): Promise<boolean> => {
  try {
    // The new file is made in a temporary one, which may be larger than the memory.
    db.exec('PRAGMA temp_store = FILE');
    await wait(() => db.exec('VACUUM'));
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return true;
  } catch {
    return false;
  } finally {
    db.exec('PRAGMA temp_store = MEMORY');
  }
};

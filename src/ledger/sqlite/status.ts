import { DatabaseSync } from 'node:sqlite';
import { versionOf } from '../../database/migrate.ts';
import { asLedgerError } from './file.ts';

/** The version of a ledger's tables; the file is not changed. */
export const schemaAt = (path: string): number => {
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      return versionOf(db);
    } finally {
      db.close();
    }
  } catch (thrown) {
    throw asLedgerError(thrown, path);
  }
};

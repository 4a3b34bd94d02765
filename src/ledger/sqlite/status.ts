import { DatabaseSync } from 'node:sqlite';
import { versionOf } from '../../database/migrate.ts';
import { closedAfter } from '../../database/transact.ts';
import { asLedgerError } from './file.ts';

/** The version of a ledger's tables; the file is not changed. */
export const schemaAt = (path: string): number => {
  try {
    return closedAfter(new DatabaseSync(path, { readOnly: true }), versionOf);
  } catch (thrown) {
    throw asLedgerError(thrown, path);
  }
};

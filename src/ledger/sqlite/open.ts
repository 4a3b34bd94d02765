import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { NEXT_STEP } from '../../charge/words.ts';
import { counted } from '../../core/bounds.ts';
import { PayError } from '../../core/error.ts';
import { type DatabaseKind, versionFault, versionOf } from '../../database/connect.ts';
import { openDatabase, openReadOnly } from '../../database/open.ts';
import type { Backend } from '../backend.ts';
import type { Ledger } from '../ledger.ts';
import { leftBeside, type Unfinished } from '../local/emergency.ts';
import { asLedgerError, checkAccess, countBeside, highestPath, openHighest, patiently } from '../local/file.ts';
import { ledgerOver, readOnly } from '../open.ts';
import { takeIn } from '../outcome.ts';
import { backendOver, type LedgerOptions } from './backend.ts';
import { LEDGER_FILE } from './schema.ts';
import { type LedgerStatements, ledgerStatements } from './statements.ts';

/** Refuses to open the ledger: forgotten charges would be made again. */
const refuseLedger = (path: string, what: string, restore: string): never => {
  throw new PayError('ledger', `the ledger ${path} ${what}`, {
    hint:
      `${restore}. If it is lost, first check the newest payment requests at the service, since charges made ` +
      `meanwhile are missing here; then remove ${highestPath(path)}`,
  });
};

const refuseMissing = (path: string): void => {
  // Read the count first: another process may create the ledger and charge meanwhile.
  const count = countBeside(path);
  if (count !== undefined && !existsSync(path)) {
    refuseLedger(path, `is missing: it had ${counted(count.charges, 'charge')}`, 'restore it, or a backup of it');
  }
};

/** Refuses an old copy, which contains fewer charges than were counted, and a different ledger. */
const refuseOtherFile = (path: string, name: string, sql: LedgerStatements): void => {
  const count = countBeside(path);
  if (count === undefined) return;
  if (count.ledger !== name) {
    refuseLedger(
      path,
      `is not the one that had ${counted(count.charges, 'charge')} here`,
      'put that one back, or a copy of it',
    );
  }
  const knows = sql.highest();
  if (count.charges > knows) {
    refuseLedger(
      path,
      `is an old copy: it knows ${knows} of ${counted(count.charges, 'charge')}`,
      'restore the newer file',
    );
  }
};

const refuseOlder = (db: DatabaseSync, path: string, kind: DatabaseKind): void => {
  const fault = versionFault(versionOf(db), kind);
  if (fault !== undefined)
    throw new PayError('ledger', `the ledger ${path} ${fault.what}`, { hint: NEXT_STEP.upgradeFile });
};

const openBackend = (options: LedgerOptions): { readonly backend: Backend; readonly left: Unfinished } => {
  const { path, kind = LEDGER_FILE } = options;
  return openDatabase(path, kind, (db) => {
    // Check again: another process may have created a missing folder meanwhile.
    checkAccess(path);
    const left = leftBeside(db, path, options);
    const sql = ledgerStatements(db);
    const settings = sql.settings();
    refuseOtherFile(path, settings.name, sql);
    const highest = openHighest(path, settings.name);
    return { backend: backendOver(db, sql, highest, settings, options), left };
  });
};

const recover = async (backend: Backend, { lines, remove }: Unfinished): Promise<void> => {
  try {
    remove(await takeIn(backend, lines));
  } catch (thrown) {
    await backend.close();
    throw thrown;
  }
};

/**
 * Opens the ledger, and creates it on first use. Throws a `ledger` error if it can't be used: newer than this program,
 * damaged, another program's file, open to other users, or locked for too long.
 */
export const openLedger = async (options: LedgerOptions): Promise<Ledger> => {
  const { path, lockWait, clean } = options;
  checkAccess(path);
  refuseMissing(path);
  try {
    const { backend, left } = await patiently(() => openBackend(options), lockWait, lockWait.stop);
    await recover(backend, left);
    return ledgerOver(backend, clean);
  } catch (thrown) {
    throw asLedgerError(thrown, path);
  }
};

/**
 * Opens the ledger only to read it, or an empty one in memory if there is none. No file changes. It can't tell what an
 * ended process left beside the ledger. Throws the errors of `openLedger`.
 */
export const openToRead = async (options: LedgerOptions): Promise<Ledger> => {
  const { path, lockWait, clean, kind = LEDGER_FILE } = options;
  checkAccess(path);
  refuseMissing(path);
  const open = (db: DatabaseSync, closed: () => void): Backend => {
    refuseOlder(db, path, kind);
    const sql = ledgerStatements(db);
    const settings = sql.settings();
    refuseOtherFile(path, settings.name, sql);
    const backend = backendOver(db, sql, openHighest(path, settings.name), settings, options);
    return { ...backend, close: () => backend.close().then(closed) };
  };
  try {
    const backend = await patiently(() => openReadOnly(path, kind, open), lockWait, lockWait.stop);
    return ledgerOver(readOnly(backend), clean);
  } catch (thrown) {
    throw asLedgerError(thrown, path);
  }
};

import { PayError } from '../../core/error.ts';
import { openDatabase } from '../../database/open.ts';
import type { Backend } from '../backend.ts';
import type { Ledger } from '../ledger.ts';
import { ledgerOver } from '../open.ts';
import { takeIn } from '../take-in.ts';
import { checkAccess } from './access.ts';
import { backendOver, type LedgerOptions } from './backend.ts';
import { asLedgerError, LEDGER_FILE } from './file.ts';
import { type Highest, highestPath, openHighest } from './highest.ts';
import { leftBeside, type Unfinished } from './left-behind.ts';
import { patiently } from './lock-wait.ts';
import { type Statements, statements } from './statements.ts';

/** A ledger that has had more charges than it knows of is an old copy: what it has forgotten would be charged again. */
const refuseOldCopy = (sql: Statements, highest: Highest, path: string): void => {
  // Asked for first: another process may begin a charge meanwhile.
  const [had, knows] = [highest.kept(), sql.highest()];
  if (had <= knows) return;
  const message = `the ledger ${path} is an old copy: it knows ${knows} of ${had} charges`;
  throw new PayError('ledger', message, {
    hint:
      'restore the newer file. If it is lost, first check the newest payment requests at the service, since charges made ' +
      `meanwhile are missing here; then remove ${highestPath(path)}`,
  });
};

const openBackend = (options: LedgerOptions): { readonly backend: Backend; readonly left: Unfinished } => {
  const { path, kind = LEDGER_FILE } = options;
  return openDatabase(path, kind, (db) => {
    // Its folder may have been missing, and made by somebody else meanwhile.
    checkAccess(path);
    const left = leftBeside(db, path, options);
    const sql = statements(db);
    const settings = sql.settings();
    const highest = openHighest(path, settings.name);
    refuseOldCopy(sql, highest, path);
    return { backend: backendOver(db, sql, highest, settings.key, options), left };
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
 * Opens the ledger, made at the first use. Throws a `ledger` error when it can't be used: newer than this program, damaged,
 * not ours, open to others, locked for too long.
 */
export const openLedger = async (options: LedgerOptions): Promise<Ledger> => {
  const { path, lockWait, clean } = options;
  checkAccess(path);
  try {
    const { backend, left } = await patiently(() => openBackend(options), lockWait, lockWait.stop);
    await recover(backend, left);
    return ledgerOver(backend, clean);
  } catch (thrown) {
    throw asLedgerError(thrown, path);
  }
};

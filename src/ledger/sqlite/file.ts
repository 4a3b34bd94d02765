import { PayError, reasonOf } from '../../core/error.ts';
import type { DatabaseFault, DatabaseKind } from '../../database/kind.ts';
import { isBusy, isDamage } from '../../database/sqlite-error.ts';
import { TRY_MS } from './lock-wait.ts';
import { MIGRATIONS } from './schema.ts';

const KEEP =
  'first copy it and the -wal and -emergency files beside it. If you move it and highest-charge away, paycli starts a new ' +
  'ledger, which knows none of the old charges and refuses none of them';

const HINTS: Readonly<Record<DatabaseFault['kind'], string>> = {
  foreign: `it may be a ledger whose first bytes are damaged: ${KEEP}`,
  newer: 'use the newer paycli; this one does not touch a ledger that it does not understand',
  damaged: `${KEEP}; \`sqlite3 FILE .recover\` reads what is left of it`,
  unusable:
    'free some disk space, mount a read-only file system writable, or give yourself access to the file and its folder (chmod 600, chmod 700); a ledger in ' +
    'another folder knows nothing of the charges made here',
};

/** Any trouble with the ledger: exit 10, nothing was sent. */
export const ledgerError = (fault: DatabaseFault): PayError =>
  new PayError('ledger', `the ledger ${fault.path} ${fault.what}`, { hint: HINTS[fault.kind], cause: fault.cause });

/** The ledger's file: what it holds must outlive a loss of power. */
export const LEDGER_FILE: DatabaseKind = {
  // "payg"
  applicationId: 0x70617967,
  migrations: MIGRATIONS,
  survives: 'power loss',
  // Longer waits are made between two tries, where signals are heard.
  busyTimeout: TRY_MS,
  // The rows of a file change the same pages again and again: what is taken in more seldom is written there fewer times.
  logPages: 4000,
  error: ledgerError,
};

/** A failure of any kind as a `ledger` error. */
export const asLedgerError = (thrown: unknown, path: string): PayError => {
  if (isBusy(thrown)) {
    return new PayError('ledger', `the ledger ${path} is locked by another process`, {
      hint: 'find the process that keeps it open (with `fuser`), then run the same command again',
      cause: thrown,
    });
  }
  if (thrown instanceof PayError) return thrown;
  const kind = isDamage(thrown) ? 'damaged' : 'unusable';
  return ledgerError({ kind, path, what: `cannot be used: ${reasonOf(thrown)}`, cause: thrown });
};

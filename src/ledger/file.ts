import { PayError } from '../core/error.ts';
import type { DatabaseKind, Fault } from '../database/kind.ts';
import { TRY_MS } from './patience.ts';
import { MIGRATIONS } from './schema.ts';

const HINTS: Readonly<Record<Fault['kind'], string>> = {
  foreign: 'move that file away, or name another folder with PAYCLI_HOME',
  newer: 'use the newer paycli; this one does not touch what it does not understand',
  damaged:
    'keep a copy of it, and of the -wal file beside it, before anything else; `sqlite3 FILE .recover` reads what is left. ' +
    'Moved away, a new ledger is begun, which knows none of the old charges',
  unusable: 'make room, or make the folder writable; PAYCLI_HOME names another one',
};

/** Any trouble with the ledger: exit 10, nothing was sent. */
export const ledgerError = (fault: Fault): PayError =>
  new PayError('ledger', `the ledger ${fault.path} ${fault.what}`, { hint: HINTS[fault.kind], cause: fault.cause });

/** The ledger's file: what it holds must outlive a loss of power. */
export const LEDGER_FILE: DatabaseKind = {
  // "payg"
  applicationId: 0x70617967,
  migrations: MIGRATIONS,
  survives: 'power loss',
  // Longer waits are made between two tries, where signals are heard.
  busyTimeout: TRY_MS,
  error: ledgerError,
};

import { Damage, type DatabaseKind } from '../../database/connect.ts';
import { ledgerError, TRY_MS } from '../local/file.ts';
import { AT, checksumOf, type Row } from '../rows.ts';
import { tablesIn } from '../tables.ts';

/** Returns the row if its checksum is right. Throws if a page of the file holds something else by now. */
export const checkedRow = (row: Row): Row => {
  if (row[AT.checksum] === checksumOf(row)) return row;
  throw new Damage(`row ${row[AT.seq]} of its charges is not what paycli wrote`);
};

/**
 * At most one charge of a payment request is open. The unique index enforces it: a check in the program could not keep
 * two processes from sending at once. The second index on the charges of a payment request detects corrupted pages: it
 * must agree with the first. A slice of a job is leased to its owner, a `Sender` as JSON. The settings hold the ledger's
 * name, the key of its digests, and the renames of profiles.
 */
const LEDGER_TABLES = `
  ${tablesIn({
    prefix: '',
    integer: 'INTEGER',
    place: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    end: ' STRICT',
    keyed: ' STRICT, WITHOUT ROWID',
    including: ',',
  })}
  CREATE UNIQUE INDEX charge_open ON charge (service, ugwo) WHERE state IN ('sending', 'unknown');
  CREATE INDEX charge_of_ugwo_again ON charge (ugwo, seq);

  CREATE TABLE slice (
    job TEXT NOT NULL,
    slice INTEGER NOT NULL,
    owner TEXT NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (job, slice)
  ) STRICT, WITHOUT ROWID;

  INSERT INTO setting VALUES ('name', lower(hex(randomblob(8)))), ('key', hex(randomblob(32)));
`;

/** Kind of the ledger's file. Its contents must survive a power loss. */
export const LEDGER_FILE: DatabaseKind = {
  // "payg" in ASCII.
  applicationId: 0x70617967,
  first: 13,
  migrations: [LEDGER_TABLES],
  survives: 'power loss',
  // Longer waits happen between attempts, where signals are handled.
  busyTimeout: TRY_MS,
  // The rows of a file change the same pages again and again. Rare checkpoints write those pages fewer times.
  logPages: 4000,
  error: ledgerError,
};

import { randomBytes } from 'node:crypto';
import { closeSync, linkSync, lstatSync, openSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { reasonOf, usageError } from '../../core/error.ts';
import { closedAfter, connect, versionOf } from '../../database/connect.ts';
import { removeDatabase, syncFile, syncFolder } from '../../database/file.ts';
import type { Copied } from '../ledger.ts';
import { asLedgerError, ledgerError } from '../local/file.ts';
import { LEDGER_FILE } from './schema.ts';

const refuseExisting = (file: string): void => {
  // A link counts as existing, wherever it leads.
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
  throw usageError(`${file} is there already`, { hint: 'name a file that is not there yet; nothing was overwritten' });
};

const firstOf = (db: DatabaseSync, statement: string): string =>
  String(Object.values(db.prepare(statement).get() ?? {})[0]);

/** Writes the copy as of one moment, without blocking concurrent charges. */
const copyInto = (ledger: string, made: string): string =>
  closedAfter(connect(ledger, LEDGER_FILE), (db) => {
    db.prepare('VACUUM INTO ?').run(made);
    return firstOf(db, 'PRAGMA journal_mode');
  });

/**
 * Checks the copy's integrity, and gives it the ledger's journal mode. Returns its number of charges. Throws if it is
 * damaged.
 */
const checkBackup = (made: string, journal: string): number =>
  closedAfter(new DatabaseSync(made), (db) => {
    const found = firstOf(db, 'PRAGMA integrity_check(1)');
    if (found !== 'ok') throw ledgerError({ kind: 'damaged', path: made, what: `is damaged: ${found}` });
    if (journal === 'wal') db.exec('PRAGMA journal_mode = wal');
    return Number(firstOf(db, 'SELECT count(*) FROM charge'));
  });

/** Gives the finished copy its name, unless another file has taken the name meanwhile. */
const publish = (made: string, file: string): void => {
  try {
    linkSync(made, file);
  } catch (thrown) {
    refuseExisting(file);
    throw thrown;
  }
};

const cannot = (file: string, thrown: unknown): Error =>
  usageError(`couldn't write ${file}: ${reasonOf(thrown)}`, {
    hint: 'choose a folder of your own on a disk with room for it; the ledger was not touched',
    cause: thrown,
  });

/**
 * Copies a ledger, possibly in use, as of one moment into a new file. The copy has mode 0600 from the start, and is
 * verified and synced to disk before it gets its name.
 */
export const backUp = (ledger: string, path: string): Copied => {
  const file = resolve(path);
  refuseExisting(file);
  const made = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.new`);
  try {
    closeSync(openSync(made, 'wx', 0o600));
  } catch (thrown) {
    throw cannot(file, thrown);
  }
  try {
    const entries = checkBackup(made, copyInto(ledger, made));
    syncFile(made);
    publish(made, file);
    syncFolder(dirname(file));
    return { file, bytes: statSync(file).size, entries };
  } catch (thrown) {
    throw asLedgerError(thrown, ledger);
  } finally {
    removeDatabase(made);
  }
};

/** Version of a ledger's tables. Does not change the file. */
export const schemaAt = (path: string): number => {
  try {
    return closedAfter(new DatabaseSync(path, { readOnly: true }), versionOf);
  } catch (thrown) {
    throw asLedgerError(thrown, path);
  }
};

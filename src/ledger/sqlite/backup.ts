import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, linkSync, lstatSync, openSync, renameSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { interrupted, PayError, reasonOf, usageError } from '../../core/error.ts';
import { closedAfter, isBusy, isDamage, versionOf } from '../../database/connect.ts';
import { removeDatabase, syncFile, syncFolder } from '../../database/file.ts';
import { asLedgerError, ledgerError } from '../local/file.ts';
import { thisMachine } from '../sender.ts';

const refuseExisting = (file: string): void => {
  // A link counts as existing, wherever it leads.
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
  throw usageError(`${file} is there already`, { hint: 'name a file that is not there yet; nothing was overwritten' });
};

/**
 * Runs SQL on a database, syncs the file that it wrote, if any, and prints the first column of each statement's rows, or
 * SQLite's error. It is not opened only to read: SQLite's checks would then leave out the constraints.
 */
const CHILD = `
  const { DatabaseSync } = require('node:sqlite');
  const { fsyncSync, openSync } = require('node:fs');
  const { argv, stdout } = process;
  const [path, written, statements] = argv.slice(-3);
  let said;
  try {
    const db = new DatabaseSync(path, { timeout: 20000, defensive: true });
    db.exec('PRAGMA trusted_schema = OFF');
    const columnOf = ([text, ...values]) => db.prepare(text).all(...values).map((row) => Object.values(row)[0]);
    said = { columns: JSON.parse(statements).map(columnOf) };
    db.close();
    if (written !== '-') fsyncSync(openSync(written, 'r+'));
  } catch ({ message, errcode }) {
    said = { error: { message, errcode } };
  }
  stdout.write(JSON.stringify(said));
`;

/**
 * Runs long statements in a child process, since a statement of this process would block its signals. Returns the first
 * column of each statement's rows. Syncs the file `written` to the disk. `stop` kills the child, and doesn't wait for its
 * end, which a slow disk can hold up.
 */
export const runApart = async (
  path: string,
  statements: readonly (readonly [text: string, ...values: string[]])[],
  stop: AbortSignal,
  written = '-',
): Promise<readonly (readonly unknown[])[]> => {
  const { spawn } = await import('node:child_process');
  if (stop.aborted) throw interrupted(stop.reason);
  const child = spawn(thisMachine.runtime, ['-e', CHILD, path, written, JSON.stringify(statements)], {
    // The standalone program takes `-e` as Bun does. Neither runtime reads settings of the person or the working folder.
    env: { BUN_BE_BUN: '1' },
    cwd: parse(path).root,
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
    // In a process group of its own, the child gets no Ctrl-C. On Windows that would open a window.
    detached: platform() !== 'win32',
  });
  const stopped = Promise.withResolvers<never>();
  const kill = (): void => {
    child.kill('SIGKILL');
    stopped.reject(interrupted(stop.reason));
  };
  stop.addEventListener('abort', kill);
  try {
    const ended = Promise.all([text(child.stdout), once(child, 'close')]);
    const [said, [code, signal]] = await Promise.race([ended, stopped.promise]);
    if (said === '') throw new Error(`the process that reads the ledger ended with ${signal ?? code}`);
    const { columns, error } = JSON.parse(said);
    if (error !== undefined) throw Object.assign(new Error(error.message), error);
    return columns;
  } finally {
    stop.removeEventListener('abort', kill);
  }
};

/**
 * Writes the copy as of one moment, without blocking concurrent charges. Returns its number of charges. Throws if it is
 * damaged. Each index of the copy is built from its table, so the check leaves out the comparison of the two.
 */
const copyInto = async (ledger: string, made: string, stop: AbortSignal): Promise<number> => {
  const [[journal] = [], , , [found] = [], [entries] = []] = await runApart(
    ledger,
    [
      ['PRAGMA journal_mode'],
      ['VACUUM INTO ?', made],
      ['ATTACH ? AS copy', made],
      ['PRAGMA copy.quick_check(1)'],
      ['SELECT count(*) FROM copy.charge'],
    ],
    stop,
    made,
  );
  if (found !== 'ok') throw ledgerError({ kind: 'damaged', path: made, what: `is damaged: ${found}` });
  if (journal === 'wal') closedAfter(new DatabaseSync(made), (db) => db.exec('PRAGMA journal_mode = wal'));
  return Number(entries);
};

/** Gives the finished copy its name, unless another file has taken the name meanwhile. */
const publish = (made: string, file: string): void => {
  try {
    linkSync(made, file);
  } catch {
    refuseExisting(file);
    // The file system may have no hard links. An empty file takes the name first: a rename alone would overwrite another.
    closeSync(openSync(file, 'wx', 0o600));
    renameSync(made, file);
  }
};

const cannot = (file: string, thrown: unknown): Error =>
  usageError(`couldn't write ${file}: ${reasonOf(thrown)}`, {
    hint: 'choose a folder of your own on a disk with room for it; the ledger was not touched',
    cause: thrown,
  });

/**
 * Copies a ledger, possibly in use, as of one moment into a new file. The copy has mode 0600 from the start, and is
 * verified and synced to disk before it gets its name. The first signal, `stop`, leaves no file.
 */
export const backUp = async (ledger: string, path: string, stop: AbortSignal) => {
  const file = resolve(path);
  refuseExisting(file);
  const made = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.new`);
  try {
    closeSync(openSync(made, 'wx', 0o600));
  } catch (thrown) {
    throw cannot(file, thrown);
  }
  try {
    const entries = await copyInto(ledger, made, stop);
    syncFile(made);
    publish(made, file);
    syncFolder(dirname(file));
    return { file, bytes: statSync(file).size, entries };
  } catch (thrown) {
    throw thrown instanceof PayError || isBusy(thrown) || isDamage(thrown)
      ? asLedgerError(thrown, ledger)
      : cannot(file, thrown);
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

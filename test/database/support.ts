import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import type { DatabaseFault, DatabaseKind } from '../../src/database/connect.ts';
import { openDatabase } from '../../src/database/open.ts';

export const SOURCES = join(import.meta.dirname, '../../src');

/** A fault as passed to the owner of the file. */
class TestFault extends PayError {
  readonly fault: DatabaseFault;

  constructor(fault: DatabaseFault) {
    super('ledger', `${fault.path} ${fault.what}`, { cause: fault.cause });
    this.fault = fault;
  }
}

/** A kind of file with one table. */
export const kindOf = (different: Partial<DatabaseKind> = {}): DatabaseKind => ({
  applicationId: 0x74657374,
  first: 1,
  migrations: ['CREATE TABLE word (text TEXT NOT NULL) STRICT;'],
  survives: 'power loss',
  error: (fault) => new TestFault(fault),
  ...different,
});

/** A folder that is deleted after the test. */
export const tempFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-database-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

export const tempFile = (): string => join(tempFolder(), 'a.sqlite');

/** Opens a file for the duration of the test. */
export const opened = (path: string, kind = kindOf()): DatabaseSync => {
  const db = openDatabase(path, kind, (open) => open);
  onTestFinished(() => {
    if (db.isOpen) db.close();
  });
  return db;
};

/** Opens a file and closes it again. */
export const openOnce = (path: string, kind = kindOf()): void => openDatabase(path, kind, (db) => db.close());

/** The fault of opening a file. */
export const faultOf = (path: string, kind = kindOf()): DatabaseFault => {
  try {
    openOnce(path, kind);
  } catch (thrown) {
    if (thrown instanceof TestFault) return thrown.fault;
    throw thrown;
  }
  throw new Error('it opened');
};

/** Reads or changes a file directly. */
export const inFile = <T>(path: string, use: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path);
  try {
    return use(db);
  } finally {
    db.close();
  }
};

/** The first value of the first row. */
export const firstValue = (db: DatabaseSync, statement: string): unknown =>
  Object.values(db.prepare(statement).get() ?? {})[0];

export const journalOf = (path: string): unknown => inFile(path, (db) => firstValue(db, 'PRAGMA journal_mode'));

export const addWord = (db: DatabaseSync, word: string): void =>
  void db.prepare('INSERT INTO word (text) VALUES (?)').run(word);

export const wordsIn = (path: string): unknown[] =>
  inFile(path, (db) =>
    db
      .prepare('SELECT text FROM word ORDER BY rowid')
      .all()
      .map((row) => row['text']),
  );

/** The names of the file and its neighbors. */
export const besides = (path: string): string[] => readdirSync(dirname(path)).toSorted();

/** Runs a script in a process of its own; returns its JSON. */
export const runScript = async <T>(script: string): Promise<T> => {
  // Node 22 warns of node:sqlite.
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (err !== '') throw new Error(err);
  return JSON.parse(out) as T;
};

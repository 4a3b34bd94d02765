import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { NEXT_STEP } from '../../charge/words.ts';
import { attempt } from '../../core/async.ts';
import { SHADOW_FILE_START } from '../../core/data-files.ts';
import { PayError } from '../../core/error.ts';
import { type DatabaseFault, type DatabaseKind, isBusy, transact, upgradeReader } from '../../database/connect.ts';
import { openDatabase } from '../../database/open.ts';
import { type Entry, evidenceOf, withEvidence } from '../entry.ts';
import { asLedgerError, checkAccess, namesInFolder, TRY_MS } from '../local/file.ts';
import { entryOf, entryRow, rowIn, rowText } from '../rows.ts';
import { withState } from '../transitions.ts';
import type { Session, StatementResult } from './session.ts';
import { idsOf, insertStatement, knownStatement } from './statements.ts';
import { commitAll } from './transaction.ts';

/**
 * `leads` marks the first intent of each commit. Intents of one commit are lost together, so the first one stands for
 * all.
 */
const SHADOW_TABLES = `
  CREATE TABLE intent (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    entry TEXT NOT NULL,
    leads INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX intent_age ON intent (created_at);
  CREATE INDEX intent_leads ON intent (n) WHERE leads = 1;
  CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

const RECORD_HINTS: { readonly [kind in DatabaseFault['kind']]?: string } = {
  newer: NEXT_STEP.useNewer,
  unreleased: NEXT_STEP.settleRecord,
};

/** File of the intents that this machine has stored in a shared ledger. */
export const SHADOW_FILE: DatabaseKind = {
  // "pays" in ASCII.
  applicationId: 0x70617973,
  first: 4,
  migrations: [SHADOW_TABLES],
  survives: 'power loss',
  busyTimeout: TRY_MS,
  error: ({ kind, path, what, cause }) =>
    new PayError('ledger', `${path}, this machine's record of its charges in the shared ledger, ${what}`, {
      hint: RECORD_HINTS[kind] ?? NEXT_STEP.replaceRecord,
      cause,
    }),
};

/**
 * Number of last commits that each connection and each change looks for. A database loses data from its end. Of several
 * processes that start at once, the first to commit may be the last to write its copy here, and each has one commit at
 * a time.
 */
const LAST = 64;
/** Age in milliseconds after which copies are deleted. People would notice a ledger that lost more than that. */
const KEPT_MS = 90 * 24 * 3_600_000;

const entryIn = ({ entry }: Readonly<Record<string, unknown>>): Entry => entryOf(rowIn(String(entry)));

const SHADOW_NAME = new RegExp(`^${SHADOW_FILE_START}[0-9a-f]{12}\\.sqlite$`);

/** All of this machine's, by address. Throws a `ledger` error where the folder can't be read: none may be overlooked. */
export const shadowPaths = (folder: string): string[] =>
  namesInFolder(folder)
    .filter((name) => SHADOW_NAME.test(name))
    .map((name) => join(folder, name));

/** Opens the shadow of a ledger that is not in use. */
export const openOtherShadow = (path: string): Shadow => {
  checkAccess(path);
  return openDatabase(path, SHADOW_FILE, (db) => shadowIn(db, path));
};

/**
 * Copies of this machine's intents, each on the disk before its request is sent. They detect a restored database, or a
 * promoted standby that lagged behind: it doesn't know some of them.
 */
export const shadowIn = (db: DatabaseSync, path: string) => {
  const add = db.prepare('INSERT OR IGNORE INTO intent (id, created_at, entry, leads) VALUES (?, ?, ?, ?)');
  const last = db.prepare('SELECT id FROM intent WHERE leads = 1 ORDER BY n DESC LIMIT ?');
  const all = db.prepare('SELECT entry FROM intent ORDER BY n');
  const setting = db.prepare('SELECT value FROM setting WHERE name = ?');
  const set = db.prepare('INSERT OR REPLACE INTO setting VALUES (?, ?)');
  const naming = db.prepare('SELECT entry FROM intent WHERE instr(entry, ?) > 0 ORDER BY n');
  const one = db.prepare('SELECT 1 FROM intent WHERE id = ?');
  const upgraded = upgradeReader(db, path, SHADOW_FILE);
  const asError = <T>(work: () => T): T => {
    try {
      return work();
    } catch (thrown) {
      throw (isBusy(thrown) ? undefined : attempt(upgraded)) ?? asLedgerError(thrown, path);
    }
  };
  const kept = (name: string): string | undefined => asError(() => setting.get(name)?.['value'] as string | undefined);
  const keep = (name: string, value: string): void => void asError(() => set.run(name, value));
  return {
    /** Name of its ledger; undefined for a new shadow. */
    ledger: (): string | undefined => kept('ledger'),
    belongsTo: (name: string): void => keep('ledger', name),
    /** Last server that was found to know everything here (see `SERVER`); undefined for a new shadow. */
    server: (): string | undefined => kept('server'),
    isKnownTo: (server: string): void => keep('server', server),
    /** Stores the intents of one commit. */
    keep: (entries: readonly Entry[]): void => {
      asError(() =>
        transact(db, () => {
          for (const [index, entry] of entries.entries()) {
            add.run(entry.id, entry.createdAt, rowText(entryRow(entry)), index === 0 ? 1 : 0);
          }
        }),
      );
    },
    /** Ids of one intent of each of the last commits, newest first. */
    last: (): string[] => asError(() => last.all(LAST).map(({ id }) => String(id))),
    /**
     * True if this machine started it. A clone of this machine has the same boot ID, but its processes are invisible
     * here.
     */
    has: (id: string): boolean => one.get(id) !== undefined,
    all: (): Entry[] => asError(() => all.all().map(entryIn)),
    about: (about: string): Entry[] =>
      asError(() => naming.all(JSON.stringify(about)).map(entryIn)).filter((entry) => entry.about === about),
    /** True if it holds any intent. */
    isUsed: (): boolean => last.all(1).length > 0,
    /** `now` is the server's clock, which also dates the intents. */
    forgetOld: (now: number): void => {
      asError(() => db.prepare('DELETE FROM intent WHERE created_at < ?').run(now - KEPT_MS));
    },
    close: (): void => db.close(),
  };
};
export type Shadow = ReturnType<typeof shadowIn>;

/** Limit for the answer to all restored entries, in milliseconds. The charges of a whole night may be many. */
const COPY_LIMIT_MS = 5 * 60_000;
const COPIED_AT_ONCE = 500;

/** Marks an intent that the database has lost as unknown. */
const asLost = (entry: Entry, at: number): Entry => {
  const evidence = evidenceOf('ledger_lost', at, { why: 'the shared ledger no longer had it' });
  return withState(entry, {
    ...entry,
    state: 'unknown',
    moment: { at, mark: entry.begun },
    evidence: withEvidence(entry.evidence, evidence),
  });
};

/** Entries among the given ones that the database does not have. */
export const unknownTo = async (session: Session, entries: readonly Entry[], limit: number): Promise<Entry[]> => {
  const missing: Entry[] = [];
  for (let from = 0; from < entries.length; from += COPIED_AT_ONCE) {
    const some = entries.slice(from, from + COPIED_AT_ONCE);
    const { answers } = await session.run(knownStatement(some.map(({ id }) => id)), limit);
    const known = idsOf(answers[0] as StatementResult);
    missing.push(...some.filter(({ id }) => !known.has(id)));
  }
  return missing;
};

/**
 * Restores this machine's lost intents as unknown, oldest first, even if another intent of the same payment request is
 * open by now. All of it is one transaction: a half-finished restore would not be detected again. `limit` is for each
 * read, in milliseconds.
 */
export const restoreLost = async (
  session: Session,
  mine: readonly Entry[],
  at: number,
  limit: number,
): Promise<void> => {
  const lost = (await unknownTo(session, mine, limit)).map((entry) => asLost(entry, at));
  const statements = lost.map((entry) => `${insertStatement(entry, true)} ON CONFLICT (id) DO NOTHING`);
  if (statements.length > 0) await commitAll(session, statements, COPY_LIMIT_MS);
};

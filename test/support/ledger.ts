import { uptime } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { COLUMNS, checksumOf, type Value } from '../../src/ledger/rows.ts';
import type { LedgerOptions } from '../../src/ledger/sqlite/backend.ts';
import { clock } from './clock.ts';

/** Default options of a test ledger: the real clocks, and a process that is never considered dead. */
export const ledgerOptions = (path: string, some: Partial<LedgerOptions> = {}): LedgerOptions => ({
  path,
  now: () => clock.now(),
  isNamed: () => true,
  uptime: () => Math.round(uptime() * 1000),
  self: { pid: process.pid, boot: 'boot', started: String(process.pid) },
  hasEnded: () => false,
  clean: (text) => text,
  lockWait: {
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
    ticks: () => performance.now(),
    stop: new AbortController().signal,
    leave: new AbortController().signal,
  },
  ...some,
});

/** Computes the checksum of every charge of a ledger. */
export const writeChecksums = (db: DatabaseSync): void => {
  const read = db.prepare(`SELECT ${COLUMNS.join()} FROM charge`);
  read.setReturnArrays(true);
  const write = db.prepare('UPDATE charge SET checksum = ? WHERE seq = ?');
  for (const row of read.all() as unknown as Value[][]) write.run(checksumOf(row), Number(row.at(-1)));
};

/** Rewrites the charges of a ledger as if it had written them itself. */
export const rewrite = (path: string, sql: string): void => {
  const db = new DatabaseSync(path);
  db.exec(sql);
  writeChecksums(db);
  db.close();
};

import { uptime } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { LedgerOptions } from '../../src/ledger/sqlite/backend.ts';
import { writeChecksums } from '../../src/ledger/sqlite/schema.ts';
import { clock } from './clock.ts';

/** Default options of a test ledger: the real clocks, and a process that is never considered dead. */
export const ledgerOptions = (path: string, some: Partial<LedgerOptions> = {}): LedgerOptions => ({
  path,
  now: () => clock.now(),
  since: clock.now(),
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

/** Rewrites the charges of a ledger as if it had written them itself. */
export const rewrite = (path: string, sql: string): void => {
  const db = new DatabaseSync(path);
  db.exec(sql);
  writeChecksums(db);
  db.close();
};

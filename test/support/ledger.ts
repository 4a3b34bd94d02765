import { uptime } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { LedgerOptions } from '../../src/ledger/context.ts';

/** What a test opens a ledger with, where nothing else matters: the real clocks, a process that nobody takes for dead. */
export const ledgerOptions = (path: string, some: Partial<LedgerOptions> = {}): LedgerOptions => ({
  path,
  now: () => Date.now(),
  uptime: () => Math.round(uptime() * 1000),
  self: { pid: process.pid, boot: 'boot', started: String(process.pid) },
  isGone: () => false,
  clean: (text) => text,
  patience: {
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
    ticks: () => performance.now(),
    stop: new AbortController().signal,
    leave: new AbortController().signal,
  },
  ...some,
});

import { setTimeout as wait } from 'node:timers/promises';
import type { Sender } from '../../../src/ledger/entry.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openSharedLedger } from '../../../src/ledger/postgres/open.ts';
import type { DatabaseLimits } from '../../../src/ledger/postgres/session.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { type ChargeEnd, chargeAt, endOfError } from '../charger.ts';

/** Long enough for a machine under load. */
export const PATIENT: DatabaseLimits = {
  connect: 10_000,
  close: 1000,
  answer: 10_000,
  read: 10_000,
  glance: 10_000,
  lock: 500,
  idle: 10_000,
  patience: 20_000,
  outcome: 20_000,
};

/** Shorter than real pauses between attempts. */
const PAUSE_MS = 20;

/** Where a process runs, and how it reaches the ledger. */
export interface Process {
  readonly url: string;
  /** The folder of its machine. */
  readonly folder: string;
  readonly limits: DatabaseLimits;
  /** Aborted to make it give up. */
  readonly stop?: AbortSignal;
}

let processes = 0;
const ended = new Set<string>();

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Uses a ledger as a separate process does, which has ended afterwards. */
export const asProcess = async <T>(
  { url, folder, limits, stop = new AbortController().signal }: Process,
  work: (ledger: Ledger) => Promise<T>,
): Promise<T> => {
  processes += 1;
  const self = { pid: process.pid, boot: folder, started: `${process.pid} ${processes}` };
  // Processes of other machines are invisible.
  const hasEnded = ({ boot, pid, started }: Sender): boolean =>
    boot === folder && (ended.has(started) || !isAlive(pid));
  const { path: _path, ...options } = ledgerOptions('', { self, hasEnded });
  const lockWait = {
    ...options.lockWait,
    ...{ stop, leave: stop },
    sleep: (ms: number, signal?: AbortSignal) => wait(Math.min(ms, PAUSE_MS), undefined, { signal }),
  };
  const access = { address: parseAddress(url), password: async () => undefined };
  try {
    const ledger = await openSharedLedger({ ...options, lockWait, access, folder, limits, worker: self.started });
    return await work(ledger).finally(ledger.close);
  } finally {
    ended.add(self.started);
  }
};

/** Charges as a run of the program does, without a check before it. */
export const charge = async (where: Process, origin: string, ugwo: string): Promise<ChargeEnd> => {
  try {
    return await asProcess(where, (ledger) => chargeAt(origin, ledger, ugwo, { look: undefined, charge: 20_000 }));
  } catch (thrown) {
    return endOfError(thrown);
  }
};

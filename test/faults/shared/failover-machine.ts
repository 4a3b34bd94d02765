import { setTimeout as wait } from 'node:timers/promises';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openSharedLedger } from '../../../src/ledger/postgres/open.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { type ChargeEnd, chargeAt, endOfError } from '../charger.ts';

/** Shorter than real pauses between attempts, in milliseconds. */
const PAUSE_MS = 20;

/** A machine of the team. */
export interface Machine {
  /** Charges as a run of the program does, without a check, so that only the ledger blocks. */
  charge(ugwo: string): Promise<ChargeEnd>;
  ledger(): Promise<Ledger>;
  /** Lets everything that waits give up at its next failure. */
  giveUp(): void;
  /** Ends the process; the next charge runs in a new one. */
  restart(): Promise<void>;
}

/** A machine with its own folder, which reaches the ledger at `url` and charges at `origin`. */
export const machineAt = (url: string, folder: string, origin: string): Machine => {
  let open: Promise<Ledger> | undefined;
  let late = 0;
  const ledger = (): Promise<Ledger> => {
    const { path: _path, lockWait, ...options } = ledgerOptions('');
    const hurried = {
      ...lockWait,
      ticks: () => performance.now() + late,
      sleep: (ms: number, signal?: AbortSignal) => wait(Math.min(ms, PAUSE_MS), undefined, { signal }),
    };
    const access = { address: parseAddress(url), password: async () => undefined };
    open ??= openSharedLedger({ ...options, lockWait: hurried, access, folder, worker: folder });
    // Another attempt is another process.
    open.catch(() => {
      open = undefined;
    });
    return open;
  };
  return {
    ledger,
    charge: async (ugwo) => {
      try {
        return await chargeAt(origin, await ledger(), ugwo, { look: undefined, charge: 20_000 });
      } catch (thrown) {
        return endOfError(thrown);
      }
    },
    giveUp: () => {
      late = 24 * 3_600_000;
    },
    restart: async () => {
      await (await open)?.close();
      open = undefined;
    },
  };
};

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memo } from '../../../src/core/async.ts';
import type { Intent, StoredOutcome } from '../../../src/ledger/entry.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/sqlite/open.ts';
import { ledgerOptions } from '../../support/ledger.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const UP = 3_600_000;
const FILLERS = 30;

/** Opens it at noon, always as the same running process. */
export const openAt = (path: string): Promise<Ledger> =>
  openLedger(
    ledgerOptions(path, {
      now: () => NOON,
      uptime: () => UP,
      self: { pid: 4711, boot: 'boot pid:[1]', started: '100' },
      // The file is damaged, not locked: waiting is pointless.
      lockWait: {
        sleep: async () => undefined,
        ticks: () => performance.now(),
        stop: new AbortController().signal,
        leave: new AbortController().signal,
      },
    }),
  );

export const intentOf = (ugwo: string): Intent => ({
  service: 'https://api.example',
  origin: 'https://api.example',
  workspace: 'AbCd',
  profile: 'shop',
  kind: 'charge',
  about: ugwo,
  medium: 'ussd',
  provider: 'gtb',
  phone: undefined,
  digest: '00',
  bound: 600_000,
});

const accepted = (nth: number, status: string): StoredOutcome => ({
  state: 'accepted',
  exitCode: 0,
  activity: {
    uid: `act.AbCd.${String(nth).padStart(24, '0')}`,
    status,
    nextAction: { type: 'user_action', instruction: 'Dial *737#', headers: { ussd: '*737#' } },
    createdAt: '2026-11-20T12:00:00+00:00',
    servedAt: NOON,
  },
});

/** The outcomes that block a second charge, by payment request. */
const STANDING: Readonly<Record<string, StoredOutcome | undefined>> = {
  'ugw.AbCd.sending': undefined,
  'ugw.AbCd.unknown': { state: 'unknown', exitCode: 6 },
  'ugw.AbCd.payable': accepted(1, 'requires_action'),
  'ugw.AbCd.paid': accepted(2, 'successful'),
};
export const STANDING_UGWOS: readonly string[] = Object.keys(STANDING);

const began = async (ledger: Ledger, ugwo: string): Promise<string> => {
  const begun = await ledger.begin(intentOf(ugwo), { again: false });
  if (begun.kind !== 'begun') throw new Error(`${ugwo} could not be begun`);
  return begun.id;
};

/** Charges that block nothing, to fill many pages. */
const fill = async (ledger: Ledger, from: number): Promise<void> => {
  for (let nth = from; nth < from + FILLERS; nth += 1) {
    await ledger.record(await began(ledger, `ugw.AbCd.${nth}`), accepted(nth, 'failed'));
  }
};

/**
 * A ledger's file at three moments: before the blocking charges, while all of them are being sent, and at the end.
 */
export interface Template {
  readonly file: Buffer;
  readonly older: readonly Buffer[];
  /** The number of its charges, which is stored next to it. */
  readonly highest: Buffer;
}

const make = async (): Promise<Template> => {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-fuzz-'));
  const path = join(folder, 'ledger.sqlite');
  const step = async <T>(work: (ledger: Ledger) => Promise<T>): Promise<[Buffer, T]> => {
    const ledger = await openAt(path);
    const made = await work(ledger);
    await ledger.close();
    return [readFileSync(path), made];
  };
  try {
    const [first] = await step((ledger) => fill(ledger, 100));
    const [sending, ids] = await step(async (ledger) => {
      const all: (readonly [string, StoredOutcome | undefined])[] = [];
      for (const [ugwo, outcome] of Object.entries(STANDING)) all.push([await began(ledger, ugwo), outcome]);
      return all;
    });
    const [file] = await step(async (ledger) => {
      for (const [id, outcome] of ids) if (outcome !== undefined) await ledger.record(id, outcome);
      await fill(ledger, 200);
    });
    return { file, older: [first, sending], highest: readFileSync(join(folder, 'highest-charge')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Created once for all runs. */
export const template = memo(make);

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { CHARGE } from '../../../src/core/charge.ts';
import type { Charge, Entry, Intent, KeptActivity, Moment, Sender } from '../../../src/ledger/entry.ts';
import { guard as guardOf } from '../../../src/ledger/guard.ts';
import type { BeginOptions, BeginResult, Ledger } from '../../../src/ledger/ledger.ts';
import type { LedgerOptions } from '../../../src/ledger/sqlite/backend.ts';
import { openLedger } from '../../../src/ledger/sqlite/open.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { newFolder } from '../../support/program.ts';
import { UGWO_ID } from '../../support/service.ts';
import { HOUR, MINUTE } from '../../support/units.ts';
import { moneyOf } from './memory.ts';

export { MINUTE };

/** 20 November 2026, noon UTC. */
export const NOON = Date.UTC(2026, 10, 20, 12);

export const PLACE = {
  service: 'https://api.example',
  origin: 'https://api.example',
  workspace: 'AbCd',
  profile: 'default',
} as const;

/** The machine's uptime at noon. */
const UP = HOUR;

/** A time on a machine with a right clock. */
export const momentAt = (at: number): Moment => ({ at, mark: { boot: 'boot', uptime: UP + at - NOON } });

export const SELF: Sender = { pid: 4711, boot: 'boot pid:[1]', started: '100' };

const TERMS = { kind: CHARGE, medium: 'bank_transfer', provider: undefined, phone: undefined } as const;

export const intent = (more: Partial<Intent> = {}): Intent => ({
  ...PLACE,
  about: UGWO_ID,
  ...TERMS,
  digest: '00',
  bound: 10 * MINUTE,
  ...more,
});

/** An account that expires this long after noon. */
export const account = (more: Partial<KeptActivity> = {}, expiresAfter = 15 * MINUTE): KeptActivity => ({
  uid: 'act.AbCd.000000000000000000000001',
  status: 'requires_action',
  nextAction: {
    type: 'user_action',
    headers: {
      bank_name: 'Wema Bank',
      account_name: 'Ada',
      account_number: '0123456789',
      expires_at: new Date(NOON + expiresAfter).toISOString(),
    },
  },
  createdAt: '2026-11-20T12:00:00+00:00',
  ...more,
});

const begunFrom = ({ bound: _bound, ...terms }: Intent): Omit<Intent, 'bound'> => terms;

export const charge = (more: Partial<Charge> = {}): Charge => {
  const one: Charge = {
    ...begunFrom(intent()),
    ...TERMS,
    deadline: NOON + 10 * MINUTE,
    id: 'chg-000000000000',
    seq: 1,
    state: 'accepted',
    job: undefined,
    row: undefined,
    money: undefined,
    createdAt: NOON,
    sender: SELF,
    begun: momentAt(NOON).mark,
    took: 0,
    told: { ...momentAt(NOON), service: NOON },
    recordedAt: NOON,
    exitCode: 0,
    activity: account(),
    evidence: [],
    ...more,
  };
  return 'money' in more ? one : { ...one, money: moneyOf(one) };
};

/** The guard before a charge by this medium. */
export const guard = (
  charges: readonly Entry[],
  medium: string,
  how: BeginOptions,
  moment: Moment,
): ReturnType<typeof guardOf> => guardOf(charges, { kind: CHARGE, medium }, how, moment);

export const newPath = (): string => join(newFolder('ledger'), 'ledger.sqlite');

/** Noon on a machine with a right clock. */
export const worldAtNoon = { now: () => NOON, uptime: () => UP, self: SELF };

/** Opens a ledger at noon, in which all senders are running; closed after the test. */
export const open = async (path: string, more: Partial<LedgerOptions> = {}, opening = openLedger): Promise<Ledger> => {
  const ledger = await opening(ledgerOptions(path, { ...worldAtNoon, ...more }));
  onTestFinished(async () => {
    // The test may have closed it.
    await ledger.close().catch(() => undefined);
  });
  return ledger;
};

/** The started charge; throws if it was refused. */
export const begunOf = (result: BeginResult): Extract<BeginResult, { readonly kind: 'begun' }> => {
  if (result.kind !== 'begun') throw new Error(`refused: ${result.why}`);
  return result;
};

/** Begins a charge and returns its id. */
export const beginCharge = async (ledger: Ledger, more: Partial<Intent> = {}): Promise<string> =>
  begunOf(await ledger.begin(intent(more), { again: false })).id;

/** Runs SQL on the ledger file like another program. */
export const beside = (path: string, sql: string): Record<string, unknown>[] => {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
};

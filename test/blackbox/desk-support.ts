import { expect } from 'vitest';
import type { ActivityEnding } from '../../src/core/data-files.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import type { Intent } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { openShop } from '../emulator/shop.ts';
import type { TestClock } from '../emulator/support.ts';
import { begunOf } from '../ledger/support/charges.ts';
import { intent } from '../ledger/support/memory.ts';
import { clock } from '../support/clock.ts';
import { inProcess } from '../support/in-process.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { fromNoon, newFolder, type RunOptions } from '../support/program.ts';

export const USSD = ['--medium', 'ussd', '--provider', 'gtb'];

export const REFUND = { kind: 'refund', path: '/v1/refunds', body: '{}', medium: '', provider: undefined };

/** Begins a write in a ledger, and records its outcome. */
export const begin = async (
  ledger: Ledger,
  some: Partial<Intent>,
  outcome: Parameters<Ledger['record']>[1],
): Promise<unknown> => ledger.record(begunOf(await ledger.begin(intent(some), { again: false })).id, outcome);

/** Writes to the ledger file of a home. */
export const writing = async (home: string, write: (ledger: Ledger) => Promise<unknown>): Promise<void> => {
  const ledger = await openLedger(ledgerOptions(`${home}/ledger.sqlite`));
  await write(ledger);
  await ledger.close();
};

export interface Shown {
  readonly kind: string;
  readonly ugwo: string | null;
  readonly ref: string | null;
  readonly amount: number | null;
  readonly command: string | null;
}

/** The program's clock, which runs on: beside a service whose clock stands still, an answer may be an old one. */
const runningClock = (): TestClock => {
  let ahead = 0;
  return {
    ...clock,
    now: () => clock.now() + ahead,
    set: (ms) => {
      ahead = ms - clock.now();
    },
  };
};

/** Seconds until the emulator pays a refund back: longer than any test, also on a slow machine. */
export const REFUND_SECONDS = 600;

/** A shop at the emulator, and the program with a ledger of its own, on one day. */
export const openDesk = async (env: RunOptions['env'] = {}) => {
  const moved = fromNoon();
  const shop = await openShop({ clock: runningClock() });
  const home = newFolder();
  const options = {
    home,
    env: { ...moved, PAYCLI_BASE_URL: shop.origin, PAYCLI_SECRET_KEY: shop.key, ...env },
  };
  const paycli = (...args: readonly string[]) => inProcess(args, options);
  const done = async (...args: readonly string[]): Promise<string> => {
    const ended = await paycli(...args);
    expect(ended.code, ended.stderr).toBe(0);
    return ended.stdout;
  };
  const request = async (ref: string, amount = 90_000): Promise<string> =>
    (await shop.request(`refund:successful:${REFUND_SECONDS}s`, { ref, amount })).uid;
  const charge = async (uid: string, ...more: readonly string[]): Promise<string> =>
    JSON.parse(await done('ugwo', 'charge', uid, ...USSD, ...more, '--json')).uid;
  const settle = (activity: string, as: ActivityEnding, amount?: number) =>
    emulatorRoom.settle({
      ...shop,
      activity,
      as,
      after: undefined,
      amount: amount === undefined ? undefined : () => amount,
    });
  const sync = () => paycli('ledger', 'sync', '-q');
  const status = async (...more: readonly string[]) => {
    const { code, stdout, stderr } = await paycli('status', '--json', ...more);
    expect([0, 14], stderr).toContain(code);
    const { cases, ...sums } = JSON.parse(stdout) as { cases: readonly Shown[] };
    return { code, cases, sums, stderr, kinds: cases.map(({ kind }) => kind) };
  };
  /** Runs the command of a case. */
  const run = ({ command }: Shown, ...more: readonly string[]) => done(...String(command).split(' ').slice(1), ...more);
  return {
    ...shop,
    shopRequest: (more: object) => shop.request(undefined, { ...more }),
    home,
    options,
    paycli,
    done,
    request,
    charge,
    settle,
    sync,
    status,
    run,
  };
};

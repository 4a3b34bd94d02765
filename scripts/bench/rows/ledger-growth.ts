import { copyFileSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { thisMachine } from '../../../src/ledger/sender.ts';
import { openLedger } from '../../../src/ledger/sqlite/open.ts';
import { ledgerOptions } from '../../../test/support/ledger.ts';
import { fillLedger } from '../run/filled-ledger.ts';
import { charge, intent } from '../run/ledger-work.ts';
import type { Line } from '../run/line.ts';
import { race } from '../run/race.ts';
import type { Bench } from './scene.ts';

const [FEW, MANY] = [1000, 1_000_000];
const ROUNDS = 30;
const AT_A_TIME = 100;

/** A ledger of so many charges: a copy, since the file system has work left with one that has grown in a minute. */
const openFilled = async (folder: string, count: number): Promise<Ledger> => {
  const path = join(mkdtempSync(join(folder, 'filled-')), 'ledger.db');
  const copy = join(mkdtempSync(join(folder, 'ledger-')), 'ledger.db');
  await fillLedger(path, { service: 'http://127.0.0.1:1', workspace: 'Bnch', profile: 'default', count });
  copyFileSync(path, copy);
  return openLedger(ledgerOptions(copy, { uptime: thisMachine.uptime }));
};

/** Milliseconds for each of some tasks done one after the other, the upkeep of the file among them included. */
const timed = async (task: (index: number) => Promise<void>): Promise<number> => {
  const started = performance.now();
  for (let index = 0; index < AT_A_TIME; index += 1) await task(index);
  return (performance.now() - started) / AT_A_TIME;
};

/** One task on two ledgers, each time with an index of its own. */
const compare = (
  name: string,
  work: string,
  task: (many: boolean, index: number) => Promise<void>,
): Promise<Line[]> => {
  const contender = (many: boolean) => {
    let round = -1;
    return (): Promise<number> => {
      round += 1;
      return timed((index) => task(many, round * AT_A_TIME + index));
    };
  };
  return race({
    rounds: ROUNDS,
    warmUp: false,
    contenders: { many: contender(true), few: contender(false) },
    comparisons: [
      {
        row: 8,
        name,
        work: `${work}, ledger of ${MANY.toLocaleString('en')}`,
        against: `with ${FEW.toLocaleString('en')}`,
        ratio: ['many', 'few'],
        goal: { bound: '≤', value: 1.2 },
      },
    ],
  });
};

/** Row 8: what a charge costs in a ledger that is large. The rounds make the small one grow by some thousand rows. */
export const ledgerGrowth: Bench = async ({ folder }) => {
  const [small, large] = [await openFilled(folder, FEW), await openFilled(folder, MANY)];
  const ledger = (many: boolean): Ledger => (many ? large : small);
  try {
    const alone = await compare(
      'guard and intent',
      'guard and intent',
      async (many) => void (await ledger(many).begin(intent(), { again: false })),
    );
    const inJob = await compare("a job's row", "intent and outcome of a job's row", (many, index) =>
      charge(ledger(many), 2 * MANY + index),
    );
    return [...alone, ...inJob];
  } finally {
    await small.close();
    await large.close();
  }
};

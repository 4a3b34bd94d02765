import { copyFileSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { thisMachine } from '../../../src/ledger/sender.ts';
import { openLedger } from '../../../src/ledger/sqlite/open.ts';
import { writeChecksums } from '../../../src/ledger/sqlite/schema.ts';
import { ledgerOptions } from '../../../test/support/ledger.ts';
import { charge, intent } from '../run/ledger-work.ts';
import type { Line } from '../run/line.ts';
import { race } from '../run/race.ts';
import type { Bench } from './scene.ts';

const [FEW, MANY] = [1000, 1_000_000];
const ROUNDS = 30;
const AT_A_TIME = 100;

/** Fills a ledger with copies of its one charge, each of another payment request and row of the job. */
const fill = (path: string, count: number): void => {
  const db = new DatabaseSync(path);
  const columns = db.prepare("SELECT name FROM pragma_table_info('charge') WHERE name <> 'seq'").all();
  const names = columns.map(({ name }) => String(name));
  const fresh: Readonly<Record<string, string>> = {
    id: "'chg-' || lower(hex(randomblob(6)))",
    ugwo: "'ugw.Bnch.' || lower(hex(randomblob(12)))",
    activity: "'act.Bnch.' || lower(hex(randomblob(12)))",
    row: 'charge.row + n.n',
  };
  db.exec(`INSERT INTO charge (${names.join()})
    WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${count - 1})
    SELECT ${names.map((name) => fresh[name] ?? `charge.${name}`).join()} FROM n, charge WHERE charge.seq = 1`);
  writeChecksums(db);
  db.close();
};

/** A ledger of so many charges: a copy, since the file system has work left with one that has grown in a minute. */
const openFilled = async (folder: string, count: number): Promise<Ledger> => {
  const path = join(mkdtempSync(join(folder, 'filled-')), 'ledger.db');
  const copy = join(mkdtempSync(join(folder, 'ledger-')), 'ledger.db');
  const ledger = await openLedger(ledgerOptions(path, { uptime: thisMachine.uptime }));
  await charge(ledger, 1);
  await ledger.close();
  fill(path, count);
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
        work: `${work}, ${MANY.toLocaleString('en')} charges in the ledger`,
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

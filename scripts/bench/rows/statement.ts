import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fillLedger } from '../run/filled-ledger.ts';
import { type Line, median } from '../run/line.ts';
import { environment, NPM_BUILD, newHome } from '../run/programs.ts';
import { missingPeak, watch } from '../run/watched.ts';
import type { Bench } from './scene.ts';

const CHARGES = 1_000_000;
const LINES = 10_000;
/**
 * Time between a midnight and the newest charge: with a charge each half minute, 88 of 100 paid, so many payments lie
 * between. Payments of a day in part would be missing in the statement.
 */
const AFTER_MIDNIGHT = 11_354 * 30_000;
const ROUNDS = 5;
const SERVICE = 'http://127.0.0.1:9';
const DAY_MS = 86_400_000;

/** Three ways in which lines name payments: by ref, by the provider's reference, and not at all. */
const NARRATIONS = [`'NIP/000013261125/ADA OBI/' || ref`, `'PSTK ' || psp_reference`, `'CASH DEPOSIT'`];

/** Writes a statement with all payments since a moment. */
const writeStatement = (ledger: string, file: string, since: number): void => {
  const db = new DatabaseSync(ledger, { readOnly: true });
  const rows = db
    .prepare(
      `SELECT strftime('%d/%m/%Y', paid_at / 1000, 'unixepoch') || ',' || printf('%.2f', received / 100.0) || ',' ||
        CASE seq % 3 ${NARRATIONS.map((text, at) => `WHEN ${at} THEN ${text}`).join(' ')} END AS line
        FROM charge WHERE paid_at >= ? ORDER BY paid_at`,
    )
    .all(since);
  db.close();
  if (rows.length !== LINES) throw new Error(`the statement has ${rows.length} lines, not ${LINES}`);
  writeFileSync(file, `Trans Date,Credit,Remarks\n${rows.map(({ line }) => `${line}\n`).join('')}`);
};

/** Row 15: a statement of some days beside a large ledger, each time in a process of its own. */
export const statement: Bench = async ({ folder }) => {
  const home = newHome(folder);
  const [ledger, file] = [join(home, 'ledger.sqlite'), join(home, 'bank.csv')];
  const midnight = Math.floor(Date.now() / DAY_MS - 4) * DAY_MS;
  const newest = midnight + AFTER_MIDNIGHT;
  await fillLedger(ledger, { service: SERVICE, workspace: 'Bnch', profile: 'default', count: CHARGES, newest });
  writeStatement(ledger, file, midnight);
  const env = { ...environment(folder, home), PAYCLI_BASE_URL: SERVICE };
  const command = [...NPM_BUILD, 'ledger', 'match', file, '--utc', '--date-form', 'dmy', '-o', 'csv'] as const;
  const [seconds, peaks]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const started = performance.now();
    const { peakMb } = await watch([...command, '--amount-column', 'Credit', '--accept-likely'], env);
    // The first one compiles the program.
    if (round === 0) continue;
    seconds.push((performance.now() - started) / 1000);
    peaks.push(peakMb);
  }
  const work = `Node, \`paycli ledger match\` of ${LINES.toLocaleString('en')} lines, ledger of ${CHARGES.toLocaleString('en')}`;
  const common = { row: 15, against: '', seen: {} };
  const peak = {
    ...common,
    name: 'statement, peak',
    work: `${work}, peak memory`,
    goal: { bound: '≤', value: 150 },
  } as const;
  const missing = missingPeak();
  const measured: Line[] = [
    {
      ...common,
      name: 'statement',
      work,
      goal: { bound: '≤', value: 2 },
      value: median(seconds),
      unit: 's',
      seenIn: 's',
    },
    missing === undefined ? { ...peak, value: median(peaks), unit: 'MB', seenIn: 'MB' } : { ...peak, missing },
  ];
  return measured;
};

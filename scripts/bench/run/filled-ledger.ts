import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { thisMachine } from '../../../src/ledger/sender.ts';
import { openLedger } from '../../../src/ledger/sqlite/open.ts';
import { ledgerOptions, writeChecksums } from '../../../test/support/ledger.ts';
import { charge } from './ledger-work.ts';

const MINUTE = 60_000;
const ROWS_OF_A_JOB = 1000;
/** Charges of the largest ledger take place in this time, one after the other. */
const STEP = MINUTE / 2;

export interface Filling {
  readonly service: string;
  readonly workspace: string;
  readonly profile: string;
  readonly count: number;
  /** Number of newest charges whose account has lapsed and that nobody has read since. */
  readonly lapsed?: number;
  /** Number of newest charges that can still be paid. */
  readonly open?: number;
  /** Time of the newest charge, in milliseconds since the epoch; now by default. */
  readonly newest?: number;
}

const uid = (prefix: string): string => `'${prefix}.' || $workspace || '.' || printf('%024x', n * 2654435761)`;

/** The newest charges are the open ones, then the lapsed ones. One of a hundred older ones is a refund. */
const KIND = `CASE WHEN n <= $settled AND n % 100 = 1 THEN 'refund' ELSE 'charge' END`;
const PAYMENT = `CASE WHEN n > $settled THEN 'open' WHEN n % 100 = 1 THEN NULL WHEN n % 100 = 2 THEN 'failed'
  WHEN n % 100 < 12 THEN 'expired' WHEN n % 1000 = 13 THEN 'underpaid' ELSE 'paid' END`;
const IS_PAID = `(n <= $settled AND n % 100 >= 12)`;
const CREATED = `$now - ($count - n) * ${STEP}`;

/** SQL of each column of a charge, by its number `n` from 1 to `$count`. Other columns are NULL. */
const VALUES: Readonly<Record<string, string>> = {
  id: `'chg-' || printf('%012x', n * 2654435761)`,
  kind: KIND,
  state: `'accepted'`,
  service: '$service',
  origin: '$service',
  workspace: '$workspace',
  profile: '$profile',
  ugwo: `CASE ${KIND} WHEN 'refund' THEN ${uid('act')} ELSE ${uid('ugw')} END`,
  medium: `CASE ${KIND} WHEN 'refund' THEN '' ELSE 'bank_transfer' END`,
  digest: `printf('%064x', n)`,
  job: `CASE WHEN ${KIND} = 'charge' AND n <= $settled THEN printf('job-%012d', (n - 1) / ${ROWS_OF_A_JOB}) END`,
  row: `CASE WHEN ${KIND} = 'charge' AND n <= $settled THEN (n - 1) % ${ROWS_OF_A_JOB} + 1 END`,
  deadline: `${CREATED} + 600000`,
  created_at: CREATED,
  begun_uptime: 'n',
  pid: '1',
  boot: `'boot'`,
  started: `'1'`,
  recorded_at: `${CREATED} + 100`,
  took: '100',
  exit_code: '0',
  activity: `CASE ${KIND} WHEN 'charge' THEN ${uid('act')} END`,
  status: `CASE ${PAYMENT} WHEN 'open' THEN 'requires_action' WHEN 'expired' THEN 'expired' WHEN 'failed' THEN 'failed' WHEN NULL THEN NULL ELSE 'successful' END`,
  next_action: `CASE ${KIND} WHEN 'charge' THEN json_object('type', 'user_action', 'headers', json_object('bank_name', 'Wema Bank',
    'account_name', 'Ada Obi', 'account_number', printf('%010d', n), 'expires_at',
    strftime('%Y-%m-%dT%H:%M:%SZ', (CASE WHEN n > $count - $open THEN $now ELSE ${CREATED} END) / 1000 + 900, 'unixepoch'))) END`,
  told: `json_object('service', ${CREATED} + 100, 'at', ${CREATED} + 100, 'mark', json_object('boot', 'boot', 'uptime', n))`,
  evidence: `'[]'`,
  amount: '100000 + n % 5000',
  currency: `'NGN'`,
  ref: `CASE ${KIND} WHEN 'charge' THEN 'INV-' || n END`,
  customer: `CASE ${KIND} WHEN 'charge' THEN 'ony.' || $workspace || '.' || printf('%024x', n % 50000) END`,
  customer_email: `CASE ${KIND} WHEN 'charge' THEN 'a' || (n % 50000) || '@example.com' END`,
  operator: `'ada'`,
  money: `CASE WHEN ${KIND} = 'charge' THEN json_patch(json_object('payment', ${PAYMENT}, 'received', CASE WHEN ${IS_PAID} THEN 100000 + n % 5000 ELSE 0 END,
    'refunded', 0, 'readAt', ${CREATED} + 100), iif(${IS_PAID}, json_object('paidAt', ${CREATED} + 60000, 'pspReference', 'R-' || n), '{}')) END`,
  payment: PAYMENT,
  received: `CASE WHEN ${KIND} = 'charge' THEN CASE WHEN ${IS_PAID} THEN 100000 + n % 5000 ELSE 0 END END`,
  refunded: `CASE WHEN ${KIND} = 'charge' THEN 0 END`,
  paid_at: `CASE WHEN ${IS_PAID} THEN ${CREATED} + 60000 END`,
  psp_reference: `CASE WHEN ${IS_PAID} THEN 'R-' || n END`,
  checksum: '0',
};

/** Makes a ledger file with so many charges, a half minute apart up to now, each of a thousand in a job's file. */
export const fillLedger = async (
  path: string,
  { service, workspace, profile, count, lapsed = 0, open = 0, newest = Date.now() }: Filling,
): Promise<void> => {
  mkdirSync(dirname(path), { recursive: true });
  const ledger = await openLedger(ledgerOptions(path, { uptime: thisMachine.uptime }));
  await charge(ledger);
  await ledger.close();
  const db = new DatabaseSync(path);
  db.exec('DELETE FROM charge');
  const values = { $service: service, $workspace: workspace, $profile: profile, $count: count, $now: newest };
  const names = Object.keys(VALUES);
  db.prepare(`INSERT INTO charge (${names.join()}) WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $count)
    SELECT ${Object.values(VALUES).join()} FROM numbers`).run({
    ...values,
    $settled: count - lapsed - open,
    $open: open,
  });
  db.prepare(`INSERT INTO job (id, kind, command, name, service, origin, profile, rows, created_at, run_at)
    SELECT job, 'charge', 'ugwo charge', 'charges.csv', service, service, profile, ${ROWS_OF_A_JOB}, min(created_at), min(created_at)
    FROM charge WHERE job IS NOT NULL GROUP BY job ORDER BY job`).run();
  db.exec('BEGIN');
  writeChecksums(db);
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
};

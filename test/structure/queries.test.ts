import { DatabaseSync } from 'node:sqlite';
import Client from 'pg/lib/client.js';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Jobs } from '../../src/ledger/job.ts';
import type { Ledger, ListFilter, Policies } from '../../src/ledger/ledger.ts';

import { NO_TOTAL } from '../../src/ledger/policy.ts';
import { account, beginCharge, beside, intent, MINUTE, NOON, newPath, open, PLACE } from '../ledger/support/charges.ts';
import { begin, ID, job } from '../ledger/support/jobs.ts';
import { newSharedPlace } from '../ledger/support/postgres.ts';
import { shown } from '../ledger/support/shown.ts';
import { onyeOf, ugwoOf, uidOf } from '../support/ids.ts';

/** Use of a ledger. Only for a reason may it scan a large table, or may a statement with this end. */
type Use = readonly [run: (ledger: Ledger) => unknown, scans?: Readonly<Record<string, string>>];

const SCOPE = { service: PLACE.service, workspace: PLACE.workspace, profile: PLACE.profile };
const listing =
  (filter: Partial<ListFilter>) =>
  (ledger: Ledger): unknown =>
    ledger.list({ ...SCOPE, kind: 'charge', limit: 101, ...filter });
const unknownCharge = async (ledger: Ledger): Promise<string> => {
  const id = await beginCharge(ledger, { about: ugwoOf(9) });
  await ledger.record(id, { state: 'unknown', exitCode: 8 });
  return id;
};
const PAGE = { charge: 'a page in the order of creation ends at its limit' };
const WHOLE = { charge: 'it is about all entries' };
const reducer = () => ({ take: () => undefined, end: () => undefined });
const updates = { job: 'job-1', row: 1, onye: onyeOf(1), bound: 1000 };

const SUM = { ...SCOPE, time: 'created_at', by: [], unit: 15 * MINUTE } as const;

/** A use of each method. A new method or filter has no type until its use is here. */
const METHODS: Readonly<
  Record<Exclude<keyof Ledger, 'jobs' | 'policies' | 'list' | 'account' | 'self' | 'close'>, Use>
> = {
  begin: [(ledger) => ledger.begin(intent({ about: ugwoOf(1), job: ID, row: 1 }), { again: false })],
  judge: [(ledger) => ledger.judge(intent({ about: ugwoOf(2) }), { again: false }, { total: NO_TOTAL })],
  digest: [(ledger) => ledger.digest('')],
  clean: [(ledger) => ledger.clean('')],
  record: [
    async (ledger) =>
      ledger.record(await beginCharge(ledger, { about: ugwoOf(3) }), {
        state: 'accepted',
        exitCode: 0,
        activity: account(),
      }),
  ],
  unknown: [(ledger) => ledger.unknown()],
  get: [(ledger) => ledger.get('chg-1')],
  sum: [(ledger) => ledger.sum({ ...SUM, period: {} }, reducer), WHOLE],
  prunable: [(ledger) => ledger.prunable(NOON, SCOPE), WHOLE],
  prune: [(ledger) => ledger.prune(0, SCOPE)],
  rename: [(ledger) => ledger.rename('one', 'other', true), { ...WHOLE, job: 'it is about all jobs' }],
  verify: [(ledger) => ledger.verify(), { ...WHOLE, job: 'it is about all jobs' }],
  owned: [(ledger) => ledger.owned([uidOf(1), uidOf(2)])],
  observeRefund: [(ledger) => ledger.observeRefund(uidOf(1), 'rfd.1', 'https://api.example', 'paid_back')],
  settleRefund: [(ledger) => ledger.settleRefund('refund-1', 'paid_back', { kind: 'settled', at: '' })],
  note: [async (ledger) => ledger.note(await unknownCharge(ledger), { kind: 'look', at: '' })],
  resolve: [
    async (ledger) =>
      ledger.resolve(await beginCharge(ledger, { about: ugwoOf(4) }), {
        state: 'not_created',
        evidence: { kind: 'resolved', at: '' },
      }),
  ],
  settle: [
    async (ledger) =>
      ledger.settle(await beginCharge(ledger, { about: ugwoOf(5) }), 'paid', { kind: 'settled', at: '' }),
  ],
  observe: [(ledger) => ledger.observe(shown([account()]), true)],
  moment: [(ledger) => ledger.moment()],
  hasEnded: [(ledger) => ledger.hasEnded(ledger.self, false)],
};

const JOBS: Readonly<Record<keyof Jobs, Use>> = {
  open: [(ledger) => ledger.jobs.open(job(), 1)],
  endPlans: [(ledger) => ledger.jobs.endPlans(NOON), { job: 'a file has one', approval: 'a file has one' }],
  adjust: [(ledger) => ledger.jobs.adjust(ID, {})],
  get: [(ledger) => ledger.jobs.get(ID)],
  list: [(ledger) => ledger.jobs.list({ ...SCOPE, limit: 11 }), { job: 'a page ends at its limit' }],
  tally: [
    async (ledger) => {
      await begin(ledger, 5);
      await ledger.jobs.tally({ ...job(), createdAt: 0, runAt: 0 });
      await ledger.jobs.tally({ ...job({ kind: 'update' }), createdAt: 0, runAt: 0 });
    },
  ],
  charged: [(ledger) => ledger.jobs.charged(ID)],
  entries: [(ledger) => ledger.jobs.entries(ID, 1, 10)],
  updates: [(ledger) => ledger.jobs.updates(ID, 1, 10)],
  beginUpdate: [(ledger) => ledger.jobs.beginUpdate(updates, { retry: false, looked: false })],
  lease: [(ledger) => ledger.jobs.lease(ID, 1)],
  release: [(ledger) => ledger.jobs.release(ID)],
  workers: [(ledger) => ledger.jobs.workers(ID)],
  settleUpdate: [(ledger) => ledger.jobs.settleUpdate(updates, { state: 'accepted', exitCode: 0 })],
};

const POLICIES: Readonly<Record<keyof Policies, Use>> = {
  allowance: [(ledger) => ledger.policies.allowance({ profile: PLACE.profile, since: NOON, job: ID })],
  list: [(ledger) => ledger.policies.list()],
  set: [
    (ledger) =>
      ledger.policies.set(PLACE.profile, () => ({
        policy: { maxCharges: 1_000_000 },
        by: '',
        at: 0,
      })),
  ],
  approval: [(ledger) => ledger.policies.approval(ID)],
  waiting: [
    (ledger) => ledger.policies.waiting(NOON),
    { approval: 'it has a row for each file or plan that was stopped' },
  ],
  approve: [
    (ledger) =>
      ledger.policies.approve({
        job: ID,
        total: NO_TOTAL,
        askedBy: '',
        askedAt: 0,
        approvedBy: undefined,
        approvedAt: undefined,
      }),
  ],
};

const PART = { charge: 'a person looks for a part of a text, and every charge may have it' };

const LISTS: Readonly<Record<Exclude<keyof ListFilter, 'service' | 'workspace' | 'limit'>, Use>> = {
  profile: [listing({}), PAGE],
  otherThan: [listing({ profile: undefined, otherThan: 'other' }), PAGE],
  states: [listing({ states: ['rejected'] })],
  kind: [listing({ kind: 'refund' })],
  payments: [listing({ payments: ['open', 'underpaid'] })],
  ref: [listing({ ref: 'INV-1' })],
  customer: [listing({ customer: onyeOf(1) })],
  email: [listing({ email: 'a@example.com' })],
  paidTwice: [listing({ paidTwice: true })],
  disputed: [listing({ disputed: true })],
  operator: [listing({ operator: 'bob' })],
  accountDigest: [listing({ accountDigest: 'digest' })],
  pspReference: [listing({ pspReference: 'R-1' })],
  accountEnd: [listing({ accountEnd: '4567' }), PART],
  refBeginning: [listing({ refBeginning: 'INV' }), PART],
  anyCase: [listing({ anyCase: 'r-1' }), PART],
  phone: [listing({ phone: '…4567' })],
  termsDigest: [listing({ phone: '…4567', termsDigest: 'digest' })],
  amount: [listing({ amount: 500_000 })],
  currency: [listing({ amount: 500_000, currency: 'NGN' })],
  otherReceived: [listing({ otherReceived: 250_000 })],
  started: [listing({ started: { since: NOON - 1, until: NOON } })],
  paidSince: [listing({ payments: ['paid'], paidSince: NOON })],
  job: [listing({ job: ID })],
  about: [listing({ about: ugwoOf(1) })],
  ids: [listing({ ids: [ID] })],
  activities: [listing({ activities: [uidOf(1)] })],
  before: [listing({ before: 100 })],
  oldestFirst: [listing({ oldestFirst: true }), PAGE],
  after: [listing({ oldestFirst: true, after: 100 })],
};

/** A sum holds the state of the file by a walk that it doesn't go on with. */
const HELD = { 'FROM charge ORDER BY seq': 'it reads the first entry alone' };
const TODAY = { since: NOON - 60 * MINUTE, until: NOON };
const USES: readonly (readonly [name: string, use: Use])[] = [
  ['the sum of a day', [(ledger) => ledger.sum({ ...SUM, period: TODAY }, reducer), HELD]],
  [
    'the sum of what was paid on a day',
    [(ledger) => ledger.sum({ ...SUM, time: 'paid_at', period: TODAY }, reducer), HELD],
  ],
  [
    'each payment of a day',
    [(ledger) => ledger.sum({ ...SUM, time: 'paid_at', period: TODAY, by: ['id', 'ref'], unit: 1 }, reducer), HELD],
  ],
  ['the sum of what is open', [(ledger) => ledger.sum({ ...SUM, time: 'open', period: {} }, reducer), HELD]],
  [
    'the sum of the refunds of a day',
    [(ledger) => ledger.sum({ ...SUM, time: 'refund', period: TODAY }, reducer), HELD],
  ],
  ...Object.entries(METHODS),
  ...Object.entries(JOBS).map(([name, use]) => [`jobs.${name}`, use] as const),
  ...Object.entries(POLICIES).map(([name, use]) => [`policies.${name}`, use] as const),
  ...Object.entries(LISTS).map(([name, use]) => [`list by ${name}`, use] as const),
];

/** Tables that grow with use. */
const LARGE = ['charge', 'job', 'onye_update', 'approval', 'slice'];

/** Large tables that a plan goes over, also to list them for a subquery. The indexes of what was paid twice or is disputed stay small. */
const scannedBy = (plan: string): readonly string[] =>
  Array.from(
    plan.matchAll(
      /\b(?:SCAN|LIST SUBQUERY \d+\nSEARCH|Seq Scan on|(?:charge|job)_seq on) (\w+)\b(?!.*charge_(?:paid_twice|disputed)).*$(?!\n *Index Cond)/gm,
    ),
  )
    .map(([, table = '']) => table)
    .filter((table) => LARGE.includes(table));

/** Statements that a driver gets while something runs, one of each shape. */
const statementsOf = async (
  { mock }: { readonly mock: { readonly calls: readonly (readonly unknown[])[] } },
  run: () => unknown,
): Promise<Iterable<string>> => {
  const before = mock.calls.length;
  await run();
  const texts = mock.calls.slice(before).map(([given]) => (typeof given === 'object' ? Object(given).text : given));
  const statements = texts
    .flatMap((text) => String(text).split(';'))
    .map((text) => text.trim().replace(/^DECLARE .* CURSOR FOR /, ''))
    .filter((text) => /^(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text));
  return new Map(statements.map((text) => [text.replaceAll(/'[^']*'|\d+/g, ''), text])).values();
};

const expectScans = (
  plans: readonly (readonly [statement: string, plan: string])[],
  allowed: Readonly<Record<string, string>> = {},
): void => {
  const ends = Object.keys(allowed);
  const others = plans.filter(
    ([sql, plan]) => !ends.some((end) => sql.endsWith(end)) && scannedBy(plan).some((table) => !ends.includes(table)),
  );
  expect(others).toEqual([]);
};

describe('a ledger file searches, and does not scan, for', () => {
  // Without statistics the plan doesn't depend on the number of rows.
  it.each(USES)('%s', async (_name, [run, allowed]) => {
    const path = newPath();
    const spy = vi.spyOn(DatabaseSync.prototype, 'prepare');
    onTestFinished(() => spy.mockRestore());
    const ledger = await open(path);
    const plans = Array.from(await statementsOf(spy, () => run(ledger)), (sql) => {
      const steps = beside(path, `EXPLAIN QUERY PLAN ${sql}`);
      return [sql, steps.map(({ detail }) => detail).join('\n')] as const;
    });
    expectScans(plans, allowed);
  });
});

const { service, workspace, profile } = SCOPE;
/** Each statement fills a table. Charges are a minute apart. */
const MANY = [
  `charge (id, kind, state, service, origin, workspace, profile, ugwo, medium, digest, deadline, created_at, begun_uptime, pid, boot, started,
    recorded_at, activity, status, payment, ref, customer, customer_email, job, "row", evidence, checksum)
  SELECT 'chg-' || n, CASE WHEN n % 100 = 1 THEN 'refund' ELSE 'charge' END, 'accepted', '${service}', 'o', '${workspace}', '${profile}',
    'ugw-' || n, 'ussd', '', 0, ${NOON} - (100000 - n) * 60000::bigint, 0, 1, '', '', 0, 'act-' || n, 'successful',
    CASE n % 100 WHEN 2 THEN 'open' WHEN 3 THEN 'underpaid' ELSE 'paid' END, 'INV-' || n, 'ony-' || n, n || '@example.com', 'job-' || n / 100, n % 100, '[]', 0
    FROM generate_series(1, 100000) n`,
  `job (id, kind, command, name, service, origin, profile, rows, created_at, run_at)
    SELECT 'job-' || n, 'charge', '', '', '${service}', 'o', '${profile}', 100, 0, 0 FROM generate_series(1, 1000) n`,
  `onye_update SELECT 'job-' || n / 10, n % 10, '', 'accepted', 0, 0, NULL, 1, '', '' FROM generate_series(1, 100000) n`,
  `slice SELECT 'job-' || n / 10, n % 10, '', 0, now() FROM generate_series(1, 100000) n`,
  `approval SELECT 'job-' || n, 1, '{}', 0, '', 0, NULL, NULL FROM generate_series(1, 10000) n`,
];

// The tests have no PostgreSQL on Windows.
describe.skipIf(process.platform === 'win32')(
  'a ledger of 100,000 in PostgreSQL searches, and does not scan, for',
  () => {
    const place = newSharedPlace();
    beforeAll(() => place.sql([...MANY.map((fill) => `INSERT INTO paycli.${fill}`), 'ANALYZE'].join(';\n')));

    it.each(USES)('%s', async (_name, [run, allowed]) => {
      const spy = vi.spyOn(Client.prototype, 'query');
      onTestFinished(() => spy.mockRestore());
      const ledger = await place.open();
      const statements = await statementsOf(spy, () => run(ledger));
      const plans: [string, string][] = [];
      for (const sql of statements) {
        const steps = await place.sql(`EXPLAIN (COSTS OFF) ${sql}`);
        plans.push([sql, steps.map((line) => line['QUERY PLAN']).join('\n')]);
      }
      expectScans(plans, allowed);
    });
  },
);

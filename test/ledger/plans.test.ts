import { beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../src/ledger/backend.ts';
import type { SumQuery } from '../../src/ledger/ledger.ts';
import { findStatement, inlined, literal } from '../../src/ledger/postgres/statements.ts';
import type { ReadStatement, TablePrefix } from '../../src/ledger/sql.ts';
import { selecting } from '../../src/ledger/sqlite/statements.ts';
import { sumsWith } from '../../src/ledger/sums.ts';
import { onyeOf, ugwoOf, uidOf } from '../support/ids.ts';
import { beside, MINUTE, NOON, newPath, open, PLACE } from './support/charges.ts';
import { newSharedPlace } from './support/postgres.ts';

const SCOPE = { service: PLACE.service, workspace: 'Test', profile: 'shop' };
const PAGE = { ...SCOPE, order: 'newest', limit: 101 } as const;

/** Reads of the ledger, and the index that finds their entries. */
const READS: readonly (readonly [what: string, query: Query, index: string])[] = [
  ['charges of a reference', { kind: 'charge', ref: 'INV-7', ...PAGE }, 'charge_ref'],
  ["a customer's charges", { kind: 'charge', customer: onyeOf(7), ...PAGE }, 'charge_customer'],
  ["an e-mail address's charges", { kind: 'charge', email: 'a7@example.com', ...PAGE }, 'charge_email'],
  ['open charges', { ...SCOPE, payments: ['open'], order: 'oldest', limit: 200 }, 'charge_payment'],
  [
    'part paid and overpaid charges',
    { kind: 'charge', payments: ['underpaid', 'overpaid'], ...PAGE },
    'charge_payment',
  ],
  ['refunds', { kind: 'refund', ...PAGE }, 'charge_kind'],
  ['refunds of a day', { ...SCOPE, kind: 'refund', started: { since: NOON }, order: 'newest' }, 'charge_kind'],
  ['charges that were paid twice', { ...SCOPE, paidTwice: true, order: 'newest' }, 'charge_paid_twice'],
  [
    'reversed charges of a month',
    { ...SCOPE, payments: ['reversed'], started: { since: NOON }, order: 'newest' },
    'charge_payment',
  ],
  ['charges of a payment request', { kind: 'charge', about: ugwoOf(7), ...PAGE }, 'charge_of_ugwo(?:_again)?'],
  ['refunds of an activity', { kind: 'refund', about: uidOf(7), states: ['accepted'] }, 'charge_of_ugwo(?:_again)?'],
  [
    'some charges',
    { ids: ['chg-1', 'chg-2'], order: 'oldest', after: 0, limit: 200 },
    '\\w*(?:charge_1|charge_id_key)',
  ],
  ['the charge of an activity', { activities: [uidOf(7)] }, 'charge_activity'],
  [
    'what can be pruned',
    { ...SCOPE, prunable: true, started: { since: NOON, until: NOON + 60 * MINUTE }, order: 'time', limit: 500 },
    'charge_prunable',
  ],
];

/** Sums of an hour and of the whole ledger, and the indexes that find their entries. */
const HOURLY = { since: NOON, until: NOON + 60 * MINUTE };
const SUMS: readonly (readonly [what: string, query: SumQuery, indexes: readonly string[]])[] = [
  ['charges', { ...SCOPE, time: 'created_at', period: HOURLY, by: ['job'], unit: 0 }, ['charge_time']],
  [
    'payments',
    { ...SCOPE, time: 'paid_at', period: HOURLY, by: ['profile', 'origin'], unit: 15 * MINUTE },
    ['charge_paid_at', 'charge_payment'],
  ],
  [
    'each payment',
    { ...SCOPE, time: 'paid_at', period: HOURLY, by: ['id', 'ref', 'psp_reference', 'account_digest'], unit: 1 },
    ['charge_paid_at', 'charge_payment'],
  ],
  ['what is open', { ...SCOPE, time: 'open', period: {}, by: [], unit: 0 }, ['charge_payment']],
  ['refunds of a day', { ...SCOPE, time: 'refund', period: { since: NOON }, by: [], unit: 0 }, ['charge_kind']],
  [
    'refunds that went back today',
    { ...SCOPE, time: 'paid_back', period: HOURLY, by: [], unit: 0 },
    ['charge_paid_at'],
  ],
  ['open refunds', { ...SCOPE, time: 'refund_open', period: {}, by: [], unit: 0 }, ['charge_payment']],
];
/** Sums of which each entry counts: none is the last of several. */
const countsEach = ({ time, by }: SumQuery): boolean =>
  ['refund', 'paid_back', 'refund_open'].includes(time) || by.includes('id');
const summed = async (schema: TablePrefix, query: SumQuery): Promise<string[]> => {
  const asked: string[] = [];
  const ask: ReadStatement = async (...statement) => {
    asked.push(inlined(statement));
    return [];
  };
  const nothing = { take: () => undefined, end: () => undefined };
  await sumsWith(ask, schema, query, nothing, new AbortController().signal);
  return asked;
};

it.each([
  ...SUMS,
  ...SUMS.map(([what, query, indexes]) => [`all ${what}`, { ...query, period: {} }, indexes] as const),
])('a ledger file sums %s through an index', async (_what, query, indexes) => {
  const path = newPath();
  await open(path);
  const plans = (await summed('', query)).map((sql) => beside(path, `EXPLAIN QUERY PLAN ${sql}`));
  const searches = plans.map((plan) =>
    plan.map((step) => String(step['detail'])).filter((step) => / charge|newer/.test(step)),
  );
  // No reversed charge is open, or the last of several.
  const newer = (index: string) =>
    countsEach(query) || (query.time === 'paid_at' && index === 'charge_payment')
      ? []
      : [expect.stringMatching(/^SEARCH newer USING INDEX charge_of_ugwo/)];
  expect(searches).toEqual(
    indexes.flatMap((index) => [
      [expect.stringMatching(new RegExp(`^SEARCH charge USING COVERING INDEX ${index} `))],
      [
        expect.stringMatching(new RegExp(`^SEARCH charge USING INDEX ${index} `)),
        ...newer(index),
        ...(query.time === 'open' ? [expect.stringMatching(/^SEARCH part USING INDEX charge_of_ugwo/)] : []),
        // Of a payment request that was paid twice.
        ...newer(index),
      ],
    ]),
  );
});

it.each(READS)('a ledger file finds %s through an index', async (_what, query, index) => {
  const path = newPath();
  await open(path);
  const plan = beside(path, `EXPLAIN QUERY PLAN SELECT * FROM charge ${inlined(selecting(query))}`);
  // The index of charges that were paid twice holds no others.
  const found = index === 'charge_paid_twice' ? 'SCAN' : 'SEARCH';
  expect(plan[0]?.['detail']).toMatch(new RegExp(`^${found} charge USING INDEX ${index}(?: |$)`));
});

it.each<[string, Query, string]>([
  ['what can be pruned', { prunable: true }, 'charge_prunable (created_at<?)'],
  ['open charges', { payments: ['open'] }, 'charge_payment (payment=?)'],
  ['unknown entries', { states: ['sending', 'unknown'] }, 'charge_state (state=?)'],
])('a ledger file counts %s from before a moment through an index', async (_what, query, index) => {
  const path = newPath();
  await open(path);
  const [sql] = selecting({ ...SCOPE, started: { until: NOON }, ...query }, 'any');
  const plan = beside(path, `EXPLAIN QUERY PLAN SELECT 1 FROM charge ${sql}`);
  expect(plan).toEqual([expect.objectContaining({ detail: `SEARCH charge USING INDEX ${index}` })]);
});

it('a ledger file finds the next entries to prune through one index, without a look at the others', async () => {
  const path = newPath();
  await open(path);
  const query = { prunable: true, started: { since: NOON, until: NOON + MINUTE }, order: 'time' } as const;
  const plan = beside(path, `EXPLAIN QUERY PLAN SELECT * FROM charge ${inlined(selecting(query))}`);
  const detail = 'SEARCH charge USING INDEX charge_prunable (created_at>? AND created_at<?)';
  expect(plan).toEqual([expect.objectContaining({ detail })]);
});

/** Charges a minute apart. One of a hundred is a refund, open, part paid, overpaid or reversed. */
const MANY = `INSERT INTO paycli.charge (id, kind, state, service, origin, workspace, profile, ugwo, medium, digest, deadline,
    created_at, begun_uptime, pid, boot, started, recorded_at, activity, status, payment, paid_at, ref, customer, customer_email, evidence, checksum)
  SELECT 'chg-' || n, CASE WHEN n % 100 = 1 THEN 'refund' ELSE 'charge' END, 'accepted', ${literal(SCOPE.service)}, 'o', 'Test', 'shop',
    'ugw.AbCd.' || lpad(n::text, 24, '0'), 'ussd', '', 0, ${NOON} + n * 60000::bigint, 0, 1, '', '', 0, 'act.AbCd.' || lpad(n::text, 24, '0'),
    'successful', CASE n % 100 WHEN 2 THEN 'open' WHEN 3 THEN 'underpaid' WHEN 4 THEN 'overpaid' WHEN 5 THEN 'reversed' ELSE 'paid' END,
    ${NOON} + n * 60000::bigint, 'INV-' || n,
    'ony.AbCd.' || lpad(n::text, 24, '0'), 'a' || n || '@example.com', '[]', 0 FROM generate_series(1, 5000) n;
  ANALYZE paycli.charge`;

// The tests have no PostgreSQL on Windows.
describe.skipIf(process.platform === 'win32')('a ledger in PostgreSQL', () => {
  const place = newSharedPlace();
  beforeAll(() => place.sql(MANY));

  const hour = { since: NOON, until: NOON + 60 * MINUTE };
  it.each([...READS, ['charges of an hour', { kind: 'charge', started: hour, ...PAGE }, 'charge_time'] as const])(
    'finds %s through an index',
    async (_what, query, index) => {
      const plan = await place.sql(`EXPLAIN (COSTS OFF) ${findStatement(query, false)}`);
      const text = plan.map((line) => line['QUERY PLAN']).join('\n');
      expect(text).toMatch(new RegExp(`Index Scan (?:Backward )?(?:using|on) ${index}\\b`));
      expect(text).not.toContain('Seq Scan');
    },
  );

  it.each(SUMS)('sums %s through an index', async (_what, query, indexes) => {
    const plans: string[] = [];
    for (const sql of await summed('paycli.', query)) {
      const plan = await place.sql(`EXPLAIN (COSTS OFF) ${sql}`);
      plans.push(plan.map((line) => line['QUERY PLAN']).join('\n'));
    }
    expect(plans).toEqual(
      indexes.flatMap((index) => {
        const found = expect.stringMatching(new RegExp(`Index (?:Only )?Scan (?:using|on) ${index}\\b`));
        return [found, found];
      }),
    );
    const newer = /Index Scan using charge_of_ugwo on charge newer/;
    expect(newer.test(plans.join('\n'))).toBe(!countsEach(query));
    expect(plans.join('\n')).not.toContain('Seq Scan');
  });
});

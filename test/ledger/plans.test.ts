import { beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../src/ledger/backend.ts';
import { findStatement, inlined, literal } from '../../src/ledger/postgres/statements.ts';
import { counting, selecting } from '../../src/ledger/sqlite/statements.ts';
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
  ['charges of a payment request', { kind: 'charge', about: ugwoOf(7), ...PAGE }, 'charge_of_ugwo(?:_again)?'],
  ['refunds of an activity', { kind: 'refund', about: uidOf(7), states: ['accepted'] }, 'charge_of_ugwo(?:_again)?'],
  ['the charge of an activity', { activities: [uidOf(7)] }, 'charge_activity'],
  [
    'what can be pruned',
    { ...SCOPE, prunable: true, started: { since: NOON, until: NOON + 60 * MINUTE }, order: 'time', limit: 500 },
    'charge_prunable',
  ],
];

it.each(READS)('a ledger file finds %s through an index', async (_what, query, index) => {
  const path = newPath();
  await open(path);
  const plan = beside(path, `EXPLAIN QUERY PLAN SELECT * FROM charge ${inlined(selecting(query))}`);
  expect(plan[0]?.['detail']).toMatch(new RegExp(`^SEARCH charge USING INDEX ${index} `));
});

it.each<[string, Query, string]>([
  ['what can be pruned', { prunable: true }, 'charge_prunable (created_at<?)'],
  ['open charges', { payments: ['open'] }, 'charge_payment (payment=?)'],
  ['unknown entries', { states: ['sending', 'unknown'] }, 'charge_state (state=?)'],
])('a ledger file counts %s from before a moment through an index', async (_what, query, index) => {
  const path = newPath();
  await open(path);
  const [sql] = counting({ ...SCOPE, started: { until: NOON }, ...query });
  const plan = beside(path, `EXPLAIN QUERY PLAN SELECT 1 FROM charge ${sql}`);
  expect(plan).toEqual([expect.objectContaining({ detail: `SEARCH charge USING INDEX ${index}` })]);
});

/** Charges a minute apart. One of a hundred is a refund, open, part paid or overpaid. */
const MANY = `INSERT INTO paycli.charge (id, kind, state, service, origin, workspace, profile, ugwo, medium, digest, deadline,
    created_at, begun_uptime, pid, boot, started, recorded_at, activity, status, payment, ref, customer, customer_email, checksum)
  SELECT 'chg-' || n, CASE WHEN n % 100 = 1 THEN 'refund' ELSE 'charge' END, 'accepted', ${literal(SCOPE.service)}, 'o', 'Test', 'shop',
    'ugw.AbCd.' || lpad(n::text, 24, '0'), 'ussd', '', 0, ${NOON} + n * 60000::bigint, 0, 1, '', '', 0, 'act.AbCd.' || lpad(n::text, 24, '0'),
    'successful', CASE n % 100 WHEN 2 THEN 'open' WHEN 3 THEN 'underpaid' WHEN 4 THEN 'overpaid' ELSE 'paid' END, 'INV-' || n,
    'ony.AbCd.' || lpad(n::text, 24, '0'), 'a' || n || '@example.com', 0 FROM generate_series(1, 5000) n;
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
});

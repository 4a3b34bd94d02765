import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../../src/ledger/backend.ts';
import type { Period } from '../../../src/ledger/ledger.ts';
import type { Value } from '../../../src/ledger/rows.ts';
import { openLedger } from '../../../src/ledger/sqlite/open.ts';
import { selecting } from '../../../src/ledger/sqlite/statements.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { newPath } from '../support/charges.ts';

const COUNT = 100_000;

/** Entries of one kind, each a second after the one before. */
const MANY = `INSERT INTO charge (seq, id, kind, state, service, origin, ugwo, medium, digest, deadline, created_at, begun_uptime, pid, boot, started, recorded_at,
    evidence, checksum)
  WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${COUNT})
  SELECT n, n, 'charge', 'accepted', 's', 'o', n, '', '', 0, n, 0, 1, '', '', 0, '[]', 0 FROM numbers`;
/** The clock was a day slow, then three seconds fast, and twice it was a day fast. */
const CLOCK_CHANGES = `UPDATE charge SET created_at = created_at + CASE WHEN seq % 40000 = 7 THEN 86400 WHEN seq > 50000 THEN 3 ELSE -86400 END
  WHERE seq BETWEEN 49000 AND 51000 OR seq % 40000 = 7`;

const PERIODS: readonly (readonly [what: string, period: Period])[] = [
  ['from lately', { since: COUNT - 10 }],
  ['from the middle', { since: 50_500 }],
  ['from the start', { since: 0 }],
  ['from the future', { since: 2 * COUNT }],
  ['until lately', { until: COUNT - 10 }],
  ['until the middle', { until: 49_500 }],
  ['until soon after the start', { until: 20 }],
  ['until before the start', { until: -200_000 }],
  ['in the middle', { since: 49_900, until: 50_100 }],
  ['of most of it', { since: 25_000, until: 75_000 }],
  ['that ends before it begins', { since: 60_000, until: 40_000 }],
];
const WAYS = PERIODS.flatMap(([what, started]) =>
  (['newest', 'oldest'] as const).map((order) => [order, what, { started, order, limit: 101 }] as const),
);

describe('entries of a period in SQLite', () => {
  let db: DatabaseSync;
  let passed = 0;
  beforeAll(async () => {
    const path = newPath();
    await (await openLedger(ledgerOptions(path))).close();
    db = new DatabaseSync(path);
    db.exec(MANY);
    db.function('passed', () => {
      passed += 1;
      return 1;
    });
  });
  afterAll(() => db.close());

  const placesOf = (sql: string, values: readonly Value[] = []): string =>
    db
      .prepare(`SELECT seq FROM charge ${sql}`)
      .all(...values)
      .map(({ seq }) => seq)
      .join();
  /** Places that a query finds. SQLite checks the first condition for each entry that it passes. */
  const found = (query: Query): string => {
    const [sql, ...values] = selecting(query);
    passed = 0;
    return placesOf(`${sql.replace('WHERE', 'WHERE passed() AND')} LIMIT ${query.limit}`, values);
  };
  const expected = ({ started: { since, until } = {}, order, limit }: Query): string =>
    placesOf(
      `WHERE created_at BETWEEN ${since ?? -COUNT * 2} AND ${(until ?? COUNT * 2) - 1} ORDER BY +seq ${order === 'newest' ? 'DESC' : ''} LIMIT ${limit}`,
    );

  it.each(WAYS)('%s first, %s, need no walk through the others', (_order, _what, query) => {
    const places = found(query);
    expect(places).toBe(expected(query));
    expect(passed).toBeLessThan(20_000);
  });

  it.each([
    ['oldest', { started: { since: 50_500 }, after: 60_000 }],
    ['newest', { started: { until: 49_500 }, before: 40_000 }],
  ] as const)('%s first, need no search for the first place on a later page', (order, page) => {
    const query: Query = { ...page, order, limit: 101 };
    const [sql, ...values] = selecting(query);
    passed = 0;
    placesOf(`${sql.replaceAll('WHERE', 'WHERE passed() AND')} LIMIT 101`, values);
    expect(passed).toBe(101);
  });

  describe('after changes of the clock', () => {
    beforeAll(() => db.exec(`BEGIN; ${CLOCK_CHANGES}`));
    afterAll(() => db.exec('ROLLBACK'));

    it.each(WAYS)('%s first, %s, are all found', (_order, _what, query) => {
      expect(found({ ...query, limit: -1 })).toBe(expected({ ...query, limit: -1 }));
    });
  });
});

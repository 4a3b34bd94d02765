import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import type { ListFilter } from '../../../src/ledger/ledger.ts';
import { beside, newPath, open, PLACE } from '../support/charges.ts';

/** Statements that a list prepares. */
const statementsOf = async (path: string, filter: ListFilter): Promise<string[]> => {
  const ledger = await open(path);
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  try {
    await ledger.list(filter);
    return prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.startsWith('SELECT') && sql.includes('seq DESC'));
  } finally {
    prepare.mockRestore();
  }
};

/** Steps of the plan. Its parameters stay NULL: it doesn't depend on them. */
const planOf = async (filter: Partial<ListFilter>): Promise<string[]> => {
  const path = newPath();
  const { service, workspace } = PLACE;
  const [sql, ...others] = await statementsOf(path, { service, workspace, kind: 'charge', limit: 100, ...filter });
  expect(others).toEqual([]);
  return beside(path, `EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => String(detail));
};

describe('the plan of a list in SQLite', () => {
  it.each<[string, Partial<ListFilter>]>([
    ['a payment', { payments: ['paid'] }],
    ['several payments', { payments: ['open', 'expired'] }],
    ['an operator', { operator: 'ada' }],
    ['an account number', { accountDigest: 'digest' }],
    ['a reference of the provider', { pspReference: 'R-1' }],
    ['a reference', { ref: 'INV-1' }],
    ['a customer', { customer: 'ony.AbCd.1' }],
    ['an e-mail address', { email: 'ada@example.com' }],
    ['a payment request', { about: 'ugw.AbCd.1' }],
  ])('of charges by %s scans nothing', async (_what, filter) => {
    const plan = await planOf(filter);
    expect(plan[0]).toMatch(/^SEARCH charge USING INDEX/);
    expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([]);
  });

  it('of charges that were paid twice reads an index that holds only those', async () => {
    expect(await planOf({ paidTwice: true })).toEqual(['SCAN charge USING INDEX charge_paid_twice']);
  });
});

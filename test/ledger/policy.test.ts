import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Allowance,
  amountsText,
  dayOf,
  type Forbidden,
  forbids,
  isSpent,
  NOTHING_SPENT,
  needsApproval,
  type Policy,
  policyText,
  readAmounts,
  readPolicy,
  type Spent,
  type Total,
  worthOf,
} from '../../src/ledger/policy.ts';
import { thrownBy } from '../client/support.ts';

const under = (policy: Policy, spent: Partial<Spent> = {}): Allowance => ({
  kept: { profile: 'shop', policy, by: 'ada@laptop', at: 0 },
  spent: { ...NOTHING_SPENT, ...spent },
});
const ngn = (amount: number) => ({ medium: 'ussd', asked: { amount, currency: 'NGN' } });
const spentNgn = (amount: bigint, count = 1): Partial<Spent> => ({ count, amounts: new Map([['NGN', amount]]) });

describe('a policy', () => {
  it.each<[string, Allowance, Parameters<typeof forbids>[1], Forbidden | undefined]>([
    ['without limits allows all', under({}), { medium: 'any' }, undefined],
    ['allows a medium that it names', under({ mediums: ['ussd'] }), ngn(1), undefined],
    [
      'forbids every other medium',
      under({ mediums: ['bank_transfer'] }),
      ngn(1),
      { why: 'medium', medium: 'ussd', allowed: ['bank_transfer'] },
    ],
    ['forbids a charge without a medium', under({ mediums: [] }), {}, { why: 'medium', medium: '', allowed: [] }],
    ['allows the last charge of the day', under({ maxCharges: 3 }, { count: 2 }), ngn(1), undefined],
    ['forbids one more', under({ maxCharges: 3 }, { count: 3 }), ngn(1), { why: 'charges', most: 3 }],
    ['can forbid all', under({ maxCharges: 0 }), ngn(1), { why: 'charges', most: 0 }],
    ['counts charges whose amount is unknown', under({ maxCharges: 2 }, { count: 1, unknown: 1 }), {}, undefined],
    ['allows what is left to the last kobo', under({ maxAmount: { NGN: 100 } }, spentNgn(60n)), ngn(40), undefined],
    [
      'forbids a kobo more',
      under({ maxAmount: { NGN: 100 } }, spentNgn(60n)),
      ngn(41),
      { why: 'amount', currency: 'NGN', asked: 41, most: 100, left: 40n },
    ],
    [
      'that was lowered has less than nothing left',
      under({ maxAmount: { NGN: 100 } }, spentNgn(160n)),
      ngn(1),
      { why: 'amount', currency: 'NGN', asked: 1, most: 100, left: -60n },
    ],
    [
      'counts each currency by itself',
      under({ maxAmount: { NGN: 100, USD: 5 } }, { count: 1, amounts: new Map([['USD', 5n]]) }),
      ngn(100),
      undefined,
    ],
    [
      'for one currency forbids every other',
      under({ maxAmount: { USD: 5 } }),
      ngn(1),
      { why: 'currency', currency: 'NGN', allowed: ['USD'] },
    ],
    [
      'takes no name of every object for a currency',
      under({ maxAmount: { USD: 5 } }),
      { asked: { amount: 1, currency: 'constructor' } },
      { why: 'currency', currency: 'constructor', allowed: ['USD'] },
    ],
    ['that limits amounts wants to know them', under({ maxAmount: { NGN: 9 } }), {}, { why: 'no_amount' }],
    [
      'that limits amounts wants to know more than the currency',
      under({ maxAmount: { NGN: 9 } }),
      { asked: { currency: 'NGN' } },
      { why: 'no_amount' },
    ],
    [
      'that limits amounts wants to know the currency',
      under({ maxAmount: { NGN: 9 } }),
      { asked: { amount: 1 } },
      { why: 'no_amount' },
    ],
    [
      "that limits amounts can't tell what is left beside unknown ones",
      under({ maxAmount: { NGN: 9 } }, { count: 2, unknown: 2 }),
      ngn(1),
      { why: 'unknown_amounts', count: 2 },
    ],
    [
      'names first what no other day would change',
      under({ mediums: [], maxCharges: 0, maxAmount: {} }),
      {},
      { why: 'medium', medium: '', allowed: [] },
    ],
  ])('%s', (_what, allowance, charge, forbidden) => {
    expect(forbids(allowance, charge)).toEqual(forbidden);
  });

  it('never lets more through than it allows, in number and in money', () => {
    const charges = fc.array(fc.record({ amount: fc.nat(50), currency: fc.constantFrom('NGN', 'USD') }));
    fc.assert(
      fc.property(charges, fc.nat(10), fc.nat(100), (all, maxCharges, most) => {
        const spent = { count: 0, amounts: new Map<string, bigint>(), unknown: 0 };
        for (const asked of all) {
          if (forbids(under({ maxCharges, maxAmount: { NGN: most, USD: 7 } }, spent), { asked }) !== undefined)
            continue;
          spent.count += 1;
          spent.amounts.set(asked.currency, (spent.amounts.get(asked.currency) ?? 0n) + BigInt(asked.amount));
        }
        expect(spent.count).toBeLessThanOrEqual(maxCharges);
        expect(spent.amounts.get('NGN') ?? 0n).toBeLessThanOrEqual(BigInt(most));
        expect(spent.amounts.get('USD') ?? 0n).toBeLessThanOrEqual(7n);
      }),
    );
  });

  it.each<[Forbidden, boolean]>([
    [{ why: 'charges', most: 3 }, true],
    [{ why: 'unknown_amounts', count: 1 }, true],
    [{ why: 'amount', currency: 'NGN', asked: 9, most: 9, left: 8n }, true],
    [{ why: 'amount', currency: 'NGN', asked: 10, most: 9, left: 8n }, false],
    [{ why: 'no_amount' }, false],
    [{ why: 'medium', medium: 'ussd', allowed: [] }, false],
    [{ why: 'currency', currency: 'NGN', allowed: [] }, false],
  ])('that is used up for today is one that forbids by %o: %s', (forbidden, spent) => {
    expect(isSpent(forbidden)).toBe(spent);
  });
});

describe('a day', () => {
  it.each([
    ['2026-11-22T00:00:00Z', '2026-11-22T00:00:00Z'],
    ['2026-11-22T23:59:59.999Z', '2026-11-22T00:00:00Z'],
    ['1969-12-31T23:00:00Z', '1969-12-31T00:00:00Z'],
  ])('of %s began at %s', (at, began) => {
    expect(dayOf(Date.parse(at))).toBe(Date.parse(began));
  });
});

const total = (rows: number, amounts: Readonly<Record<string, bigint>>, unknown = 0): Total => ({
  rows,
  amounts: new Map(Object.entries(amounts)),
  unknown,
});

describe('a file', () => {
  it.each<[string, Policy, Total, boolean]>([
    ['under no such policy', { maxCharges: 1 }, total(9, { NGN: 9n }, 9), false],
    ['at the sum', { approveAbove: { NGN: 9 } }, total(3, { NGN: 9n }), false],
    ['above it', { approveAbove: { NGN: 9 } }, total(3, { NGN: 10n }), true],
    ['in a currency without a sum', { approveAbove: { NGN: 9 } }, total(1, { USD: 1n }), true],
    ['whose currency is called as what objects have', { approveAbove: {} }, total(1, { toString: 1n }), true],
    ['with an amount that is not known', { approveAbove: { NGN: 9 } }, total(1, {}, 1), true],
    ['without rows that are left', { approveAbove: {} }, total(0, {}), false],
  ])('%s needs approval: %#', (_what, policy, of, needs) => {
    expect(needsApproval(policy, of)).toBe(needs);
  });

  const asked = { job: 'job-1', total: total(2, { NGN: 10n }, 1), askedBy: 'ada', askedAt: 0 };
  const approved = { ...asked, approvedBy: 'obi', approvedAt: 1 };

  it.each<[string, Parameters<typeof worthOf>[0], Total, string, ReturnType<typeof worthOf>]>([
    ['nobody has asked about', undefined, total(1, {}), 'ada', 'missing'],
    ['nobody has approved', asked, total(1, {}), 'ada', 'missing'],
    ['that another has approved', approved, asked.total, 'ada', 'holds'],
    ['of which less is left', approved, total(1, { NGN: 4n }), 'ada', 'holds'],
    ['that whoever runs it has approved', approved, asked.total, 'obi', 'own'],
    ['for whoever may be the same person', approved, asked.total, 'ada in a user namespace', 'own'],
    [
      'that whoever may be the same person has approved',
      { ...approved, approvedBy: 'obi in a user namespace' },
      asked.total,
      'ada',
      'own',
    ],
    ['with more rows', approved, total(3, { NGN: 10n }), 'ada', 'outgrown'],
    ['that comes to more', approved, total(2, { NGN: 11n }), 'ada', 'outgrown'],
    ['with another currency', approved, total(2, { NGN: 1n, USD: 1n }), 'ada', 'outgrown'],
    ['of which less is known', approved, total(2, {}, 2), 'ada', 'outgrown'],
  ])('%s: %#', (_what, approval, now, runner, worth) => {
    expect(worthOf(approval, now, runner)).toBe(worth);
  });
});

describe('what is kept', () => {
  const policies = fc.record(
    {
      maxCharges: fc.nat(),
      maxAmount: fc.dictionary(fc.constantFrom('NGN', 'USD'), fc.maxSafeNat(), { noNullPrototype: true }),
      mediums: fc.array(fc.constantFrom('ussd', 'bank_transfer')),
      approveAbove: fc.dictionary(fc.constantFrom('NGN', 'USD'), fc.maxSafeNat(), { noNullPrototype: true }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );

  it('of a policy is read as it was written', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        expect(readPolicy(policyText(policy))).toEqual(policy);
      }),
    );
  });

  it.each([
    '',
    'null',
    '[]',
    '{"maxCharges":-1}',
    '{"maxCharges":"3"}',
    '{"maxCharges":1.5}',
    '{"maxAmount":{"NGN":-1}}',
    '{"maxAmount":{"ngn":1}}',
    '{"maxAmount":3}',
    '{"mediums":"ussd"}',
    '{"mediums":[1]}',
    '{"approveAbove":[1]}',
    '{"maxCustomers":3}',
    '{"constructor":3}',
    '{"maxCharges":1,"maxAmount":3}',
    '{"maxAmount":{"NGN":1,"usd":1}}',
    '{"maxAmount":{"xNGN":1}}',
    '{"maxAmount":{"NGNx":1}}',
    '{"maxAmount":null}',
    '{"mediums":["ussd",1]}',
  ])('of a policy is never taken for less than it is: %s', (text) => {
    expect(() => readPolicy(text)).toThrow(`the ledger holds a policy that this paycli can't read: ${text}`);
  });

  it('of a newer paycli stops this one as a ledger does that cannot be used', async () => {
    const error = await thrownBy(Promise.resolve('{"maxCustomers":3}').then(readPolicy));
    expect(error).toMatchObject({ kind: 'ledger', detail: { hint: 'use the newer paycli that has written it' } });
  });

  it('of sums is read as it was written, however large', () => {
    const sums = new Map([
      ['NGN', 2n ** 70n],
      ['USD', 0n],
    ]);
    expect(readAmounts(amountsText(sums))).toEqual(sums);
  });

  it.each(['', '[]', '{"NGN":"-1"}', '{"NGN":"1e3"}', '{"NGN":1}', '{"NGN":"1","USD":"x"}'])(
    'of sums is not %s',
    (text) => {
      expect(() => readAmounts(text)).toThrow(`the ledger holds an approval that this paycli can't read: ${text}`);
    },
  );
});

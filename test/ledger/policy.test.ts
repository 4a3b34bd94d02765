import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Allowance,
  amountsText,
  dayOf,
  type Forbidden,
  forbids,
  isSpent,
  NO_TOTAL,
  type Policy,
  policyText,
  readAmounts,
  readPolicy,
  sealedText,
  type Total,
  textOfPlan,
  worthOf,
} from '../../src/ledger/policy.ts';
import { thrownBy } from '../client/support.ts';

const under = (policy: Policy, spent: Partial<Total> = {}): Allowance => ({
  kept: { profile: 'shop', policy, by: 'ada@laptop', at: 0 },
  spent: { ...NO_TOTAL, ...spent },
});
const ngn = (amount: number) => ({ medium: 'ussd', asked: { amount, currency: 'NGN' } });
const spentNgn = (amount: bigint, count = 1): Partial<Total> => ({ rows: count, amounts: new Map([['NGN', amount]]) });

describe('a policy', () => {
  it.each<[string, Allowance, Parameters<typeof forbids>[1], Forbidden | undefined]>([
    ['without limits allows everything', under({}), { medium: 'any' }, undefined],
    ['allows a listed medium', under({ mediums: ['ussd'] }), ngn(1), undefined],
    [
      'forbids every other medium',
      under({ mediums: ['bank_transfer'] }),
      ngn(1),
      { why: 'medium', medium: 'ussd', allowed: ['bank_transfer'] },
    ],
    ['forbids a charge without a medium', under({ mediums: [] }), {}, { why: 'medium', medium: '', allowed: [] }],
    ['allows the last charge of the day', under({ maxCharges: 3 }, { rows: 2 }), ngn(1), undefined],
    ['forbids the next charge', under({ maxCharges: 3 }, { rows: 3 }), ngn(1), { why: 'charges', most: 3 }],
    ['can forbid every charge', under({ maxCharges: 0 }), ngn(1), { why: 'charges', most: 0 }],
    ['counts charges whose amount is unknown', under({ maxCharges: 2 }, { rows: 1, unknown: 1 }), {}, undefined],
    ['allows the rest to the last kobo', under({ maxAmount: { NGN: 100 } }, spentNgn(60n)), ngn(40), undefined],
    [
      'forbids a kobo more',
      under({ maxAmount: { NGN: 100 } }, spentNgn(60n)),
      ngn(41),
      { why: 'amount', currency: 'NGN', asked: 41, most: 100, left: 40n },
    ],
    [
      'that was lowered has a negative rest',
      under({ maxAmount: { NGN: 100 } }, spentNgn(160n)),
      ngn(1),
      { why: 'amount', currency: 'NGN', asked: 1, most: 100, left: -60n },
    ],
    [
      'counts each currency separately',
      under({ maxAmount: { NGN: 100, USD: 5 } }, { rows: 1, amounts: new Map([['USD', 5n]]) }),
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
      'does not mistake a property name for a currency',
      under({ maxAmount: { USD: 5 } }),
      { asked: { amount: 1, currency: 'constructor' } },
      { why: 'currency', currency: 'constructor', allowed: ['USD'] },
    ],
    ['with an amount limit needs the amount', under({ maxAmount: { NGN: 9 } }), {}, { why: 'no_amount' }],
    [
      'with an amount limit needs more than the currency',
      under({ maxAmount: { NGN: 9 } }),
      { asked: { currency: 'NGN' } },
      { why: 'no_amount' },
    ],
    [
      'with an amount limit needs the currency',
      under({ maxAmount: { NGN: 9 } }),
      { asked: { amount: 1 } },
      { why: 'no_amount' },
    ],
    [
      "with an amount limit can't compute the rest beside unknown amounts",
      under({ maxAmount: { NGN: 9 } }, { rows: 2, unknown: 2 }),
      ngn(1),
      { why: 'unknown_amounts', count: 2 },
    ],
    [
      'wants an approval, whatever other limits allow',
      {
        ...under({ maxAmount: { NGN: 900 }, approveAbove: { NGN: 9 } }),
        file: { charged: NO_TOTAL, approval: undefined },
      },
      ngn(10),
      { why: 'unapproved', asked: ngn(10).asked },
    ],
    [
      'names the permanent reason first',
      under({ mediums: [], maxCharges: 0, maxAmount: {} }),
      {},
      { why: 'medium', medium: '', allowed: [] },
    ],
  ])('%s', (_what, allowance, charge, forbidden) => {
    expect(forbids(allowance, charge)).toEqual(forbidden);
  });

  it('never allows more charges or money than its limits', () => {
    const charges = fc.array(fc.record({ amount: fc.nat(50), currency: fc.constantFrom('NGN', 'USD') }));
    fc.assert(
      fc.property(charges, fc.nat(10), fc.nat(100), (all, maxCharges, most) => {
        const spent = { rows: 0, amounts: new Map<string, bigint>(), unknown: 0 };
        for (const asked of all) {
          if (forbids(under({ maxCharges, maxAmount: { NGN: most, USD: 7 } }, spent), { asked }) !== undefined)
            continue;
          spent.rows += 1;
          spent.amounts.set(asked.currency, (spent.amounts.get(asked.currency) ?? 0n) + BigInt(asked.amount));
        }
        expect(spent.rows).toBeLessThanOrEqual(maxCharges);
        expect(spent.amounts.get('NGN') ?? 0n).toBeLessThanOrEqual(BigInt(most));
        expect(spent.amounts.get('USD') ?? 0n).toBeLessThanOrEqual(7n);
      }),
    );
  });

  it.each<[Forbidden, boolean]>([
    [{ why: 'charges', most: 3 }, true],
    [{ why: 'unknown_amounts', count: 1 }, true],
    [{ why: 'unapproved', asked: {} }, true],
    [{ why: 'amount', currency: 'NGN', asked: 9, most: 9, left: 8n }, true],
    [{ why: 'amount', currency: 'NGN', asked: 10, most: 9, left: 8n }, false],
    [{ why: 'no_amount' }, false],
    [{ why: 'medium', medium: 'ussd', allowed: [] }, false],
    [{ why: 'currency', currency: 'NGN', allowed: [] }, false],
  ])('is used up for the day after %o: %s', (forbidden, spent) => {
    expect(isSpent(forbidden)).toBe(spent);
  });
});

describe('dayOf', () => {
  it.each([
    ['2026-11-22T00:00:00Z', '2026-11-22T00:00:00Z'],
    ['2026-11-22T23:59:59.999Z', '2026-11-22T00:00:00Z'],
    ['1969-12-31T23:00:00Z', '1969-12-31T00:00:00Z'],
  ])('maps %s to %s', (at, began) => {
    expect(dayOf(Date.parse(at))).toBe(Date.parse(began));
  });
});

const total = (rows: number, amounts: Readonly<Record<string, bigint>>, unknown = 0): Total => ({
  rows,
  amounts: new Map(Object.entries(amounts)),
  unknown,
});

describe('a bulk file', () => {
  it.each<[string, Policy, Total, boolean]>([
    ['without a limit in the policy', { maxCharges: 1 }, total(9, { NGN: 9n }, 9), false],
    ['at the limit', { approveAbove: { NGN: 9 } }, total(3, { NGN: 9n }), false],
    ['above the limit', { approveAbove: { NGN: 9 } }, total(3, { NGN: 10n }), true],
    ['in a currency without a limit', { approveAbove: { NGN: 9 } }, total(1, { USD: 1n }), true],
    ['with a currency named like an object property', { approveAbove: {} }, total(1, { toString: 1n }), true],
    ['with an unknown amount', { approveAbove: { NGN: 9 } }, total(1, {}, 1), true],
    ['without remaining rows', { approveAbove: {} }, total(0, {}), false],
  ])('%s needs approval: %#', (_what, policy, of, needs) => {
    expect(worthOf(policy, undefined, of, 'ada')).toBe(needs ? 'missing' : 'holds');
  });

  const asked = { job: 'job-1', total: total(2, { NGN: 10n }, 1), askedBy: 'ada', askedAt: 0 };
  const approved = { ...asked, approvedBy: 'obi', approvedAt: 1 };

  it.each<[string, Parameters<typeof worthOf>[1], Total, string, ReturnType<typeof worthOf>]>([
    ['not asked for', undefined, total(1, {}, 1), 'ada', 'missing'],
    ['not approved', asked, total(1, {}, 1), 'ada', 'missing'],
    ['approved by another user', approved, asked.total, 'ada', 'holds'],
    ['with less left than approved', approved, total(1, { NGN: 4n }), 'ada', 'holds'],
    ['approved by the runner', approved, asked.total, 'obi', 'own'],
    ['with more rows than approved', approved, total(3, { NGN: 10n }), 'ada', 'outgrown'],
    ['with a higher total than approved', approved, total(2, { NGN: 11n }), 'ada', 'outgrown'],
    ['with another currency than approved', approved, total(2, { NGN: 1n, USD: 1n }), 'ada', 'outgrown'],
    ['with more rows than the runner approved', approved, total(3, { NGN: 10n }), 'obi', 'outgrown'],
    ['with more unknown amounts than approved', approved, total(2, {}, 2), 'ada', 'outgrown'],
  ])('%s: %#', (_what, approval, now, runner, worth) => {
    expect(worthOf({ approveAbove: {} }, approval, now, runner)).toBe(worth);
  });
});

describe('the stored text', () => {
  const policies = fc.record(
    {
      maxCharges: fc.nat(),
      maxAmount: fc.dictionary(fc.constantFrom('NGN', 'USD'), fc.maxSafeNat(), { noNullPrototype: true }),
      mediums: fc.array(fc.constantFrom('ussd', 'bank_transfer')),
      approveAbove: fc.dictionary(fc.constantFrom('NGN', 'USD'), fc.maxSafeNat(), { noNullPrototype: true }),
      maxRefunds: fc.nat(),
      maxRefundAmount: fc.dictionary(fc.constantFrom('NGN', 'USD'), fc.maxSafeNat(), { noNullPrototype: true }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );

  it('of a policy is read back unchanged', () => {
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
    '{"maxRefunds":-1}',
    '{"maxRefundAmount":{"ngn":1}}',
  ])('of a policy with an unknown or invalid limit is an error: %s', (text) => {
    expect(() => readPolicy(text)).toThrow(`the ledger holds a policy that this paycli can't read: ${text}`);
  });

  it("of a newer paycli's policy is a ledger error", async () => {
    const error = await thrownBy(Promise.resolve('{"maxCustomers":3}').then(readPolicy));
    expect(error).toMatchObject({ kind: 'ledger', detail: { hint: 'use the newer paycli that has written it' } });
  });

  it('of a plan is read back for this plan alone', () => {
    const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
    const sealed = sealedText({ digest }, 'plan-1', 'charge NGN 5.00');
    expect(textOfPlan({ digest }, 'plan-1', sealed)).toBe('charge NGN 5.00');
    for (const [plan, text] of [
      ['plan-2', sealed],
      ['plan-1', ''],
    ] as const)
      expect(textOfPlan({ digest }, plan, text)).toBeUndefined();
  });

  it('of amounts is read back unchanged, however large', () => {
    const sums = new Map([
      ['NGN', 2n ** 70n],
      ['USD', 0n],
    ]);
    expect(readAmounts(amountsText(sums))).toEqual(sums);
  });

  it.each(['', '[]', '{"NGN":"-1"}', '{"NGN":"1e3"}', '{"NGN":1}', '{"NGN":"1","USD":"x"}'])(
    'of amounts is an error if it is %s',
    (text) => {
      expect(() => readAmounts(text)).toThrow(`the ledger holds an approval that this paycli can't read: ${text}`);
    },
  );
});

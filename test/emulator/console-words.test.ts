import { describe, expect, test } from 'vitest';
import { faultRules } from '../../src/contract/fault-rule.ts';
import { DIALECTS } from '../../src/core/data-files.ts';
import { findIn, ugwoFilter } from '../../src/emulator/console/find.ts';
import { faultWords, refusedBy, scopeWords } from '../../src/emulator/console/rules.ts';
import { ruleOf, SCOPES, SWITCHES, switchOf } from '../../src/emulator/console/switches.ts';
import { openShop } from './shop.ts';

describe.each(DIALECTS)('why a request was refused, in the %s dialect', (dialect) => {
  test.each([
    ['a broken rule', '/v1/ugwo', { amount: 1, currency: 'NGN' }, ['amount: should be at least 20000']],
    ['two broken rules', '/v1/ugwo', {}, [expect.stringMatching(/^amount: /), expect.stringMatching(/^currency: /)]],
    [
      'a rule with a code',
      '/v1/ugwo/ugw.Lcal.nothing/activities',
      { type: 'charge', data: { medium: 'bank_transfer' } },
      ['ugwo.error.not_found: no payment request has this identifier'],
    ],
  ])('%s', async (_what, path, body, words) => {
    const { post } = await openShop({ dialect });
    const { status, text } = await post(path, body);
    expect(refusedBy({ status, text })).toEqual(words);
  });

  test('a paid payment request takes no further charge', async () => {
    const { paid, charge } = await openShop({ dialect });
    const { status, text } = await charge((await paid()).ugwo);
    expect(refusedBy({ status, text })).toEqual([
      'ugwo_processed: a payment request that is paid takes no further charge',
    ]);
  });
});

test('what was not refused, or can’t be read, has no broken rule', () => {
  expect(refusedBy({ status: 200, text: '{"message":"x"}' })).toEqual([]);
  expect(refusedBy({ status: 500, text: 'no JSON' })).toEqual(['']);
});

test.each([
  [{ reset: true, when: 'after' }, 'connection reset, after it was executed'],
  [{ status: 429, retry_after: 2 }, 'answered with 429, Retry-After: 2, in place of executing it'],
  [{ delay: '5s', status: 500 }, '5s late, answered with 500, in place of executing it'],
  [{ delay: '5s' }, '5s late'],
  [{ cut: 10 }, 'answer cut off behind 10 bytes'],
  [{ bad_json: true }, 'answer that is not JSON'],
  [{ event: '*', twice: true }, 'sent twice'],
  [{ event: '*', late: '10m' }, 'sent 10m late'],
  [{ event: '*', signature: 'none' }, 'no signature'],
  [{ event: '*', cut: 3 }, 'cut off behind 3 bytes'],
  [{ event: '*', slow: '5s' }, 'takes 5s to be sent'],
  [{ event: '*', never: true }, 'never sent'],
])('the fault %j: %s', (rule, words) => {
  const { rules } = faultRules().parse({ rules: [rule] });
  expect(rules.map(faultWords)).toEqual([words]);
});

test.each([
  [{ reset: true }, 'any method on any path'],
  [{ method: 'POST', path: '/v1/ugwo', times: 1, reset: true }, 'POST /v1/ugwo, once'],
  [{ share: 0.5, times: 3, reset: true }, 'any method on any path, a share of 0.5, 3 times'],
  [{ event: 'ugwo.*', twice: true }, 'event ugwo.*'],
])('the fault %j is for %s', (rule, words) => {
  const { rules } = faultRules().parse({ rules: [rule] });
  expect(rules.map(scopeWords)).toEqual([words]);
});

describe.each(SWITCHES)('the switch $name', (one) => {
  test.each(Object.keys(SCOPES[one.kind]))('is a rule for %s, and known again by it', (scope) => {
    for (const once of [true, false]) {
      const { rules } = faultRules().parse({ rules: [ruleOf(one, scope, once)] });
      expect(rules.map(switchOf)).toEqual([one]);
    }
  });

  test('is for nothing else', () => {
    for (const scope of ['', 'nothing', 'constructor']) expect(ruleOf(one, scope, false)).toBeUndefined();
  });
});

test('another rule is no switch', () => {
  expect([{ status: 418 }, { event: '*', slow: '1s' } as const].map((rule) => switchOf(rule))).toEqual([
    undefined,
    undefined,
  ]);
});

describe('a search', () => {
  const records = Array.from({ length: 12_000 }, (_, index) => ({ position: 12_000 - index, record: index }));
  const before = (position = Number.POSITIVE_INFINITY, count: number) => {
    const from = records.findIndex((one) => one.position < position);
    return from === -1 ? [] : records.slice(from, from + count);
  };

  test('gives 25 at a time, and where it goes on', () => {
    const first = findIn(before, undefined, () => true);
    expect(first).toMatchObject({ looked: 25, next: 11_976 });
    expect(findIn(before, first.next, () => true).records[0]).toBe(25);
  });

  test('looks at 5,000 records, says so, and goes on behind them', () => {
    const isLast = (record: number): boolean => record === 11_999;
    const first = findIn(before, undefined, isLast);
    expect(first).toEqual({ records: [], next: 7001, looked: 5000 });
    const second = findIn(before, first.next, isLast);
    expect(second).toMatchObject({ looked: 5000, next: 2001 });
    expect(findIn(before, second.next, isLast)).toEqual({ records: [11_999], next: undefined, looked: 2000 });
  });

  test('ends where the list does', () => {
    expect(findIn(before, 26, () => true)).toMatchObject({ next: undefined, looked: 25 });
    expect(
      findIn(
        () => [],
        undefined,
        () => true,
      ),
    ).toEqual({ records: [], next: undefined, looked: 0 });
  });

  test.each([
    ['ada INV-7', '', true],
    ['ada inv-8', '', false],
    ['5,000.00', '', true],
    ['not paid', '', true],
    ['', 'requires_ugwo', true],
    ['ada', 'cancelled', false],
    ['window', '', true],
  ])('for %j in state %j fits: %s', (words, status, fits) => {
    const ugwo = {
      uid: 'ugw.Lcal.abc',
      amount: 500_000,
      currency: 'NGN',
      status: 'requires_ugwo',
      ref: 'INV-7',
      metadata: { place: 'by the Window' },
      onye: { uid: 'ony.Lcal.x', email: 'ada@example.com', first_name: 'Ada', last_name: 'Obi' },
    };
    expect(ugwoFilter(words, status)(ugwo as never)).toBe(fits);
  });
});

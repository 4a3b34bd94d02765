import { expect, it } from 'vitest';
import { findOutStep, paidTwiceText, refundWords } from '../../src/charge/words.ts';
import { CHARGE, REFUND } from '../../src/core/charge.ts';

it.each([
  [CHARGE, '`paycli ledger sync id`'],
  [REFUND, '`paycli ledger resolve id --as created`'],
])('names the command that finds out about an unknown %s', (kind, line) => {
  expect(findOutStep('id', kind)).toContain(line);
});

it.each([
  [19_999, undefined],
  [20_000, '200.00'],
  [123_456_789, '1234567.89'],
])('a refund of %i kobo is made with the amount %s', (minor, amount) => {
  expect(refundWords('ugw.a', 'act.a', minor, 'NGN')?.at(-1)).toBe(amount);
});

it('what came too much is paid back activity by activity, in the same profile', () => {
  const surplus = [
    { activity: 'act.a', amount: 90_000 },
    { activity: 'act.b', amount: 30_000 },
  ];
  const place = { profile: 'shop', local: false, baseUrl: undefined };
  const text = paidTwiceText('ugw.a', { asked: 90_000, excess: 120_000, isPaidTwice: true, surplus }, 'NGN', place);
  expect(text).toBe(
    'paid twice: NGN 1,200.00 too much came; pay it back with: paycli refund create act.a --ugwo ugw.a --amount 900.00 --profile shop ' +
      'and paycli refund create act.b --ugwo ugw.a --amount 300.00 --profile shop',
  );
});

import { describe, expect, it } from 'vitest';
import { type Forbidden, OTHERS } from '../../src/ledger/policy.ts';
import { policyWords, refusedError } from '../../src/ledger/refused.ts';
import { charge, momentAt, NOON } from './support/charges.ts';

const command = (...words: readonly string[]): string => words.join(' ');
const TOMORROW = 'the next day begins at 00:00 UTC';
const amount = (asked: number, left: bigint): Forbidden => ({ why: 'amount', currency: 'NGN', asked, most: 900, left });

describe('a policy says', () => {
  it.each<[Forbidden, string, string]>([
    [{ why: 'medium', medium: 'ussd', allowed: ['a', 'b'] }, "doesn't allow ussd", 'it allows: a, b'],
    [{ why: 'medium', medium: 'ussd', allowed: [] }, "doesn't allow ussd", 'it allows: none'],
    [{ why: 'charges', most: 3 }, 'allows 3 a day, and all of them are used today', TOMORROW],
    [{ why: 'currency', currency: 'USD', allowed: ['NGN'] }, "doesn't allow USD", 'it has amounts for: NGN'],
    [
      { why: 'no_amount' },
      'limits amounts, and the amount of this charge is not known',
      'leave out --no-preflight, which skips the look that shows it',
    ],
    [
      { why: 'unknown_amounts', count: 2 },
      'limits amounts, and those of 2 charges of today are not known',
      `\`paycli ledger sync\` with their ids finds out; ${TOMORROW}`,
    ],
    [amount(300, 200n), 'allows NGN 9.00 a day; NGN 2.00 is left today, and this charge is NGN 3.00', TOMORROW],
    [amount(900, 0n), 'allows NGN 9.00 a day; nothing is left today, and this charge is NGN 9.00', TOMORROW],
    [
      amount(901, -1n),
      'allows NGN 9.00 a day; nothing is left today, and this charge is NGN 9.01',
      'it is more than a whole day allows',
    ],
  ])('why it forbids a charge, and what to do: %o', (forbidden, what, hint) => {
    expect(policyWords({ profile: 'shop', forbidden }, command)).toEqual([
      `the policy of profile shop ${what}`,
      `${hint}. See policy show; --again doesn't override this`,
    ]);
  });

  it('that it holds for all others, where it is theirs', () => {
    expect(policyWords({ profile: OTHERS, forbidden: { why: 'charges', most: 1 } }, command)).toEqual([
      'the policy for all other profiles allows 1 a day, and all of them are used today',
      `${TOMORROW}. See policy show --others; --again doesn't override this`,
    ]);
  });

  it.each<[Forbidden, true | undefined]>([
    [{ why: 'charges', most: 1 }, true],
    [{ why: 'no_amount' }, undefined],
  ])('whether anything more is let through today: %o', (forbidden, spent) => {
    const obstacle = {
      why: 'policy',
      by: undefined,
      activity: undefined,
      policy: { profile: 'shop', forbidden },
    } as const;
    const refused = { kind: 'refused', intent: charge(), moment: momentAt(NOON), ...obstacle } as const;
    expect(refusedError(refused, ['--profile', 'shop'], false).detail).toMatchObject({
      hint: expect.stringContaining('See `paycli policy show --profile shop`'),
      ...(spent === undefined ? {} : { spent }),
    });
    expect(refusedError(refused, [], false).detail.spent).toBe(spent);
  });
});

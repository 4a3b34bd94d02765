import { describe, expect, it } from 'vitest';
import type { RefusalReason } from '../../src/charge/refusals.ts';
import { refusedError } from '../../src/charge/refused.ts';
import { formatLocal } from '../../src/core/time.ts';
import type { Charge, KeptActivity } from '../../src/ledger/entry.ts';
import type { Refused } from '../../src/ledger/ledger.ts';
import { type Forbidden, OTHER_PROFILES } from '../../src/ledger/policy.ts';
import { account, charge, MINUTE, momentAt, NOON } from '../ledger/support/charges.ts';

const UGWO = charge().about;
const ID = charge().id;
const ACT = account().uid;
const NOW = momentAt(NOON + MINUTE);
const LOOK = `\`paycli activity get ${UGWO} ${ACT}\``;
const GET = `\`paycli ugwo get ${UGWO}\``;
const NEW = 'for another payment, make a new payment request';
const DIAL = { type: 'user_action', headers: { ussd: '*737#' } };
const ASKED = { amount: 90_000, currency: 'NGN', ref: undefined, customer: undefined };
const SHOW = `\`paycli ledger show ${ID}\``;

interface Given extends Pick<Refused, 'left' | 'missing'> {
  readonly asked?: Charge['asked'];
  readonly by?: Charge | undefined;
  readonly activity?: KeptActivity | undefined;
  readonly same?: boolean;
}

/** The message without the payment request's id, and the hint. */
const said = (
  why: RefusalReason,
  { same = false, by, activity, asked = ASKED, ...more }: Given,
): [message: string, hint: string | undefined] => {
  const error = refusedError(
    { kind: 'refused', intent: charge({ asked }), moment: NOW, why, by, activity, ...more },
    same,
  );
  return [error.message.replace(`${UGWO} was not charged: `, ''), error.detail.hint];
};

const dialled = charge({ medium: 'ussd', provider: 'gtb', activity: undefined });
const mobile = charge({ medium: 'mobile_money', provider: 'mtn', phone: '…4567' });
const waiting = account({ nextAction: null });

describe('refusedError', () => {
  it.each<[RefusalReason, Given, string, string]>([
    [
      'unresolved',
      { by: dialled },
      `an earlier charge (by ussd (gtb), ${ID}) may have been made; its result is unknown`,
      `find out: \`paycli ledger sync ${ID}\`; --again doesn't override this`,
    ],
    [
      'in_progress',
      { by: mobile },
      `another paycli process is charging it right now (by mobile_money (mtn, …4567), ${ID})`,
      `wait for it, then check: ${SHOW}`,
    ],
    [
      'payable',
      { by: charge(), activity: waiting },
      `an earlier charge (by bank_transfer, ${ID}, ${ACT}) is still under way`,
      `check its status: ${LOOK}; --again makes a second charge`,
    ],
    [
      'payable',
      { by: charge(), activity: account({ nextAction: { type: 'pruned' } }) },
      `an earlier charge (by bank_transfer, ${ID}, ${ACT}) is still under way\n` +
        'its account number was removed by `paycli ledger prune`',
      `check its status: ${LOOK}; --again makes a second charge`,
    ],
    [
      'payable',
      { by: dialled, activity: account({ nextAction: DIAL }), left: 29 * MINUTE },
      `an earlier charge (by ussd (gtb), ${ID}, ${ACT}) can still be paid\ndial *737#`,
      `give these details to the customer; --again makes a second charge. Check its status: ${LOOK}`,
    ],
    ...[false, true].map((same): [RefusalReason, Given, string, string] => [
      'payable',
      { by: charge(), activity: account(), same },
      `an earlier charge (by bank_transfer, ${ID}, ${ACT}) can still be paid\n` +
        `Wema Bank, Ada\naccount number 0123456789, until ${formatLocal(NOON + 15 * MINUTE, NOW.at)}`,
      `give these details to the customer${same ? ' (--reuse prints them again, exit 0)' : ''}; ` +
        `--again makes a second charge. Check its status: ${LOOK}`,
    ]),
    [
      'payable',
      { activity: { ...waiting, uid: '', nextAction: undefined } },
      'an earlier charge (not from this ledger) is still under way',
      `check its status: ${GET}; --again makes a second charge`,
    ],
    [
      'unseen',
      { by: charge(), activity: account() },
      `the account of an earlier charge (by bank_transfer, ${ID}, ${ACT}) has expired, but may have been paid in time`,
      `check its status: ${LOOK}, then run the same command again; --again makes a second charge`,
    ],
    [
      'unseen',
      { by: charge(), activity: account(), same: true },
      `the account of an earlier charge (by bank_transfer, ${ID}, ${ACT}) has expired, but may have been paid in time`,
      `check its status: ${LOOK}, then run the same command again; --reuse does both, --again makes a second charge`,
    ],
    [
      'done',
      { by: charge({ row: 3 }), activity: account() },
      `row 3 of this file is already charged (by bank_transfer, ${ID}, ${ACT})`,
      `see ${SHOW}`,
    ],
    [
      'done',
      { by: charge({ job: 'job-1', row: 3 }), activity: account() },
      `row 3 of this file is already charged (by bank_transfer, ${ID}, ${ACT})`,
      `see ${SHOW}`,
    ],
    ['paid', {}, 'it is already paid', `see ${GET}; ${NEW}`],
    [
      'paid',
      { activity: account() },
      `it is already paid (${ACT}, not from this ledger)`,
      `see ${LOOK}; --reuse prints the payment; ${NEW}`,
    ],
    [
      'paid',
      { by: charge({ activity: undefined }) },
      `it is already paid (by bank_transfer, ${ID})`,
      `see ${GET}; ${NEW}`,
    ],
    ['refunded', {}, 'it was paid and refunded', `see ${GET}; ${NEW}`],
    [
      'underpaid',
      { missing: 50_000 },
      'it is paid in part: NGN 500.00 is missing',
      `charge what is missing with --remaining; see ${GET}`,
    ],
    [
      'underpaid',
      { missing: 50_000, by: charge({ asked: { ...ASKED, currency: 'USD' } }) },
      'it is paid in part: NGN 500.00 is missing',
      `charge what is missing with --remaining; see ${GET}`,
    ],
    [
      'underpaid',
      { missing: 50_000, asked: {}, by: charge({ asked: { ...ASKED, currency: 'USD' } }) },
      'it is paid in part: USD 500.00 is missing',
      `charge what is missing with --remaining; see ${GET}`,
    ],
    ['underpaid', {}, 'it is paid in part', `charge what is missing with --remaining; see ${GET}`],
    [
      'not_underpaid',
      {},
      '--remaining charges what is missing after a part was paid, and the service shows no such part',
      `see ${GET}`,
    ],
    [
      'processing',
      {},
      'a payment is under way (its status is processing), and no charge that paycli knows of explains it',
      `see ${GET}; --again makes a second charge`,
    ],
    [
      'other_medium',
      { by: dialled, activity: waiting },
      `an earlier charge by another medium (by ussd (gtb), ${ID}, ${ACT}) is still under way`,
      `check its status: ${LOOK}; --again makes a second charge, and the customer may pay both`,
    ],
    [
      'other_medium',
      { by: dialled, activity: account({ nextAction: DIAL }), left: 29 * MINUTE },
      `an earlier charge by another medium (by ussd (gtb), ${ID}, ${ACT}) can still be paid\n` +
        `dial *737#, open until ${formatLocal(NOON + 30 * MINUTE, NOW.at)}`,
      `check its status: ${LOOK}; --again makes a second charge, and the customer may pay both`,
    ],
    [
      'other_medium',
      { activity: account() },
      `an earlier charge by another medium (${ACT}, not from this ledger) can still be paid\n` +
        `Wema Bank, Ada\naccount number 0123456789, until ${formatLocal(NOON + 15 * MINUTE, NOW.at)}`,
      `check its status: ${LOOK}; --again makes a second charge, and the customer may pay both`,
    ],
    ['cancelled', {}, 'it is cancelled', `see ${GET}; --again doesn't override this`],
  ])('explains %s: %#', (why, given, message, hint) => {
    expect(said(why, given)).toEqual([message, hint]);
  });
});

const PUSH = 'push it: `paycli ledger push`, then run the same command again';
const USE = 'use that ledger for it';
const AGAIN = '; --again charges it all the same';

it.each<[RefusalReason, boolean, string, string]>([
  ['unresolved', false, 'may have been made', `${USE}${AGAIN}`],
  ['unresolved', true, 'may have been made', PUSH],
  ['in_progress', false, 'may have been made', `${USE}${AGAIN}`],
  ['done', true, 'was made', PUSH],
  ['payable', true, 'was made', `${PUSH}${AGAIN}`],
])('refusedError says what is known of a charge in another ledger: %s, pushable: %s', (why, pushable, what, hint) => {
  const ledger = { name: 'a ledger', pushable };
  const { message, detail } = refusedError(
    { kind: 'refused', intent: charge(), moment: NOW, why, by: dialled, activity: undefined, ledger },
    false,
  );
  const place = 'with a ledger, which is not in use now';
  expect(message).toContain(`an earlier charge (by ussd (gtb), ${ID}) ${what} ${place}`);
  // No sync here finds out about it.
  expect(detail).toEqual({ hint, reason: `made before ${place}`, ledgerId: ID });
});

it.each<[RefusalReason, object]>([
  ['unresolved', { unresolved: true }],
  ['in_progress', {}],
  ['payable', { again: true }],
  ['underpaid', {}],
  ['other_medium', { again: true }],
])('refusedError marks what lets a charge pass: %s', (why, marks) => {
  const { again, unresolved } = refusedError(
    { kind: 'refused', intent: charge(), moment: NOW, why, by: dialled, activity: undefined },
    false,
  ).detail;
  expect({ again, unresolved }).toEqual({ again: undefined, unresolved: undefined, ...marks });
});

describe('usableLines', () => {
  const behind = charge({ told: { ...momentAt(NOON), service: NOON - MINUTE } });
  const of = (nextAction: unknown): readonly string[] =>
    said('payable', { by: behind, activity: account({ nextAction }) })[0]
      .split('\n')
      .slice(1);
  const headers = (some: object): object => ({
    type: 'user_action',
    headers: { account_number: '0123456789', ...some },
  });

  it.each<[string, unknown, readonly string[]]>([
    ['a dial string', { type: 'user_action', headers: { ussd: '*737#' } }, ['dial *737#']],
    ['an instruction', { type: 'prompt', instruction: 'Approve it' }, ['Approve it']],
    ['unreadable instructions', { type: 'prompt', headers: { x: 1 } }, []],
    ['nothing', [], []],
    ['an account without a name', headers({}), ['account number 0123456789']],
    ['an account with a bank', headers({ bank_name: 'Wema Bank' }), ['Wema Bank', 'account number 0123456789']],
    [
      'an account with both',
      headers({ bank_name: 'Wema Bank', account_name: 'Ada' }),
      ['Wema Bank, Ada', 'account number 0123456789'],
    ],
    [
      'an expiry as the service wrote it, however far its clock is off',
      headers({ expires_at: new Date(NOON + 15 * MINUTE).toISOString() }),
      [`account number 0123456789, until ${formatLocal(NOON + 15 * MINUTE, NOW.at)}`],
    ],
  ])('shows %s', (_what, action, lines) => {
    expect(of(action)).toEqual(lines);
  });
});

it('refusedError contains the charge and its activity for programs', () => {
  const refusal = { kind: 'refused', why: 'payable', intent: charge(), moment: NOW } as const;
  const { kind, detail } = refusedError({ ...refusal, by: charge(), activity: account() }, true);
  expect([kind, detail.ledgerId, JSON.parse(detail.activity ?? '')]).toMatchObject(['refused', ID, { uid: ACT }]);
  expect(refusedError({ ...refusal, by: charge(), activity: undefined }, true).detail).not.toHaveProperty('activity');
});

const TOMORROW = 'the next day begins at 00:00 UTC';
const amount = (asked: number, left: bigint): Forbidden => ({ why: 'amount', currency: 'NGN', asked, most: 900, left });

/** The message and the hint for a charge or a refund that a policy forbids. */
const forbiddenWords = (
  forbidden: Forbidden,
  kind = 'charge',
  profile = 'shop',
): readonly [message: string, hint: string | undefined] => {
  const asked = { ...charge({ asked: ASKED }), kind };
  const refused = {
    kind: 'refused',
    intent: asked,
    moment: NOW,
    why: 'policy',
    policy: { profile, forbidden },
  } as const;
  const { message, detail } = refusedError({ ...refused, by: undefined, activity: undefined }, false);
  return [message.slice(message.indexOf(': ') + 2), detail.hint];
};

describe('a refusal by a policy', () => {
  it.each<[Forbidden, string, string]>([
    [{ why: 'medium', medium: 'ussd', allowed: ['a', 'b'] }, "doesn't allow ussd", 'it allows: a, b'],
    [{ why: 'medium', medium: 'ussd', allowed: [] }, "doesn't allow ussd", 'it allows: none'],
    [{ why: 'charges', most: 3 }, 'limits charges to 3 a day, and all of them are used today', TOMORROW],
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
  ])('explains the forbidden charge and the next step: %o', (forbidden, what, hint) => {
    expect(forbiddenWords(forbidden)).toEqual([
      `the policy of profile shop ${what}`,
      `${hint}. See \`paycli policy show\`; --again doesn't override this`,
    ]);
  });

  it.each<[Forbidden, string, string]>([
    [{ why: 'charges', most: 3 }, 'limits refunds to 3 a day, and all of them are used today', TOMORROW],
    [
      { why: 'no_amount' },
      'limits amounts, and the amount of this refund is not known',
      'give its payment request (--ugwo, or the column ugwo), which shows it',
    ],
    [{ why: 'unknown_amounts', count: 2 }, 'limits amounts, and those of 2 refunds of today are not known', TOMORROW],
    [
      amount(300, 200n),
      'allows NGN 9.00 of refunds a day; NGN 2.00 is left today, and this refund is NGN 3.00',
      TOMORROW,
    ],
  ])('explains the forbidden refund and the next step: %o', (forbidden, what, hint) => {
    expect(forbiddenWords(forbidden, 'refund')).toEqual([
      `the policy of profile shop ${what}`,
      `${hint}. See \`paycli policy show\`; --again doesn't override this`,
    ]);
  });

  it('names the policy of all other profiles', () => {
    expect(forbiddenWords({ why: 'charges', most: 1 }, 'charge', OTHER_PROFILES)).toEqual([
      'the policy for all other profiles limits charges to 1 a day, and all of them are used today',
      `${TOMORROW}. See \`paycli policy show --others\`; --again doesn't override this`,
    ]);
  });

  it.each<[Forbidden, true | undefined]>([
    [{ why: 'charges', most: 1 }, true],
    [{ why: 'no_amount' }, undefined],
  ])('marks a limit that stops all charges of the day: %o', (forbidden, spent) => {
    const obstacle = {
      why: 'policy',
      by: undefined,
      activity: undefined,
      policy: { profile: 'shop', forbidden },
    } as const;
    const refused = { kind: 'refused', intent: charge(), moment: momentAt(NOON), ...obstacle } as const;
    expect(refusedError(refused, false).detail).toMatchObject({
      hint: expect.stringContaining('See `paycli policy show`'),
      ...(spent === undefined ? {} : { spent }),
    });
    expect(refusedError(refused, false).detail.spent).toBe(spent);
  });
});

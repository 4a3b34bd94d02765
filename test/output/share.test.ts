import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NextAction, readNextAction } from '../../src/core/charge.ts';
import { formatAnywhere } from '../../src/core/time.ts';
import { shareMessage } from '../../src/output/share.ts';
import { ANY_CHARACTER } from '../support/text.ts';
import { NOW } from './support.ts';

const EXPIRES = NOW + 12 * 60_000;
const TRANSFER = {
  kind: 'transfer',
  instruction: 'Transfer the exact amount before it expires',
  bank: 'Wema Bank',
  accountName: 'KWUGWO / ADAOBI EZE',
  accountNumber: '0123456789',
  expiresAt: EXPIRES,
  entries: [['reference', 'K-77']],
} as const satisfies NextAction;
const DIAL = { kind: 'dial', instruction: undefined, code: '*737*1#', entries: [] } as const satisfies NextAction;

const open = { uid: 'act.A.b', status: 'requires_action' };
const message = (action: NextAction | undefined, value: unknown = open, amount?: string) =>
  shareMessage({ value, action, amount, now: NOW });

describe('a message to a customer', () => {
  it("contains the service's text, and an expiry with a time zone", () => {
    expect(message(TRANSFER, open, 'NGN 5,000.00')).toEqual({
      text: [
        'Transfer the exact amount before it expires',
        '',
        'Amount: NGN 5,000.00',
        'Bank: Wema Bank',
        'Account name: KWUGWO / ADAOBI EZE',
        'Account number: 0123456789',
        `Expires: ${formatAnywhere(EXPIRES)}`,
        'reference: K-77',
      ].join('\n'),
    });
    expect(formatAnywhere(EXPIRES)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d \(UTC[+-]\d\d:\d\d\)$/);
  });

  it('contains a dial string or the instruction', () => {
    expect(message(DIAL)).toEqual({ text: 'Dial: *737*1#' });
    expect(message({ kind: 'other', type: 'x', instruction: 'Approve it', entries: [] })).toEqual({
      text: 'Approve it',
    });
  });

  it.each<[string, unknown, NextAction | undefined, string]>([
    ['is paid', { ...open, status: 'successful' }, TRANSFER, 'act.A.b is paid'],
    ['has failed', { ...open, status: ['failed', 'Failed'] }, DIAL, 'act.A.b is failed'],
    [
      'has no next action',
      { ...open, status: 'processing' },
      undefined,
      'act.A.b asks nothing of the customer (processing)',
    ],
    ['lacks a bank', open, { ...TRANSFER, bank: '' }, 'the service sent no bank'],
    ['has expired', open, { ...TRANSFER, expiresAt: NOW }, `the account expired at ${formatAnywhere(NOW)}`],
    [
      'has no instruction',
      open,
      { kind: 'other', type: 'x', instruction: undefined, entries: [] },
      'the service did not say what to do',
    ],
  ])('is not created if the activity %s', (_, value, action, why) => {
    expect(message(action, value)).toEqual({ why });
  });

  it('contains no hidden characters', () => {
    const anything = fc.record({
      status: fc.constantFrom('requires_action', 'new'),
      next_action: fc.record({ instruction: fc.string({ unit: ANY_CHARACTER }), headers: fc.jsonValue() }),
    });
    fc.assert(
      fc.property(anything, (value) => {
        const made = message(readNextAction(value), value, undefined);
        expect('text' in made ? made.text : made.why).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}\u202e]/u);
      }),
      { numRuns: 40 },
    );
  });
});

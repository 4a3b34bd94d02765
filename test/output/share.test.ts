import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NextAction, readNextAction } from '../../src/core/charge.ts';
import type { View } from '../../src/core/result.ts';
import { formatAnywhere } from '../../src/core/time.ts';
import { sharedRecord } from '../../src/output/share.ts';
import { ANY_CHARACTER } from '../support/text.ts';
import { NOW, pipe, received, recordOf } from './support.ts';

const EXPIRES = NOW + 12 * 60_000;
const TRANSFER = {
  kind: 'transfer',
  instruction: 'Transfer the exact amount before it expires',
  bank: 'Wema Bank',
  accountName: 'KWUGWO / ADAOBI EZE',
  accountNumber: '0123456789',
  expiresAt: EXPIRES,
  headers: { reference: 'K-77' },
} as const satisfies NextAction;
const DIAL = { kind: 'dial', instruction: undefined, code: '*737*1#', headers: {} } as const satisfies NextAction;

const open = { uid: 'act.A.b', status: 'requires_action' };
const AMOUNT = { amount: 500_000, currency: 'NGN' };
/** The message that is printed, or the reason why there is none. */
const message = async (action: NextAction | undefined, value: object = open) => {
  const io = pipe();
  const view: View = {
    columns: [
      { path: 'amount', kind: 'money' },
      { path: 'currency', machineOnly: true },
    ],
    nextAction: () => action,
  };
  const [why] = await sharedRecord(recordOf(value), view, { share: true, copy: false }, io);
  return why === undefined ? { text: io.stdout.text } : { why };
};

describe('a message to a customer', () => {
  it("contains the service's text, and an expiry with a time zone", async () => {
    expect(await message(TRANSFER, { ...open, ...AMOUNT })).toEqual({
      text: `${[
        'Transfer the exact amount before it expires',
        '',
        'Amount: NGN 5,000.00',
        'Bank: Wema Bank',
        'Account name: KWUGWO / ADAOBI EZE',
        'Account number: 0123456789',
        `Expires: ${formatAnywhere(EXPIRES)}`,
        'reference: K-77',
      ].join('\n')}\n`,
    });
    expect(formatAnywhere(EXPIRES)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d \(UTC[+-]\d\d:\d\d\)$/);
  });

  it('contains a dial string or the instruction', async () => {
    expect(await message(DIAL)).toEqual({ text: 'Dial: *737*1#\n' });
    expect(await message({ kind: 'other', type: 'x', instruction: 'Approve it', headers: {} })).toEqual({
      text: 'Approve it\n',
    });
  });

  it.each<[string, object, NextAction | undefined, string]>([
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
      { kind: 'other', type: 'x', instruction: undefined, headers: {} },
      'the service did not say what to do',
    ],
  ])('is not created if the activity %s', async (_, value, action, why) => {
    expect(await message(action, value)).toEqual({ why: `Nothing to send to the customer: ${why}.` });
  });

  it('has the digits of a number as the service wrote them', async () => {
    const view: View = { columns: [], nextAction: readNextAction };
    const number =
      '{"type":"bank_transfer","headers":{"bank_name":"Wema Bank","account_name":"ADA","account_number":12345678901234567890}}';
    const record = received(`{"uid":"act.A.b","status":"requires_action","next_action":${number}}`);
    const io = pipe();
    expect(await sharedRecord(record, view, { share: true, copy: false }, io)).toEqual([]);
    expect(io.stdout.text).toContain('12345678901234567890');
  });

  it('contains no hidden characters', async () => {
    const anything = fc.record({
      status: fc.constantFrom('requires_action', 'new'),
      next_action: fc.record({ instruction: fc.string({ unit: ANY_CHARACTER }), headers: fc.jsonValue() }),
    });
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        const made = await message(readNextAction(value), value);
        expect(made.text ?? made.why).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}\u202e]/u);
      }),
      { numRuns: 40 },
    );
  });
});

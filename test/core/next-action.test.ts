import { describe, expect, it } from 'vitest';
import { readNextAction } from '../../src/core/next-action.ts';

const account = {
  bank_name: 'Wema Bank',
  account_name: 'ADA LOVELACE',
  account_number: '0123456789',
  expires_at: '2026-11-20T14:05:00+01:00',
};
const activity = (headers: unknown, rest: object = {}): unknown => ({
  uid: 'act.Kw9a.8Zp3',
  next_action: { type: 'user_action', instruction: 'Do this', headers, ...rest },
});

describe('readNextAction', () => {
  it('reads an account to transfer to, with the moment it closes', () => {
    expect(readNextAction(activity(account))).toEqual({
      kind: 'transfer',
      instruction: 'Do this',
      bank: 'Wema Bank',
      accountName: 'ADA LOVELACE',
      accountNumber: '0123456789',
      expiresAt: Date.UTC(2026, 10, 20, 13, 5),
      entries: [],
    });
  });

  it('keeps what else the service says for the customer', () => {
    expect(readNextAction(activity({ ...account, amount: 'NGN 5,000.00', n: 1 }))).toMatchObject({
      entries: [
        ['amount', 'NGN 5,000.00'],
        ['n', '1'],
      ],
    });
    expect(readNextAction(activity({ ussd: '*1#', session: '77' }))).toMatchObject({ entries: [['session', '77']] });
  });

  it('reads a code to dial', () => {
    expect(readNextAction(activity({ ussd: '*737*000*1234#' }))).toEqual({
      kind: 'dial',
      instruction: 'Do this',
      code: '*737*000*1234#',
      entries: [],
    });
  });

  it('passes on whatever else there is, value by value, in its order', () => {
    const headers = JSON.parse('{"url":"https://pay.example","amount":5,"more":{"a":[1]},"none":null,"__proto__":"x"}');
    expect(readNextAction(activity(headers, { type: 'redirect' }))).toEqual({
      kind: 'other',
      type: 'redirect',
      instruction: 'Do this',
      entries: [
        ['url', 'https://pay.example'],
        ['amount', '5'],
        ['more', '{"a":[1]}'],
        ['none', 'null'],
        ['__proto__', 'x'],
      ],
    });
  });

  it.each([
    ['there is no activity', null],
    ['the activity is a text', 'act.Kw9a.8Zp3'],
    ['the activity has no such field', { uid: 'act.Kw9a.8Zp3' }],
    ['the field is null', { next_action: null }],
    ['the action has no type', { next_action: { headers: account } }],
    ['the type is empty', { next_action: { type: '', headers: account } }],
    ['the type is no text', { next_action: { type: 1, headers: account } }],
    ['the action is inherited, not sent', Object.create({ next_action: { type: 'user_action' } })],
  ])('finds nothing to do where %s', (_what, given) => {
    expect(readNextAction(given)).toBeUndefined();
  });

  it.each([
    ['no headers', undefined],
    ['null for headers', null],
    ['a text for headers', 'account_number'],
    ['empty headers', {}],
  ])('still says that there is something to do with %s', (_what, headers) => {
    expect(readNextAction(activity(headers))).toEqual({
      kind: 'other',
      type: 'user_action',
      instruction: 'Do this',
      entries: [],
    });
  });

  it.each([
    ['is missing', undefined],
    ['is null', null],
    ['is empty', ''],
    ['is no text', 7],
  ])('has no instruction where it %s', (_what, instruction) => {
    expect(readNextAction(activity({ ussd: '*737#' }, { instruction }))).toHaveProperty('instruction', undefined);
    expect(readNextAction(activity(account, { instruction }))).toHaveProperty('instruction', undefined);
    expect(readNextAction(activity({}, { instruction }))).toHaveProperty('instruction', undefined);
  });

  it.each([
    ['missing', undefined],
    ['no text', 1_795_179_900],
    ['not an instant', 'in 15 minutes'],
    ['without an offset', '2026-11-20T14:05:00'],
  ])('knows no closing moment where it is %s', (_what, expires_at) => {
    expect(readNextAction(activity({ ...account, expires_at }))).toHaveProperty('expiresAt', undefined);
  });

  it('leaves the names of bank and holder empty where they are missing, and keeps the number', () => {
    expect(readNextAction(activity({ account_number: '0123456789' }))).toEqual({
      kind: 'transfer',
      instruction: 'Do this',
      bank: '',
      accountName: '',
      accountNumber: '0123456789',
      expiresAt: undefined,
      entries: [],
    });
  });

  it.each([
    ['an empty dial string', { ussd: '' }, [['ussd', '']]],
    ['an account number that is a number', { account_number: 123456789 }, [['account_number', '123456789']]],
  ])('makes no instruction to pay of %s', (_what, headers, entries) => {
    expect(readNextAction(activity(headers))).toMatchObject({ kind: 'other', entries });
  });
});

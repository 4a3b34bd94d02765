import { describe, expect, it } from 'vitest';
import { incompleteText, otherEntries, readNextAction } from '../../src/core/charge.ts';
import { NumberText } from '../../src/core/json.ts';

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

/** A next action with its other members in place of all headers. */
const shown = (value: unknown) => {
  const action = readNextAction(value);
  if (action === undefined) return undefined;
  const { headers: _all, ...read } = action;
  return { ...read, entries: otherEntries(action) };
};

describe('readNextAction', () => {
  it('reads an account with its expiry', () => {
    expect(shown(activity(account))).toEqual({
      kind: 'transfer',
      instruction: 'Do this',
      bank: 'Wema Bank',
      accountName: 'ADA LOVELACE',
      accountNumber: '0123456789',
      expiresAt: Date.UTC(2026, 10, 20, 13, 5),
      entries: [],
    });
  });

  it('keeps the other values for the customer', () => {
    expect(shown(activity({ ...account, amount: 'NGN 5,000.00', n: 1 }))).toMatchObject({
      entries: [
        ['amount', 'NGN 5,000.00'],
        ['n', 1],
      ],
    });
    expect(shown(activity({ ussd: '*1#', session: '77' }))).toMatchObject({ entries: [['session', '77']] });
  });

  it('reads a dial string', () => {
    expect(shown(activity({ ussd: '*737*000*1234#' }))).toEqual({
      kind: 'dial',
      instruction: 'Do this',
      code: '*737*000*1234#',
      entries: [],
    });
  });

  it('returns any other values in order', () => {
    const headers = JSON.parse('{"url":"https://pay.example","amount":5,"more":{"a":[1]},"none":null,"__proto__":"x"}');
    expect(shown(activity(headers, { type: 'redirect' }))).toEqual({
      kind: 'other',
      type: 'redirect',
      instruction: 'Do this',
      entries: [
        ['url', 'https://pay.example'],
        ['amount', 5],
        ['more', { a: [1] }],
        ['none', null],
        ['__proto__', 'x'],
      ],
    });
  });

  it.each([
    ['there is no activity', null],
    ['the activity is text', 'act.Kw9a.8Zp3'],
    ['the activity has no such field', { uid: 'act.Kw9a.8Zp3' }],
    ['the field is null', { next_action: null }],
    ['the action is an empty object', { next_action: {} }],
    ['the action is an empty list', { next_action: [] }],
    ['the action is a space', { next_action: ' ' }],
    ['the action is false', { next_action: false }],
    ['the action is inherited, not sent', Object.create({ next_action: { type: 'user_action' } })],
  ])('returns undefined if %s', (_what, given) => {
    expect(shown(given)).toBeUndefined();
  });

  it.each([
    ['no headers', undefined],
    ['null as headers', null],
    ['text as headers', 'account_number'],
    ['empty headers', {}],
  ])('returns an action for %s', (_what, headers) => {
    expect(shown(activity(headers))).toEqual({
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
    ['is blank', ' \n'],
    ['is not text', 7],
  ])('has no instruction if it %s', (_what, instruction) => {
    expect(shown(activity({ ussd: '*737#' }, { instruction }))).toHaveProperty('instruction', undefined);
    expect(shown(activity(account, { instruction }))).toHaveProperty('instruction', undefined);
    expect(shown(activity({}, { instruction }))).toHaveProperty('instruction', undefined);
  });

  it.each([
    ['missing', undefined],
    ['not text', 1_795_179_900],
    ['not a time', 'in 15 minutes'],
  ])('has no expiry if it is %s', (_what, expires_at) => {
    expect(shown(activity({ ...account, expires_at }))).toHaveProperty('expiresAt', undefined);
  });

  it('has empty names if they are missing, and keeps the number', () => {
    expect(shown(activity({ account_number: '0123456789' }))).toEqual({
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
    ['a blank dial string', { ussd: ' ' }, [['ussd', ' ']]],
    ['an unusable account number', { account_number: {} }, [['account_number', {}]]],
  ])('returns no way to pay for %s', (_what, headers, entries) => {
    expect(shown(activity(headers))).toMatchObject({ kind: 'other', entries });
  });

  it.each([
    ['is missing', undefined, ''],
    ['is empty', '', ''],
    ['is null', null, ''],
    ['is a pair', ['user_action', 'enum.next_action.user_action'], 'user_action'],
    ['is a number', 1, '1'],
  ])('reads the account and the rest if its type %s', (_what, type, read) => {
    expect(shown(activity(account, { type }))).toMatchObject({
      kind: 'transfer',
      accountNumber: '0123456789',
    });
    expect(shown(activity({}, { type }))).toMatchObject({ kind: 'other', type: read, instruction: 'Do this' });
  });

  it.each([
    ['a number', 7364512890, '7364512890'],
    ['a number too large for a double', new NumberText('73645128901234567890'), '73645128901234567890'],
    ['the first of a pair', ['0736451289', 'NUBAN'], '0736451289'],
  ])('reads an account number that is %s, with all digits', (_what, account_number, read) => {
    expect(shown(activity({ ...account, account_number }))).toMatchObject({ accountNumber: read });
  });

  it.each([
    ['text', 'Dial *737#'],
    ['a list of texts', ['Dial *737#']],
  ])('uses %s as the instruction', (_what, next_action) => {
    expect(shown({ next_action })).toEqual({
      kind: 'other',
      type: '',
      instruction: 'Dial *737#',
      entries: [],
    });
  });

  it('reads a time without an offset as UTC for display', () => {
    for (const expires_at of ['2026-11-20T13:05:00', '2026-11-20 13:05:00', '2026-11-20 13:05:00.000000']) {
      expect(shown(activity({ ...account, expires_at }))).toMatchObject({
        expiresAt: Date.UTC(2026, 10, 20, 13, 5),
      });
    }
  });
});

const read = (headers: unknown): string | undefined => {
  const action = readNextAction(activity(headers));
  return action === undefined ? 'nothing' : incompleteText(action);
};

describe('the missing parts of an account', () => {
  it.each([
    ['none', account, undefined],
    ['none, without an account', { url: 'https://pay.example' }, undefined],
    ['none, with a dial string', { ussd: '*737#' }, undefined],
    ['none, with a dial string and a bank', { ussd: '*737#', bank_name: 'Wema Bank' }, undefined],
    ['the holder', { ...account, account_name: '' }, 'account name'],
    ['the bank', { ...account, bank_name: null }, 'bank'],
    ['the bank and the holder', { account_number: '0123456789' }, 'bank and no account name'],
    ['the number', { bank_name: 'Wema Bank' }, 'account number'],
    ['the number, besides other values', { note: 'x', account_name: 'ADA LOVELACE' }, 'account number'],
  ])('are %s', (_what, headers, missing) => {
    expect(read(headers)).toEqual(missing && `the service sent no ${missing}`);
  });
});

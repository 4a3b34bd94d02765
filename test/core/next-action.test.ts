import { describe, expect, it } from 'vitest';
import { isStepUnreadable, missingOf, readNextAction } from '../../src/core/charge.ts';
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
        ['n', 1],
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
        ['amount', 5],
        ['more', { a: [1] }],
        ['none', null],
        ['__proto__', 'x'],
      ],
    });
  });

  it.each([
    ['there is no activity', null],
    ['the activity is a text', 'act.Kw9a.8Zp3'],
    ['the activity has no such field', { uid: 'act.Kw9a.8Zp3' }],
    ['the field is null', { next_action: null }],
    ['the action is an empty object', { next_action: {} }],
    ['the action is an empty list', { next_action: [] }],
    ['the action is a blank', { next_action: ' ' }],
    ['the action is no', { next_action: false }],
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
    ['is blank', ' \n'],
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
    ['a blank dial string', { ussd: ' ' }, [['ussd', ' ']]],
    ['an account number that is none', { account_number: {} }, [['account_number', {}]]],
  ])('makes no instruction to pay of %s', (_what, headers, entries) => {
    expect(readNextAction(activity(headers))).toMatchObject({ kind: 'other', entries });
  });

  it.each([
    ['is missing', undefined, ''],
    ['is empty', '', ''],
    ['is null', null, ''],
    ['is a pair', ['user_action', 'enum.next_action.user_action'], 'user_action'],
    ['is a number', 1, '1'],
  ])('reads the account and the rest where its type %s', (_what, type, read) => {
    expect(readNextAction(activity(account, { type }))).toMatchObject({
      kind: 'transfer',
      accountNumber: '0123456789',
    });
    expect(readNextAction(activity({}, { type }))).toMatchObject({ kind: 'other', type: read, instruction: 'Do this' });
  });

  it.each([
    ['a number', 7364512890, '7364512890'],
    ['a number that a double can not hold', new NumberText('73645128901234567890'), '73645128901234567890'],
    ['the first of a pair', ['0736451289', 'NUBAN'], '0736451289'],
  ])('reads an account number that is %s, digit for digit', (_what, account_number, read) => {
    expect(readNextAction(activity({ ...account, account_number }))).toMatchObject({ accountNumber: read });
  });

  it.each([
    ['a text', 'Dial *737#'],
    ['a list of texts', ['Dial *737#']],
  ])('takes an action that is %s for the instruction', (_what, next_action) => {
    expect(readNextAction({ next_action })).toEqual({
      kind: 'other',
      type: '',
      instruction: 'Dial *737#',
      entries: [],
    });
  });

  it('takes a moment without an offset for one of UTC, for people', () => {
    for (const expires_at of ['2026-11-20T13:05:00', '2026-11-20 13:05:00', '2026-11-20 13:05:00.000000']) {
      expect(readNextAction(activity({ ...account, expires_at }))).toMatchObject({
        expiresAt: Date.UTC(2026, 10, 20, 13, 5),
      });
    }
  });
});

const read = (headers: unknown): readonly string[] => {
  const action = readNextAction(activity(headers));
  return action === undefined ? ['nothing'] : missingOf(action);
};

describe('what an account lacks', () => {
  it.each([
    ['nothing', account, []],
    ['nothing, being none', { url: 'https://pay.example' }, []],
    ['nothing, being a code', { ussd: '*737#' }, []],
    ['nothing, being a code with a bank', { ussd: '*737#', bank_name: 'Wema Bank' }, []],
    ['its holder', { ...account, account_name: '' }, ['account name']],
    ['its bank', { ...account, bank_name: null }, ['bank']],
    ['its bank and its holder', { account_number: '0123456789' }, ['bank', 'account name']],
    ['its number', { bank_name: 'Wema Bank' }, ['account number']],
    ['its number, beside other things', { note: 'x', account_name: 'ADA LOVELACE' }, ['account number']],
  ])('is %s', (_what, headers, missing) => {
    expect(read(headers)).toEqual(missing);
  });
});

describe('a step that can not be read', () => {
  const open = (next_action: unknown, status: unknown = 'requires_action'): unknown => ({ status, next_action });

  it.each([
    ['half an account without its number', { type: 'user_action', headers: { bank_name: 'Wema Bank' } }],
    ['a type alone', { type: 'redirect' }],
    ['headers of another kind', { headers: { url: 'https://pay.example' } }],
    ['an instruction that is none', { type: 'user_action', instruction: {} }],
    ['a list of objects', [{ type: 'user_action' }]],
  ])('is %s', (_what, action) => {
    expect(isStepUnreadable(open(action))).toBe(true);
    expect(isStepUnreadable(open(action, null))).toBe(true);
  });

  it.each([
    ['an instruction', { type: 'user_action', instruction: 'Pay' }],
    ['an account number', { type: 'user_action', headers: { account_number: 7364512890 } }],
    ['a code', { headers: { ussd: '*737#' } }],
    ['no action', null],
    ['an empty action', {}],
    ['an empty list', []],
  ])('is not one with %s', (_what, action) => {
    expect(isStepUnreadable(open(action))).toBe(false);
  });

  it.each(['successful', 'failed', 'refunded'])('is not one of an activity that is %s', (status) => {
    expect(isStepUnreadable(open({ type: 'redirect' }, status))).toBe(false);
  });
});

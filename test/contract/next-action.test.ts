import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activity } from '../../src/contract/activity.ts';
import { faultsOf, pathsOf } from './faults.ts';
import { bankTransferActivity, ussdActivity } from './fixtures.ts';

const account = bankTransferActivity.next_action.headers;
const withAction = (next_action: unknown): unknown => ({ ...ussdActivity, next_action });
const withHeaders = (headers: unknown): unknown => withAction({ type: 'user_action', instruction: 'Do this', headers });

describe('the next action of an activity', () => {
  it.each([
    ['an account with a header more', withHeaders({ ...account, amount: 'NGN 5,000.00', session: 7 })],
    ['a dial string with a header more', withHeaders({ ussd: '*737#', expires_at: null })],
    ['headers of a medium that is not known here', withHeaders({ url: 'https://pay.example', amount: 5 })],
    ['no headers to speak of', withHeaders({})],
    ['no headers, as an empty list', withHeaders([])],
    ['nothing but the moment it ends, which no medium alone knows', withHeaders({ expires_at: account.expires_at })],
    ['no instruction', withAction({ type: 'user_action', headers: account })],
    ['an instruction that is null', withAction({ type: 'user_action', instruction: null, headers: account })],
    ['another type', withAction({ type: 'redirect', url: 'https://pay.example' })],
    ['another type with headers of its own', withAction({ type: 'redirect', headers: { account_number: 5 } })],
    ['another type without headers', withAction({ type: 'otp' })],
    ['null', withAction(null)],
  ])('may be or have %s', (_what, value) => {
    expect(activity().parse(value)).toEqual(value);
  });

  it.each(Object.keys(account))('is an error when the account has no %s', (name) => {
    const { [name]: _left, ...rest } = { ...account } as Record<string, unknown>;
    expect(pathsOf(activity(), withHeaders(rest))).toEqual([`next_action.headers.${name}`]);
  });

  it.each(Object.keys(account).filter((key) => key !== 'expires_at'))(
    'is an error when all that is left of the account is its %s',
    (name) => {
      const others = Object.keys(account).filter((key) => key !== name);
      const paths = pathsOf(activity(), withHeaders({ [name]: account[name as keyof typeof account] }));
      expect(paths.sort()).toEqual(others.map((key) => `next_action.headers.${key}`).sort());
    },
  );

  it.each(
    Object.keys(account).flatMap((name) =>
      [null, '', 123456789, ['0123456789'], {}].map((value) => [name, value] as const),
    ),
  )('is an error when the %s of the account is %j', (name, value) => {
    expect(pathsOf(activity(), withHeaders({ ...account, [name]: value }))).toEqual([`next_action.headers.${name}`]);
  });

  it('is an error when the account closes at no instant', () => {
    for (const expires_at of ['2026-11-20T14:05:00', '2026-11-31T14:05:00Z', 'soon']) {
      expect(faultsOf(activity(), withHeaders({ ...account, expires_at }))).toEqual([
        { propertyPath: 'next_action.headers.expires_at', title: 'is not an ISO 8601 time with an offset' },
      ]);
    }
  });

  it.each([[''], [null], [737], [['*737#']], [{}]])('is an error when the dial string is %j', (ussd) => {
    expect(pathsOf(activity(), withHeaders({ ussd }))).toEqual(['next_action.headers.ussd']);
    expect(pathsOf(activity(), withHeaders({ ...account, ussd }))).toEqual(['next_action.headers.ussd']);
  });

  it.each([[undefined], [null], ['*737#'], [5], [['*737#']]])(
    'is an error when a user_action has the headers %j',
    (headers) => {
      expect(pathsOf(activity(), withHeaders(headers))).toEqual(['next_action.headers']);
    },
  );

  it('is an error when a user_action has an instruction that is no text', () => {
    expect(pathsOf(activity(), withAction({ type: 'user_action', instruction: 5, headers: account }))).toEqual([
      'next_action.instruction',
    ]);
  });

  it.each([[undefined], [null], [''], [5], [['user_action', 'User action']]])(
    'is an error when its type is %j',
    (type) => {
      expect(pathsOf(activity(), withAction({ type, headers: account }))).toEqual(['next_action.type']);
    },
  );

  it('is never taken as an unknown one when it says user_action: half an account is refused whatever else it holds', () => {
    const extra = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
    const part = fc
      .subarray(Object.entries(account), { minLength: 1, maxLength: 3 })
      // The moment it ends is not the account's alone.
      .filter((entries) => entries.some(([name]) => name !== 'expires_at'));
    fc.assert(
      fc.property(extra, extra, part, (around, among, known) => {
        const { ussd: _ussd, ...free } = among;
        const headers = { ...free, ...Object.fromEntries(known) };
        fc.pre(Object.keys(account).some((name) => !Object.hasOwn(headers, name)));
        expect(pathsOf(activity(), withAction({ ...around, type: 'user_action', headers }))).not.toEqual([]);
      }),
    );
  });

  it('is taken with any headers and members when its type is not known here', () => {
    const type = fc.string({ minLength: 1 }).filter((text) => text !== 'user_action');
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), type, (members, name) => {
        expect(pathsOf(activity(), withAction({ ...members, type: name }))).toEqual([]);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activity, activityCreate } from '../../src/contract/activity.ts';
import { formatDateAtom } from '../../src/core/time.ts';
import { MINUTE } from '../support/units.ts';
import { faultsOf, pathsOf } from './faults.ts';
import { bankTransferActivity, ussdActivity } from './fixtures.ts';

const NOW = Date.UTC(2026, 10, 20, 13, 5);
const schema = activityCreate(NOW);
const charge = (data: unknown): unknown => ({ type: 'charge', data });
const at = (ms: number, offset = 60): string => formatDateAtom({ ms, offset });

describe('the body of a charge (docs/service.md, Activities)', () => {
  it.each([
    ['bank_transfer', { medium: 'bank_transfer' }],
    ['bank_transfer with an expiry', { medium: 'bank_transfer', expires_at: at(NOW + 10 * MINUTE) }],
    ['ussd', { medium: 'ussd', provider: 'gtb' }],
    ['ussd of an unknown bank', { medium: 'ussd', provider: 'a bank of 2031' }],
    ['mobile_money', { medium: 'mobile_money', provider: 'mtn', phone: '+233201234567' }],
  ])('accepts %s', (_what, data) => {
    expect(schema.safeParse(charge(data)).data).toEqual(charge(data));
  });

  it.each(['bank_transfer', 'ussd', 'mobile_money'])('preserves unknown fields with %s', (medium) => {
    const data = {
      medium,
      provider: 'mtn',
      phone: '+233201234567',
      narration: 'x',
      split: [{ to: null, share: 0.5 }],
    };
    const body = { type: 'charge', data, callback: { url: 'https://shop.example' } };
    expect(schema.safeParse(body).data).toEqual(body);
  });

  it.each([
    [
      'nothing',
      {},
      [
        ['type', 'is required'],
        ['data', 'is required'],
      ],
    ],
    ['no type', { data: { medium: 'bank_transfer' } }, [['type', 'is required']]],
    ['an empty type', { type: '', data: { medium: 'bank_transfer' } }, [['type', 'should be charge']]],
    ['another type', { type: 'refund', data: { medium: 'bank_transfer' } }, [['type', 'should be charge']]],
    ['a type in uppercase', { type: 'CHARGE', data: { medium: 'bank_transfer' } }, [['type', 'should be charge']]],
    ['no data', { type: 'charge' }, [['data', 'is required']]],
    ['null for data', charge(null), [['data', 'should be an object']]],
    ['a list for data', charge([]), [['data', 'should be an object']]],
    ['a text for data', charge('ussd'), [['data', 'should be an object']]],
    ['no medium', charge({}), [['data.medium', 'should not be blank']]],
    ['an empty medium', charge({ medium: '' }), [['data.medium', 'should not be blank']]],
    ['null for a medium', charge({ medium: null }), [['data.medium', 'should not be blank']]],
    [
      'another medium',
      charge({ medium: 'card' }),
      [['data.medium', 'should be one of bank_transfer, ussd, mobile_money']],
    ],
    [
      'a medium in uppercase',
      charge({ medium: 'USSD' }),
      [['data.medium', 'should be one of bank_transfer, ussd, mobile_money']],
    ],
    ['ussd without a bank', charge({ medium: 'ussd' }), [['data.provider', 'is required']]],
    ['ussd with an empty bank', charge({ medium: 'ussd', provider: '' }), [['data.provider', 'should not be blank']]],
    ['ussd with a blank bank', charge({ medium: 'ussd', provider: ' \t' }), [['data.provider', 'should not be blank']]],
    ['ussd with a number for a bank', charge({ medium: 'ussd', provider: 737 }), [['data.provider', 'should be text']]],
    ['ussd with null for a bank', charge({ medium: 'ussd', provider: null }), [['data.provider', 'should be text']]],
    [
      'mobile_money alone',
      charge({ medium: 'mobile_money' }),
      [
        ['data.provider', 'is required'],
        ['data.phone', 'is required'],
      ],
    ],
    [
      'mobile_money without a phone',
      charge({ medium: 'mobile_money', provider: 'mtn' }),
      [['data.phone', 'is required']],
    ],
    [
      'mobile_money without a provider',
      charge({ medium: 'mobile_money', phone: '+233201234567' }),
      [['data.provider', 'is required']],
    ],
    [
      'mobile_money with a blank phone',
      charge({ medium: 'mobile_money', provider: 'mtn', phone: ' ' }),
      [['data.phone', 'should not be blank']],
    ],
    [
      'mobile_money with a number for a phone',
      charge({ medium: 'mobile_money', provider: 'mtn', phone: 233201234567 }),
      [['data.phone', 'should be text']],
    ],
    [
      'a time that is not text',
      charge({ medium: 'bank_transfer', expires_at: NOW + MINUTE }),
      [['data.expires_at', 'should be text']],
    ],
    ['null for a time', charge({ medium: 'bank_transfer', expires_at: null }), [['data.expires_at', 'should be text']]],
  ])('is rejected with %s', (_what, body, faults) => {
    expect(faultsOf(schema, body)).toEqual(faults.map(([propertyPath, title]) => ({ propertyPath, title })));
  });

  it.each([[null], [undefined], ['charge'], [7], [[]]])('is rejected if it is %j', (body) => {
    expect(pathsOf(schema, body)).toEqual(['']);
  });
});

describe('expires_at', () => {
  const faultOf = (expires_at: string): string | undefined => {
    const faults = faultsOf(schema, charge({ medium: 'bank_transfer', expires_at }));
    for (const { propertyPath } of faults) expect(propertyPath).toBe('data.expires_at');
    return faults[0]?.title;
  };

  it.each([
    ['a second ago', at(NOW - 1000), 'should be in the future'],
    ['now', at(NOW), 'should be in the future'],
    ['now, in another zone', at(NOW, -570), 'should be in the future'],
    ['a second ahead', at(NOW + 1000), undefined],
    ['a millisecond ahead', new Date(NOW + 1).toISOString(), undefined],
    ['14 min 59 s ahead', at(NOW + 15 * MINUTE - 1000), undefined],
    ['15 min ahead', at(NOW + 15 * MINUTE), undefined],
    ['15 min ahead, in another zone', at(NOW + 15 * MINUTE, 840), undefined],
    [
      '15 min and a millisecond ahead',
      new Date(NOW + 15 * MINUTE + 1).toISOString(),
      'should be at most 15 minutes ahead',
    ],
    ['15 min 1 s ahead', at(NOW + 15 * MINUTE + 1000), 'should be at most 15 minutes ahead'],
    ['a year ahead', at(NOW + 365 * 24 * 60 * MINUTE), 'should be at most 15 minutes ahead'],
    ['no offset', '2026-11-20T13:10:00', 'is not an ISO 8601 time with an offset'],
    ['a day that does not exist', '2026-11-31T13:10:00Z', 'is not an ISO 8601 time with an offset'],
    ['a date alone', '2026-11-20', 'is not an ISO 8601 time with an offset'],
    ['a duration', '10m', 'is not an ISO 8601 time with an offset'],
    ['nothing', '', 'is not an ISO 8601 time with an offset'],
  ])('%s: %s', (_what, text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });

  it('accepts any second of the next 15 minutes, in any time zone, and no other', () => {
    const seconds = fc.integer({ min: -3600, max: 3600 });
    fc.assert(
      fc.property(seconds, fc.integer({ min: -840, max: 840 }), (ahead, offset) => {
        expect(faultOf(at(NOW + ahead * 1000, offset)) === undefined).toBe(ahead > 0 && ahead <= 900);
      }),
    );
  });

  it('is not checked for other mediums', () => {
    for (const expires_at of ['whenever', at(NOW - MINUTE)]) {
      expect(pathsOf(schema, charge({ medium: 'ussd', provider: 'gtb', expires_at }))).toEqual([]);
    }
  });
});

describe('phone', () => {
  const faultsOfPhone = (phone: string) => faultsOf(schema, charge({ medium: 'mobile_money', provider: 'mtn', phone }));

  it.each(['+2348031234567', '+233201234567', '+123456', '+123456789012345'])('accepts %s', (phone) => {
    expect(faultsOfPhone(phone)).toEqual([]);
  });

  it.each([
    ['the digits of a short code', '+12345', 'is too short: 5 digits, at least 6'],
    ['one digit', '+1', 'is too short: 1 digit, at least 6'],
    ['16 digits', '+1234567890123456', 'is too long: 16 digits, at most 15'],
    ['no plus', '2348031234567', 'needs a plus in front: +2348031234567'],
    ['no plus and a few digits', '2348', 'is too short: 4 digits, at least 6'],
    ['00 in place of the plus', '002348031234567', 'begins with 00: write +2348031234567'],
    [
      'the national format',
      '08031234567',
      'looks like a national number: add the country code, such as +2348031234567 for Nigeria',
    ],
    [
      'the national format with spaces',
      '024 123 4567',
      'looks like a national number: add the country code, such as +233241234567 for Ghana',
    ],
    [
      'the national format of another country',
      '030123456',
      'looks like a national number: add the country code, such as +2348031234567',
    ],
    [
      'a country code that begins with 0',
      '+02348031234567',
      'has a 0 after the plus: the country code comes first, such as +2348031234567',
    ],
    ['spaces', '+234 803 123 4567', 'has spaces or other characters in it: write +2348031234567'],
    ['dashes', '+234-803-123-4567', 'has spaces or other characters in it: write +2348031234567'],
    ['parentheses', '+234(0)8031234567', 'has spaces or other characters in it: write +2348031234567'],
    ['a line break at the end', '+2348031234567\n', 'has spaces or other characters in it: write +2348031234567'],
    ['a letter', '+23480312345o7', 'should be a plus and digits only, such as +2348031234567'],
    ['two pluses', '++2348031234567', 'should be a plus and digits only, such as +2348031234567'],
    ['digits of another script', '+٢٣٤٨٠٣١٢٣٤٥٦٧', 'should be a plus and digits only, such as +2348031234567'],
    ['a plus alone', '+', 'should be a plus and digits only, such as +2348031234567'],
  ])('rejects %s: %j', (_what, phone, title) => {
    expect(faultsOfPhone(phone)).toEqual([{ propertyPath: 'data.phone', title }]);
  });

  it.each(['123456', '123456789012345'])('suggests a plus before %s', (digits) => {
    expect(faultsOfPhone(digits)).toMatchObject([{ title: `needs a plus in front: +${digits}` }]);
  });

  it.each(['x2.3E+12', '2.3E+12x', '2x3E+12', 'E+12', '2E+', '+2E5'])('does not take %s for a number', (text) => {
    const title = 'should be a plus and digits only, such as +2348031234567';
    expect(faultsOfPhone(text)).toMatchObject([{ title }]);
  });

  it('has one rule, and accepts each number that its fault suggests', () => {
    const piece = fc.constantFrom('+', '0', '00', '1', '234', '8031234567', '(0)', ' ', '-', 'x');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        const [fault] = faultsOfPhone(text);
        expect(fault === undefined).toBe(/^\+[1-9]\d{5,14}$/.test(text));
        const named = /(?:write|front:|such as) (\+\d+)/.exec(fault?.title ?? '')?.[1];
        if (named !== undefined) expect(faultsOfPhone(named)).toEqual([]);
      }),
    );
  });
});

const account = bankTransferActivity.next_action.headers;
const withAction = (next_action: unknown): unknown => ({ ...ussdActivity, next_action });
const withHeaders = (headers: unknown): unknown => withAction({ type: 'user_action', instruction: 'Do this', headers });

describe('the next action of an activity', () => {
  it.each([
    ['an account with an additional header', withHeaders({ ...account, amount: 'NGN 5,000.00', session: 7 })],
    ['a dial string with an additional header', withHeaders({ ussd: '*737#', expires_at: null })],
    ['headers of an unknown medium', withHeaders({ url: 'https://pay.example', amount: 5 })],
    ['empty headers', withHeaders({})],
    ['no headers, as an empty list', withHeaders([])],
    ['only an expiry, which no medium defines', withHeaders({ expires_at: account.expires_at })],
    ['headers that are null', withHeaders(null)],
    ['no headers', withAction({ type: 'user_action' })],
    [
      'a type that is a pair',
      withAction({ type: ['user_action', 'enum.next_action_type.user_action'], headers: account }),
    ],
    [
      'an account with numbers and a time without an offset',
      withHeaders({ ...account, account_number: 1_234_567_890, expires_at: '2026-11-20 14:05:02' }),
    ],
    ['a dial string that is a number', withHeaders({ ussd: 737 })],
    ['no instruction', withAction({ type: 'user_action', headers: account })],
    ['an instruction that is null', withAction({ type: 'user_action', instruction: null, headers: account })],
    ['another type', withAction({ type: 'redirect', url: 'https://pay.example' })],
    ['another type with headers of its own', withAction({ type: 'redirect', headers: { session: 5 } })],
    ['another type without headers', withAction({ type: 'otp' })],
    ['null', withAction(null)],
    ['an empty list', withAction([])],
  ])('may be or have %s', (_what, value) => {
    expect(activity().parse(value)).toEqual(value);
  });

  it.each(Object.keys(account))('is rejected if the account has no %s', (name) => {
    const { [name]: _left, ...rest } = { ...account } as Record<string, unknown>;
    expect(pathsOf(activity(), withHeaders(rest))).toEqual([`next_action.headers.${name}`]);
  });

  it.each(Object.keys(account).filter((key) => key !== 'expires_at'))(
    'is rejected if the account has only its %s',
    (name) => {
      const others = Object.keys(account).filter((key) => key !== name);
      const paths = pathsOf(activity(), withHeaders({ [name]: account[name as keyof typeof account] }));
      expect(paths.sort()).toEqual(others.map((key) => `next_action.headers.${key}`).sort());
    },
  );

  it.each(
    Object.keys(account).flatMap((name) => [null, '', ['0123456789'], {}].map((value) => [name, value] as const)),
  )('is rejected if the %s of the account is %j', (name, value) => {
    expect(pathsOf(activity(), withHeaders({ ...account, [name]: value }))).toEqual([`next_action.headers.${name}`]);
  });

  it('is rejected if the expiry of the account is not a time', () => {
    for (const expires_at of ['2026-11-31T14:05:00Z', '2026-11-20', 'soon']) {
      expect(faultsOf(activity(), withHeaders({ ...account, expires_at }))).toEqual([
        { propertyPath: 'next_action.headers.expires_at', title: 'is not an ISO 8601 time' },
      ]);
    }
  });

  it.each([[''], [null], [['*737#']], [{}]])('is rejected if the dial string is %j', (ussd) => {
    expect(pathsOf(activity(), withHeaders({ ussd }))).toEqual(['next_action.headers.ussd']);
    expect(pathsOf(activity(), withHeaders({ ...account, ussd }))).toEqual(['next_action.headers.ussd']);
  });

  it.each(['*737#', 5, true])('is rejected if it has the headers %j', (headers) => {
    expect(pathsOf(activity(), withHeaders(headers))).toEqual(['next_action.headers']);
  });

  it('is rejected if its instruction is not text', () => {
    expect(pathsOf(activity(), withAction({ type: 'user_action', instruction: {}, headers: account }))).toEqual([
      'next_action.instruction',
    ]);
  });

  it.each([[undefined], [null], [''], [5], [['user_action']]])('is rejected if its type is %j', (type) => {
    expect(pathsOf(activity(), withAction({ type, headers: account }))).toEqual(['next_action.type']);
  });

  it('is rejected with part of an account, whatever else it holds', () => {
    const extra = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
    const part = fc
      .subarray(Object.entries(account), { minLength: 1, maxLength: 3 })
      // An expiry alone does not make an account.
      .filter((entries) => entries.some(([name]) => name !== 'expires_at'));
    const type = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(extra, extra, part, type, (around, among, known, name) => {
        const { ussd: _ussd, ...free } = among;
        const headers = { ...free, ...Object.fromEntries(known) };
        fc.pre(Object.keys(account).some((name) => !Object.hasOwn(headers, name)));
        expect(pathsOf(activity(), withAction({ ...around, type: name, headers }))).not.toEqual([]);
      }),
    );
  });
});

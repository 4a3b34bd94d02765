import { describe, expect, it } from 'vitest';
import { faultRules } from '../../src/contract/fault-rule.ts';
import { onyeCreate } from '../../src/contract/onye.ts';
import { readProblem } from '../../src/contract/problem.ts';
import { provesList, provesRefund } from '../../src/contract/proof.ts';
import { refundCreate, ugwoCreate } from '../../src/contract/ugwo.ts';
import { BOUNDS } from '../../src/core/bounds.ts';
import { faultsOf, pathsOf } from './faults.ts';
import { checkoutSnapshot, customer } from './fixtures.ts';

const ACT = 'act.Kw9a.4Ij5Kl6Mn7Op8Qr9St1Uv2Wx';

describe('the body that creates a customer (public material)', () => {
  it('requires an e-mail address, and follows the rules of an update', () => {
    expect(faultsOf(onyeCreate(), {})).toEqual([{ propertyPath: 'email', title: 'is required' }]);
    expect(pathsOf(onyeCreate(), { email: 'ada', ref: 'x'.repeat(151) })).toEqual(['email', 'ref']);
  });

  it("accepts what the older plugin sends: blank address fields, and PHP's empty map", () => {
    const billing_address = { address: '1 Marina', address2: '', city: 'Lagos', state: '', zip: '', country: 'NG' };
    expect(pathsOf(onyeCreate(), { email: 'a@b', billing_address, meta: [] })).toEqual([]);
    expect(
      pathsOf(onyeCreate(), { email: 'a@b', billing_address: { address: '', zip: 'x'.repeat(11) }, meta: [1] }),
    ).toEqual(['billing_address.address', 'billing_address.zip', 'meta']);
  });
});

describe('the body that creates a payment request (public material)', () => {
  const BODY = { amount: 500_000, currency: 'NGN' };

  it.each([
    [{}],
    [{ ref: 'r', description: 'd', metadata: { a: 'b', c: null } }],
    [{ meta: [], onye_email: 'ada@example.com' }],
    [{ onye: customer.uid, checkout: checkoutSnapshot.uid, other: { travels: 'untouched' } }],
  ])('may hold %j', (more) => {
    expect(ugwoCreate().parse({ ...BODY, ...more })).toEqual({ ...BODY, ...more });
  });

  it.each([
    [{ amount: undefined }, 'amount', 'is required'],
    [{ amount: '500000' }, 'amount', 'should be a whole number'],
    [{ amount: 5000.5 }, 'amount', 'should be a whole number of the minor unit'],
    [{ amount: 2 ** 53 }, 'amount', 'should be a whole number of the minor unit'],
    [{ amount: 0 }, 'amount', 'should be more than 0'],
    [{ currency: undefined }, 'currency', 'is required'],
    [{ currency: 'naira' }, 'currency', 'is not a currency code of three letters'],
    [{ onye: 'ugw.Kw9a.1' }, 'onye', 'is not an identifier ony.XXXX.YYYY…'],
    [{ onye_email: 'ada' }, 'onye_email', 'is not a valid e-mail address'],
    [{ checkout: 'x' }, 'checkout', 'is not an identifier chk.XXXX.YYYY…'],
    [{ ref: 'x'.repeat(151) }, 'ref', 'is too long: 151 characters, at most 150'],
    [{ description: 'x'.repeat(151) }, 'description', 'is too long: 151 characters, at most 150'],
    [{ metadata: { a: 1 } }, 'metadata', 'should be an object of keys and texts'],
  ])('may not hold %j', (more, propertyPath, title) => {
    expect(faultsOf(ugwoCreate(), { ...BODY, ...more })).toEqual([{ propertyPath, title }]);
  });
});

describe('the body of a refund (public material)', () => {
  it.each([
    [{ ugwo_activity: 'ugw.Kw9a.1' }, 'ugwo_activity'],
    [{ amount: 0 }, 'amount'],
    [{ reason: 'x'.repeat(256) }, 'reason'],
    [{ destination: 'gtb' }, 'destination'],
    [{ destination: { provider: '', account_number: '0123456789' } }, 'destination.provider'],
    [{ destination: { provider: 'gtb', account_number: '012345678' } }, 'destination.account_number'],
  ])('may not hold %j', (more, path) => {
    expect(pathsOf(refundCreate(), { ugwo_activity: ACT, ...more })).toEqual([path]);
  });

  it('requires only the activity', () => {
    expect(pathsOf(refundCreate(), { ugwo_activity: ACT })).toEqual([]);
    const destination = { provider: 'gtb', account_number: '0123456789' };
    expect(
      pathsOf(refundCreate(), { ugwo_activity: ACT, amount: 20_000, reason: 'x'.repeat(255), destination }),
    ).toEqual([]);
  });
});

describe('provesList and provesRefund', () => {
  it.each([[[]], [[{}]], [[{ uid: 5 }, {}]]])('accept the bare array %j', (answer) => {
    expect(provesList(answer, {})).toBeUndefined();
  });

  it.each([
    [{ data: [] }, 'the answer is not a list'],
    [undefined, 'the answer is not a list'],
    [[[]], 'the answer is not a list of objects'],
    [['x'], 'the answer is not a list of objects'],
    [Array(BOUNDS.records + 1).fill({}), 'the answer has 1,001 records, but may have at most 1,000'],
  ])('reject the answer %#', (answer, fault) => {
    expect(provesList(answer, {})).toBe(fault);
  });

  it('accept any non-empty uid for a refund', () => {
    for (const uid of ['rfd.Kw9a.1', 'x']) expect(provesRefund({ uid }, {})).toBeUndefined();
    for (const uid of ['', ' ', 5, null, undefined])
      expect(provesRefund({ uid }, {})).toBe('the answer has no "uid" of a refund');
    expect(provesRefund([], {})).toBe('the answer is not a JSON object');
  });
});

describe('an error document with both shapes', () => {
  const both = (field: string) => ({
    title: 'Validation Failed',
    status: 422,
    detail: 'x',
    violations: [{ propertyPath: 'data.provider', title: 'is unknown' }],
    message: 'validation_failed',
    errors: [{ field, message: 'is unknown' }],
  });

  it.each(['data.provider', 'data[provider]', '[data][provider]'])(
    'reports each fault once, in any notation: %s',
    (field) => {
      expect(readProblem(both(field))?.violations).toEqual([{ propertyPath: 'data.provider', title: 'is unknown' }]);
    },
  );

  it('keeps faults that only one shape has', () => {
    expect(readProblem(both('data.phone'))?.violations).toHaveLength(2);
  });
});

describe('faultRules', () => {
  it.each([
    [{ status: 500 }],
    [{ method: 'POST', path: '/v1/**', share: 0.5, times: 3, delay: '5s', reset: true, when: 'after' }],
    [{ cut: 0 }],
    [{ bad_json: true, delay: '1m' }],
    [{ status: 429, retry_after: 0 }],
  ])('accept %j', (rule) => {
    expect(faultRules().parse({ rules: [rule] })).toEqual({ rules: [rule] });
  });
});

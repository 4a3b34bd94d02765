import { describe, expect, test } from 'vitest';
import { BANK_CODES } from '../../src/core/banks.ts';
import { startEmulator, violationsOf } from './support.ts';

const reading = async () => {
  const { send } = await startEmulator();
  return { send, list: async (query = '') => (await send('GET', `/v1/checkouts${query}`)).json };
};

describe('GET /v1/checkouts', () => {
  test('answers a bare array, no pagination', async () => {
    const { list } = await reading();
    expect(await list()).toEqual(await list('?limit=1&cursor=x'));
    expect(await list()).toMatchObject([
      { uid: expect.stringMatching(/^chk\.Lcal\./), name: expect.any(String), currency: 'NGN', status: 'active' },
      { currency: 'GHS', status: 'active' },
      { currency: 'NGN', status: 'inactive' },
    ]);
  });

  test.each([
    ['?filter%5Bstatus%5D%5B%5D=1', 2],
    ['?filter[status][]=2', 1],
    ['?filter[status][0]=2', 1],
    ['?filter[status][]=1&filter[status][]=2', 3],
    ['?filter[currency][]=GHS', 1],
    ['?filter[currency][]=NGN&filter[currency][]=GHS&filter[status][]=1', 2],
    ['?filter[currency][]=USD', 0],
  ])('filters, each repeatable: %s', async (query, count) => {
    const { list } = await reading();
    expect(await list(query)).toHaveLength(count);
  });

  test.each(['status', 'currency'])('rejects an invalid filter of %s with 422', async (name) => {
    const { send } = await reading();
    expect(violationsOf(await send('GET', `/v1/checkouts?filter[${name}][]=x1`))).toEqual([`filter[${name}][].0`]);
  });
});

describe('GET /v1/checkouts/{uid}', () => {
  test('has uid, name, a plain currency, status, and mediums with their position', async () => {
    const { send, list } = await reading();
    const [first] = await list();
    const { status, json } = await send('GET', `/v1/checkouts/${first.uid}`);
    expect([status, json]).toEqual([200, first]);
    expect(json.mediums).toEqual([
      { medium: 'bank_transfer', position: 0, is_default: true },
      { medium: 'ussd', position: 1, is_default: false },
    ]);
  });

  test('is a 404 for an unknown one', async () => {
    const { send } = await reading();
    expect((await send('GET', '/v1/checkouts/chk.Lcal.nothing')).json.detail).toBe('checkout.error.not_found');
  });
});

describe('GET /v1/checkouts/{uid}/{medium}', () => {
  test('returns [{psp, banks: [{code, name}]}], which varies by medium', async () => {
    const { send, list } = await reading();
    const [naira, cedi] = await list();
    const [ussd] = (await send('GET', `/v1/checkouts/${naira.uid}/ussd`)).json;
    expect(ussd.psp).toBe('paystack_ng');
    expect(ussd.banks.map(({ code }: { code: string }) => code)).toEqual(BANK_CODES);
    expect(ussd.banks[1]).toEqual({ code: 'access_diamond', name: 'ACCESS DIAMOND' });
    expect((await send('GET', `/v1/checkouts/${naira.uid}/bank_transfer`)).json).toMatchObject([{ banks: [] }]);
    expect((await send('GET', `/v1/checkouts/${cedi.uid}/mobile_money`)).json[0].banks[0].code).toBe('mtn');
  });

  test('is a 404 for a medium that the checkout lacks', async () => {
    const { send, list } = await reading();
    const [naira] = await list();
    for (const medium of ['mobile_money', 'cheque']) {
      expect((await send('GET', `/v1/checkouts/${naira.uid}/${medium}`)).status).toBe(404);
    }
  });
});

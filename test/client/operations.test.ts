import { describe, expect, it } from 'vitest';
import { type CallInput, createClient } from '../../src/client/client.ts';
import { type OperationId, operations } from '../../src/contract/operations.ts';
import { ONYE_ID, UGWO_ID } from '../support/service.ts';
import { ACT_ID, CHECKOUT_ID, serveStrict } from '../support/strict.ts';
import { answer, scripted, whole } from './scripted.ts';
import { bench, thrownBy } from './support.ts';

const ONYE = { params: { uid: ONYE_ID } };
const UGWO = { params: { uid: UGWO_ID } };

const CALLS: Readonly<Record<OperationId, CallInput>> = {
  'onye.create': { body: { email: 'ada@example.com', first_name: 'Ada', billing_address: { zip: '' } } },
  'onye.list': { query: { limit: '5' } },
  'onye.get': ONYE,
  'onye.update': { ...ONYE, body: { meta: { tier: 'vip' } } },
  'onye.delete': ONYE,
  'ugwo.create': { body: { amount: 500_000, currency: 'NGN', onye_email: 'ada@example.com', metadata: { a: 'b' } } },
  'ugwo.list': {},
  'ugwo.get': UGWO,
  'ugwo.cancel': UGWO,
  'ugwo.charge': { params: { ugwoUid: UGWO_ID }, body: { type: 'charge', data: { medium: 'bank_transfer' } } },
  'activity.get': { params: { ugwoUid: UGWO_ID, activityUid: ACT_ID } },
  'checkout.list': { query: { 'filter[status][]': ['1', '2'], 'filter[currency][]': ['NGN'] } },
  'checkout.get': { params: { uid: CHECKOUT_ID } },
  'checkout.providers': { params: { uid: CHECKOUT_ID, medium: 'ussd' } },
  'refund.create': { body: { ugwo_activity: ACT_ID, amount: 20_000, reason: 'returned' } },
};

describe('with a service that only knows the documented API', () => {
  it.each(Object.keys(operations) as OperationId[])(
    '%s sends a documented request and accepts the answer',
    async (id) => {
      const service = await serveStrict();
      const { client } = bench(service.origin);
      const { value } = await client.call(id, CALLS[id]);
      expect(value).toBeTypeOf('object');
      expect(service.seen).toHaveLength(1);
      expect(service.seen[0]?.method).toBe(operations[id].method);
    },
  );

  it('a list parameter is repeated in the query with encoded brackets', async () => {
    const service = await serveStrict();
    await bench(service.origin).client.call('checkout.list', { query: { 'filter[status][]': ['1', '2'] } });
    expect(service.seen[0]?.url).toBe('/v1/checkouts?filter%5Bstatus%5D%5B%5D=1&filter%5Bstatus%5D%5B%5D=2');
  });

  it('an undocumented field is rejected', async () => {
    const service = await serveStrict();
    const { client } = bench(service.origin);
    const input = { body: { ...CALLS['onye.create'].body, first: 'Ada' } };
    expect(await thrownBy(client.call('onye.create', input))).toMatchObject({
      kind: 'rejected',
      detail: { violations: [{ propertyPath: 'first' }] },
    });
  });
});

describe('a DELETE', () => {
  const clientOf = (...outcomes: Parameters<typeof scripted>[0]) => {
    const { context, transport, attempts } = scripted(outcomes);
    const client = createClient({
      ...context,
      transport: { ...transport, close: async () => undefined },
      validate: true,
    });
    return { client, attempts };
  };

  it.each(['onye.delete', 'ugwo.cancel'] as const)(
    '%s is sent once without a body on its own connection',
    async (id) => {
      const uid = id === 'onye.delete' ? ONYE_ID : UGWO_ID;
      const { client, attempts } = clientOf(answer(200, whole({ uid })));
      await client.call(id, { params: { uid } });
      expect(attempts).toMatchObject([{ method: 'DELETE', body: undefined, fresh: true }]);
      expect(client.preview(id, { params: { uid } })).toEqual({
        method: 'DELETE',
        url: `https://pay.example/v1/${id === 'onye.delete' ? 'onye' : 'ugwo'}/${uid}`,
      });
    },
  );

  it.each([404, 409])('is rejected by %i', async (status) => {
    const { client } = clientOf(answer(status, whole({ message: 'nzube.ugwo.error.not_cancellable', errors: [] })));
    expect(await thrownBy(client.call('ugwo.cancel', UGWO))).toMatchObject({ kind: 'rejected', detail: { status } });
  });

  it.each([
    ['a 500', answer(500, whole({ title: 'no', status: 500 }))],
    ['an answer without an id', answer(200, whole({}))],
    ['no answer', { kind: 'broken', reason: 'it was cut' } as const],
  ])('is unknown after %s, and not repeated', async (_what, outcome) => {
    const { client, attempts } = clientOf(outcome);
    expect(await thrownBy(client.call('ugwo.cancel', UGWO))).toMatchObject({ kind: 'unknown' });
    expect(attempts).toHaveLength(1);
  });
});

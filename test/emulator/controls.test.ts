import { expect, test } from 'vitest';
import { openShop } from './shop.ts';
import { sendRaw } from './support.ts';

const withControls = async () => {
  const shop = await openShop();
  const headers = { authorization: `Bearer ${shop.controlToken}`, 'content-type': 'application/json' };
  const control = (method: string, path: string, body: object | undefined = undefined, more = {}) =>
    sendRaw(shop.origin, {
      method,
      path: `/emulator/${path}`,
      headers: { ...headers, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { ...shop, control };
};

test('settle ends an activity, at once or later, also with another amount', async () => {
  const { control, request, charge, read, pass } = await withControls();
  const ugwo = (await request()).uid;
  const activity = (await charge(ugwo)).json.uid;
  expect((await control('POST', 'settle', { activity, as: 'successful', amount: 120_000 })).json).toMatchObject({
    uid: activity,
    status: 'successful',
    charged_amount: 120_000,
  });
  expect(await read(ugwo)).toMatchObject({ total_amount_paid: 120_000 });
  const later = (await charge(ugwo)).json.uid;
  await control('POST', 'settle', { activity: later, as: 'failed', in: '30s' });
  pass(31);
  expect((await read(ugwo)).activities).toMatchObject([{}, { status: 'failed' }]);
});

test.each([
  ['an unknown outcome', { as: 'paid' }, 422],
  ['an unknown activity', { as: 'failed', activity: 'act.Lcal.nothing' }, 422],
  ['a negative amount', { as: 'successful', amount: -1 }, 422],
  ['an invalid duration', { as: 'failed', in: 'soon' }, 422],
])('settle rejects %s', async (_what, body, status) => {
  const { control, request, charge, read } = await withControls();
  const ugwo = (await request()).uid;
  const activity = (await charge(ugwo)).json.uid;
  expect((await control('POST', 'settle', { activity, ...body })).status).toBe(status);
  expect((await read(ugwo)).activities).toMatchObject([{ status: 'requires_action' }]);
});

test('seed adds records, and reset removes all of them', async () => {
  const { control, send } = await withControls();
  expect((await control('POST', 'seed', { customers: 2, ugwo: 3 })).json).toEqual({ customers: 2, ugwo: 3 });
  expect((await send('GET', '/v1/ugwo')).json.data).toHaveLength(3);
  expect((await control('POST', 'seed', { ugwo: 1_000_000 })).status).toBe(422);
  expect((await control('POST', 'reset', {})).json).toEqual({});
  expect((await send('GET', '/v1/ugwo')).json.data).toEqual([]);
});

test('webhooks can be added, triggered, replayed and removed; no answer contains a secret', async () => {
  const { control } = await withControls();
  const added = await control('POST', 'webhooks', {
    url: 'http://127.0.0.1:9/',
    events: ['ugwo.*'],
    secret: 'wsk.Test.123',
  });
  expect(added.json).toEqual({ id: 1, url: 'http://127.0.0.1:9/', events: ['ugwo.*'], signed: true });
  expect((await control('POST', 'webhooks/trigger', { event: 'ugwo.successful' })).json).toMatchObject({ webhooks: 1 });
  const { text, json } = await control('GET', 'deliveries');
  expect(json.data).toMatchObject([{ id: 1, event: 'ugwo.successful', state: 'waiting' }]);
  expect((await control('POST', 'deliveries/replay', { id: 1 })).json).toMatchObject({ id: 1, state: 'waiting' });
  expect(`${text}${(await control('GET', 'webhooks')).text}${added.text}`).not.toContain('wsk.');
  expect((await control('POST', 'webhooks/remove', { id: 1 })).json).toMatchObject({ id: 1 });
  expect((await control('GET', 'webhooks')).json).toEqual({ data: [] });
});

test.each([
  ['webhooks', { url: 'https://example.com/' }],
  ['webhooks', { url: 'no address' }],
  ['webhooks', { url: 'http://127.0.0.1:9/', events: ['nothing.*'] }],
  ['webhooks/remove', { id: 7 }],
  ['webhooks/trigger', { event: 'ugwo.successful' }],
  ['webhooks/trigger', { event: 'nothing' }],
  ['deliveries/replay', { id: 'x' }],
])('%s rejects %j', async (path, body) => {
  const { control } = await withControls();
  expect((await control('POST', path, body)).status).toBe(422);
});

test.each(['settle', 'seed', 'reset', 'webhooks', 'webhooks/remove', 'webhooks/trigger', 'deliveries/replay'])(
  "%s requires the key of the controls, not the service's",
  async (path) => {
    const { control, key } = await withControls();
    expect((await control('POST', path, {}, { authorization: `Bearer ${key}` })).status).toBe(401);
  },
);

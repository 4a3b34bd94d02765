import { describe, expect, test } from 'vitest';
import { DEMANDS } from './demands.ts';
import { openShop } from './shop.ts';
import { sendRaw, violationsOf } from './support.ts';

/** A workspace with a record for each name in the demands. */
const workspace = async () => {
  const shop = await openShop({ customers: 1 });
  const { uid: cancelled } = await shop.request();
  await shop.send('DELETE', `/v1/ugwo/${cancelled}`);
  const { ugwo: paid, activity } = await shop.paid();
  const names: Readonly<Record<string, string>> = {
    UGWO: (await shop.request(undefined, { ref: 'ONCE' })).uid,
    UNROUTED: (await shop.request('unrouted')).uid,
    PAID: paid,
    CANCELLED: cancelled,
    ACTIVITY: activity,
    ONYE: (await shop.send('GET', '/v1/onye?limit=1')).json.data[0].uid,
  };
  const named = (text: string): string =>
    Object.entries(names).reduce((left, [name, uid]) => left.replaceAll(name, uid), text);
  return { ...shop, named };
};

test.each(DEMANDS)('$what: $status', async ({ method, path, body, status, violates }) => {
  const { send, named } = await workspace();
  const given = body === undefined ? undefined : JSON.parse(named(JSON.stringify(body)));
  const answer = await send(method, named(path), given);
  expect(answer.status, answer.text).toBe(status);
  if (violates !== undefined) expect(violationsOf(answer)).toContain(violates);
});

describe("a request that can't be read", () => {
  test.each([
    ['no JSON', '{"amount":'],
    ['a list', '[]'],
    ['half a surrogate pair', String.raw`{"amount":20000,"currency":"NGN","description":"\ud83d"}`],
    ['half a pair in a name', String.raw`{"amount":20000,"currency":"NGN","metadata":{"\ude00":"x"}}`],
  ])('%s is a 400', async (_what, body) => {
    const { origin, key } = await workspace();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    expect((await sendRaw(origin, { method: 'POST', path: '/v1/ugwo', headers, body })).status).toBe(400);
  });

  test('a whole pair is a character', async () => {
    const { origin, key } = await workspace();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = String.raw`{"amount":20000,"currency":"NGN","description":"\ud83d\ude00"}`;
    const answer = await sendRaw(origin, { method: 'POST', path: '/v1/ugwo', headers, body });
    expect(answer.json).toMatchObject({ description: '😀' });
  });
});

test('a checkout that is null is refused in our words', async () => {
  const { send } = await workspace();
  const { json } = await send('POST', '/v1/ugwo', { amount: 20_000, currency: 'NGN', checkout: null });
  expect(json.violations).toEqual([{ propertyPath: 'checkout', title: 'is not an identifier chk.XXXX.YYYY…' }]);
});

import { describe, expect, test } from 'vitest';
import { countIn, openShop } from './shop.ts';
import { NOON, violationsOf } from './support.ts';

const ADA = { email: 'Ada@Example.COM', first_name: 'ADA', last_name: 'lovelace-king' };

describe('POST /v1/onye', () => {
  test('e-mail is required and saved in lower case, names are title-cased, and a get shows the same', async () => {
    const { post, send } = await openShop();
    const { status, json } = await post('/v1/onye', { ...ADA, ref: 'crm-1', meta: { tier: 'vip', by: null } });
    expect([status, json]).toEqual([
      200,
      {
        uid: expect.stringMatching(/^ony\.Lcal\.[A-Za-z0-9]{24}$/),
        email: 'ada@example.com',
        first_name: 'Ada',
        last_name: 'Lovelace-King',
        ref: 'crm-1',
        billing_address: null,
        meta: { tier: 'vip', by: null },
        status: 'active',
        created_at: '2026-11-20T12:00:00+00:00',
      },
    ]);
    expect((await send('GET', `/v1/onye/${json.uid}`)).json).toEqual(json);
    expect(Date.parse(json.created_at)).toBe(NOON);
    expect(violationsOf(await post('/v1/onye', { first_name: 'Ada' }))).toEqual(['email']);
  });

  test('accepts "" for address2, zip and state, and [] for an empty meta', async () => {
    const { post } = await openShop();
    const billing_address = { address: '12 Marina', address2: '', city: 'Lagos', state: '', zip: '', country: 'NG' };
    const { status, json } = await post('/v1/onye', { ...ADA, billing_address, meta: [] });
    expect([status, json.billing_address, json.meta]).toEqual([200, billing_address, {}]);
  });

  test('an e-mail address belongs to one customer, ignoring case: 409', async () => {
    const { post, file, send } = await openShop();
    await post('/v1/onye', ADA);
    const answer = await post('/v1/onye', { email: 'ADA@example.com' });
    const code = 'nzube.onye.error.email_already_exists';
    expect([answer.status, answer.json]).toMatchObject([
      409,
      { status: 409, detail: code, message: code, errors: [{ field: 'email', message: code }] },
    ]);
    expect(countIn(file, 'onye')).toBe(1);
    const { uid } = (await post('/v1/onye', { email: 'grace@example.com' })).json;
    expect((await send('PATCH', `/v1/onye/${uid}`, { email: 'Ada@example.com' })).status).toBe(409);
    expect((await send('PATCH', `/v1/onye/${uid}`, { email: 'Grace@example.com' })).status).toBe(200);
    expect((await send('PATCH', `/v1/onye/${uid}`, { email: 'hopper@example.com' })).status).toBe(200);
    expect((await post('/v1/onye', { email: 'grace@example.com' })).status).toBe(200);
  });

  test.each([
    ['ref', 'x'.repeat(151)],
    ['first_name', 'x'.repeat(101)],
    ['email', 'ada'],
    ['billing_address', { country: 'NGA' }],
    ['meta', 'x'],
  ])('an invalid %s is 422', async (field, value) => {
    const { post } = await openShop();
    expect((await violationsOf(await post('/v1/onye', { ...ADA, [field]: value })))[0]).toMatch(
      new RegExp(`^${field}`),
    );
  });

  test('stores unknown fields unchanged, and ignores uid, status and created_at', async () => {
    const { post } = await openShop();
    const { json } = await post('/v1/onye', { ...ADA, phone: '+234', uid: 'ony.x.y', status: 'root', created_at: 'x' });
    expect(json).toMatchObject({ phone: '+234', status: 'active', created_at: '2026-11-20T12:00:00+00:00' });
    expect(json.uid).toMatch(/^ony\.Lcal/);
  });
});

describe('GET /v1/onye', () => {
  test('follows the list contract, newest first', async () => {
    const { send } = await openShop({ customers: 25 });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `?cursor=${cursor}`;
      const { json } = await send('GET', `/v1/onye${query}`);
      expect(json.data.length).toBeLessThanOrEqual(10);
      seen.push(...json.data.map(({ ref }: { ref: string }) => ref));
      cursor = json.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => `CUST-${String(25 - index).padStart(5, '0')}`));
    expect(violationsOf(await send('GET', '/v1/onye?limit=101'))).toEqual(['limit']);
  });

  test('rejects a cursor of payment requests', async () => {
    const { send } = await openShop({ customers: 2, ugwo: 2 });
    const { next_cursor } = (await send('GET', '/v1/ugwo?limit=1')).json;
    expect(violationsOf(await send('GET', `/v1/onye?cursor=${next_cursor}`))).toEqual(['cursor']);
  });
});

describe('DELETE /v1/onye/{uid}', () => {
  test('returns the customer as before the deletion, which is then unknown and unlisted', async () => {
    const { post, send } = await openShop();
    const before = (await post('/v1/onye', ADA)).json;
    const path = `/v1/onye/${before.uid}`;
    const answer = await send('DELETE', path);
    expect([answer.status, answer.json]).toEqual([200, before]);
    expect((await send('GET', '/v1/onye')).json.data).toEqual([]);
    for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', {}]] as const) {
      expect((await send(method, path, body)).json).toMatchObject({ status: 404, detail: 'onye.error.not_found' });
    }
  });

  test('keeps the deleted customer on its payment requests, rejects it for new ones and frees its e-mail address', async () => {
    const { post, send, request, read } = await openShop();
    const { uid } = (await post('/v1/onye', ADA)).json;
    const made = await request(undefined, { onye: uid });
    await send('DELETE', `/v1/onye/${uid}`);
    expect((await read(made.uid)).onye).toMatchObject({ uid, email: 'ada@example.com', first_name: 'Ada' });
    expect(violationsOf(await post('/v1/ugwo', { amount: 500_000, currency: 'NGN', onye: uid }))).toEqual(['onye']);
    const again = { email: 'ada@example.com', uid: expect.not.stringContaining(uid) };
    expect((await post('/v1/onye', ADA)).json).toMatchObject(again);
  });
});

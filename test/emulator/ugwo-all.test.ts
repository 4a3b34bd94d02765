import { describe, expect, test } from 'vitest';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { countIn, openShop, TRANSFER } from './shop.ts';
import { violationsOf } from './support.ts';

const BODY = { amount: 500_000, currency: 'NGN' };

describe('POST /v1/ugwo', () => {
  test('returns the payment request, routed by its currency and listed first', async () => {
    const { post, send } = await openShop({ ugwo: 2 });
    const sent = { ...BODY, ref: 'order-1', description: 'Two tickets', metadata: { channel: 'web' } };
    const { status, json } = await post('/v1/ugwo', sent);
    expect([status, json]).toEqual([
      200,
      {
        ...sent,
        uid: expect.stringMatching(/^ugw\.Lcal\.[A-Za-z0-9]{24}$/),
        total_amount_paid: 0,
        status: 'requires_ugwo',
        onye: null,
        onye_nzube: null,
        checkout: expect.objectContaining({ currency: ['NGN', 'Nigerian naira (NGN)'] }),
        lastest_ugwo_activity: null,
        created_at: '2026-11-20T12:00:00+00:00',
      },
    ]);
    const { onye_nzube, ...shown } = json;
    expect((await send('GET', '/v1/ugwo')).json.data[0]).toEqual(shown);
    expect(onye_nzube).toBeNull();
  });

  test('onye_email creates a customer, which the next request finds: onye_nzube {uid, first_name, last_name}', async () => {
    const { request, send, file } = await openShop();
    const first = await request(undefined, { onye_email: 'Ada@Example.com' });
    const { uid } = first.onye_nzube;
    expect(first.onye_nzube).toEqual({ uid, first_name: null, last_name: null });
    expect(first.onye).toMatchObject({ uid, email: 'ada@example.com' });
    await send('PATCH', `/v1/onye/${uid}`, { first_name: 'ada', last_name: 'OBI' });
    const second = await request(undefined, { onye_email: 'ADA@example.com' });
    expect(second.onye_nzube).toEqual({ uid, first_name: 'Ada', last_name: 'Obi' });
    expect(countIn(file, 'onye')).toBe(1);
  });

  test('a rejected create creates no customer', async () => {
    const { post, file } = await openShop();
    expect((await post('/v1/ugwo', { ...BODY, amount: 1, onye_email: 'ada@example.com' })).status).toBe(422);
    expect(countIn(file, 'onye')).toBe(0);
  });

  test('metadata may be named meta, and an empty one be []', async () => {
    const { request, read } = await openShop();
    const { uid } = await request(undefined, { metadata: undefined, meta: { order: '7' } });
    expect(await read(uid)).toMatchObject({ metadata: { order: '7' }, meta: { order: '7' } });
    expect((await request(undefined, { metadata: [] })).metadata).toEqual({});
  });

  test('ref is unique: 409 with the code known to the plugin, and nothing is created', async () => {
    const { post, file } = await openShop();
    await post('/v1/ugwo', { ...BODY, ref: 'order-1' });
    const again = await post('/v1/ugwo', { ...BODY, ref: 'order-1', onye_email: 'ada@example.com' });
    const code = 'nzube.ugwo.error.ref_already_exists';
    expect([again.status, again.json]).toMatchObject([
      409,
      { message: code, detail: code, errors: [{ field: 'ref' }] },
    ]);
    expect([countIn(file, 'ugwo'), countIn(file, 'onye')]).toEqual([1, 0]);
    expect((await post('/v1/ugwo', { ...BODY, ref: 'order-2' })).status).toBe(200);
    for (const _ of [1, 2]) expect((await post('/v1/ugwo', BODY)).status).toBe(200);
  });

  test.each([19_999, 5_000_000_001, 0, -1, 1.5, '500000', null, undefined])('the amount %j is 422', async (amount) => {
    const { post } = await openShop();
    expect(violationsOf(await post('/v1/ugwo', { ...BODY, amount }))).toContain('amount');
  });

  test.each([20_000, 5_000_000_000])('accepts the amount %i', async (amount) => {
    const { post } = await openShop();
    expect((await post('/v1/ugwo', { ...BODY, amount })).json.amount).toBe(amount);
  });

  test('accepts an amount in another number notation', async () => {
    const { origin, key, send } = await openShop();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = '{"amount":5e5,"currency":"ngn"}';
    expect(await (await fetch(`${origin}/v1/ugwo`, { method: 'POST', headers, body })).json()).toMatchObject({
      amount: 500_000,
      currency: 'NGN',
    });
    expect((await send('GET', '/v1/ugwo')).json.data[0].amount).toBe(500_000);
  });

  test('a currency of another workspace: nzube.ugwo.error.currency_not_allowed', async () => {
    const { post } = await openShop();
    const answer = await post('/v1/ugwo', { ...BODY, currency: 'USD' });
    expect(violationsOf(answer)).toEqual(['currency']);
    const code = 'nzube.ugwo.error.currency_not_allowed';
    expect(answer.json).toMatchObject({ message: code, detail: code, violations: [{ code }] });
    expect((await post('/v1/ugwo', { ...BODY, currency: 'GHS' })).json.checkout.mediums).toEqual([
      { medium: 'mobile_money' },
    ]);
    expect(violationsOf(await post('/v1/ugwo', { ...BODY, currency: 'naira' }))).toEqual(['currency']);
  });

  test('a given checkout must be active and have the currency', async () => {
    const { post, send } = await openShop();
    const [naira, cedi, old] = (await send('GET', '/v1/checkouts')).json;
    expect((await post('/v1/ugwo', { ...BODY, checkout: naira.uid })).json.checkout.uid).toBe(naira.uid);
    for (const { uid } of [cedi, old, { uid: 'chk.Lcal.nothing' }]) {
      expect(violationsOf(await post('/v1/ugwo', { ...BODY, checkout: uid }))).toEqual(['checkout']);
    }
  });

  test.each([
    ['ref', 'x'.repeat(151)],
    ['description', 'x'.repeat(151)],
    ['metadata', { deep: {} }],
    ['onye', 'ony.Lcal.nobody'],
    ['onye_email', 'ada'],
    ['checkout', 'ony.Lcal.x'],
  ])('an invalid %s is 422', async (field, value) => {
    const { post } = await openShop();
    expect((await violationsOf(await post('/v1/ugwo', { ...BODY, [field]: value })))[0]).toMatch(
      new RegExp(`^${field}`),
    );
  });

  test('metadata.emulate unrouted: no checkout; 402:create: no balance', async () => {
    const { request, charge, file } = await openShop();
    const { uid, checkout } = await request('unrouted');
    expect(checkout).toBeNull();
    expect(violationsOf(await charge(uid))).toEqual(['checkout']);
    const before = countIn(file, 'ugwo');
    expect(await request('402:create')).toMatchObject({ status: 402, message: 'workspace.error.balance_too_low' });
    expect(countIn(file, 'ugwo')).toBe(before);
  });
});

describe('DELETE /v1/ugwo/{uid}', () => {
  test("cancels a requires_ugwo request once, after which it can't be charged", async () => {
    const { request, send, charge, read } = await openShop();
    const { uid } = await request();
    const answer = await send('DELETE', `/v1/ugwo/${uid}`);
    expect([answer.status, answer.json]).toEqual([200, { uid, status: 'cancelled', amount: 500_000, currency: 'NGN' }]);
    expect((await read(uid)).status).toBe('cancelled');
    const again = await send('DELETE', `/v1/ugwo/${uid}`);
    expect([again.status, again.json.message]).toEqual([409, 'nzube.ugwo.error.not_cancellable']);
    expect((await charge(uid)).json).toMatchObject({ status: 409, message: 'ugwo_cancelled' });
  });

  test('is a 409 for a paid or processing request, and a 404 for an unknown one', async () => {
    const { paid, request, send, charge } = await openShop();
    const { ugwo } = await paid();
    const { uid } = await request(undefined, { currency: 'GHS' });
    await charge(uid, { medium: 'mobile_money', provider: 'mtn', phone: '+233201234567' });
    const { uid: open } = await request();
    await charge(open, TRANSFER);
    for (const one of [ugwo, uid, open]) expect((await send('DELETE', `/v1/ugwo/${one}`)).status).toBe(409);
    expect((await send('DELETE', '/v1/ugwo/ugw.Lcal.nothing')).json.detail).toBe('ugwo.error.not_found');
  });

  test('is a 409 while a part is paid, and possible once that payment was reversed', async () => {
    const emulator = await openShop();
    const { request, charge, send } = emulator;
    const { uid } = await request();
    const { uid: activity } = (await charge(uid)).json;
    const settle = (as: 'successful' | 'reversed') =>
      emulatorRoom.settle({ ...emulator, activity, as, after: undefined, amount: () => 200_000 });
    await settle('successful');
    expect((await send('DELETE', `/v1/ugwo/${uid}`)).status).toBe(409);
    await settle('reversed');
    expect((await send('DELETE', `/v1/ugwo/${uid}`)).status).toBe(200);
  });

  test('keeps the request cancelled but counts a late transfer', async () => {
    const emulator = await openShop();
    const { request, charge, send, read, pass } = emulator;
    const { uid } = await request();
    const { uid: activity } = (await charge(uid, TRANSFER)).json;
    pass(15 * 60);
    await send('DELETE', `/v1/ugwo/${uid}`);
    await emulatorRoom.settle({ ...emulator, activity, as: 'successful', after: undefined });
    expect(await read(uid)).toMatchObject({ status: 'cancelled', total_amount_paid: 500_000 });
  });
});

describe('a payment', () => {
  test('above the amount: ugwo_successful, with total_amount_paid above amount', async () => {
    const emulator = await openShop();
    const { uid } = await emulator.request();
    const { uid: activity } = (await emulator.charge(uid)).json;
    await emulatorRoom.settle({
      ...emulator,
      activity,
      as: 'successful',
      after: undefined,
      amount: () => 700_000,
    });
    expect(await emulator.read(uid)).toMatchObject({
      status: 'ugwo_successful',
      amount: 500_000,
      total_amount_paid: 700_000,
    });
  });

  test('reversed by the provider: the activity has failed, and the request is open again', async () => {
    const emulator = await openShop();
    const { ugwo, activity } = await emulator.paid();
    const settle = (as: 'reversed' | 'failed') => emulatorRoom.settle({ ...emulator, activity, as, after: undefined });
    expect((await settle('reversed')).activity).toMatchObject({
      status: 'failed',
      error: { code: 'psp.error.reversed' },
    });
    expect(await emulator.read(ugwo)).toMatchObject({ status: 'requires_ugwo', total_amount_paid: 0 });
    await expect(settle('reversed')).rejects.toThrow("can't be reversed: it is failed");
  });

  test('with metadata.emulate successful:10s:700000 reversed:1m ends by the clock alone', async () => {
    const { request, charge, read, pass } = await openShop();
    const { uid } = await request('successful:10s:700000 reversed:1m');
    await charge(uid);
    pass(10);
    expect(await read(uid)).toMatchObject({ status: 'ugwo_successful', total_amount_paid: 700_000 });
    pass(59);
    expect((await read(uid)).status).toBe('ugwo_successful');
    pass(1);
    expect(await read(uid)).toMatchObject({ status: 'requires_ugwo', total_amount_paid: 0 });
  });

  test('and its reversal by taken_back:1m apply together if nothing was read in between', async () => {
    const { request, charge, read, pass } = await openShop();
    const { uid } = await request('successful:10s taken_back:1m');
    await charge(uid);
    pass(600);
    expect((await read(uid)).activities).toMatchObject([{ status: 'failed', updated_at: '2026-11-20T12:01:10+00:00' }]);
  });

  test('with metadata.emulate 402 is rejected for lack of balance', async () => {
    const { request, charge, read } = await openShop();
    const { uid } = await request('402');
    expect((await charge(uid)).json).toMatchObject({ status: 402, message: 'workspace.error.balance_too_low' });
    expect((await read(uid)).activities).toEqual([]);
  });
});

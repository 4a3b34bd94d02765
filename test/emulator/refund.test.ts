import { describe, expect, test } from 'vitest';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { countIn, openShop, TRANSFER } from './shop.ts';
import { violationsOf } from './support.ts';

const DESTINATION = { provider: 'gtb', account_number: '0123456789' };

const statusesOf = ({ status, activities }: { status: string; activities: { status: string }[] }) => [
  status,
  ...activities.map((activity) => activity.status),
];

describe('POST /v1/refunds', () => {
  test('refunds the full payment after a while: activity and payment request become refunded', async () => {
    const { paid, post, read, pass } = await openShop();
    const { ugwo, activity } = await paid();
    const { status, json } = await post('/v1/refunds', { ugwo_activity: activity, ref: 'r-1', reason: 'returned' });
    expect([status, json]).toMatchObject([
      200,
      {
        uid: expect.stringMatching(/./),
        status: 'processing',
        amount: 500_000,
        currency: 'NGN',
        ref: 'r-1',
        reason: 'returned',
        ugwo_activity: activity,
        ugwo: { uid: ugwo },
        error: null,
      },
    ]);
    expect(statusesOf(await read(ugwo))).toEqual(['ugwo_successful', 'successful']);
    pass(10);
    expect(statusesOf(await read(ugwo))).toEqual(['refunded', 'refunded']);
    expect((await read(ugwo)).total_amount_paid).toBe(500_000);
  });

  test('refunds a part (partially_refunded), then the rest', async () => {
    const { paid, post, read, pass } = await openShop();
    const { ugwo, activity } = await paid();
    await post('/v1/refunds', { ugwo_activity: activity, amount: 200_000 });
    pass(10);
    expect(statusesOf(await read(ugwo))).toEqual(['partially_refunded', 'partially_refunded']);
    expect((await post('/v1/refunds', { ugwo_activity: activity })).json.amount).toBe(300_000);
    pass(10);
    expect(statusesOf(await read(ugwo))).toEqual(['refunded', 'refunded']);
  });

  test('refunds one activity of a double payment, which refunds the payment request partially', async () => {
    const emulator = await openShop();
    const { request, charge, post, read, pass } = emulator;
    const { uid } = await request();
    const made = [(await charge(uid)).json.uid, (await charge(uid)).json.uid];
    for (const activity of made) {
      await emulatorRoom.settle({ ...emulator, activity, as: 'successful', after: undefined });
    }
    expect((await read(uid)).activities[1]).toMatchObject({ is_double_charge: true });
    await post('/v1/refunds', { ugwo_activity: made[1] });
    pass(10);
    expect(statusesOf(await read(uid))).toEqual(['partially_refunded', 'successful', 'refunded']);
  });

  test('refund_amount_too_high: above the rest, including pending refunds', async () => {
    const { paid, post, pass } = await openShop();
    const { activity } = await paid();
    const refuse = async (amount?: number) => {
      const answer = await post('/v1/refunds', { ugwo_activity: activity, amount });
      expect(violationsOf(answer)).toEqual(['amount']);
      expect(answer.json.message).toContain('refund_amount_too_high');
    };
    await refuse(500_001);
    await post('/v1/refunds', { ugwo_activity: activity, amount: 400_000 });
    await refuse(100_001);
    await post('/v1/refunds', { ugwo_activity: activity });
    await refuse();
    pass(10);
    await refuse(20_000);
  });

  test('refund_amount_too_low: below 20,000 kobo', async () => {
    const { paid, post } = await openShop();
    const { activity } = await paid();
    const answer = await post('/v1/refunds', { ugwo_activity: activity, amount: 19_999 });
    expect(violationsOf(answer)).toEqual(['amount']);
    expect(answer.json.message).toContain('refund_amount_too_low');
    expect((await post('/v1/refunds', { ugwo_activity: activity, amount: 20_000 })).status).toBe(200);
  });

  test('missing_destination: a transfer needs an account of 10 digits', async () => {
    const { paid, post } = await openShop();
    const { activity } = await paid(undefined, TRANSFER);
    const answer = await post('/v1/refunds', { ugwo_activity: activity });
    expect(violationsOf(answer)).toEqual(['destination']);
    expect(answer.json.message).toContain('missing_destination');
    const short = { ...DESTINATION, account_number: '123' };
    expect(violationsOf(await post('/v1/refunds', { ugwo_activity: activity, destination: short }))).toEqual([
      'destination.account_number',
    ]);
    expect((await post('/v1/refunds', { ugwo_activity: activity, destination: DESTINATION })).json).toMatchObject({
      status: 'processing',
      destination: DESTINATION,
    });
  });

  test('is 409 for an unpaid activity and 404 for an unknown one, and creates nothing', async () => {
    const { request, charge, post, file } = await openShop();
    const { uid } = await request();
    const { uid: activity } = (await charge(uid)).json;
    expect((await post('/v1/refunds', { ugwo_activity: activity })).status).toBe(409);
    const { json } = await post('/v1/refunds', { ugwo_activity: 'act.Lcal.nothing' });
    expect(json).toMatchObject({ status: 404, message: 'activity.error.not_found' });
    expect(countIn(file, 'refund')).toBe(0);
  });

  test.each([
    ['ugwo_activity', 'ugw.Lcal.x'],
    ['amount', 1.5],
    ['reason', 'x'.repeat(256)],
    ['destination', 'gtb'],
  ])('an invalid %s is 422', async (field, value) => {
    const { paid, post } = await openShop();
    const { activity } = await paid();
    expect(violationsOf(await post('/v1/refunds', { ugwo_activity: activity, [field]: value }))).toEqual([field]);
  });

  test.each([
    ['refund:failed', 'failed', 0],
    ['refund:failed:30s', 'processing', 30],
  ])('metadata.emulate %s: has error.message, and refunds nothing', async (scripted, status, seconds) => {
    const { paid, post, read, pass, file } = await openShop();
    const { ugwo, activity } = await paid(scripted);
    const { json } = await post('/v1/refunds', { ugwo_activity: activity });
    expect(json).toMatchObject({
      status,
      error: status === 'failed' ? { message: expect.stringMatching(/./) } : null,
    });
    pass(seconds);
    expect(statusesOf(await read(ugwo))).toEqual(['ugwo_successful', 'successful']);
    expect((await post('/v1/refunds', { ugwo_activity: activity })).json.amount).toBe(500_000);
    expect(countIn(file, 'refund')).toBe(2);
  });

  test('metadata.emulate refund:successful:1m: succeeds later', async () => {
    const { paid, post, read, pass } = await openShop();
    const { ugwo, activity } = await paid('refund:successful:1m');
    await post('/v1/refunds', { ugwo_activity: activity });
    pass(59);
    expect((await read(ugwo)).status).toBe('ugwo_successful');
    pass(1);
    expect((await read(ugwo)).status).toBe('refunded');
  });
});

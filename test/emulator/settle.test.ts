import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ActivityEnding } from '../../src/core/data-files.ts';
import { formatDateAtom } from '../../src/core/time.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { MINUTE, SECOND } from '../support/units.ts';
import { clockAt, faultOf, inFile, NOON, startEmulator, tempFile } from './support.ts';

const at = (ms: number): string => formatDateAtom({ ms, offset: 0 });

const TRANSFER = { medium: 'bank_transfer' };
const USSD = { medium: 'ussd', provider: 'gtb' };
const MOBILE = { medium: 'mobile_money', provider: 'mtn', phone: '+233201234567' };

/** A running emulator with one payment request and this metadata.emulate. */
const charging = async (scripted?: string) => {
  const emulator = await startEmulator({ customers: 1, ugwo: 10 });
  const { data } = (await emulator.send('GET', '/v1/ugwo')).json;
  const [ugwo, cedi] = data;
  const change = inFile(emulator.file, (db) =>
    scripted === undefined
      ? undefined
      : db
          .prepare("UPDATE ugwo SET record = json_set(record, '$.metadata.emulate', ?) WHERE uid = ?")
          .run(scripted, ugwo.uid),
  );
  expect(change?.changes ?? 1).toBe(1);
  const path = `/v1/ugwo/${ugwo.uid}`;
  return {
    ...emulator,
    ugwo,
    path,
    charge: async (sent: unknown) =>
      (await emulator.send('POST', `${path}/activities`, { type: 'charge', data: sent })).json,
    chargeCedi: async () => {
      const body = { type: 'charge', data: MOBILE };
      return (await emulator.send('POST', `/v1/ugwo/${cedi.uid}/activities`, body)).json;
    },
    cediStatus: async () => (await emulator.send('GET', `/v1/ugwo/${cedi.uid}`)).json.status,
    read: async () => (await emulator.send('GET', path)).json,
    settle: (activity: string, as: ActivityEnding, after?: number) =>
      emulatorRoom.settle({ ...emulator, activity, as, after }),
    pay: (activity: string, amount: number) =>
      emulatorRoom.settle({ ...emulator, activity, as: 'successful', after: undefined, amount: () => amount }),
  };
};

/** An activity as shown on its payment request. */
const inShort = ({ uid, status, psp_external_id }: Record<string, unknown>) => ({
  uid,
  status,
  psp_external_id,
  is_double_charge: false,
});

const DECLINED = { code: 'psp.error.declined', message: expect.stringMatching(/./) };
const EXPIRED = { code: 'psp.error.expired', message: expect.stringMatching(/./) };

describe('settled manually', () => {
  test('successful: the activity succeeds, its payment request is paid, and reads show the same', async () => {
    const { charge, settle, read, clock, send, ugwo } = await charging();
    const made = await charge(TRANSFER);
    clock.set(NOON + MINUTE);
    const settled = await settle(made.uid, 'successful');
    const ended = { status: 'successful', next_action: null, updated_at: at(NOON + MINUTE) };
    const wanted = { ...made, ...ended, charged_amount: ugwo.amount };
    expect(settled).toEqual({ activity: wanted, due: undefined });
    expect(await read()).toMatchObject({
      status: 'ugwo_successful',
      total_amount_paid: ugwo.amount,
      activities: [wanted],
    });
    expect((await send('GET', '/v1/ugwo?limit=1')).json.data[0].status).toBe('ugwo_successful');
  });

  test.each([
    ['failed', DECLINED],
    ['expired', EXPIRED],
  ] as const)('%s: the activity fails, and its payment request can be charged again', async (as, error) => {
    const { charge, settle, read, ugwo } = await charging();
    const made = await charge(USSD);
    const { activity } = await settle(made.uid, as);
    expect(activity).toEqual({ ...made, status: 'failed', next_action: null, error });
    expect(await read()).toEqual({ ...ugwo, lastest_ugwo_activity: inShort(activity), activities: [activity] });
    expect(await charge(USSD)).toMatchObject({ status: 'requires_action' });
  });

  test('a processing activity can be settled, and its payment request is processing until then', async () => {
    const { chargeCedi, settle, cediStatus } = await charging();
    const made = await chargeCedi();
    expect(await cediStatus()).toBe('processing');
    expect((await settle(made.uid, 'successful')).activity).toMatchObject({ status: 'successful' });
    expect(await cediStatus()).toBe('ugwo_successful');
  });

  test('a payment request is open again once no activity is processing', async () => {
    const { chargeCedi, settle, cediStatus } = await charging();
    const [first, second] = [await chargeCedi(), await chargeCedi()];
    await settle(first.uid, 'failed');
    expect(await cediStatus()).toBe('processing');
    await settle(second.uid, 'failed');
    expect(await cediStatus()).toBe('requires_ugwo');
  });

  test('a second success is a double charge and counts as paid', async () => {
    const { charge, settle, read, ugwo } = await charging();
    const [first, second] = [await charge(USSD), await charge(USSD)];
    expect((await settle(first.uid, 'successful')).activity).not.toHaveProperty('is_double_charge');
    expect((await settle(second.uid, 'successful')).activity).toMatchObject({ is_double_charge: true });
    expect(await read()).toMatchObject({
      status: 'ugwo_successful',
      total_amount_paid: 2 * ugwo.amount,
      lastest_ugwo_activity: { uid: second.uid, status: 'successful', is_double_charge: true },
    });
  });

  test.each(['partially_refunded', 'refunded'])(
    'a success on a %s request is a double charge and does not change its status',
    async (status) => {
      const { charge, settle, read, ugwo, file } = await charging();
      const { uid } = await charge(USSD);
      inFile(file, (db) =>
        db.prepare("UPDATE ugwo SET record = json_set(record, '$.status', ?) WHERE uid = ?").run(status, ugwo.uid),
      );
      expect((await settle(uid, 'successful')).activity).toMatchObject({ is_double_charge: true });
      expect((await read()).status).toBe(status);
    },
  );

  test('works without a running emulator', async () => {
    const { charge, settle, close, file } = await charging();
    const { uid } = await charge(USSD);
    await close();
    await settle(uid, 'failed');
    const again = await startEmulator({ file });
    const [{ uid: ugwo }] = (await again.send('GET', '/v1/ugwo')).json.data;
    expect((await again.send('GET', `/v1/ugwo/${ugwo}/activities/${uid}`)).json.status).toBe('failed');
  });
});

describe('a part paid', () => {
  test('leaves the request open for what is missing, which the next charge asks for', async () => {
    const { charge, pay, read, ugwo } = await charging();
    const first = await charge(TRANSFER);
    const part = ugwo.amount - 50_000;
    expect((await pay(first.uid, part)).activity).toMatchObject({ amount: ugwo.amount, charged_amount: part });
    expect(await read()).toMatchObject({ status: 'requires_ugwo', total_amount_paid: part });
    const second = await charge(TRANSFER);
    expect(second).toMatchObject({
      amount: 50_000,
      next_action: { instruction: expect.stringContaining('NGN 500.00') },
    });
    expect(await read()).toMatchObject({ status: 'processing', amount: ugwo.amount, total_amount_paid: part });
    await pay(second.uid, 50_000);
    expect(await read()).toMatchObject({ status: 'ugwo_successful', total_amount_paid: ugwo.amount });
  });

  test.each(['failed', 'expired'] as const)('leaves the request open again after another charge has %s', async (as) => {
    const { charge, pay, settle, read } = await charging();
    await pay((await charge(USSD)).uid, 20_000);
    const { uid } = await charge(TRANSFER);
    expect((await read()).status).toBe('processing');
    await settle(uid, as);
    expect(await read()).toMatchObject({ status: 'requires_ugwo', total_amount_paid: 20_000 });
  });
});

describe('a reversal', () => {
  test('fails the activity, and takes only its money out of the total', async () => {
    const { charge, pay, settle, read } = await charging();
    const [first, second] = [await charge(USSD), await charge(USSD)];
    await pay(first.uid, 20_000);
    await pay(second.uid, 30_000);
    expect((await settle(first.uid, 'reversed')).activity).toMatchObject({
      status: 'failed',
      error: { code: 'psp.error.reversed' },
      charged_amount: 20_000,
    });
    expect(await read()).toMatchObject({ status: 'requires_ugwo', total_amount_paid: 30_000 });
  });
});

describe('settled later', () => {
  test('ends at its time, with that time recorded', async () => {
    const { charge, settle, read, clock } = await charging();
    const made = await charge(TRANSFER);
    expect(await settle(made.uid, 'successful', 30 * SECOND)).toEqual({ activity: made, due: NOON + 30 * SECOND });
    clock.set(NOON + 30 * SECOND - 1);
    expect(await read()).toMatchObject({ status: 'processing', activities: [made] });
    clock.set(NOON + 5 * MINUTE);
    expect(await read()).toMatchObject({
      status: 'ugwo_successful',
      activities: [{ status: 'successful', next_action: null, updated_at: at(NOON + 30 * SECOND) }],
    });
    clock.set(NOON + 30 * MINUTE);
    const [activity] = (await read()).activities;
    expect(activity).toMatchObject({ status: 'successful', updated_at: at(NOON + 30 * SECOND) });
    expect(activity).not.toHaveProperty('is_double_charge');
  });

  test.each(['', '/activities/{uid}', 'list'])('is visible in the first read after it (%s)', async (what) => {
    const { charge, settle, send, path, clock } = await charging();
    const { uid } = await charge(USSD);
    await settle(uid, 'successful', SECOND);
    clock.set(NOON + SECOND);
    const asked = what === 'list' ? '/v1/ugwo?limit=1' : path + what.replace('{uid}', uid);
    expect((await send('GET', asked)).text).toContain('successful"');
  });

  test('uses the last of several calls', async () => {
    const { charge, settle, read, clock } = await charging();
    const { uid } = await charge(USSD);
    await settle(uid, 'successful', MINUTE);
    await settle(uid, 'failed', 2 * MINUTE);
    clock.set(NOON + MINUTE);
    expect((await read()).activities[0].status).toBe('requires_action');
    await settle(uid, 'expired');
    clock.set(NOON + 3 * MINUTE);
    expect((await read()).activities[0].error).toEqual(EXPIRED);
  });

  test('ends several activities in time order: the later success is the double charge', async () => {
    const { charge, settle, read, clock } = await charging();
    const [first, second] = [await charge(USSD), await charge(USSD)];
    await settle(first.uid, 'successful', 2 * MINUTE);
    await settle(second.uid, 'successful', MINUTE);
    clock.set(NOON + 3 * MINUTE);
    const { activities } = await read();
    expect(activities.map((activity: object) => 'is_double_charge' in activity)).toEqual([true, false]);
  });

  test("is rejected after the account's expiry", async () => {
    const { charge, settle } = await charging();
    const { uid } = await charge({ ...TRANSFER, expires_at: at(NOON + MINUTE) });
    expect(await faultOf(settle(uid, 'successful', MINUTE + SECOND))).toMatchObject({
      kind: 'usage',
      message: `the account of the activity ${uid} expires before that, at 2026-11-20T12:01:00+00:00`,
    });
    expect((await settle(uid, 'successful', MINUTE)).due).toBe(NOON + MINUTE);
  });
});

describe('an unpaid account', () => {
  test('expires at its time', async () => {
    const { charge, read, clock, ugwo } = await charging();
    const made = await charge({ ...TRANSFER, expires_at: at(NOON + 10 * MINUTE) });
    clock.set(NOON + 10 * MINUTE - 1);
    expect((await read()).activities).toEqual([made]);
    clock.set(NOON + 20 * MINUTE);
    const failed = { ...made, status: 'failed', next_action: null, error: EXPIRED, updated_at: at(NOON + 10 * MINUTE) };
    expect(await read()).toEqual({ ...ugwo, lastest_ugwo_activity: inShort(failed), activities: [failed] });
  });

  test('expires after 15 minutes by default; a dial string does not', async () => {
    const { charge, read, clock } = await charging();
    await charge(TRANSFER);
    await charge(USSD);
    clock.set(NOON + 15 * MINUTE);
    const { activities } = await read();
    expect(activities.map(({ status }: { status: string }) => status)).toEqual(['failed', 'requires_action']);
  });

  test.each([undefined, MINUTE])('takes a late transfer after its expiry (after %j)', async (after) => {
    const { charge, settle, read, clock, ugwo } = await charging();
    const { uid } = await charge(TRANSFER);
    clock.set(NOON + 15 * MINUTE);
    await settle(uid, 'successful', after);
    expect((await read()).status).toBe(after === undefined ? 'ugwo_successful' : 'requires_ugwo');
    clock.set(NOON + 16 * MINUTE);
    expect(await read()).toMatchObject({
      status: 'ugwo_successful',
      total_amount_paid: ugwo.amount,
      activities: [{ status: 'successful', error: null }],
    });
  });

  test.each(['failed', 'expired', 'reversed'] as const)("can't be %s after its expiry", async (as) => {
    const { charge, settle, clock } = await charging();
    const { uid } = await charge(TRANSFER);
    clock.set(NOON + 15 * MINUTE);
    expect(await faultOf(settle(uid, as))).toMatchObject({ kind: 'usage' });
  });
});

describe('settle is a usage error and changes nothing for', () => {
  test('an unknown activity', async () => {
    const { settle } = await charging();
    const fault = await faultOf(settle('act.Lcal.nothing', 'failed'));
    expect(fault).toMatchObject({
      kind: 'usage',
      message: "there is no activity act.Lcal.nothing in the emulator's data",
    });
    expect(fault.detail.hint).toContain('--data');
  });

  test('any activity if there is no data file, which is not created', async () => {
    const file = tempFile();
    const settling = { file, clock: clockAt(), activity: 'act.Lcal.nothing', as: 'failed', after: undefined } as const;
    expect((await faultOf(emulatorRoom.settle(settling))).message).toContain('there is no activity');
    expect(existsSync(file)).toBe(false);
  });

  test.each(['successful', 'failed'] as const)('a final activity (%s)', async (as) => {
    const { charge, settle, read } = await charging();
    const { uid } = await charge(USSD);
    await settle(uid, as);
    const before = await read();
    const status = as === 'successful' ? 'paid' : 'failed';
    for (const after of [undefined, SECOND]) {
      expect(await faultOf(settle(uid, 'successful', after))).toMatchObject({
        kind: 'usage',
        message: `the activity ${uid} has ended already: it is ${status}`,
      });
    }
    expect(await read()).toEqual(before);
  });
});

describe('metadata.emulate', () => {
  test.each([
    ['successful:30s', 'successful', null],
    ['failed:30s', 'failed', DECLINED],
    ['expired:30s', 'failed', EXPIRED],
  ])('%s: ends that long after the charge', async (scripted, status, error) => {
    const { charge, read, clock } = await charging(scripted);
    expect(await charge(TRANSFER)).toMatchObject({ status: 'requires_action', error: null });
    clock.set(NOON + 30 * SECOND - 1);
    expect((await read()).activities[0].status).toBe('requires_action');
    clock.set(NOON + 30 * SECOND);
    expect((await read()).activities[0]).toMatchObject({ status, error, updated_at: at(NOON + 30 * SECOND) });
  });

  test('an account that expires earlier expires', async () => {
    const { charge, read, clock } = await charging('successful:10m');
    await charge({ ...TRANSFER, expires_at: at(NOON + MINUTE) });
    await charge(USSD);
    clock.set(NOON + 10 * MINUTE);
    expect((await read()).activities).toMatchObject([{ error: EXPIRED }, { status: 'successful' }]);
  });

  test.each(['successful', 'successful:', 'successful:soon', 'won:30s', 'lost:', 'fail:mobile_money', ''])(
    '%j has no effect',
    async (scripted) => {
      const { charge, read, clock } = await charging(scripted);
      expect(await charge(USSD)).toMatchObject({ status: 'requires_action' });
      clock.set(NOON + 60 * MINUTE);
      expect((await read()).activities[0].status).toBe('requires_action');
      // It does not keep an account from expiring either.
      await charge(TRANSFER);
      clock.set(NOON + 75 * MINUTE);
      expect((await read()).activities[1].error).toEqual(EXPIRED);
    },
  );

  test('fail: an activity that failed at once does not expire', async () => {
    const { charge, read, clock } = await charging('fail');
    const made = await charge(TRANSFER);
    clock.set(NOON + 20 * MINUTE);
    expect((await read()).activities).toEqual([made]);
  });

  test.each([
    ['lost', 1],
    ['lost:unmade', 0],
  ])('%s: cuts the connection without an answer; %i charges were created', async (scripted, made) => {
    const { charge, read } = await charging(scripted);
    await expect(charge(USSD)).rejects.toMatchObject({ code: 'ECONNRESET' });
    const { activities } = await read();
    expect(activities).toHaveLength(made);
    if (made === 1) expect(activities[0]).toMatchObject({ status: 'requires_action', created_at: at(NOON) });
  });

  test('lost: an invalid request is rejected with an answer', async () => {
    const { charge } = await charging('lost');
    expect(await charge({ ...USSD, provider: 'no bank' })).toMatchObject({ status: 422 });
  });
});

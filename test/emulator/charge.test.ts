import { describe, expect, test } from 'vitest';
import { BANK_CODES } from '../../src/core/banks.ts';
import { formatDateAtom } from '../../src/core/time.ts';
import { MINUTE } from '../support/units.ts';
import { type Answer, activitiesIn, type Emulator, inFile, NOON, startEmulator, violationsOf } from './support.ts';

const at = (ms: number, offset = 0): string => formatDateAtom({ ms, offset });

interface Charging extends Emulator {
  /** The newest payment requests, by the outcome of a charge. */
  readonly ugwo: Record<
    'naira' | 'cedi' | 'unrouted' | 'failing' | 'failingUssd',
    { uid: string; amount: number; checkout: unknown }
  >;
  charge(ugwo: { uid: string }, data: unknown): Promise<Answer>;
}

const charging = async (): Promise<Charging> => {
  const emulator = await startEmulator({ customers: 1, ugwo: 10 });
  const { json } = await emulator.send('GET', '/v1/ugwo');
  const found = (test: (ugwo: { currency: string; checkout: unknown; metadata: { emulate?: string } }) => boolean) =>
    json.data.find(test);
  return {
    ...emulator,
    ugwo: {
      naira: json.data[0],
      cedi: found(({ currency }) => currency === 'GHS'),
      unrouted: found(({ checkout }) => checkout === null),
      failing: found(({ metadata }) => metadata.emulate === 'fail'),
      failingUssd: found(({ metadata }) => metadata.emulate === 'fail:ussd'),
    },
    charge: ({ uid }, data) => emulator.send('POST', `/v1/ugwo/${uid}/activities`, { type: 'charge', data }),
  };
};

const TRANSFER = { medium: 'bank_transfer' };
const USSD = { medium: 'ussd', provider: 'gtb' };
const MOBILE = { medium: 'mobile_money', provider: 'mtn', phone: '+233201234567' };

describe('3 states', () => {
  test('(none) to processing: handed to the PSP without further customer input (mobile_money)', async () => {
    const { charge, ugwo } = await charging();
    const { status, json } = await charge(ugwo.cedi, MOBILE);
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: 'processing', next_action: null, error: null });
    expect(json.checkout.currency[0]).toBe('GHS');
  });

  test.each([
    ['fail', 'failing', TRANSFER],
    ['fail', 'failing', USSD],
    ['fail:ussd', 'failingUssd', USSD],
  ] as const)('(none) to failed: metadata.emulate %s fails at once, error is populated', async (_wish, which, data) => {
    const { charge, ugwo } = await charging();
    const { status, json } = await charge(ugwo[which], data);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      status: 'failed',
      next_action: null,
      error: { code: expect.stringMatching(/./), message: expect.stringContaining(data.medium) },
      psp_external_id: null,
    });
  });

  test('metadata.emulate fail:<medium> does not affect other mediums', async () => {
    const { charge, ugwo } = await charging();
    expect((await charge(ugwo.failingUssd, TRANSFER)).json.status).toBe('requires_action');
  });
});

describe('4.2 create an activity', () => {
  test('rule 1: when the checkout is null, 422', async () => {
    const { charge, ugwo, file } = await charging();
    expect(violationsOf(await charge(ugwo.unrouted, TRANSFER))).toEqual(['checkout']);
    expect(activitiesIn(file)).toEqual([]);
  });

  test.each([
    ['ugwo_successful', 'ugwo_processed'],
    ['partially_refunded', 'ugwo_processed'],
    ['refunded', 'ugwo_processed'],
    ['cancelled', 'ugwo_cancelled'],
  ])('a payment request that is %s is a 409 problem, %s, whatever else is wrong', async (status, code) => {
    const { charge, ugwo, file } = await charging();
    inFile(file, (db) => db.prepare("UPDATE ugwo SET record = json_set(record, '$.status', ?)").run(status));
    for (const sent of [charge(ugwo.naira, TRANSFER), charge(ugwo.unrouted, TRANSFER), charge(ugwo.cedi, USSD)]) {
      const answer = await sent;
      expect(answer.status).toBe(409);
      expect(answer.json).toMatchObject({ title: 'An error occurred', status: 409, detail: code });
    }
    expect(activitiesIn(file)).toEqual([]);
  });

  test.each([
    ['requires_ugwo', 'naira', TRANSFER, 'processing'],
    ['requires_ugwo', 'naira', USSD, 'processing'],
    ['requires_ugwo', 'failing', USSD, 'requires_ugwo'],
    ['requires_ugwo', 'cedi', MOBILE, 'processing'],
    ['processing', 'naira', TRANSFER, 'processing'],
  ] as const)('a %s payment request (%s) charged by %j becomes %s', async (before, which, data, after) => {
    const { charge, ugwo, file, send } = await charging();
    inFile(file, (db) => db.prepare("UPDATE ugwo SET record = json_set(record, '$.status', ?)").run(before));
    const { uid } = (await charge(ugwo[which], data)).json;
    const { json } = await send('GET', `/v1/ugwo/${ugwo[which].uid}`);
    expect(json).toMatchObject({ status: after, total_amount_paid: 0, lastest_ugwo_activity: { uid } });
  });

  test('rule 2: activities are independent; creating one does not alter or block the others', async () => {
    const { charge, ugwo, file } = await charging();
    const first = (await charge(ugwo.failingUssd, USSD)).json;
    const second = (await charge(ugwo.failingUssd, TRANSFER)).json;
    const third = (await charge(ugwo.failingUssd, TRANSFER)).json;
    expect([first.status, second.status, third.status]).toEqual(['failed', 'requires_action', 'requires_action']);
    expect(new Set([first.uid, second.uid, third.uid]).size).toBe(3);
    expect(second.next_action.headers.account_number).not.toBe(third.next_action.headers.account_number);
    const kept = activitiesIn(file);
    expect(kept.map(({ record }) => JSON.parse(record))).toEqual([first, second, third]);
    expect(kept.map(({ ugwo: owner }) => owner)).toEqual(Array(3).fill(ugwo.failingUssd.uid));
  });

  test('rule 3: the response is the created activity with every field of 2.4', async () => {
    const { charge, ugwo } = await charging();
    const { json } = await charge(ugwo.naira, TRANSFER);
    expect(json).toEqual({
      uid: expect.stringMatching(/^act\.Lcal\.[A-Za-z0-9]{24}$/),
      ugwo_uid: ugwo.naira.uid,
      activity_type: 'charge',
      amount: ugwo.naira.amount,
      checkout: ugwo.naira.checkout,
      ugwo_medium: null,
      psp: 'paystack_ng',
      psp_external_id: expect.stringMatching(/^\S+$/),
      next_action: expect.any(Object),
      status: 'requires_action',
      error: null,
      created_at: '2026-11-20T12:00:00+00:00',
      updated_at: '2026-11-20T12:00:00+00:00',
    });
  });

  test('rule 4: bank_transfer requires_action: user_action, all four headers of 2.5, the amount, no ugwo_medium', async () => {
    const emulator = await charging();
    const { json } = await emulator.charge(emulator.ugwo.naira, TRANSFER);
    const { amount } = (await emulator.send('GET', '/v1/ugwo?limit=1')).json.data[0];
    const [, whole, cents] = /^(\d+)(\d\d)$/.exec(String(amount)) ?? [];
    expect(json).toMatchObject({ status: 'requires_action', next_action: { type: 'user_action' }, error: null });
    expect(json.ugwo_medium).toBeNull();
    expect(json.next_action.instruction.replaceAll(',', '')).toContain(`NGN ${whole}.${cents} `);
    expect(json.next_action.headers).toEqual({
      bank_name: expect.stringMatching(/./),
      account_name: expect.stringMatching(/./),
      account_number: expect.stringMatching(/^\d{10}$/),
      expires_at: '2026-11-20T12:15:00+00:00',
    });
  });

  test('rule 4: ussd requires_action: user_action, the code to dial in headers and instruction, no ugwo_medium', async () => {
    const { charge, ugwo } = await charging();
    const { json } = await charge(ugwo.naira, USSD);
    expect(json).toMatchObject({ status: 'requires_action', next_action: { type: 'user_action' }, error: null });
    expect(json.ugwo_medium).toBeNull();
    expect(json.next_action.headers).toEqual({ ussd: expect.stringMatching(/^\*[\d*]+#$/) });
    expect(json.next_action.instruction).toContain(json.next_action.headers.ussd);
  });

  test.each([
    ['fetch', undefined],
    ['', 'charge '],
    ['Charge', 7],
  ])('any type but charge is 422: %j and %j', async (...types) => {
    const { send, ugwo } = await charging();
    for (const type of types) {
      const answer = await send('POST', `/v1/ugwo/${ugwo.naira.uid}/activities`, { type, data: TRANSFER });
      expect(violationsOf(answer)).toEqual(['type']);
    }
  });

  test('an unknown medium is 422 on data.medium', async () => {
    const { charge, ugwo } = await charging();
    for (const medium of ['card', 'USSD', 7]) {
      expect(violationsOf(await charge(ugwo.naira, { medium }))).toEqual(['data.medium']);
    }
  });

  test.each([
    ['mobile_money', 'naira', MOBILE],
    ['bank_transfer', 'cedi', TRANSFER],
    ['ussd', 'cedi', USSD],
  ] as const)('%s is 422 on data.medium where the checkout does not offer it (%s)', async (_medium, which, data) => {
    const { charge, ugwo, file } = await charging();
    expect(violationsOf(await charge(ugwo[which], data))).toEqual(['data.medium']);
    expect(activitiesIn(file)).toEqual([]);
  });

  test('unknown properties of data are ignored', async () => {
    const { charge, ugwo } = await charging();
    expect((await charge(ugwo.naira, { ...TRANSFER, note: 'x', provider: 'whatever' })).status).toBe(200);
  });

  test('an unknown payment request is a 404 problem', async () => {
    const { charge } = await charging();
    const answer = await charge({ uid: 'ugw.Lcal.nothing' }, TRANSFER);
    expect(answer.status).toBe(404);
    expect(answer.json).toMatchObject({
      type: 'https://tools.ietf.org/html/rfc2616#section-10',
      title: 'An error occurred',
      status: 404,
      detail: 'ugwo.error.not_found',
    });
  });
});

describe('7 errors: bank_transfer expires_at', () => {
  test.each([
    ['one second ahead', NOON + 1000],
    ['ten minutes ahead', NOON + 10 * MINUTE],
    ['15 minutes ahead', NOON + 15 * MINUTE],
  ])('accepts %s', async (_case, ms) => {
    const { charge, ugwo } = await charging();
    const { json } = await charge(ugwo.naira, { ...TRANSFER, expires_at: at(ms) });
    expect(json.next_action.headers.expires_at).toBe(at(ms));
  });

  test.each([-660, -60, 60, 330, 840])('an offset of %i minutes describes the same time', async (offset) => {
    const { charge, ugwo } = await charging();
    const { json } = await charge(ugwo.naira, { ...TRANSFER, expires_at: at(NOON + 10 * MINUTE, offset) });
    expect(json.next_action.headers.expires_at).toBe(at(NOON + 10 * MINUTE));
  });

  test.each([
    ['now', at(NOON)],
    ['in the past', at(NOON - 1000)],
    ['a second more than 15 minutes ahead', at(NOON + 15 * MINUTE + 1000)],
    ['a year ahead', '2027-11-20T12:05:00+00:00'],
    ['without an offset', '2026-11-20T12:05:00'],
    ['an impossible date', '2026-11-31T12:05:00+00:00'],
    ['no time', 'soon'],
    ['blank', ''],
    ['a number', NOON + MINUTE],
    ['null', null],
  ])('%s is 422', async (_case, expires_at) => {
    const { charge, ugwo, file } = await charging();
    expect(violationsOf(await charge(ugwo.naira, { ...TRANSFER, expires_at }))).toEqual(['data.expires_at']);
    expect(activitiesIn(file)).toEqual([]);
  });

  test('uses the time of the request', async () => {
    const { charge, ugwo, clock } = await charging();
    clock.set(NOON + 5 * MINUTE);
    const taken = await charge(ugwo.naira, { ...TRANSFER, expires_at: at(NOON + 20 * MINUTE) });
    expect(taken.json).toMatchObject({ status: 'requires_action', created_at: at(NOON + 5 * MINUTE) });
    expect((await charge(ugwo.naira, { ...TRANSFER, expires_at: at(NOON + 4 * MINUTE) })).status).toBe(422);
  });
});

describe('7 errors: ussd provider', () => {
  test('accepts every code of the table', async () => {
    const { charge, ugwo } = await charging();
    for (const provider of BANK_CODES) expect((await charge(ugwo.naira, { ...USSD, provider })).status).toBe(200);
  });

  test.each(['gtbank', 'GTB', ' gtb', '058', 'toString', '__proto__'])(
    'the unknown code %j is 422',
    async (provider) => {
      const { charge, ugwo } = await charging();
      expect(violationsOf(await charge(ugwo.naira, { ...USSD, provider }))).toEqual(['data.provider']);
    },
  );

  test('a wrong code on a checkout without ussd is two violations', async () => {
    const { charge, ugwo } = await charging();
    const answer = await charge(ugwo.cedi, { ...USSD, provider: 'gtbank' });
    expect(violationsOf(answer)).toEqual(['data.medium', 'data.provider']);
  });
});

describe('7 errors: a required value is blank or missing', () => {
  const without = (data: Record<string, unknown>, name: string) => ({ ...data, [name]: undefined });

  test.each([
    ['data.medium', 'naira', { provider: 'gtb' }],
    ['data.medium', 'naira', { medium: '' }],
    ['data.medium', 'naira', { medium: null }],
    ['data.provider', 'naira', without(USSD, 'provider')],
    ['data.provider', 'naira', { ...USSD, provider: ' ' }],
    ['data.provider', 'cedi', without(MOBILE, 'provider')],
    ['data.provider', 'cedi', { ...MOBILE, provider: '' }],
    ['data.phone', 'cedi', without(MOBILE, 'phone')],
    ['data.phone', 'cedi', { ...MOBILE, phone: '\t' }],
    ['data.phone', 'cedi', { ...MOBILE, phone: '0201234567' }],
  ] as const)('422 on %s (%s, %j)', async (propertyPath, which, data) => {
    const { charge, ugwo, file } = await charging();
    expect(violationsOf(await charge(ugwo[which], data))).toEqual([propertyPath]);
    expect(activitiesIn(file)).toEqual([]);
  });

  test('422 on type and on data when both are missing', async () => {
    const { send, ugwo } = await charging();
    const answer = await send('POST', `/v1/ugwo/${ugwo.naira.uid}/activities`, {});
    expect(violationsOf(answer)).toEqual(['type', 'data']);
    expect(answer.json.detail).toMatch(/^type: .+\ndata: .+$/);
  });

  test.each([null, 'bank_transfer', []])('422 on data when it is %j', async (data) => {
    const { charge, ugwo } = await charging();
    expect(violationsOf(await charge(ugwo.naira, data))).toEqual(['data']);
  });
});

describe('8 limits', () => {
  test('bank_transfer expiry default: 15 minutes from now', async () => {
    const { charge, ugwo, clock } = await charging();
    clock.set(NOON + 3 * MINUTE);
    const { json } = await charge(ugwo.naira, TRANSFER);
    expect(json.next_action.headers.expires_at).toBe(at(NOON + 18 * MINUTE));
  });
});

import { describe, expect, test } from 'vitest';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { inFile, startEmulator } from './support.ts';

const TRANSFER = { medium: 'bank_transfer' };
const SHOWN = /^[a-z]{3}\.Lcal\.[A-Za-z0-9]{22}_t$/;
const MICROS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;
const LAGOS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0100$/;

/** Two emulators with one file: the same answers in two dialects. */
const both = async () => {
  const live = await startEmulator({ customers: 25, ugwo: 120, dialect: 'live' });
  const documented = await startEmulator({ file: live.file, clock: live.clock });
  const list = (await live.send('GET', '/v1/ugwo?limit=100')).json.data;
  const whole = (await documented.send('GET', '/v1/ugwo?limit=100')).json.data;
  const find = (what: (ugwo: { status: string; checkout: { currency: [string] } | null }) => boolean) =>
    list[whole.findIndex(what)] as { uid: string };
  return {
    live,
    documented,
    list,
    whole,
    onye: whole.find(({ onye }: { onye: unknown }) => onye !== null).onye.uid.replace(/..$/, '_t'),
    open: find(() => true),
    unrouted: find(({ checkout }) => checkout === null),
    cedi: find(({ checkout }) => checkout?.currency[0] === 'GHS'),
    paid: find(({ status }) => status === 'ugwo_successful'),
    cancelled: find(({ status }) => status === 'cancelled'),
    charge: ({ uid }: { uid: string }, data: unknown) =>
      live.send('POST', `/v1/ugwo/${uid}/activities`, { type: 'charge', data }),
  };
};

describe('the live dialect', () => {
  test('lists few fields, with enums as pairs with translation keys, and amounts as strings', async () => {
    const { list, whole } = await both();
    expect(list).toHaveLength(100);
    for (const [index, ugwo] of list.entries()) {
      const { amount, status, currency, ref, created_at } = whole[index];
      expect(ugwo).toEqual({
        uid: expect.stringMatching(SHOWN),
        amount: String(amount),
        ref,
        status: [status, `enum.ugwo_status.${status}`],
        currency: [currency, `enum.currency.${currency}`],
        created_at: expect.stringMatching(MICROS),
      });
      expect(Date.parse(ugwo.created_at)).toBe(Date.parse(created_at));
    }
  });

  test('writes the checkout of a payment request', async () => {
    const { live, open, unrouted } = await both();
    expect((await live.send('GET', `/v1/ugwo/${unrouted.uid}`)).json.checkout).toBeNull();
    expect((await live.send('GET', `/v1/ugwo/${open.uid}`)).json.checkout).toEqual({
      uid: expect.stringMatching(SHOWN),
      currency: ['NGN', 'enum.currency.NGN'],
      mediums: [{ medium: ['bank_transfer', 'enum.medium.bank_transfer'] }, { medium: ['ussd', 'enum.medium.ussd'] }],
    });
  });

  test('writes the currency of a single payment request as a string, as the plugin reads it', async () => {
    const { live, paid } = await both();
    const { json } = await live.send('GET', `/v1/ugwo/${paid.uid}`);
    expect(json).toMatchObject({
      uid: paid.uid,
      currency: 'NGN',
      total_amount_paid: json.amount,
      lastest_ugwo_activity: {
        uid: expect.stringMatching(SHOWN),
        status: ['successful', 'enum.ugwo_activity_status.successful'],
        is_double_charge: false,
      },
      activities: [{ ugwo_uid: paid.uid, next_action: [], error: [], ugwo_medium: [] }],
    });
  });

  test('writes an activity', async () => {
    const { live, open, charge } = await both();
    const { status, json } = await charge(open, TRANSFER);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      uid: expect.stringMatching(SHOWN),
      ugwo_uid: open.uid,
      activity_type: ['charge', 'enum.ugwo_activity_type.charge'],
      amount: expect.stringMatching(/^\d+$/),
      ugwo_medium: [],
      psp: ['paystack_ng', 'enum.psp.paystack_ng'],
      next_action: {
        type: ['user_action', 'enum.next_action_type.user_action'],
        headers: { account_number: expect.stringMatching(/^\d{10}$/), expires_at: '2026-11-20T13:15:00+0100' },
      },
      status: ['requires_action', 'enum.ugwo_activity_status.requires_action'],
      error: [],
      created_at: '2026-11-20T12:00:00.000000+00:00',
      updated_at: expect.stringMatching(LAGOS),
    });
    const again = await live.send('GET', `/v1/ugwo/${open.uid}/activities/${json.uid}`);
    expect([again.status, again.json]).toEqual([200, json]);
  });

  test('writes [] for no next action', async () => {
    const { cedi, charge } = await both();
    const { json } = await charge(cedi, { medium: 'mobile_money', provider: 'mtn', phone: '+233201234567' });
    expect(json).toMatchObject({ status: ['processing', expect.any(String)], next_action: [], error: [] });
  });

  test('writes a customer with title-cased names and [] for empty objects, and leaves client data unchanged', async () => {
    const { live, onye: uid } = await both();
    expect(uid).toMatch(SHOWN);
    const meta = { status: 'x', amount: 5, uid: 'ugw.Lcal.p8Wdunr9tr1bMLFMnJArp5Qt', deep: {}, constructor: {} };
    const updated = await live.send('PATCH', `/v1/onye/${uid}`, { first_name: 'aDA lOVELACE', meta });
    expect(updated.json).toMatchObject({
      uid,
      first_name: 'Ada Lovelace',
      status: ['active', 'enum.onye_status.active'],
      meta: { ...meta, deep: [], constructor: [] },
      created_at: expect.stringMatching(MICROS),
    });
    await live.send('PATCH', `/v1/onye/${uid}`, { meta: {} });
    expect((await live.send('GET', `/v1/onye/${uid}`)).json.meta).toEqual([]);
  });

  test('preserves the digits of a large number', async () => {
    const { live, onye: uid } = await both();
    const { text } = await live.send('PATCH', `/v1/onye/${uid}`, { x: 1 });
    expect(text).toContain('"x":1');
    inFile(live.file, (db) =>
      db.exec("UPDATE onye SET record = json_set(record, '$.x', json('12345678901234567890'))"),
    );
    expect((await live.send('GET', `/v1/onye/${uid}`)).text).toContain('"x":12345678901234567890');
  });

  test('writes new, cancelled, refunded and listed records', async () => {
    const { live } = await both();
    const body = { amount: 500_000, currency: 'NGN', onye_email: 'ada@example.com', metadata: {} };
    const made = (await live.send('POST', '/v1/ugwo', body)).json;
    const shown = expect.stringMatching(SHOWN);
    const requires = ['requires_ugwo', 'enum.ugwo_status.requires_ugwo'];
    expect(made).toMatchObject({
      uid: shown,
      amount: '500000',
      currency: 'NGN',
      status: requires,
      metadata: [],
      onye_nzube: { uid: shown },
    });
    const [customer] = (await live.send('GET', '/v1/onye?limit=1')).json.data;
    expect(customer).toMatchObject({
      uid: made.onye_nzube.uid,
      status: ['active', 'enum.onye_status.active'],
      meta: [],
    });
    const [checkout] = (await live.send('GET', '/v1/checkouts')).json;
    expect(checkout).toMatchObject({
      uid: made.checkout.uid,
      currency: 'NGN',
      status: ['active', 'enum.checkout_status.active'],
      mediums: [{ medium: ['bank_transfer', 'enum.medium.bank_transfer'], position: 0 }, {}],
    });
    expect((await live.send('GET', `/v1/checkouts/${checkout.uid}`)).json).toEqual(checkout);
    const [provider] = (await live.send('GET', `/v1/checkouts/${checkout.uid}/ussd`)).json;
    expect(provider.psp).toEqual(['paystack_ng', 'enum.psp.paystack_ng']);
    const named = { ...body, onye: customer.uid, onye_email: undefined, checkout: checkout.uid };
    expect((await live.send('POST', '/v1/ugwo', named)).json.onye.uid).toBe(customer.uid);
    const charged = await live.send('POST', `/v1/ugwo/${made.uid}/activities`, {
      type: 'charge',
      data: { medium: 'ussd', provider: 'gtb' },
    });
    await emulatorRoom.settle({ ...live, activity: charged.json.uid, as: 'successful', after: undefined });
    const refund = (await live.send('POST', '/v1/refunds', { ugwo_activity: charged.json.uid })).json;
    expect(refund).toMatchObject({
      uid: expect.stringMatching(/_t$/),
      status: ['processing', 'enum.refund_status.processing'],
      amount: '500000',
      ugwo_activity: charged.json.uid,
      ugwo: { uid: made.uid },
      destination: [],
      error: [],
    });
    const other = (await live.send('POST', '/v1/ugwo', body)).json;
    expect((await live.send('DELETE', `/v1/ugwo/${other.uid}`)).json.status[0]).toBe('cancelled');
    expect((await live.send('DELETE', `/v1/onye/${customer.uid}`)).json).toEqual(customer);
    expect((await live.send('GET', `/v1/onye/${customer.uid}`)).json).toEqual({
      message: 'onye.error.not_found',
      errors: [],
    });
  });

  test('writes errors in the second shape', async () => {
    const { live, open, paid, cancelled, unrouted, charge } = await both();
    const refused = async (answer: Promise<{ status: number; headers: object; json: unknown }>) => {
      const { status, headers, json } = await answer;
      expect(headers).toMatchObject({ 'content-type': 'application/json' });
      return [status, json];
    };
    expect(await refused(charge(paid, TRANSFER))).toEqual([409, { message: 'ugwo_processed', errors: [] }]);
    expect(await refused(charge(cancelled, TRANSFER))).toEqual([409, { message: 'ugwo_cancelled', errors: [] }]);
    expect(await refused(charge(unrouted, TRANSFER))).toEqual([
      422,
      { message: 'validation_failed', errors: [{ field: 'checkout', message: expect.any(String) }] },
    ]);
    expect(await refused(charge(open, { medium: 'ussd', provider: 'nobank' }))).toEqual([
      422,
      { message: 'validation_failed', errors: [{ field: 'data[provider]', message: expect.any(String) }] },
    ]);
    expect(await refused(live.send('GET', '/v1/ugwo/ugw.Lcal.nothing'))).toEqual([
      404,
      { message: 'ugwo.error.not_found', errors: [] },
    ]);
    expect(await refused(live.send('GET', '/nowhere'))).toEqual([404, { message: expect.any(String), errors: [] }]);
  });

  test('validates its answers before converting them', async () => {
    const { live, open } = await both();
    inFile(live.file, (db) => db.exec("UPDATE ugwo SET record = json_set(record, '$.created_at', 'lately')"));
    const answer = await live.send('GET', `/v1/ugwo/${open.uid}`);
    expect([answer.status, answer.json.message]).toEqual([500, expect.stringContaining('created_at')]);
  });
});

describe('an id that ends in _t', () => {
  test('is accepted in both dialects and by settle, like the full id', async () => {
    const { live, documented, open, charge } = await both();
    const whole = (await documented.send('GET', '/v1/ugwo?limit=1')).json.data[0].uid;
    expect(open.uid).toBe(`${whole.slice(0, -2)}_t`);
    for (const one of [live, documented]) {
      for (const uid of [whole, open.uid]) expect((await one.send('GET', `/v1/ugwo/${uid}`)).status).toBe(200);
    }
    const made = (await charge(open, TRANSFER)).json;
    await emulatorRoom.settle({ ...live, activity: made.uid, as: 'successful', after: undefined });
    const { json } = await live.send('GET', `/v1/ugwo/${whole}/activities/${made.uid}`);
    expect(json).toMatchObject({ uid: made.uid, status: ['successful', expect.any(String)] });
  });

  test.each(['ugw.Lcal._t', 'ugw.Lcal.p_t', 'ugw.Lcal.0000000000000000000000_t', 'act.Lcal.p8Wdunr9tr1bMLFMnJArp5_t'])(
    'does not match another record: %s is unknown',
    async (uid) => {
      const { live } = await both();
      expect((await live.send('GET', `/v1/ugwo/${uid}`)).status).toBe(404);
    },
  );
});

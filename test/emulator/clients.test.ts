import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../src/core/data-files.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { openShop } from './shop.ts';

// Models the service's shop plugins as clients: the requests they send and the fields they read.

type Json = Record<string, unknown>;

const machine = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

const asObject = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

/** Accepts any 2xx with a JSON object or array; otherwise throws what the plugin reads of the error. */
const plugin = (origin: string, key: string, readFault: (json: Json) => string) => {
  const send = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, accept: 'application/json', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json = asObject(await answer.json());
    if (!answer.ok) throw new Error(readFault(json));
    return json;
  };
  return send;
};

/** The newer plugin reads `message`, and `errors` if present. */
const newerFault = ({ message, errors }: Json): string =>
  [
    message,
    ...(Array.isArray(errors) ? errors : []).map((one) => `${asObject(one)['field']}: ${asObject(one)['message']}`),
  ].join('; ');

/** The older plugin reads `violations[].title`, else `detail`, else `title`. */
const olderFault = ({ violations, detail, title }: Json): string => {
  const titles = (Array.isArray(violations) ? violations : []).map((one) => String(asObject(one)['title']));
  return titles.length > 0 ? titles.join('; ') : String(detail ?? title);
};

const newer = async (dialect: Dialect) => {
  const shop = await openShop({ dialect });
  const send = plugin(shop.origin, shop.key, newerFault);
  const order = {
    amount: 500_000,
    currency: 'NGN',
    description: 'Order 7',
    onye_email: 'Ada@Example.com',
    meta: { order_id: '7' },
  };
  /** Tries up to three references if one is taken. */
  const create = async (): Promise<Json> => {
    for (const ref of ['shop-7', 'shop-7-2', 'shop-7-3']) {
      try {
        return await send('POST', '/v1/ugwo', { ...order, ref });
      } catch (thrown) {
        if (!String(thrown).includes('ref_already_exists')) throw thrown;
      }
    }
    throw new Error('every ref is taken');
  };
  /** Paid only if amount, currency and ref agree and the provider has confirmed it. */
  const isPaid = async (uid: unknown, ref: string): Promise<boolean> => {
    const read = await send('GET', `/v1/ugwo/${uid}`);
    const paid = Number(read['total_amount_paid']) >= order.amount && read['currency'] === 'NGN' && read['ref'] === ref;
    return machine(read['status']) === 'ugwo_successful' && paid;
  };
  return { ...shop, call: send, create, isPaid };
};

describe.each(['documented', 'live'] as const)('the newer shop plugin, in the %s dialect', (dialect) => {
  test('tests the connection, creates, updates, reads, refunds and cancels', async () => {
    const shop = await newer(dialect);
    const { call, create, isPaid, charge } = shop;
    expect(Object.values(await call('GET', '/v1/checkouts?filter%5Bstatus%5D%5B%5D=1')).length).toBeGreaterThan(0);

    const made = await create();
    const customer = asObject(made['onye_nzube']);
    expect(customer).toMatchObject({ uid: expect.stringMatching(/^ony\./), first_name: null, last_name: null });
    const updated = await call('PATCH', `/v1/onye/${customer['uid']}`, { first_name: 'ada', last_name: 'OBI' });
    expect(updated).toMatchObject({ first_name: 'Ada', last_name: 'Obi', email: 'ada@example.com' });
    expect(await isPaid(made['uid'], 'shop-7')).toBe(false);

    const { uid: activity } = (await charge(String(made['uid']))).json;
    await emulatorRoom.settle({ ...shop, activity, as: 'successful', after: undefined });
    expect(await isPaid(made['uid'], 'shop-7')).toBe(true);
    const latest = asObject((await call('GET', `/v1/ugwo/${made['uid']}`))['lastest_ugwo_activity']);
    expect(latest).toMatchObject({
      uid: activity,
      psp_external_id: expect.stringMatching(/./),
      is_double_charge: false,
    });
    expect(machine(latest['status'])).toBe('successful');

    const refund = await call('POST', '/v1/refunds', {
      ugwo_activity: latest['uid'],
      amount: 250_000,
      reason: 'one of two',
    });
    expect([refund['uid'] === '', machine(refund['status'])]).toEqual([false, 'processing']);
    shop.pass(60);
    expect(machine((await call('GET', `/v1/ugwo/${made['uid']}`))['status'])).toBe('partially_refunded');

    const second = await create();
    expect([second['ref'], asObject(second['onye_nzube'])]).toEqual([
      'shop-7-2',
      { uid: customer['uid'], first_name: 'Ada', last_name: 'Obi' },
    ]);
    expect(machine((await call('DELETE', `/v1/ugwo/${second['uid']}`))['status'])).toBe('cancelled');
  });

  test('reads each rejection from message and errors', async () => {
    const { call, paid, request, charge } = await newer(dialect);
    const { ugwo, activity } = await paid();
    await expect(call('DELETE', `/v1/ugwo/${ugwo}`)).rejects.toThrow('nzube.ugwo.error.not_cancellable');
    await expect(call('POST', '/v1/ugwo', { amount: 500_000, currency: 'USD' })).rejects.toThrow(
      'currency_not_allowed',
    );
    await expect(call('POST', '/v1/ugwo', { amount: 1, currency: 'NGN' })).rejects.toThrow(
      'amount: should be at least',
    );
    await expect(call('POST', '/v1/refunds', { ugwo_activity: activity, amount: 1 })).rejects.toThrow(
      'refund_amount_too_low',
    );
    await expect(call('POST', '/v1/refunds', { ugwo_activity: activity, amount: 500_001 })).rejects.toThrow(
      'refund_amount_too_high',
    );
    const { uid } = await request('402');
    expect((await charge(uid)).status).toBe(402);
    await expect(call('GET', '/v1/ugwo/ugw.Lcal.nothing')).rejects.toThrow('ugwo.error.not_found');
  });

  test('asks for a missing destination and shows why a refund failed', async () => {
    const { call, paid } = await newer(dialect);
    const { activity } = await paid('refund:failed', { medium: 'bank_transfer' });
    const body = { ugwo_activity: activity, ref: 'refund-7' };
    await expect(call('POST', '/v1/refunds', body)).rejects.toThrow('missing_destination');
    const refund = await call('POST', '/v1/refunds', {
      ...body,
      destination: { provider: 'gtb', account_number: '0123456789' },
    });
    expect([machine(refund['status']), asObject(refund['error'])['message']]).toEqual([
      'failed',
      expect.stringMatching(/./),
    ]);
  });

  test('fails its connection test with another key', async () => {
    const { origin, key } = await newer(dialect);
    for (const wrong of [`${key.slice(0, -1)}!`, key.replace('sk.', 'pk.')]) {
      await expect(
        plugin(origin, wrong, newerFault)('GET', '/v1/checkouts?filter%5Bstatus%5D%5B%5D=1'),
      ).rejects.toThrow();
    }
  });
});

test('the older shop plugin creates a customer with empty address fields, then the payment request', async () => {
  const shop = await openShop();
  const call = plugin(shop.origin, shop.key, olderFault);
  const billing_address = { address: '12 Marina', address2: '', city: 'Lagos', state: '', zip: '', country: 'NG' };
  const customer = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Obi', billing_address };
  const { uid: onye } = await call('POST', '/v1/onye', customer);
  const { uid } = await call('POST', '/v1/ugwo', { amount: 500_000, currency: 'NGN', onye, ref: 'shop-8' });
  const { uid: activity } = (await shop.charge(String(uid))).json;
  await emulatorRoom.settle({ ...shop, activity, as: 'successful', after: undefined });
  const read = await call('GET', `/v1/ugwo/${uid}`);
  expect([machine(read['status']), asObject(read['lastest_ugwo_activity'])['uid']]).toEqual([
    'ugwo_successful',
    activity,
  ]);
  await expect(call('POST', '/v1/onye', customer)).rejects.toThrow('email_already_exists');
  await expect(call('POST', '/v1/onye', { ...customer, email: 'ada' })).rejects.toThrow(
    'is not a valid e-mail address',
  );
  await expect(call('GET', '/v1/ugwo/ugw.Lcal.nothing')).rejects.toThrow('ugwo.error.not_found');
});

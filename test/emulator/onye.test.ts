import { describe, expect, test } from 'vitest';
import { customersIn, type Emulator, startEmulator, violationsOf } from './support.ts';

const withCustomer = async (): Promise<Emulator & { uid: string; path: string }> => {
  const emulator = await startEmulator({ customers: 2 });
  const [uid = ''] = customersIn(emulator.file);
  return { ...emulator, uid, path: `/v1/onye/${uid}` };
};

/** The current customer: an empty update returns it. */
const show = async ({ send, path }: Awaited<ReturnType<typeof withCustomer>>) => (await send('PATCH', path, {})).json;

describe('4.1 update a customer', () => {
  test('response: the updated customer with the fields of 2.1', async () => {
    const { send, path, uid } = await withCustomer();
    const answer = await send('PATCH', path, { email: 'ada@example.com', first_name: 'Ada', last_name: 'Obi' });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.json).toMatchObject({
      uid,
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'Obi',
      meta: expect.any(Object),
      status: 'active',
      created_at: expect.stringMatching(/^2026-11-.*\+00:00$/),
    });
  });

  test('only the fields sent change, omitted fields keep their values', async () => {
    const customer = await withCustomer();
    const before = await show(customer);
    const answer = await customer.send('PATCH', customer.path, { last_name: 'Nwosu-Bello' });
    expect(before.last_name).not.toBe('Nwosu-Bello');
    expect(answer.json).toEqual({ ...before, last_name: 'Nwosu-Bello' });
  });

  test('an empty body changes nothing', async () => {
    const customer = await withCustomer();
    const before = await show(customer);
    expect(before.uid).toBe(customer.uid);
    expect(await show(customer)).toEqual(before);
  });

  test('does not change other customers', async () => {
    const customer = await withCustomer();
    const other = `/v1/onye/${customersIn(customer.file)[1]}`;
    const before = (await customer.send('PATCH', other, {})).json;
    await customer.send('PATCH', customer.path, { first_name: 'Changed' });
    expect((await customer.send('PATCH', other, {})).json).toEqual(before);
  });

  test('meta is replaced, not merged', async () => {
    const { send, path } = await withCustomer();
    await send('PATCH', path, { meta: { tier: 'vip', shop: 'Enugu' } });
    expect((await send('PATCH', path, { meta: { colour: null } })).json.meta).toEqual({ colour: null });
    expect((await send('PATCH', path, { meta: {} })).json.meta).toEqual({});
  });

  test('billing_address is replaced as a whole', async () => {
    const { send, path } = await withCustomer();
    const answer = await send('PATCH', path, { billing_address: { city: 'Lagos', country: 'NG' } });
    expect(answer.json.billing_address).toEqual({ city: 'Lagos', country: 'NG' });
  });

  test('stores an unknown field unchanged', async () => {
    const customer = await withCustomer();
    const odd = { Nested: [1, 'Zwei', null, { deep: true }], '': 'empty name' };
    await customer.send('PATCH', customer.path, { loyalty: odd, Nickname: 'ADA the 1ST' });
    expect(await show(customer)).toMatchObject({ loyalty: odd, Nickname: 'ADA the 1ST' });
  });

  test('stores a field named __proto__ like any other', async () => {
    const emulator = await startEmulator({ customers: 1 });
    const path = `/v1/onye/${customersIn(emulator.file)[0]}`;
    const answer = await emulator.send(
      'PATCH',
      path,
      JSON.parse('{"meta": {"__proto__": {"x": 1}}, "__proto__": "y"}'),
    );
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('"meta":{"__proto__":{"x":1}}');
    expect(answer.text).toContain('"__proto__":"y"');
  });

  test('ignores uid, status and created_at', async () => {
    const customer = await withCustomer();
    const before = await show(customer);
    const sent = { uid: 'ony.Xxxx.Stolen', status: 'root', created_at: '2001-01-01T00:00:00+00:00' };
    expect((await customer.send('PATCH', customer.path, sent)).json).toEqual(before);
    expect(customersIn(customer.file)[0]).toBe(customer.uid);
  });

  test.each(["ony.Lcal.' OR 1=1 --", '../ugwo', '%00', '*'])('the uid %j finds nobody', async (text) => {
    const { send } = await withCustomer();
    expect((await send('PATCH', `/v1/onye/${encodeURIComponent(text)}`, { first_name: 'Ada' })).status).toBe(404);
  });
});

describe('as publicly documented', () => {
  test.each([
    ['ADA', 'Ada'],
    ['ada rose-MARY', 'Ada Rose-Mary'],
    ["o'NEIL", "O'neil"],
    ['ọlá-ìdí', 'Ọlá-Ìdí'],
    ['ivana i', 'Ivana I'],
  ])('the name %j is stored as %j', async (sent, saved) => {
    const { send, path } = await withCustomer();
    const { json } = await send('PATCH', path, { first_name: sent, last_name: sent });
    expect(json).toMatchObject({ first_name: saved, last_name: saved });
  });
});

describe('7 errors: a field breaks a validation rule', () => {
  test('lists every violation and changes nothing', async () => {
    const customer = await withCustomer();
    const before = await show(customer);
    const body = { email: 'x', first_name: 'y'.repeat(101), last_name: 'Changed' };
    expect(violationsOf(await customer.send('PATCH', customer.path, body))).toEqual(['email', 'first_name']);
    expect(await show(customer)).toEqual(before);
  });
});

test('a payment request shows the current customer', async () => {
  const emulator = await startEmulator({ customers: 1, ugwo: 1 });
  const [uid = ''] = customersIn(emulator.file);
  await emulator.send('PATCH', `/v1/onye/${uid}`, { email: 'new@example.com' });
  const { json } = await emulator.send('GET', '/v1/ugwo');
  expect(json.data[0].onye).toMatchObject({ uid, email: 'new@example.com' });
});

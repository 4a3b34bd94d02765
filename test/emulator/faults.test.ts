import { describe, expect, test } from 'vitest';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { openShop, type Shop } from './shop.ts';
import { faultOf, sendRaw, startEmulator, violationsOf } from './support.ts';

const CHARGES = '/v1/ugwo/*/activities';

/** A shop with these fault rules and one payment request. */
const faulty = async (...rules: unknown[]) => {
  const slept: number[] = [];
  const shop = await openShop();
  const clock = Object.assign(shop.clock, { sleep: async (ms: number) => void slept.push(ms) });
  const { uid } = await shop.request();
  await emulatorRoom.faults({ file: shop.file, rules: { rules } });
  const made = async () => (await shop.read(uid)).activities.length;
  return { ...shop, clock, slept, uid, made };
};

const raised = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (thrown) => thrown,
  );

describe('a fault rule', () => {
  test('answers with a status before executing the request', async () => {
    const { charge, uid, made } = await faulty({ method: 'POST', path: CHARGES, status: 503 });
    const { status, json, headers } = await charge(uid);
    expect([status, json]).toMatchObject([503, { status: 503, message: 'a rule for faults of the emulator' }]);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(await made()).toBe(0);
  });

  test('answers with a status after executing the request', async () => {
    const { charge, uid, made } = await faulty({ method: 'POST', path: CHARGES, status: 500, when: 'after' });
    expect((await charge(uid)).status).toBe(500);
    expect(await made()).toBe(1);
  });

  test('answers 429 with Retry-After', async () => {
    const { charge, uid } = await faulty({ method: 'POST', status: 429, retry_after: 7 });
    const { status, headers } = await charge(uid);
    expect([status, headers['retry-after']]).toEqual([429, '7']);
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ])('resets the connection %s executing the request', async (when, count) => {
    const { charge, uid, made } = await faulty({ method: 'POST', path: CHARGES, reset: true, when });
    expect(await raised(charge(uid))).toMatchObject({ code: 'ECONNRESET' });
    expect(await made()).toBe(count);
  });

  test.each([0, 1, 20])('cuts the answer after %i bytes of its announced length', async (cut) => {
    const { origin, key, uid, made } = await faulty({ method: 'POST', path: CHARGES, cut });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ type: 'charge', data: { medium: 'bank_transfer' } });
    const answer = await fetch(`${origin}/v1/ugwo/${uid}/activities`, { method: 'POST', headers, body });
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(200);
    let got = 0;
    const reading = async () => {
      for await (const chunk of answer.body ?? []) got += chunk.byteLength;
    };
    expect(await raised(reading())).toBeInstanceOf(Error);
    expect(got).toBe(cut);
    expect(await made()).toBe(1);
  });

  test('sends invalid JSON in a complete answer', async () => {
    const { charge, uid, made } = await faulty({ method: 'POST', path: CHARGES, bad_json: true });
    const { status, text, headers } = await charge(uid);
    expect([status, Number(headers['content-length'])]).toEqual([200, Buffer.byteLength(text)]);
    expect(() => JSON.parse(text)).toThrow();
    expect(JSON.parse(`${text}}`)).toMatchObject({ status: 'requires_action' });
    expect(await made()).toBe(1);
  });

  test('delays the normal answer', async () => {
    const { charge, uid, slept } = await faulty({ method: 'POST', delay: '5s' });
    expect((await charge(uid)).status).toBe(200);
    expect(slept).toEqual([5000]);
  });
});

test('a delay ends when the emulator stops', async () => {
  const { charge, uid, clock, close } = await faulty({ method: 'POST', delay: '1h' });
  const { promise: asleep, resolve } = Promise.withResolvers<void>();
  Object.assign(clock, {
    sleep: (_ms: number, signal: AbortSignal) => {
      resolve();
      return new Promise((_done, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  const charged = raised(charge(uid));
  await asleep;
  await close();
  expect(await charged).toMatchObject({ code: 'ECONNRESET' });
});

describe('a fault rule matches', () => {
  const statuses = async (shop: Shop, path: string, count: number) => {
    const seen = [];
    for (let turn = 0; turn < count; turn += 1) seen.push((await shop.send('GET', path)).status);
    return seen;
  };

  test('only `times` requests', async () => {
    const shop = await faulty({ status: 500, times: 2 });
    expect(await statuses(shop, '/v1/ugwo', 4)).toEqual([500, 500, 200, 200]);
  });

  test('a deterministic share of requests', async () => {
    const shop = await faulty({ status: 500, share: 0.4 });
    expect(await statuses(shop, '/v1/ugwo', 10)).toEqual([200, 200, 500, 200, 500, 200, 200, 500, 200, 500]);
  });

  test.each([
    ['/v1/ugwo', 500, 200],
    ['/v1/ugwo/*', 200, 500],
    ['/v1/**', 500, 500],
    ['/v1/*', 500, 200],
    ['/v1/onye', 200, 200],
  ])('the path %s', async (path, list, one) => {
    const shop = await faulty({ path, status: 500 });
    expect([
      ...(await statuses(shop, '/v1/ugwo?limit=1', 1)),
      ...(await statuses(shop, `/v1/ugwo/${shop.uid}`, 1)),
    ]).toEqual([list, one]);
  });

  test('if it is the first matching one, and counts its effects', async () => {
    const shop = await faulty(
      { method: 'GET', status: 500, times: 1 },
      { status: 502, times: 1 },
      { method: 'PATCH', status: 504 },
    );
    expect(await statuses(shop, '/v1/ugwo', 3)).toEqual([500, 502, 200]);
    const counts = (await emulatorRoom.faults({ file: shop.file })).map(({ seen, fired }) => [seen, fired]);
    expect(counts).toEqual([
      [3, 1],
      [2, 1],
      [0, 0],
    ]);
  });

  test('until reset, which also resets the clock', async () => {
    const shop = await faulty({ status: 500 });
    await emulatorRoom.clock({ ...shop, by: 60_000 });
    await emulatorRoom.reset(shop);
    expect(await emulatorRoom.faults({ file: shop.file })).toEqual([]);
    expect(await emulatorRoom.clock(shop)).toMatchObject({ moved: 0 });
  });
});

test.each([
  [{}, 'rules'],
  [{ rules: [{}] }, 'rules.0'],
  [{ rules: [{ method: 'GET' }] }, 'rules.0'],
  [{ rules: [{ status: 200 }] }, 'rules.0.status'],
  [{ rules: [{ status: 500, reset: true }] }, 'rules.0'],
  [{ rules: [{ status: 500, share: 2 }] }, 'rules.0.share'],
  [{ rules: [{ status: 500, times: 0 }] }, 'rules.0.times'],
  [{ rules: [{ delay: 5 }] }, 'rules.0.delay'],
  [{ rules: [{ status: 500, path: 'v1' }] }, 'rules.0.path'],
  [{ rules: [{ status: 500, wehn: 'after' }] }, 'rules.0'],
])('%j are invalid rules: the error names %s', async (rules, path) => {
  const { file } = await startEmulator();
  const { kind, detail } = await faultOf(emulatorRoom.faults({ file, rules }));
  expect([kind, detail.violations?.[0]?.propertyPath]).toEqual(['usage', path]);
  expect(await emulatorRoom.faults({ file })).toEqual([]);
});

describe('the control endpoints', () => {
  const controlling = async () => {
    const emulator = await startEmulator({ ugwo: 1 });
    const control = (method: string, path: string, body?: unknown, token = emulator.controlToken) =>
      sendRaw(emulator.origin, {
        method,
        path: `/emulator/${path}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    return { ...emulator, control };
  };

  test('set, show and delete fault rules, with their counts', async () => {
    const { control, send } = await controlling();
    const rule = { path: '/v1/ugwo', status: 500 };
    expect((await control('PUT', 'faults', { rules: [rule] })).json).toEqual({
      rules: [{ ...rule, seen: 0, fired: 0 }],
    });
    expect((await send('GET', '/v1/ugwo')).status).toBe(500);
    expect((await control('GET', 'faults')).json).toEqual({ rules: [{ ...rule, seen: 1, fired: 1 }] });
    expect((await control('DELETE', 'faults')).json).toEqual({ rules: [] });
    expect((await send('GET', '/v1/ugwo')).status).toBe(200);
    expect(violationsOf(await control('PUT', 'faults', { rules: [{}] }))).toEqual(['rules.0']);
  });

  test('move the clock and reset it', async () => {
    const { control, send } = await controlling();
    expect((await control('POST', 'clock', { by: '15m' })).json).toEqual({
      now: '2026-11-20T12:15:00+00:00',
      moved: 900_000,
    });
    expect((await send('GET', '/v1/ugwo')).headers.date).toBe('Fri, 20 Nov 2026 12:15:00 GMT');
    expect((await control('GET', 'clock')).json).toMatchObject({ moved: 900_000 });
    expect((await control('DELETE', 'clock')).json).toMatchObject({ moved: 0 });
    expect(violationsOf(await control('POST', 'clock', { by: 'soon' }))).toEqual(['by']);
  });

  test('have their own key: neither key works in the place of the other', async () => {
    const { control, key, origin, controlToken, publicKey } = await controlling();
    expect(controlToken).toMatch(/^ctl\.Lcal\.\w{80}$/);
    for (const token of [key, publicKey, '']) {
      for (const path of ['faults', 'clock', 'nothing']) {
        expect((await control('GET', path, undefined, token)).status).toBe(401);
      }
    }
    const headers = { authorization: `Bearer ${controlToken}` };
    expect((await sendRaw(origin, { path: '/v1/ugwo', headers })).status).toBe(401);
  });

  test('are not affected by rules, and reject web pages', async () => {
    const { control, origin, controlToken } = await controlling();
    await control('PUT', 'faults', { rules: [{ reset: true }] });
    expect((await control('GET', 'faults')).status).toBe(200);
    const headers = { authorization: `Bearer ${controlToken}`, origin: 'http://localhost:3000' };
    expect((await sendRaw(origin, { path: '/emulator/faults', headers })).status).toBe(403);
  });
});

describe('a moved clock', () => {
  test('expires accounts and settles payments without waiting, and is stored in the data file', async () => {
    const shop = await openShop();
    const [open, paid] = [await shop.request(), await shop.request('successful:30s')];
    await shop.charge(open.uid, { medium: 'bank_transfer' });
    await shop.charge(paid.uid);
    expect(await emulatorRoom.clock({ ...shop, by: 15 * 60_000 })).toEqual({
      now: '2026-11-20T12:15:00+00:00',
      moved: 900_000,
    });
    expect((await shop.read(open.uid)).activities).toMatchObject([{ status: 'failed' }]);
    expect((await shop.read(paid.uid)).status).toBe('ugwo_successful');
    expect((await shop.request()).created_at).toBe('2026-11-20T12:15:00+00:00');
    await shop.close();
    const again = await startEmulator({ file: shop.file, clock: shop.clock });
    expect((await again.send('GET', '/v1/ugwo')).headers.date).toBe('Fri, 20 Nov 2026 12:15:00 GMT');
  });

  test('is used by settle and seed', async () => {
    const shop = await openShop();
    await emulatorRoom.clock({ ...shop, by: 3_600_000 });
    const { uid } = await shop.request();
    const { uid: activity } = (await shop.charge(uid)).json;
    const settled = await emulatorRoom.settle({ ...shop, activity, as: 'successful', after: undefined });
    expect(settled.activity.updated_at).toBe('2026-11-20T13:00:00+00:00');
    await emulatorRoom.seed({ ...shop, customers: 0, ugwo: 1 });
    expect((await shop.send('GET', '/v1/ugwo')).json.data[0].created_at > '2026-11-20T12:30').toBe(true);
  });
});

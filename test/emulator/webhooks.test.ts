import dns from 'node:dns';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isSignedBy } from '../../src/core/webhook-event.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { DEAD_ORIGIN } from '../support/service.ts';
import { MINUTE } from '../support/units.ts';
import { TRANSFER } from './shop.ts';
import { NOON, startEmulator } from './support.ts';
import { type Heard, openTelling, receive, SECRET, wakingClock } from './webhook-support.ts';

const HALF_HOUR = 30 * MINUTE;

const eventsOf = (heard: readonly Heard[]): string[] => heard.map(({ json }) => json.event);

describe('a delivery', () => {
  test('is a POST with a signature of its raw body and its own id; data equals the answer to a GET', async () => {
    const { shop, tellTo } = await openTelling();
    const receiver = await receive();
    await tellTo(receiver.url);
    const { uid } = await shop.request();
    const [heard] = (await receiver.saw(1)) as [Heard];
    const { data, ...envelope } = heard.json;
    expect(envelope).toEqual({
      uid: expect.stringMatching(/^evt\.Lcal\.[A-Za-z0-9]{24}$/),
      event: 'ugwo.created',
    });
    expect(data).toEqual(await shop.read(uid));
    expect(isSignedBy([SECRET], heard.body, String(heard.headers['x-kwugwo-signature']))).toBe(true);
    expect(heard.headers['x-kwugwo-delivery-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(heard.headers['content-type']).toBe('application/json');
  });

  test('has an empty signature if the webhook has no secret', async () => {
    const { shop, tellTo } = await openTelling();
    const receiver = await receive();
    await tellTo(receiver.url, [], '');
    await shop.request();
    const [heard] = (await receiver.saw(1)) as [Heard];
    expect(heard.headers['x-kwugwo-signature']).toBe('');
  });

  test('for localhost stays on this machine, whatever DNS says', async () => {
    const { shop, tellTo } = await openTelling();
    const receiver = await receive();
    const asked = vi.spyOn(dns, 'lookup').mockImplementation(() => {
      throw new Error('a name server was asked');
    });
    onTestFinished(() => asked.mockRestore());
    await tellTo(receiver.url.replace('127.0.0.1', 'localhost'));
    await shop.request();
    await receiver.saw(1);
    expect(asked).not.toHaveBeenCalled();
  });

  test('without a 2xx is retried twice, 30 minutes apart by the clock, with the same uid and new ids', async () => {
    const { shop, tellTo, deliveries } = await openTelling();
    const receiver = await receive(() => 500);
    await tellTo(receiver.url);
    await shop.request();
    await receiver.saw(1);
    const untilNoted = (count: number) => expect.poll(async () => (await deliveries())[0]?.attempts.length).toBe(count);
    await untilNoted(1);
    expect((await deliveries())[0]).toMatchObject({ state: 'waiting', due: '2026-11-20T12:30:00+00:00' });
    shop.clock.set(NOON + HALF_HOUR - 1000);
    await shop.send('GET', '/v1/ugwo');
    expect(receiver.heard).toHaveLength(1);
    shop.clock.set(NOON + HALF_HOUR);
    await untilNoted(2);
    await emulatorRoom.clock({ ...shop, by: HALF_HOUR });
    shop.clock.set(shop.clock.now());
    await untilNoted(3);
    expect((await deliveries())[0]).toMatchObject({
      state: 'failed',
      due: null,
      attempts: [
        { status: 500, error: null, at: '2026-11-20T12:00:00+00:00' },
        { status: 500, at: '2026-11-20T12:30:00+00:00' },
        { status: 500, at: '2026-11-20T13:00:00+00:00' },
      ],
    });
    const all = await receiver.saw(3);
    expect(new Set(all.map(({ json }) => json.uid)).size).toBe(1);
    expect(new Set(all.map(({ headers }) => headers['x-kwugwo-delivery-id'])).size).toBe(3);
    shop.clock.set(NOON + 4 * HALF_HOUR);
    await emulatorRoom.webhooks.replay({ file: shop.file, id: (await deliveries())[0]?.id ?? 0 });
    shop.clock.set(shop.clock.now());
    await untilNoted(4);
    expect((await receiver.saw(4))[3]?.json.uid).toBe(all[0]?.json.uid);
  });
});

test('with one data file, one of two emulators delivers, and the other takes over once it closes', async () => {
  const { shop, tellTo, deliveries } = await openTelling();
  const { promise: answered, resolve: answer } = Promise.withResolvers<number>();
  const receiver = await receive(() => answered);
  await tellTo(receiver.url);
  await shop.request();
  await receiver.saw(1);
  const other = await startEmulator({ file: shop.file, clock: wakingClock(), delivers: true });
  for (const _ of [1, 2, 3]) {
    other.clock.set(NOON);
    await other.send('GET', '/v1/ugwo');
  }
  answer(204);
  await expect.poll(deliveries).toMatchObject([{ state: 'delivered' }]);
  expect(receiver.heard).toHaveLength(1);
  await shop.close();
  await other.send('POST', '/v1/onye', { email: 'ada@example.com' });
  expect((await receiver.saw(2))[1]?.json.event).toBe('nzube.onye.created');
});

describe('a receiver', () => {
  test.each([400, 401, 500, 302, 410])('that answers %i gets the event again', async (status) => {
    const { shop, tellTo, deliveries } = await openTelling();
    const receiver = await receive((_heard, number) => (number === 1 ? status : 200));
    await tellTo(receiver.url);
    await shop.request();
    const state = async () => (await deliveries())[0];
    await expect.poll(state).toMatchObject({ attempts: [{ status }] });
    shop.clock.set(NOON + HALF_HOUR);
    const [first, again] = (await receiver.saw(2)) as [Heard, Heard];
    expect(again.body).toEqual(first.body);
    await expect.poll(state).toMatchObject({ state: 'delivered', due: null });
  });

  test('that is down, closes or hangs delays no other, and its failure is recorded', async () => {
    const { shop, tellTo, deliveries } = await openTelling();
    const [good, hanging, gone] = [await receive(), await receive(() => 'never'), `${DEAD_ORIGIN}/`];
    for (const url of [hanging.url, gone, good.url]) await tellTo(url);
    await shop.request();
    await shop.request();
    await good.saw(2);
    await expect
      .poll(async () => (await deliveries()).filter(({ url }) => url === gone))
      .toMatchObject([
        { attempts: [{ status: null, error: 'nothing listens there' }] },
        { attempts: [{ status: null, error: 'nothing listens there' }] },
      ]);
    const asked = (await deliveries()).filter(({ url }) => url === hanging.url);
    expect(asked.map(({ attempts }) => attempts)).toEqual([[], []]);
  });

  test('that hangs does not delay the first, also as the tenth', async () => {
    const { shop, tellTo, deliveries } = await openTelling();
    const [good, hanging] = [await receive(), await receive(() => 'never')];
    const ids = [await tellTo(good.url)];
    for (let more = 0; more < 8; more += 1) ids.push(await tellTo(good.url, ['nzube.onye.deleted']));
    ids.push(await tellTo(hanging.url));
    expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (let count = 0; count < 8; count += 1) await shop.request();
    await hanging.saw(8);
    await shop.request();
    await good.saw(9);
    const asked = (await deliveries()).filter(({ url }) => url === hanging.url);
    expect(asked.flatMap(({ attempts }) => attempts)).toEqual([]);
    expect(hanging.heard).toHaveLength(8);
  });

  test('gets the events of one payment request in order, one at a time', async () => {
    const { shop, tellTo } = await openTelling();
    const open = new Map<string, number>();
    const slow = async ({ json }: Heard) => {
      const about = json.data.ugwo_uid ?? json.data.uid;
      open.set(about, (open.get(about) ?? 0) + 1);
      expect(open.get(about)).toBe(1);
      await new Promise((done) => setImmediate(done));
      open.set(about, 0);
      return 200;
    };
    const receiver = await receive(slow);
    await tellTo(receiver.url);
    const requests = await Promise.all(Array.from({ length: 12 }, () => shop.request()));
    const paid = requests.map(async ({ uid }) => {
      const { uid: activity } = (await shop.charge(uid)).json;
      await emulatorRoom.settle({ ...shop, activity, as: 'successful', after: undefined });
    });
    await Promise.all(paid);
    const heard = await receiver.saw(12 * 6);
    for (const { uid } of requests) {
      const events = heard.filter(({ json: { data } }) => [data.uid, data.ugwo_uid].includes(uid));
      expect(eventsOf(events)).toEqual([
        'ugwo.created',
        'ugwo.activity.created',
        'ugwo.updated',
        'ugwo.activity.updated',
        'ugwo.updated',
        'ugwo.successful',
      ]);
    }
  });
});

test("in the live dialect, data equals that dialect's GET, and the uid ends in _t", async () => {
  const { shop, tellTo } = await openTelling({ dialect: 'live' });
  const receiver = await receive();
  await tellTo(receiver.url);
  const { uid } = await shop.request();
  const activity = (await shop.charge(uid)).json;
  const customer = (await shop.post('/v1/onye', { email: 'ada@example.com' })).json;
  const heard = await receiver.saw(4);
  const request = await shop.read(uid);
  const status = ['requires_ugwo', 'enum.ugwo_status.requires_ugwo'];
  expect(heard.map(({ json: { event, data } }) => [event, data]).toSorted()).toEqual([
    ['nzube.onye.created', customer],
    ['ugwo.activity.created', activity],
    ['ugwo.created', { ...request, status, activities: [], lastest_ugwo_activity: null }],
    ['ugwo.updated', request],
  ]);
  for (const { json } of heard) expect(json.uid).toMatch(/^evt\.Lcal\.[A-Za-z0-9]{22}_t$/);
});

describe('every change has events', () => {
  test('customers: created, updated, deleted', async () => {
    const { shop, tellTo } = await openTelling();
    const receiver = await receive();
    await tellTo(receiver.url);
    const { uid } = (await shop.post('/v1/onye', { email: 'ada@example.com' })).json;
    const updated = (await shop.send('PATCH', `/v1/onye/${uid}`, { first_name: 'ada' })).json;
    const deleted = (await shop.send('DELETE', `/v1/onye/${uid}`)).json;
    const heard = await receiver.saw(3);
    expect(heard.map(({ json: { event, data } }) => [event, data])).toEqual([
      ['nzube.onye.created', expect.objectContaining({ uid, email: 'ada@example.com' })],
      ['nzube.onye.updated', updated],
      ['nzube.onye.deleted', deleted],
    ]);
  });

  test('a charge that is paid twice and refunded', async () => {
    const { shop, tellTo } = await openTelling();
    const receiver = await receive();
    await tellTo(receiver.url);
    const { uid } = await shop.request();
    const [first, second] = [(await shop.charge(uid)).json, (await shop.charge(uid)).json];
    for (const { uid: activity } of [first, second]) {
      await emulatorRoom.settle({ ...shop, activity, as: 'successful', after: undefined });
    }
    await shop.post('/v1/refunds', { ugwo_activity: first.uid });
    shop.pass(10);
    const heard = await receiver.saw(13);
    expect(eventsOf(heard)).toEqual([
      'ugwo.created',
      'ugwo.activity.created',
      'ugwo.updated',
      'ugwo.activity.created',
      'ugwo.activity.updated',
      'ugwo.updated',
      'ugwo.successful',
      'ugwo.activity.updated',
      'ugwo.activity.double_charge_detected',
      'ugwo.updated',
      'refund.successful',
      'ugwo.activity.updated',
      'ugwo.updated',
    ]);
    expect(heard[8]?.json.data).toMatchObject({ uid: second.uid, ugwo_uid: uid, is_double_charge: true });
    expect(heard[10]?.json.data).toMatchObject({ status: 'successful', ugwo: { uid }, ugwo_activity: first.uid });
    expect(heard[12]?.json.data).toEqual(await shop.read(uid));
  });

  test('a status change by the clock, without any request', async () => {
    const { shop, tellTo } = await openTelling();
    const receiver = await receive();
    const { uid } = await shop.request();
    await shop.charge(uid, TRANSFER);
    await tellTo(receiver.url, ['ugwo.activity.*']);
    shop.clock.set(NOON + 15 * MINUTE);
    const [heard] = (await receiver.saw(1)) as [Heard];
    expect(heard.json).toMatchObject({
      event: 'ugwo.activity.updated',
      data: { status: 'failed', error: { code: 'psp.error.expired' }, updated_at: '2026-11-20T12:15:00+00:00' },
    });
  });
});

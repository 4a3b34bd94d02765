import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/operations.ts';
import { EVENTS, type EventName } from '../../src/core/webhook-event.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { openStore } from '../../src/emulator/store.ts';
import { openShop, type Shop, TRANSFER } from './shop.ts';
import { faultOf, inFile } from './support.ts';

const ROOM = join(import.meta.dirname, '../../src/emulator/room.ts');
const WEBHOOK = { url: 'http://127.0.0.1:9/', events: [], allowRemote: false, signing: 'unsigned' } as const;

/** A shop without deliveries: its events stay in the outbox. */
const keeping = async (): Promise<Shop> => {
  const shop = await openShop();
  await emulatorRoom.webhooks.add({ file: shop.file, ...WEBHOOK });
  return shop;
};

interface Row {
  readonly event: string;
  readonly uid: string;
  readonly data: string;
}

const outboxOf = (file: string): Row[] =>
  inFile(file, (db) => db.prepare('SELECT event, uid, data FROM delivery ORDER BY seq').all()) as unknown as Row[];

const TABLES = ['onye', 'ugwo', 'activity', 'refund'] as const;

/** Every current record with its kind, by id. */
const recordsOf = (file: string): Map<string, string> =>
  inFile(file, (db) => {
    const rows = TABLES.flatMap((table) => db.prepare(`SELECT uid, record FROM ${table}`).all());
    return new Map(rows.map(({ uid, record }) => [String(uid), String(record)]));
  });

/** Everything that a client, the clock or the operator can do to a shop, one step each. */
const STEPS: readonly [name: string, step: (shop: Shop) => Promise<unknown>][] = [
  ['a customer', (shop) => shop.post('/v1/onye', { email: 'ada@example.com' })],
  ['a request for a new customer', (shop) => shop.request(undefined, { onye_email: 'obi@example.com' })],
  ['a charge that fails', async (shop) => shop.charge((await shop.request('fail')).uid)],
  ['a charge whose answer is lost', async (shop) => shop.charge((await shop.request('lost')).uid).catch(() => 0)],
  ['an account that expires', async (shop) => shop.charge((await shop.request()).uid, TRANSFER)],
  ['a payment that settles', async (shop) => shop.charge((await shop.request('successful:30s taken_back:2m')).uid)],
  ['time', async (shop) => shop.pass(3600)],
  ['a look', (shop) => shop.send('GET', '/v1/ugwo')],
  ['a refund', async (shop) => shop.post('/v1/refunds', { ugwo_activity: (await shop.paid()).activity })],
  [
    'one that fails',
    async (shop) => shop.post('/v1/refunds', { ugwo_activity: (await shop.paid('refund:failed')).activity }),
  ],
  ['a minute', async (shop) => shop.pass(60)],
  ['another look', (shop) => shop.send('GET', '/v1/ugwo')],
  ['a cancellation', async (shop) => shop.send('DELETE', `/v1/ugwo/${(await shop.request()).uid}`)],
];

test('each change of a record writes an event in the same transaction', async () => {
  const shop = await keeping();
  let [before, told] = [recordsOf(shop.file), 0];
  for (const [name, step] of STEPS) {
    await step(shop);
    const [after, rows] = [recordsOf(shop.file), outboxOf(shop.file)];
    const last = new Map(rows.slice(told).map(({ data }) => [String(JSON.parse(data).uid), JSON.parse(data)]));
    for (const [uid, record] of after) {
      if (before.get(uid) === record || uid.startsWith('rfd.')) continue;
      const { status, total_amount_paid } = JSON.parse(record);
      expect(last.get(uid), `${name}: ${uid}`).toMatchObject({ status });
      if (total_amount_paid !== undefined) expect(last.get(uid)).toMatchObject({ total_amount_paid });
    }
    [before, told] = [after, rows.length];
  }
  expect(told).toBeGreaterThan(30);
});

test('a rolled-back change writes no event', async () => {
  const shop = await keeping();
  const store = openStore(shop.file);
  const broken = () =>
    store.write(() => {
      store.addDelivery(1, { uid: 'evt.Lcal.x', event: 'ugwo.created', subject: 'ugw.x', data: '{}', at: 0 });
      throw new Error('undone');
    });
  expect(broken).toThrow('undone');
  store.close();
  expect((await shop.post('/v1/ugwo', { amount: 1, currency: 'NGN' })).status).toBe(422);
  expect(outboxOf(shop.file)).toEqual([]);
});

/** Creates a customer in a process that is killed at the first statement with this beginning. */
const killedAt = async (file: string, statement: string): Promise<void> => {
  const script = `
    import { DatabaseSync } from 'node:sqlite';
    const { prepare } = DatabaseSync.prototype;
    DatabaseSync.prototype.prepare = function (sql) {
      const prepared = prepare.call(this, sql);
      if (sql.startsWith(${JSON.stringify(statement)})) prepared.run = () => process.kill(process.pid, 'SIGKILL');
      return prepared;
    };
    const { emulatorRoom } = await import(${JSON.stringify(ROOM)});
    const clock = { now: () => 1e12, ticks: () => 0, sleep: async () => {} };
    const running = await emulatorRoom.start({ file: ${JSON.stringify(file)}, port: 0, clock });
    const headers = { authorization: 'Bearer ' + running.key, 'content-type': 'application/json' };
    await fetch(running.origin + '/v1/onye', { method: 'POST', headers, body: '{"email":"ada@example.com"}' });
    await running.close();`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code, signal] = await once(child, 'exit');
  expect([code, signal]).toEqual([null, 'SIGKILL']);
};

test('a kill between a change and its event leaves neither', async () => {
  const shop = await keeping();
  await killedAt(shop.file, 'INSERT INTO delivery');
  expect([recordsOf(shop.file).size, outboxOf(shop.file)]).toEqual([0, []]);
  await killedAt(shop.file, 'INSERT INTO onye');
  expect([recordsOf(shop.file).size, outboxOf(shop.file)]).toEqual([0, []]);
  expect((await shop.post('/v1/onye', { email: 'ada@example.com' })).status).toBe(200);
  expect([recordsOf(shop.file).size, outboxOf(shop.file).length]).toEqual([1, 1]);
});

test('the outbox stores no event without a matching webhook, none of seeds, and is emptied by a reset', async () => {
  const shop = await openShop();
  await shop.request();
  await emulatorRoom.webhooks.add({ file: shop.file, ...WEBHOOK, events: ['refund.*'] });
  await shop.request();
  await emulatorRoom.seed({ ...shop, customers: 2, ugwo: 5 });
  expect(outboxOf(shop.file)).toEqual([]);
  await emulatorRoom.webhooks.add({ file: shop.file, ...WEBHOOK });
  await shop.request();
  expect(outboxOf(shop.file)).toHaveLength(1);
  await emulatorRoom.reset(shop);
  expect(outboxOf(shop.file)).toEqual([]);
  expect(await emulatorRoom.webhooks.list({ file: shop.file })).toHaveLength(2);
});

describe('a triggered event', () => {
  const SCHEMAS = {
    nzube: operations['onye.get'].success.schema(),
    ugwo: operations['ugwo.get'].success.schema(),
    activity: operations['activity.get'].success.schema(),
    refund: operations['refund.create'].success.schema(),
  };
  const schemaOf = (event: EventName) =>
    event.startsWith('ugwo.activity') ? SCHEMAS.activity : SCHEMAS[event.split('.')[0] as keyof typeof SCHEMAS];

  test.each(EVENTS)('%s is well-formed and changes no record', async (event) => {
    const shop = await keeping();
    const told = await emulatorRoom.webhooks.trigger({ ...shop, event, ugwo: undefined });
    const [row] = outboxOf(shop.file) as [Row];
    expect(told).toMatchObject({ event, event_uid: row.uid, webhooks: 1 });
    expect(schemaOf(event).safeParse(JSON.parse(row.data)).error).toBeUndefined();
    expect(recordsOf(shop.file).size).toBe(0);
  });

  test.each(EVENTS.filter((event) => !event.startsWith('nzube')))(
    '%s can be about an existing record',
    async (event) => {
      const shop = await keeping();
      const { uid } = await shop.request();
      const before = recordsOf(shop.file);
      expect(await emulatorRoom.webhooks.trigger({ ...shop, event, ugwo: uid })).toMatchObject({ about: uid });
      expect(recordsOf(shop.file)).toEqual(before);
      expect(JSON.parse(outboxOf(shop.file).at(-1)?.data ?? '')).toMatchObject(
        {
          'ugwo.successful': { status: 'ugwo_successful', total_amount_paid: 500_000 },
          'ugwo.activity.double_charge_detected': { is_double_charge: true, ugwo_uid: uid },
          'refund.failed': { status: 'failed', ugwo: { uid } },
        }[event as string] ?? {},
      );
    },
  );

  test('is rejected without a matching webhook or for an unknown payment request', async () => {
    const shop = await openShop();
    const trigger = (ugwo: string | undefined) =>
      faultOf(emulatorRoom.webhooks.trigger({ ...shop, event: 'ugwo.created', ugwo }));
    expect(await trigger(undefined)).toMatchObject({ kind: 'usage', message: 'no webhook wants ugwo.created' });
    expect((await trigger('ugw.Lcal.x')).message).toContain('there is no payment request ugw.Lcal.x');
  });
});

describe('a webhook', () => {
  const adding = async (asked: Partial<Parameters<typeof emulatorRoom.webhooks.add>[0]>) =>
    emulatorRoom.webhooks.add({ file: (await openShop()).file, ...WEBHOOK, ...asked });

  test.each([
    ['http://example.com/hooks', /example.com is another machine/],
    ['http://127.0.0.1.example.com/', /is another machine/],
    ['http://10.0.0.1/', /is another machine/],
    ['ftp://127.0.0.1/', /must be a URL/],
    ['hooks', /must be a URL/],
    ['http://me@127.0.0.1/', /must not hold a user name/],
    ['http://:pass@127.0.0.1/', /must not hold a user name/],
  ])('rejects the URL %s', async (url, message) => {
    const { kind, message: said } = await faultOf(adding({ url }));
    expect([kind, said]).toEqual(['usage', expect.stringMatching(message)]);
  });

  test('may have a URL of another machine if allowed', async () => {
    expect(await adding({ url: 'https://example.com/hooks', allowRemote: true })).toMatchObject({
      url: 'https://example.com/hooks',
    });
  });

  test('rejects an unknown event name', async () => {
    expect((await faultOf(adding({ events: ['ugwo.sucessful'] }))).message).toBe(
      'ugwo.sucessful matches no event (did you mean ugwo.successful?)',
    );
  });

  test('is removed with its pending deliveries', async () => {
    const shop = await keeping();
    await shop.request();
    await emulatorRoom.webhooks.remove({ file: shop.file, id: 1 });
    expect(outboxOf(shop.file)).toEqual([]);
    expect(await faultOf(emulatorRoom.webhooks.remove({ file: shop.file, id: 1 }))).toMatchObject({ kind: 'usage' });
  });
});

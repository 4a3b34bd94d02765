import { describe, expect, test } from 'vitest';
import { isSignedBy, signatureOf } from '../../src/core/webhook-event.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { MINUTE } from '../support/units.ts';
import { faultOf, NOON } from './support.ts';
import { type Heard, openTelling, receive, SECRET } from './webhook-support.ts';

/** A shop with one receiver and these delivery rules. */
const telling = async (...rules: unknown[]) => {
  const { shop, tellTo, deliveries } = await openTelling();
  const receiver = await receive();
  await tellTo(receiver.url);
  await emulatorRoom.faults({ file: shop.file, rules: { rules } });
  /** Creates customers one after the other; each has its own delivery queue. */
  const customers = async (...names: string[]) => {
    for (const name of names) await shop.post('/v1/onye', { email: `${name}@example.com`, ref: name });
  };
  const states = async () => (await deliveries()).map(({ state }) => state).toReversed();
  const until = (wanted: readonly string[]) => expect.poll(states).toEqual(wanted);
  return { shop, receiver, deliveries, customers, until };
};

const refsOf = (heard: readonly Heard[]): string[] => heard.map(({ json }) => json.data.ref);
const signatureIn = ({ headers }: Heard): string => String(headers['x-kwugwo-signature']);

describe('with a rule, a delivery', () => {
  test('arrives twice: two ids, one uid', async () => {
    const { receiver, customers, until, deliveries } = await telling({ event: '*', twice: true });
    await customers('a');
    const [first, second] = (await receiver.saw(2)) as [Heard, Heard];
    expect(second.body).toEqual(first.body);
    expect(second.headers['x-kwugwo-delivery-id']).not.toBe(first.headers['x-kwugwo-delivery-id']);
    await until(['delivered']);
    expect((await deliveries())[0]?.attempts).toMatchObject([
      { status: 204, fault: 'twice' },
      { status: 204, fault: 'twice' },
    ]);
  });

  test("arrives late, by the emulator's clock", async () => {
    const { shop, receiver, customers, deliveries } = await telling({ event: 'nzube.*', late: '10m' });
    await customers('a');
    await expect.poll(async () => (await deliveries())[0]?.due).toBe('2026-11-20T12:10:00+00:00');
    shop.clock.set(NOON + 10 * MINUTE - 1);
    await shop.send('GET', '/v1/ugwo');
    expect(receiver.heard).toEqual([]);
    shop.clock.set(NOON + 10 * MINUTE);
    expect(refsOf(await receiver.saw(1))).toEqual(['a']);
  });

  test('arrives after the following one', async () => {
    const { receiver, customers, until } = await telling({ event: '*', times: 1, out_of_order: true });
    await customers('a');
    await until(['waiting']);
    expect(receiver.heard).toEqual([]);
    await customers('b');
    expect(refsOf(await receiver.saw(2))).toEqual(['b', 'a']);
    await until(['delivered', 'delivered']);
  });

  test('arrives after the following one, every second time, if the rule covers all', async () => {
    const { receiver, customers, until } = await telling({ event: '*', out_of_order: true });
    await customers('a');
    await until(['waiting']);
    await customers('b');
    await until(['delivered', 'delivered']);
    await customers('c');
    await until(['delivered', 'delivered', 'waiting']);
    await customers('d');
    expect(refsOf(await receiver.saw(4))).toEqual(['b', 'a', 'd', 'c']);
  });

  test('arrives on its own if none follows', async () => {
    const { shop, receiver, customers, until } = await telling({ event: '*', out_of_order: true });
    await customers('a');
    await until(['waiting']);
    shop.clock.set(NOON + 30 * MINUTE);
    expect(refsOf(await receiver.saw(1))).toEqual(['a']);
  });

  test('has a wrong or no signature', async () => {
    const rules = [
      { event: '*', times: 1, signature: 'wrong' },
      { event: '*', times: 1, signature: 'none' },
    ];
    const { receiver, customers } = await telling(...rules);
    await customers('a');
    await receiver.saw(1);
    await customers('b');
    await receiver.saw(2);
    await customers('c');
    const [wrong, none, right] = (await receiver.saw(3)) as [Heard, Heard, Heard];
    expect(signatureIn(wrong)).toHaveLength(signatureOf(SECRET, wrong.body).length);
    expect(isSignedBy([SECRET], wrong.body, signatureIn(wrong))).toBe(false);
    expect(none.headers).not.toHaveProperty('x-kwugwo-signature');
    expect(isSignedBy([SECRET], right.body, signatureIn(right))).toBe(true);
  });

  test.each([0, 25])('is cut after %i bytes and retried half an hour later', async (cut) => {
    const { shop, receiver, customers, deliveries } = await telling({ event: '*', times: 1, cut });
    await customers('a');
    const [heard] = (await receiver.saw(1)) as [Heard];
    expect([heard.whole, heard.body.byteLength]).toEqual([false, cut]);
    expect(Number(heard.headers['content-length'])).toBeGreaterThan(200);
    await expect
      .poll(async () => (await deliveries())[0])
      .toMatchObject({ due: '2026-11-20T12:30:00+00:00', attempts: [{ status: null, fault: `cut: ${cut}` }] });
    shop.clock.set(NOON + 30 * MINUTE);
    expect((await receiver.saw(2))[1]?.whole).toBe(true);
  });

  test('is slow: half of it first, the rest later', async () => {
    const { shop, receiver, customers } = await telling({ event: '*', slow: '20s' });
    const asleep = Promise.withResolvers<() => void>();
    const { sleep } = shop.clock;
    Object.assign(shop.clock, {
      sleep: (ms: number, signal?: AbortSignal) => {
        if (ms !== 20_000) return sleep(ms, signal);
        const { promise, resolve } = Promise.withResolvers<void>();
        asleep.resolve(resolve);
        return promise;
      },
    });
    await customers('a');
    const wake = await asleep.promise;
    expect(receiver.heard).toEqual([]);
    wake();
    expect((await receiver.saw(1))[0]?.whole).toBe(true);
  });

  test('never arrives', async () => {
    const { shop, receiver, customers, until } = await telling({ event: '*', times: 1, never: true });
    await customers('a');
    await until(['dropped']);
    shop.clock.set(NOON + 100 * MINUTE);
    await customers('b');
    await until(['dropped', 'delivered']);
    expect(refsOf(receiver.heard)).toEqual(['b']);
  });
});

test('a rule applies to its events, a deterministic share of them, and counts', async () => {
  const { shop, customers, until } = await telling(
    { event: 'ugwo.*', never: true },
    { event: 'nzube.onye.created', share: 0.5, never: true },
    { path: '/v1/ugwo', status: 503 },
  );
  await customers('a');
  await until(['delivered']);
  await customers('b');
  await until(['delivered', 'dropped']);
  const counts = (await emulatorRoom.faults({ file: shop.file })).map(({ seen, fired }) => [seen, fired]);
  expect(counts).toEqual([
    [0, 0],
    [2, 1],
    [0, 0],
  ]);
});

test.each([
  [{ event: '*' }, 'rules.0', /has no effect/],
  [{ event: '*', twice: true, late: '5m' }, 'rules.0', /or several/],
  [{ event: 'ugwo.paid', twice: true }, 'rules.0.event', /is no event/],
  [{ event: '*', late: 'soon' }, 'rules.0.late', /not a duration/],
  [{ event: '*', signature: 'old' }, 'rules.0.signature', /./],
  [{ event: '*', status: 500 }, 'rules.0', /status/],
])('%j is an invalid delivery rule: the error names %s', async (rule, path, title) => {
  const { shop } = await openTelling();
  const { kind, detail } = await faultOf(emulatorRoom.faults({ file: shop.file, rules: { rules: [rule] } }));
  expect([kind, detail.violations?.[0]?.propertyPath]).toEqual(['usage', path]);
  expect(detail.violations?.[0]?.title).toMatch(title);
});

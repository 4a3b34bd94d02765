import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { Exec } from '../../src/core/program.ts';
import { QUEUE_FILE_NAME } from '../../src/core/webhook-event.ts';
import { openListening } from '../../src/webhook/listen.ts';
import { clock } from '../support/clock.ts';
import { newFolder } from '../support/program.ts';
import { bodyOf, deliver, SECRET, serveTarget, uidOf } from '../support/webhooks.ts';
import { delivery, newQueue } from './support.ts';

const OPTIONS = {
  ...{ port: 0, host: '127.0.0.1', secrets: { all: [SECRET], sandbox: [] }, target: undefined },
  ...{ only: [], duplicates: false, until: undefined, exec: undefined, ledger: undefined, keepDays: 90 },
};
const WORLD = { clock, random: () => 0, leave: new AbortController().signal, uid: process.geteuid?.() };

it('the listener names events whose report a kill may have prevented; a second kill does not hide them', async () => {
  const folder = join(newFolder('queue'), 'data');
  const queue = newQueue(folder);
  // More than are read at once.
  const numbers = Array.from({ length: 131 }, (_, index) => index + 1);
  for (const number of numbers) await queue.keep(delivery(number), { state: 'kept', duplicates: false, due: 0 });
  await queue.setPlace('printed', 1);
  await queue.setPlace('printing', 130);

  const stop = new AbortController();
  const said: string[] = [];
  const placesMeanwhile: number[] = [];
  const listening = await openListening(
    { ...OPTIONS, folder },
    {
      ...{ ...WORLD, stop: stop.signal },
      say: async (text) => {
        // An earlier commit is complete by then.
        await queue.set('target', text);
        placesMeanwhile.push(queue.place('printed'));
        said.push(text);
      },
    },
  );
  const printed = await listening.events.next();
  expect(printed.value).toMatchObject([{ uid: uidOf(131) }]);
  stop.abort('SIGINT');
  await expect(listening.events.next()).rejects.toThrow('stopped by');
  const caught = numbers.slice(1, 130);
  expect(said).toEqual(caught.map((number) => expect.stringContaining(`${uidOf(number)} may not have been printed`)));
  // Each is named before its place is stored.
  expect(placesMeanwhile).toEqual(caught.map((number) => (number <= 101 ? 1 : 101)));
  expect(queue.place('printed')).toBe(131);
});

it.each([-1, 1])('the listener dates, forwards and retries events if the clock moves by %d hours', async (hours) => {
  const began = clock.now();
  let set = 0;
  const [stop, target] = [new AbortController(), await serveTarget((_seen, turn) => (turn === 0 ? 500 : 200))];
  const folder = join(newFolder('queue'), 'data');
  await newQueue(folder).keep(delivery(1), { state: 'waiting', duplicates: false, due: began + 300 });
  const listening = await openListening(
    { ...OPTIONS, folder, target: { url: new URL(target.url) } },
    {
      ...{ ...WORLD, stop: stop.signal, say: async () => undefined },
      clock: { ...clock, now: () => began + set },
    },
  );
  set = hours * 3_600_000;
  await listening.events.next();
  expect(await deliver(listening.origin, bodyOf(2))).toMatchObject({ status: 200 });
  const printed = await listening.events.next();
  expect(printed.value).toMatchObject([{ uid: uidOf(2), receivedAt: began + set }]);
  await target.came(3);
  stop.abort('SIGINT');
  await expect(listening.events.next()).rejects.toThrow('stopped by');
});

it('the listener accepts no delivery after a signal while a command hangs', async () => {
  const [stop, leave, started] = [new AbortController(), new AbortController(), Promise.withResolvers<void>()];
  const exec: Exec = {
    words: [process.execPath, '-e', "process.stdout.write('started'); setInterval(() => undefined, 1000)"],
    env: { PATH: process.env['PATH'] },
    openPrint: () => async () => started.resolve(),
    signalGroup: undefined,
  };
  const folder = join(newFolder('queue'), 'data');
  const listening = await openListening(
    { ...OPTIONS, folder, exec },
    { ...WORLD, stop: stop.signal, leave: leave.signal, say: async () => undefined },
  );
  const told = listening.events.next();
  await deliver(listening.origin, bodyOf(1));
  await started.promise;
  stop.abort('SIGTERM');
  await expect(deliver(listening.origin, bodyOf(2))).rejects.toThrow();
  leave.abort();
  await told;
  await expect(listening.events.next()).rejects.toThrow('stopped by');
});

it('the listener says once in ten seconds that it stores nothing', async () => {
  const [folder, stop, said] = [join(newFolder('queue'), 'data'), new AbortController(), [] as string[]];
  newQueue(folder);
  const full = new DatabaseSync(join(folder, QUEUE_FILE_NAME));
  full.exec("CREATE TRIGGER full BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  full.close();
  let ticks = 0;
  const listening = await openListening(
    { ...OPTIONS, folder },
    { ...WORLD, clock: { ...clock, ticks: () => ticks }, stop: stop.signal, say: async (text) => void said.push(text) },
  );
  for (const [at, times] of [
    [0, 1],
    [10_000, 1],
    [10_001, 2],
  ] as const) {
    ticks = at;
    expect(await deliver(listening.origin, bodyOf(1))).toMatchObject({ status: 503 });
    expect(said).toEqual(Array(times).fill(expect.stringContaining('so paycli answered 503: ')));
  }
  stop.abort('SIGINT');
  await expect(listening.events.next()).rejects.toThrow('stopped by');
});

it('the listener stores the start of a refused delivery, its size, and a hundred of them in ten seconds', async () => {
  const [folder, stop] = [join(newFolder('queue'), 'data'), new AbortController()];
  const listening = await openListening(
    { ...OPTIONS, folder },
    { ...WORLD, clock: { ...clock, ticks: () => 0 }, stop: stop.signal, say: async () => undefined },
  );
  const other = { signature: 'f'.repeat(201), delivery: 'dlv.7' };
  expect(await deliver(listening.origin, 'x'.repeat(4097), other)).toMatchObject({ status: 401 });
  expect(newQueue(folder).refused(9)).toMatchObject([
    {
      why: 'wrong signature',
      deliveryId: 'dlv.7',
      signature: 'f'.repeat(200),
      size: 4097,
      body: new Uint8Array(Buffer.from('x'.repeat(4096))),
    },
  ]);
  for (let more = 0; more < 100; more += 1) await deliver(listening.origin, 'x', other);
  expect(newQueue(folder).refused(200)).toHaveLength(100);
  stop.abort('SIGINT');
  await expect(listening.events.next()).rejects.toThrow('stopped by');
});

it('the listener counts towards its end only the events that it prints', async () => {
  const folder = join(newFolder('queue'), 'data');
  const queue = newQueue(folder);
  const keep = (number: number, event = 'ugwo.updated') =>
    queue.keep(delivery(number, { event }), { state: 'kept', duplicates: false, due: 0 });
  await keep(1, 'ugwo.created');
  await keep(2);
  const listening = await openListening(
    { ...OPTIONS, folder, only: ['ugwo.updated'], until: { count: 3 } },
    { ...WORLD, stop: new AbortController().signal, say: async () => undefined },
  );
  const printed: string[] = [];
  for await (const events of listening.events) {
    printed.push(...events.map(({ uid }) => uid));
    if (printed.length === 1) for (const number of [3, 4]) await keep(number);
  }
  expect(printed).toEqual([2, 3, 4].map((number) => uidOf(number)));
});

it('the listener deletes finished events older than the given days', async () => {
  const [folder, stop] = [join(newFolder('queue'), 'data'), new AbortController()];
  const [queue, day] = [newQueue(folder), 86_400_000];
  for (const days of [11, 9]) {
    const received = delivery(days, { receivedAt: clock.now() - days * day });
    await queue.keep(received, { state: 'kept', duplicates: false, due: 0 });
  }
  await queue.setPlace('printed', 2);
  const listening = await openListening(
    { ...OPTIONS, folder, keepDays: 10 },
    { ...WORLD, stop: stop.signal, say: async () => undefined },
  );
  const told = listening.events.next();
  await deliver(listening.origin, bodyOf(1));
  await told;
  stop.abort('SIGINT');
  await expect(listening.events.next()).rejects.toThrow('stopped by');
  expect([11, 9, 1].map((number) => queue.find(uidOf(number)) !== undefined)).toEqual([false, true, true]);
});

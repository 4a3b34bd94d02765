import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Server } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { serveEmulator } from '../../src/commands/emulator/emulator.ts';
import type { Run } from '../../src/commands/run.ts';
import { emulatorRoom, type RunningEmulator } from '../../src/emulator/room.ts';
import { activitiesIn, customersIn, NOON, sendRaw, startEmulator, tempFile, tempFolder } from './support.ts';
import { wakingClock } from './webhook-support.ts';

const ROOM = join(import.meta.dirname, '../../src/emulator/room.ts');

/** A process that starts the emulator on command and prints its address. */
const SCRIPT = `
  import { createInterface } from 'node:readline';
  import { emulatorRoom } from ${JSON.stringify(ROOM)};
  const clock = { now: () => ${NOON}, sleep: async () => {} };
  console.log('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    const { file, seed } = JSON.parse(line);
    await emulatorRoom.seed({ file, clock, ...seed });
    const running = await emulatorRoom.start({ file, port: 0, clock });
    console.log(JSON.stringify({ origin: running.origin, key: running.key }));
  }
  process.exit(0);`;

interface Helper {
  end(): Promise<void>;
  next(): Promise<string>;
  tell(what: {
    readonly file: string;
    readonly seed: Omit<Parameters<typeof emulatorRoom.seed>[0], 'file' | 'clock'>;
  }): void;
}

const helper = (): Helper => {
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return {
    end: async () => {
      child.stdin?.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
    next: async () => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the helper ended');
      return value;
    },
    tell: (what) => void child.stdin?.write(`${JSON.stringify(what)}\n`),
  };
};

/** Processes shared by all tests; each opens its own data file. */
let helpers: readonly Helper[] = [];

beforeAll(async () => {
  helpers = Array.from({ length: 3 }, helper);
  await Promise.all(helpers.map((one) => one.next()));
});

afterAll(async () => {
  await Promise.all(helpers.map((one) => one.end()));
});

const charge = ({ origin, key }: Pick<RunningEmulator, 'origin' | 'key'>, uid: string) =>
  sendRaw(origin, {
    method: 'POST',
    path: `/v1/ugwo/${uid}/activities`,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'charge', data: { medium: 'bank_transfer' } }),
  });

test('two processes share a file: same key, visible writes, no lost writes', async () => {
  const here = await startEmulator({ customers: 1, ugwo: 4 });
  const [other] = helpers as [Helper];
  other.tell({ file: here.file, seed: { customers: 0, ugwo: 0 } });
  const there = JSON.parse(await other.next());
  expect(there.key).toBe(here.key);
  expect(there.origin).not.toBe(here.origin);

  const [uid = ''] = customersIn(here.file);
  const headers = { authorization: `Bearer ${there.key}`, 'content-type': 'application/json' };
  const update = { method: 'PATCH', path: `/v1/onye/${uid}`, headers };
  await here.send('PATCH', `/v1/onye/${uid}`, { first_name: 'Here' });
  const updated = await sendRaw(there.origin, { ...update, body: '{"last_name":"There"}' });
  expect(updated.json).toMatchObject({ first_name: 'Here', last_name: 'There' });
  expect((await here.send('PATCH', `/v1/onye/${uid}`, {})).json).toEqual(updated.json);

  const [{ uid: ugwo }] = (await here.send('GET', '/v1/ugwo')).json.data;
  const charges = Array.from({ length: 60 }, (_, index) => charge(index % 2 === 0 ? here : there, ugwo));
  const answers = await Promise.all(charges);
  expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200));
  expect(new Set(activitiesIn(here.file).map((activity) => activity.uid)).size).toBe(60);
});

test('concurrent updates of one customer in two processes lose no field', async () => {
  const here = await startEmulator({ customers: 1 });
  const [other] = helpers as [Helper];
  other.tell({ file: here.file, seed: { customers: 0, ugwo: 0 } });
  const there = JSON.parse(await other.next());
  const path = `/v1/onye/${customersIn(here.file)[0]}`;
  const headers = { authorization: `Bearer ${here.key}`, 'content-type': 'application/json' };
  const sent = Array.from({ length: 40 }, (_, index) => `field_${index}`);
  const answers = await Promise.all(
    sent.map((name, index) =>
      sendRaw(index % 2 === 0 ? here.origin : there.origin, { method: 'PATCH', path, headers, body: `{"${name}":1}` }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
  expect(Object.keys((await here.send('PATCH', path, {})).json)).toEqual(expect.arrayContaining(sent));
});

test('a walk in one process stays correct while another adds records', async () => {
  const here = await startEmulator({ ugwo: 9 });
  const [other] = helpers as [Helper];
  const first = (await here.send('GET', '/v1/ugwo?limit=5')).json;
  other.tell({ file: here.file, seed: { customers: 0, ugwo: 30 } });
  await other.next();
  const second = (await here.send('GET', `/v1/ugwo?limit=5&cursor=${first.next_cursor}`)).json;
  const seen = [...first.data, ...second.data].map(({ uid }: { uid: string }) => uid);
  expect(second.next_cursor).toBeNull();
  expect(new Set(seen).size).toBe(9);
  expect((await here.send('GET', '/v1/ugwo?limit=100')).json.data).toHaveLength(39);
});

test('processes that start together on a new file agree on one key and seed it once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const file = tempFile();
    for (const one of helpers) one.tell({ file, seed: { customers: 3, ugwo: 5, onlyIfNew: true } });
    const started = await Promise.all(helpers.map(async (one) => JSON.parse(await one.next())));
    expect(new Set(started.map(({ key }) => key)).size).toBe(1);
    expect(customersIn(file)).toHaveLength(3);
  }
});

test('an emulator that is stopped before it starts ends', async () => {
  const deps = {
    io: { env: { PAYCLI_HOME: tempFolder() }, clock: wakingClock(), signals: { stop: AbortSignal.abort('SIGTERM') } },
    say: async () => undefined,
    state: { status: {} },
  } as unknown as Run;
  const input = { port: 0, host: '127.0.0.1', dialect: 'documented', seed: { customers: 0, ugwo: 0 } } as const;
  const result = await serveEmulator(input as never, deps);
  expect(result.kind).toBe('service');
  if (result.kind === 'service') await result.done;
});

test.each([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '127.0.0.1'],
  ['::1', '[::1]'],
  ['localhost', 'localhost'],
])('an emulator on %s names %s in its address', async (host, name) => {
  const { listen } = Server.prototype;
  // The test must not listen beyond loopback, nor need IPv6.
  const listening = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, options, done) {
    expect(options).toMatchObject({ host });
    return listen.call(this, { port: 0, host: '127.0.0.1' }, done as () => void);
  });
  onTestFinished(() => listening.mockRestore());
  const file = tempFile();
  await emulatorRoom.seed({ file, clock: wakingClock(), customers: 0, ugwo: 0 });
  const running = await emulatorRoom.start({ file, port: 0, host, clock: wakingClock() });
  onTestFinished(() => running.close());
  expect(running.origin).toMatch(`http://${name}:`);
});

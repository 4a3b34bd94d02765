import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { isSignedBy } from '../../src/core/webhook-event.ts';
import { newFolder, type Running, start } from '../support/program.ts';
import { scene } from '../support/scene.ts';

interface Delivered {
  readonly id: string;
  readonly signature: string;
  readonly body: Buffer;
  /** False if the connection was cut early. */
  readonly whole: boolean;
  readonly event: { readonly uid: string; readonly event: string; readonly data: { readonly uid: string } };
}

/** Receives deliveries; the first `ignored` get no answer. `came` waits for a number of deliveries. */
const receiver = async (ignored = 0) => {
  const taken: Delivered[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, answer) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // Keep the received part.
    }
    const body = Buffer.concat(chunks);
    const [id, signature] = ['x-kwugwo-delivery-id', 'x-kwugwo-signature'].map((name) => String(request.headers[name]));
    const whole = request.complete;
    const event = whole ? JSON.parse(body.toString()) : undefined;
    taken.push({ id: id ?? '', signature: signature ?? '', body, whole, event });
    if (whole && taken.length > ignored) answer.writeHead(204).end();
    for (const check of waiting) check();
  });
  await new Promise<void>((done) => server.listen({ port: 0, host: '127.0.0.1' }, done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const came = (count: number): Promise<readonly Delivered[]> =>
    new Promise((done) => {
      const check = (): void => {
        if (taken.length >= count) done([...taken]);
      };
      waiting.add(check);
      check();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, came };
};

interface Emulator extends Running {
  /** Renames the customer over HTTP. */
  readonly rename: (name: string) => Promise<void>;
}

const emulator = async (home: string): Promise<Emulator> => {
  const running = start(['emulator', 'start', '--json'], { home });
  await running.saw(/"key":"[^"]+".*\n/);
  const { origin, key } = JSON.parse(running.stdout()) as { origin: string; key: string };
  const rename = async (name: string): Promise<void> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ first_name: name });
    expect(await fetch(`${origin}/v1/onye/${SEEDED.onye}`, { method: 'PATCH', headers, body })).toMatchObject({
      ok: true,
    });
  };
  return { ...running, rename };
};

const webhook = (...words: readonly string[]) => ['emulator', 'webhook', ...words];
const update = (name: string) => ['onye', 'update', SEEDED.onye, '--local', '--first-name', name, '-q'];
const deliveries = async (home: string) => {
  const { stdout } = await scene({ home, argv: webhook('deliveries', '--json') });
  return (JSON.parse(stdout) as { data: { state: string; attempts: unknown[] }[] }).data;
};

describe('emulator webhook', () => {
  it('delivers a change by another process, signed with a secret that only its file contains', async () => {
    const { url, came } = await receiver();
    const file = join(newFolder('secret'), 'secret.txt');
    const added = await scene({
      argv: webhook('add', url, '--secret-out', file),
      stderr: `The secret is in ${file}. Give it to your receiver: --secret-file there, too.\n`,
    });
    const { home } = added;
    expect((lstatSync(file).mode & 0o777).toString(8)).toBe('600');
    const secret = readFileSync(file, 'utf8').trim();
    expect(secret).toMatch(/^wsk\.Lcal\.\w{80}$/);
    const running = await emulator(home);
    await scene({ home, argv: update('ada') });
    const [told] = await came(1);
    expect(told?.event).toMatchObject({ event: 'nzube.onye.updated', data: { uid: SEEDED.onye, first_name: 'Ada' } });
    expect(isSignedBy([secret], told?.body ?? Buffer.alloc(0), told?.signature ?? '')).toBe(true);
    await expect.poll(() => deliveries(home)).toMatchObject([{ state: 'delivered' }]);
    running.kill('SIGINT');
    const outputs = [
      added,
      await running.ended,
      await scene({ home, argv: webhook('list') }),
      await scene({ home, argv: webhook('deliveries', '--json') }),
    ];
    for (const { code, stdout, stderr } of outputs) {
      expect([code, stdout.includes(secret), stderr.includes(secret)]).toEqual([0, false, false]);
    }
  });

  it('survives kill -9: pending and unanswered deliveries go out after the next start', async () => {
    const { url, came } = await receiver(1);
    // Committed while no emulator runs.
    const { home } = await scene({ before: [webhook('add', url, '--unsigned')], argv: update('ada') });
    const first = await emulator(home);
    await came(1);
    first.kill('SIGKILL');
    await first.ended;
    await scene({ home, argv: update('obi') });
    const second = await emulator(home);
    const taken = await came(3);
    expect(taken.map(({ event }) => event.event)).toEqual(Array(3).fill('nzube.onye.updated'));
    expect(taken[1]?.event.uid).toBe(taken[0]?.event.uid);
    expect(taken[1]?.id).not.toBe(taken[0]?.id);
    expect(taken[2]?.event).toMatchObject({ data: { first_name: 'Obi' } });
    await expect
      .poll(async () => (await deliveries(home)).map(({ state }) => state))
      .toEqual(['delivered', 'delivered']);
    second.kill('SIGINT');
    expect(await second.ended).toMatchObject({ code: 0 });
  });

  it('is delivered once if two emulators share a data file', async () => {
    const { url, came } = await receiver();
    const { home } = await scene({ argv: webhook('add', url, '--unsigned') });
    const both = [await emulator(home), await emulator(home)];
    for (const [turn, name] of ['ada', 'obi', 'eze'].entries()) await both[turn % 2]?.rename(name);
    await came(3);
    await expect
      .poll(async () => (await deliveries(home)).map(({ state }) => state))
      .toEqual(Array(3).fill('delivered'));
    expect(await came(3)).toHaveLength(3);
    for (const running of both) running.kill('SIGINT');
    for (const running of both) expect(await running.ended).toMatchObject({ code: 0 });
  });

  it('triggers, replays with a new id, and removes', async () => {
    const { url, came } = await receiver();
    const { home } = await scene({
      before: [webhook('add', url, '--unsigned', '--event', 'ugwo.*')],
      argv: webhook('trigger', 'refund.failed'),
      exit: 2,
      stderr: /^error: no webhook wants refund\.failed\n→ add one: `paycli emulator webhook add URL --data .*`\n$/,
    });
    const running = await emulator(home);
    const argv = webhook('trigger', 'ugwo.successful', '--ugwo', SEEDED.ugwo, '--json');
    await scene({ home, argv, json: { event: 'ugwo.successful', about: SEEDED.ugwo, webhooks: 1 } });
    await came(1);
    await expect.poll(() => deliveries(home)).toMatchObject([{ state: 'delivered' }]);
    await scene({ home, argv: webhook('deliveries', '--replay', '1') });
    const [one, again] = await came(2);
    expect(again?.body).toEqual(one?.body);
    expect(again?.id).not.toBe(one?.id);
    await scene({ home, argv: webhook('remove', '1') });
    await scene({ home, argv: webhook('remove', '1'), exit: 2, stderr: ['error: there is no webhook 1\n'] });
    expect(await deliveries(home)).toEqual([]);
    running.kill('SIGINT');
    await running.ended;
  });

  it('follows the rules for cut, slow, wrongly signed and repeated deliveries, and retries when the clock moves', async () => {
    const { url, came } = await receiver();
    const { home } = await scene({ argv: webhook('add', url, '--unsigned') });
    const rules = [{ cut: 25 }, { slow: '1s' }, { signature: 'wrong' }, { twice: true }];
    const file = join(newFolder('rules'), 'rules.json');
    writeFileSync(file, JSON.stringify({ rules: rules.map((rule) => ({ event: '*', times: 1, ...rule })) }));
    await scene({ home, argv: ['emulator', 'faults', file] });
    const running = await emulator(home);
    const told = async (count: number) => (await came(count)).at(-1);
    await running.rename('ada');
    const cut = await told(1);
    expect([cut?.whole, cut?.body.byteLength]).toEqual([false, 25]);
    await expect
      .poll(() => deliveries(home))
      .toMatchObject([{ state: 'waiting', attempts: [{ status: null, fault: 'cut: 25' }] }]);
    await scene({ home, argv: ['emulator', 'clock', '+30m'] });
    expect(await told(2)).toMatchObject({ whole: true, event: { data: { first_name: 'Ada' } } });
    await expect
      .poll(() => deliveries(home))
      .toMatchObject([{ state: 'delivered', attempts: [{}, { status: 204, fault: 'slow: 1s' }] }]);
    await running.rename('obi');
    expect((await told(3))?.signature).toMatch(/^[0-9a-f]{64}$/);
    await running.rename('eze');
    const [first, second] = (await came(5)).slice(3);
    expect([second?.event.uid, second?.id === first?.id]).toEqual([first?.event.uid, false]);
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 0 });
  });

  it('rejects another machine and suggests --allow-remote', () =>
    scene({
      argv: webhook('add', 'http://example.com/hooks', '--unsigned'),
      exit: 2,
      stderr: 'error: example.com is another machine\n→ add --allow-remote to send test events there\n',
    }));

  it('never overwrites a file; it then adds no webhook', async () => {
    const file = join(newFolder('secret'), 'mine.txt');
    writeFileSync(file, 'mine');
    const { home } = await scene({
      argv: webhook('add', 'http://127.0.0.1:1/', '--secret-out', file),
      exit: 2,
      stderr: /exists already\n.*--secret-file/,
    });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    await scene({ home, argv: webhook('list', '--json'), json: { data: [] } });
  });

  it('and webhook listen share one secret file, from a charge to a printed event', async () => {
    const home = newFolder();
    const file = join(newFolder('secret'), 'secret.txt');
    writeFileSync(file, 'wsk.Lcal.one-for-both-sides\n', { mode: 0o600 });
    const listening = start(['webhook', 'listen', '--port', '0', '--secret-file', file, '--until', 'ugwo.successful'], {
      home,
    });
    await listening.saw(/Listening on http\S+/);
    const url = /Listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(listening.stderr())?.[1] ?? '';
    await scene({ home, argv: webhook('add', url, '--secret-file', file) });
    const running = await emulator(home);
    const { ugwo, activity } = SEEDED.processing;
    await scene({ home, argv: ['emulator', 'settle', activity, '--as', 'successful'] });
    const { code, stdout } = await listening.ended;
    expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`ugwo\\.successful\t.*${ugwo}`))]);
    running.kill('SIGINT');
    await running.ended;
  });
});

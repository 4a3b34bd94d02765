import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EVENTS, signatureOf } from '../../src/core/webhook-event.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder, paycli } from '../support/program.ts';
import { DEAD_ORIGIN } from '../support/service.ts';

import { openTerminal } from '../support/terminal.ts';
import { serveProxy } from '../support/tls.ts';
import {
  bodyOf,
  deliver,
  type Forwarded,
  listen,
  SECRET,
  secretFile,
  serveTarget,
  ugwoOf,
  uidOf,
} from '../support/webhooks.ts';
import { delivery, newQueue } from '../webhook/support.ts';

/** A home that has received these bodies. */
const received = async (...bodies: readonly string[]): Promise<string> => {
  const home = newFolder();
  const listener = await listen(home, ['--until', String(bodies.length)]);
  for (const body of bodies) await deliver(listener.origin, body, { headers: { 'x-own': 'kept' } });
  expect(await listener.ended).toMatchObject({ code: 0 });
  return home;
};

const uidsOf = async (home: string, ...args: string[]): Promise<string[]> => {
  const { stdout } = await inProcess(['webhook', 'events', 'list', '--columns', 'uid', '-o', 'tsv', ...args], { home });
  return stdout.split('\n').filter((line) => line !== '');
};

describe('webhook prune', () => {
  it('removes old events after confirmation, and never prints them again', async () => {
    const home = newFolder();
    const queue = newQueue(home);
    const [day, now] = [86_400_000, Date.now()];
    for (const [number, days] of [40, 40, 40, 0].entries()) {
      const state = number === 1 ? 'waiting' : 'kept';
      await queue.keep(delivery(number, { receivedAt: now - days * day }), { state, duplicates: false, due: 0 });
    }
    await queue.setPlace('printed', 4);
    for (const days of [40, 0]) {
      const refused = {
        receivedAt: now - days * day,
        why: 'no signature',
        deliveryId: undefined,
        signature: '',
        size: 9,
      };
      await queue.refuse({ ...refused, body: Buffer.from(`secret-${days}`) });
    }
    const prune = ['webhook', 'prune', '--before', '30d', '--json'];
    const asked = await inProcess(prune, { home });
    expect(asked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Prune 3 events and 1 refused delivery that came before'),
    });
    expect(await inProcess([...prune.slice(0, 2), '--before', '1h', '--yes'], { home })).toMatchObject({ code: 2 });
    const pruned = await inProcess([...prune, '--yes'], { home });
    expect(JSON.parse(pruned.stdout)).toMatchObject({ pruned: 3, waiting: 1, refused: 1, before: expect.any(String) });
    expect(queue.refused(9).map(({ receivedAt }) => receivedAt)).toEqual([now]);
    expect(readFileSync(`${home}/webhooks.db`).includes('secret-40')).toBe(false);
    expect(await uidsOf(home)).toEqual([uidOf(3)]);
    expect(queue.heads(9)).toEqual([]);
    const listener = await listen(home, ['--until', '1', '--columns', 'uid']);
    for (const number of [0, 1, 2, 5]) await deliver(listener.origin, bodyOf(number));
    expect((await listener.ended).stdout).toBe(`${uidOf(5)}\n`);
    expect(await uidsOf(home)).toEqual([uidOf(5), uidOf(3)]);
  });

  it('lets the next event of its payment request follow a removed one', async () => {
    const home = newFolder();
    const queue = newQueue(home);
    const waiting = { state: 'waiting', duplicates: false, due: 0 } as const;
    await queue.keep(delivery(1, { ugwo: ugwoOf(1) }), waiting);
    await queue.keep(delivery(2, { ugwo: ugwoOf(1), receivedAt: Date.now() }), waiting);
    await inProcess(['webhook', 'prune', '--before', '30d', '--yes'], { home });
    expect(queue.heads(9)).toMatchObject([{ key: ugwoOf(1), seq: 2 }]);
  });
});

/** Bodies of a payment request, an activity and a refund, and two of which nothing can be shown. */
const ABOUT = [
  { uid: ugwoOf(1), ref: 'INV-000120', amount: 750_000, currency: 'NGN' },
  { uid: 'act.AbCd.1', amount: '150050', ugwo: { uid: ugwoOf(2), ref: 'INV-000119', currency: 'NGN' } },
  { uid: 'act.AbCd.2', amount: 'much', checkout: { currency: 'NGN' }, ugwo: ugwoOf(3) },
].map((data, at) => JSON.stringify({ uid: uidOf(at), event: 'ugwo.activity.updated', data }));

describe('webhook events', () => {
  it.each([
    [80, /^uid +event +ref +amount$/],
    [140, /^uid +event +ref +amount +state +received_at$/],
  ])('show id, event, ref and amount first, on a terminal of %d columns', async (columns, head) => {
    const home = newFolder();
    const queue = newQueue(home);
    for (const [number, body] of [...ABOUT, '{"data":{"ref":"INV"', '[]'].entries()) {
      const event = 'ugwo.activity.updated';
      const one = delivery(number, { event, body: Buffer.from(body), receivedAt: Date.now() });
      await queue.keep(one, { state: 'kept', duplicates: false, due: 0 });
    }
    const terminal = openTerminal(['webhook', 'events', 'list'], { home, columns, env: { NO_COLOR: '1' } });
    expect(await terminal.ended).toEqual({ code: 0 });
    const lines = terminal.raw().replaceAll('\r\n', '\n').split('\n');
    expect(lines[0]).toMatch(head);
    const shown = lines.slice(2, 7).map((line) => line.split(/ {2,}/).slice(0, 4));
    expect(shown[4]).toEqual([uidOf(0), expect.stringMatching(/activity.updated$/), 'INV-000120', 'NGN 7,500.00']);
    expect(shown[3]).toEqual([uidOf(1), expect.stringMatching(/activity.updated$/), 'INV-000119', 'NGN 1,500.50']);
    const listed = await inProcess(['webhook', 'events', 'list', '-o', 'csv'], { home });
    const rows = listed.stdout.trimEnd().split('\r\n');
    expect(rows.map((row) => row.split(',').slice(-3))).toEqual([
      ['ref', 'amount_minor', 'currency'],
      ['', '', ''],
      ['', '', ''],
      ['', '', 'NGN'],
      ['INV-000119', '150050', 'NGN'],
      ['INV-000120', '750000', 'NGN'],
    ]);
  });

  it('are listed newest first, filtered and in pages', async () => {
    const home = await received(
      ...[1, 2, 3, 4, 5].map((number) =>
        bodyOf(number, { ugwo: number % 2, event: number < 3 ? 'refund.failed' : 'ugwo.updated' }),
      ),
    );
    const all = [5, 4, 3, 2, 1].map((number) => uidOf(number));
    expect(await uidsOf(home)).toEqual(all);
    expect(await uidsOf(home, '--event', 'refund.*')).toEqual([uidOf(2), uidOf(1)]);
    expect(await uidsOf(home, '--ugwo', ugwoOf(1))).toEqual([uidOf(5), uidOf(3), uidOf(1)]);
    expect(await uidsOf(home, '--state', 'waiting')).toEqual([]);
    for (const state of ['kept', 'stored']) expect(await uidsOf(home, '--state', state)).toEqual(all);
    const table = await inProcess(['webhook', 'events', 'list', '-o', 'table', '--columns', 'state'], { home });
    expect(table.stdout).toContain('\nstored\n');
    const first = await inProcess(['webhook', 'events', 'list', '--max', '2', '--json'], { home });
    const { next_cursor: cursor } = JSON.parse(first.stdout) as { next_cursor: string };
    expect(await uidsOf(home, '--cursor', cursor)).toEqual(all.slice(2));
    const some = ['webhook', 'events', 'list', '--max', '2', '--columns', 'uid', '-o', 'tsv'];
    expect((await inProcess(some, { home })).stderr).toContain(
      `paycli webhook events list -o tsv --columns uid --max 2 --cursor ${cursor}`,
    );
    const foreign = await inProcess(['webhook', 'events', 'list', '--cursor', 'bm8'], { home });
    expect(foreign).toMatchObject({ code: 2, stderr: expect.stringContaining('not a cursor of this list') });
  });

  it('are shown with headers and body; an event that was not received is an error', async () => {
    const home = await received(bodyOf(1));
    const { stdout } = await inProcess(['webhook', 'events', 'show', uidOf(1), '--json'], { home });
    expect(JSON.parse(stdout)).toMatchObject({
      uid: uidOf(1),
      state: 'kept',
      signature: signatureOf(SECRET, Buffer.from(bodyOf(1))),
      headers: expect.arrayContaining([{ name: 'x-own', value: 'kept' }]),
      body: JSON.parse(bodyOf(1)),
    });
    const none = await inProcess(['webhook', 'events', 'show', uidOf(2)], { home });
    expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('has received no event') });
  });

  it('are replayed byte for byte with their signature and headers', async () => {
    const body = `${bodyOf(1)} \n`;
    const [home, target] = [await received(body), await serveTarget((_seen, turn) => (turn === 0 ? 200 : 500))];
    const args = ['webhook', 'events', 'replay', uidOf(1), '--to', target.url];
    const sent = await paycli([...args, '--json'], { home });
    expect(JSON.parse(sent.stdout)).toEqual({
      uid: uidOf(1),
      event: 'ugwo.activity.updated',
      to: target.url,
      answer: '200',
      ms: expect.any(Number),
    });
    expect(target.seen[0]).toMatchObject({
      body,
      headers: {
        'x-own': 'kept',
        'x-kwugwo-delivery-id': 'dlv.1',
        'x-kwugwo-signature': signatureOf(SECRET, Buffer.from(body)),
      },
    });
    expect(await inProcess(args, { home })).toMatchObject({ code: 3, stderr: expect.stringContaining('answered 500') });
    expect(await inProcess([...args.slice(0, -1), `${DEAD_ORIGIN}/`], { home })).toMatchObject({ code: 5 });
    expect(await inProcess(args.slice(0, -2), { home })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--to is required'),
    });
    const away = await inProcess([...args.slice(0, -1), 'https://example.com/'], { home });
    expect(away).toMatchObject({ code: 2, stderr: expect.stringContaining('is not on this machine') });
  });
});

describe('webhook trigger', () => {
  const trigger = (home: string, ...args: readonly string[]) =>
    inProcess(['webhook', 'trigger', '--secret-file', secretFile(home), ...args], { home });

  it.each(EVENTS)('sends %s once, with a signature that verifies, and keeps no data', async (event) => {
    const [home, target] = [newFolder(), await serveTarget()];
    const sent = await trigger(home, event, '--to', target.url, '--json');
    expect(sent, sent.stderr).toMatchObject({ code: 0, stderr: '' });
    expect(target.seen.length).toBe(1);
    const [{ headers, body }] = target.seen as [Forwarded];
    const { uid, ...told } = JSON.parse(body);
    expect(JSON.parse(sent.stdout)).toEqual({ uid, event, to: target.url, answer: '200', ms: expect.any(Number) });
    const prefix = event.startsWith('nzube.') ? 'ony' : event.startsWith('refund.') ? 'rfd' : 'act';
    const about = /^ugwo\.(?!activity)/.test(event) ? 'ugw' : prefix;
    expect(told).toMatchObject({ event, data: { uid: expect.stringMatching(`^${about}\\.`) } });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-kwugwo-delivery-id': expect.any(String) });
    const verify = ['webhook', 'verify', '--secret-file', secretFile(home), '--signature'];
    const verified = await inProcess([...verify, String(headers['x-kwugwo-signature']), '--json'], { stdin: body });
    expect(JSON.parse(verified.stdout)).toMatchObject({ valid: true, uid, event });
    expect(readdirSync(home)).toEqual(['secret.txt']);
  });

  it.each(['NODE_USE_ENV_PROXY=1', 'NODE_OPTIONS=--use-env-proxy'])('uses no proxy, also with %s', async (setting) => {
    const [home, target, proxy] = [newFolder(), await serveTarget(), await serveProxy()];
    const [name = '', value] = setting.split(/=(.*)/);
    const env = { [name]: value, HTTP_PROXY: proxy.url, http_proxy: proxy.url };
    const args = ['webhook', 'trigger', 'ugwo.successful', '--to', target.url, '--secret-file', secretFile(home)];
    expect(await paycli(args, { home, env })).toMatchObject({ code: 0 });
    expect([target.seen.length, proxy.readable, proxy.asked]).toEqual([1, [], []]);
  });

  it('ends as the answer says', async () => {
    const [home, target] = [newFolder(), await serveTarget(() => 500)];
    const refused = await trigger(home, 'ugwo.successful', '--to', target.url);
    expect(refused).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('answered 500') });
    expect(target.seen.length).toBe(1);
    expect(await trigger(home, 'ugwo.successful', '--to', `${DEAD_ORIGIN}/`)).toMatchObject({ code: 5 });
  });

  it('lists the events', async () => {
    const { stdout } = await inProcess(['webhook', 'trigger', '--list', '-o', 'tsv', '--columns', 'event']);
    expect(stdout).toBe(EVENTS.map((event) => `${event}\n`).join(''));
  });

  it.each([
    [['--to', 'http://127.0.0.1:1/'], 'no event given'],
    [['ugwo.succesful', '--to', 'http://127.0.0.1:1/'], 'did you mean ugwo.successful?'],
    [['ugwo.successful'], '--to is required'],
    [['ugwo.successful', '--to', 'ftp://127.0.0.1/'], 'is not a URL'],
    [['ugwo.successful', '--to', 'http://192.0.2.1/'], 'is not encrypted'],
    [['--list', '--to', 'http://127.0.0.1:1/'], "--list can't be used with"],
  ])('is refused with %j', async (args, what) => {
    const ended = await trigger(newFolder(), ...args);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(what) });
  });

  it('needs a private file for the secret, and never takes the secret itself', async () => {
    const [home, target] = [newFolder(), await serveTarget()];
    const file = secretFile(home);
    const send = (...args: readonly string[]) =>
      inProcess(['webhook', 'trigger', 'ugwo.successful', '--to', target.url, ...args], { home });
    expect(await send()).toMatchObject({ code: 2, stderr: expect.stringContaining('--secret-file is required') });
    const typed = await send('--secret-file', SECRET);
    expect(typed).toMatchObject({ code: 2, stderr: expect.not.stringContaining(SECRET) });
    chmodSync(file, 0o644);
    expect(await send('--secret-file', file)).toMatchObject({ code: 4, stderr: expect.stringContaining('chmod 600') });
    expect(target.seen).toEqual([]);
  });
});

describe('webhook verify', () => {
  const BODY =
    '{"uid":"evt.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE","event":"ugwo.successful","data":{"uid":"ugw.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE",' +
    '"status":["ugwo_successful","enum.ugwo_status.ugwo_successful"]}}';
  const SIGNATURE = 'a23609f4932fa46a927a6f56fca91380109e431ca725d77d3c63d90a0484255e';
  const verify = (home: string, stdin: string, signature = SIGNATURE, secret = SECRET) =>
    inProcess(['webhook', 'verify', '--secret-file', secretFile(home, secret), '--signature', signature], {
      home,
      stdin,
    });

  it("accepts the signature of the service's reference implementation", async () => {
    const home = newFolder();
    const ended = await verify(home, BODY);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('ugwo.successful');
    const file = join(home, 'body.json');
    writeFileSync(file, BODY);
    const args = ['webhook', 'verify', '--secret-file', secretFile(home), '--signature', SIGNATURE, file, '--json'];
    expect(JSON.parse((await paycli(args, { home })).stdout)).toMatchObject({
      valid: true,
      uid: 'evt.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE',
    });
  });

  it('rejects other bytes and another secret', async () => {
    const home = newFolder();
    for (const wrong of [verify(home, `${BODY}\n`), verify(home, BODY, SIGNATURE, 'wsk.another-secret')]) {
      expect(await wrong).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringContaining('the signature is not valid'),
      });
    }
  });

  it('prompts for the secret on a terminal without echo', async () => {
    const home = newFolder();
    const file = join(home, 'body.json');
    writeFileSync(file, BODY);
    const terminal = openTerminal(['webhook', 'verify', '--signature', SIGNATURE, file], { home });
    await terminal.saw(/Secret of the webhook endpoint/);
    terminal.type(`${SECRET}\r`);
    const ended = await terminal.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(JSON.stringify(ended)).not.toContain(SECRET);
  });
});

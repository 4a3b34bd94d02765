import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EVENTS, signatureOf } from '../../src/core/webhook-event.ts';
import { newFolder } from '../support/program.ts';
import { scene } from '../support/scene.ts';
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
import { fileOf } from './bulk-support.ts';

/** A home that has received these bodies. */
const received = async (...bodies: readonly string[]): Promise<string> => {
  const home = newFolder();
  const listener = await listen(home, ['--until', String(bodies.length)]);
  for (const body of bodies) await deliver(listener.origin, body, { headers: { 'x-own': 'kept' } });
  expect(await listener.ended).toMatchObject({ code: 0 });
  return home;
};

const LIST = ['webhook', 'events', 'list'];
const UIDS = [...LIST, '--columns', 'uid', '-o', 'tsv'];

const linesOf = (...numbers: readonly number[]): string => numbers.map((number) => `${uidOf(number)}\n`).join('');

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
    const prune = ['webhook', 'prune', '--json', '--before'];
    const asked = ['Prune 3 events and 1 refused delivery that came before'];
    await scene({ home, argv: [...prune, '30d'], exit: 2, stderr: asked });
    await scene({
      home,
      argv: [...prune, '1h', '--yes'],
      exit: 2,
      error: { message: '--before must be at least a day ago' },
    });
    const json = { pruned: 3, waiting: 1, refused: 1, before: /^20/ };
    await scene({ home, argv: [...prune, '30d', '--yes'], json });
    expect(queue.refused(9).map(({ receivedAt }) => receivedAt)).toEqual([now]);
    expect(readFileSync(`${home}/webhooks.db`).includes('secret-40')).toBe(false);
    await scene({ home, argv: UIDS, stdout: linesOf(3) });
    expect(queue.heads(9)).toEqual([]);
    const listener = await listen(home, ['--until', '1', '--columns', 'uid']);
    for (const number of [0, 1, 2, 5]) await deliver(listener.origin, bodyOf(number));
    expect((await listener.ended).stdout).toBe(linesOf(5));
    await scene({ home, argv: UIDS, stdout: linesOf(5, 3) });
  });

  it('lets the next event of its payment request follow a removed one', async () => {
    const home = newFolder();
    const queue = newQueue(home);
    const waiting = { state: 'waiting', duplicates: false, due: 0 } as const;
    await queue.keep(delivery(1, { ugwo: ugwoOf(1) }), waiting);
    await queue.keep(delivery(2, { ugwo: ugwoOf(1), receivedAt: Date.now() }), waiting);
    await scene({
      home,
      argv: ['webhook', 'prune', '--before', '30d', '--yes'],
      stdout: ['pruned\t1\nwaiting\t1\nrefused\t0\n'],
    });
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
    const { stdout } = await scene({ home, argv: [...LIST, '-o', 'csv'] });
    expect(stdout.split('\r\n').map((row) => row.split(',').slice(-3).join())).toEqual([
      ...['ref,amount_minor,currency', ',,', ',,', ',,NGN', 'INV-000119,150050,NGN', 'INV-000120,750000,NGN', ''],
    ]);
  });

  it('are listed newest first, filtered and in pages', async () => {
    const home = await received(
      ...[1, 2, 3, 4, 5].map((number) =>
        bodyOf(number, { ugwo: number % 2, event: number < 3 ? 'refund.failed' : 'ugwo.updated' }),
      ),
    );
    const { stdout } = await scene({ home, argv: [...LIST, '--max', '2', '--json'], stderr: /^/ });
    const { next_cursor: cursor } = JSON.parse(stdout) as { next_cursor: string };
    for (const [words, ...numbers] of [
      ['', 5, 4, 3, 2, 1],
      ['--event refund.*', 2, 1],
      [`--ugwo ${ugwoOf(1)}`, 5, 3, 1],
      ['--state kept', 5, 4, 3, 2, 1],
      ['--state stored', 5, 4, 3, 2, 1],
      [`--cursor ${cursor}`, 3, 2, 1],
    ] as const) {
      await scene({ home, argv: [...UIDS, ...words.split(' ').filter(Boolean)], stdout: linesOf(...numbers) });
    }
    await scene({ home, argv: [...UIDS, '--state', 'waiting'], stdout: '', stderr: 'Nothing found.\n' });
    await scene({ home, argv: [...LIST, '-o', 'table', '--columns', 'state'], stdout: ['\nstored\n'] });
    const next = `paycli webhook events list -o tsv --columns uid --max 2 --cursor ${cursor}`;
    await scene({ home, argv: [...UIDS, '--max', '2'], stdout: linesOf(5, 4), stderr: [next] });
    await scene({ home, argv: [...LIST, '--cursor', 'bm8'], exit: 2, stderr: ['not a cursor of this list'] });
  });

  it('are shown with headers and body; an event that was not received is an error', async () => {
    const home = await received(bodyOf(1));
    await scene({
      home,
      argv: ['webhook', 'events', 'show', uidOf(1), '--json'],
      json: {
        uid: uidOf(1),
        state: 'kept',
        signature: signatureOf(SECRET, Buffer.from(bodyOf(1))),
        headers: expect.arrayContaining([{ name: 'x-own', value: 'kept' }]),
        body: JSON.parse(bodyOf(1)),
      },
    });
    const none = ['webhook', 'events', 'show', uidOf(2)];
    await scene({ home, argv: none, exit: 3, stderr: ['has received no event'] });
  });

  it('are replayed byte for byte with their signature and headers', async () => {
    const body = `${bodyOf(1)} \n`;
    const [home, target] = [await received(body), await serveTarget((_seen, turn) => (turn === 0 ? 200 : 500))];
    const argv = ['webhook', 'events', 'replay', uidOf(1)];
    const sent = await scene({ built: true, home, argv: [...argv, '--to', target.url, '--json'] });
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
    for (const [to, exit, part] of [
      [target.url, 3, 'answered 500'],
      [`${DEAD_ORIGIN}/`, 5, "can't be reached"],
      ['https://example.com/', 2, 'is not on this machine'],
    ] as const) {
      await scene({ home, argv: [...argv, '--to', to], exit, stderr: [part] });
    }
    await scene({ home, argv, exit: 2, stderr: ['--to is required'] });
  });
});

describe('webhook trigger', () => {
  const trigger = (home: string, ...words: readonly string[]) => [
    ...['webhook', 'trigger', '--secret-file', secretFile(home), ...words],
  ];

  it.each(EVENTS)('sends %s once, with a signature that verifies, and keeps no data', async (event) => {
    const [home, target] = [newFolder(), await serveTarget()];
    const sent = await scene({ home, argv: trigger(home, event, '--to', target.url, '--json') });
    expect(target.seen.length).toBe(1);
    const [{ headers, body }] = target.seen as [Forwarded];
    const { uid, ...told } = JSON.parse(body);
    expect(JSON.parse(sent.stdout)).toEqual({ uid, event, to: target.url, answer: '200', ms: expect.any(Number) });
    const prefix = event.startsWith('nzube.') ? 'ony' : event.startsWith('refund.') ? 'rfd' : 'act';
    const about = /^ugwo\.(?!activity)/.test(event) ? 'ugw' : prefix;
    expect(told).toMatchObject({ event, data: { uid: expect.stringMatching(`^${about}\\.`) } });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-kwugwo-delivery-id': expect.any(String) });
    const verify = ['webhook', 'verify', '--secret-file', secretFile(home), '--signature'];
    const argv = [...verify, String(headers['x-kwugwo-signature']), '--json'];
    await scene({ stdin: body, argv, json: { valid: true, uid, event } });
    expect(readdirSync(home)).toEqual(['secret.txt']);
  });

  it.each(['NODE_USE_ENV_PROXY=1', 'NODE_OPTIONS=--use-env-proxy'])('uses no proxy, also with %s', async (setting) => {
    const [home, target, proxy] = [newFolder(), await serveTarget(), await serveProxy()];
    const [name = '', value] = setting.split(/=(.*)/);
    const env = { [name]: value, HTTP_PROXY: proxy.url, http_proxy: proxy.url };
    await scene({ built: true, home, env, argv: trigger(home, 'ugwo.successful', '--to', target.url) });
    expect([target.seen.length, proxy.readable, proxy.asked]).toEqual([1, [], []]);
  });

  it('ends as the answer says', async () => {
    const [home, target] = [newFolder(), await serveTarget(() => 500)];
    const argv = trigger(home, 'ugwo.successful', '--to');
    await scene({ home, argv: [...argv, target.url], exit: 3, stderr: ['answered 500'] });
    expect(target.seen.length).toBe(1);
    await scene({ home, argv: [...argv, `${DEAD_ORIGIN}/`], exit: 5 });
  });

  it('lists the events', () =>
    scene({
      argv: ['webhook', 'trigger', '--list', '-o', 'tsv', '--columns', 'event'],
      stdout: EVENTS.map((event) => `${event}\n`).join(''),
    }));

  it.each([
    [['--to', 'http://127.0.0.1:1/'], 'no event given'],
    [['ugwo.succesful', '--to', 'http://127.0.0.1:1/'], 'did you mean ugwo.successful?'],
    [['ugwo.successful'], '--to is required'],
    [['ugwo.successful', '--to', 'ftp://127.0.0.1/'], 'is not a URL'],
    [['ugwo.successful', '--to', 'http://192.0.2.1/'], 'is not encrypted'],
    [['--list', '--to', 'http://127.0.0.1:1/'], "--list can't be used with"],
  ])('is refused with %j', async (words, part) => {
    await scene({ argv: trigger(newFolder(), ...words), exit: 2, stderr: [part] });
  });

  it('needs a private file for the secret, and never takes the secret itself', async () => {
    const [home, target] = [newFolder(), await serveTarget()];
    const file = secretFile(home);
    const argv = ['webhook', 'trigger', 'ugwo.successful', '--to', target.url];
    await scene({ home, argv, exit: 2, stderr: ['--secret-file is required'] });
    await scene({
      home,
      argv: [...argv, '--secret-file', SECRET],
      exit: 2,
      stderr: new RegExp(`^(?!.*${SECRET})`, 's'),
    });
    chmodSync(file, 0o644);
    await scene({ home, argv: [...argv, '--secret-file', file], exit: 4, stderr: ['chmod 600'] });
    expect(target.seen).toEqual([]);
  });
});

describe('webhook verify', () => {
  const BODY =
    '{"uid":"evt.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE","event":"ugwo.successful","data":{"uid":"ugw.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE",' +
    '"status":["ugwo_successful","enum.ugwo_status.ugwo_successful"]}}';
  const SIGNATURE = 'a23609f4932fa46a927a6f56fca91380109e431ca725d77d3c63d90a0484255e';
  const verify = (secret = SECRET) => [
    ...['webhook', 'verify', '--secret-file', secretFile(newFolder(), secret), '--signature', SIGNATURE],
  ];
  const bodyFile = (): string => fileOf(BODY, 'body.json');

  it("accepts the signature of the service's reference implementation", async () => {
    await scene({ stdin: BODY, argv: verify(), stdout: ['ugwo.successful'] });
    const json = { valid: true, uid: 'evt.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE' };
    await scene({ built: true, argv: [...verify(), bodyFile(), '--json'], json });
  });

  it.each([
    ['other bytes', `${BODY}\n`, SECRET],
    ['another secret', BODY, 'wsk.another-secret'],
  ])('rejects %s', async (_what, stdin, secret) => {
    await scene({ stdin, argv: verify(secret), exit: 3, stderr: ['the signature is not valid'] });
  });

  it('prompts for the secret on a terminal without echo', async () => {
    const terminal = openTerminal(['webhook', 'verify', '--signature', SIGNATURE, bodyFile()]);
    await terminal.saw(/Secret of the webhook endpoint/);
    terminal.type(`${SECRET}\r`);
    const ended = await terminal.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(JSON.stringify(ended)).not.toContain(SECRET);
  });
});

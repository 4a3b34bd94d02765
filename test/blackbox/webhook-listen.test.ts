import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../src/core/webhook-event.ts';
import { CANARY } from '../support/canary.ts';
import { startHere } from '../support/in-process.ts';
import { freePort } from '../support/ports.ts';
import { killingProgram, newFolder } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { DEAD_ORIGIN } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import {
  bodyOf,
  deliver,
  listen,
  listenHere,
  SECRET,
  secretFile,
  serveTarget,
  ugwoOf,
  uidOf,
} from '../support/webhooks.ts';
import { eventOf, listen as listenForNews } from './news-support.ts';

/** The uids in tsv output with a header. */
const told = (stdout: string): string[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .slice(1)
    .map((line) => line.split('\t')[0] ?? '');

/** The words of a listener that is expected to refuse its options. */
const listening = (...words: readonly string[]): string[] => [
  ...['webhook', 'listen', '--port', '0', '--secret-file', secretFile(newFolder()), ...words],
];

const LIST = ['webhook', 'events', 'list', '--json'];
const SHOW = ['webhook', 'events', 'show', '--json'];

describe('webhook listen', () => {
  it('stores, prints and forwards a delivery byte for byte, with its headers', async () => {
    const [home, target] = [newFolder(), await serveTarget()];
    const listener = await listen(home, ['--forward-to', target.url, '--until', '1']);
    const body = `{ "uid": "${uidOf(1)}", "event":"ugwo.successful","data":{"uid":"${ugwoOf(1)}","n":12345678901234567890.10} }`;
    const headers = { 'x-own': 'kept', connection: 'close, x-hop', 'x-hop': 'dropped', te: 'trailers' };
    expect(await deliver(listener.origin, body, { delivery: 'dlv.A', headers })).toMatchObject({ status: 200 });
    const ended = await listener.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout.split('\n')[1]?.split('\t')).toMatchObject(
      [uidOf(1), 'ugwo.successful', ugwoOf(1), '', /.+/, 'dlv.A'].map((w) =>
        typeof w === 'string' ? w : expect.stringMatching(w),
      ),
    );
    expect(target.seen).toHaveLength(1);
    expect(target.seen[0]).toMatchObject({
      url: '/app?x=1',
      body,
      headers: {
        'x-own': 'kept',
        'content-type': 'application/json',
        'x-kwugwo-delivery-id': 'dlv.A',
        'x-kwugwo-signature': signatureOf(SECRET, Buffer.from(body)),
        host: `127.0.0.1:${target.port}`,
      },
    });
    for (const name of ['x-hop', 'te']) expect(target.seen[0]?.headers).not.toHaveProperty(name);
    await scene({ home, argv: LIST, json: { data: [{ uid: uidOf(1), state: 'forwarded' }] } });
  });

  it('forwards and replays headers named like object properties', async () => {
    const [home, target] = [newFolder(), await serveTarget()];
    const listener = await listen(home, ['--forward-to', target.url, '--until', '2']);
    const headers = JSON.parse('{"constructor":"a","__proto__":"b","toString":"c"}') as Record<string, string>;
    for (const number of [1, 2]) {
      expect(await deliver(listener.origin, bodyOf(number), { headers })).toMatchObject({ status: 200 });
    }
    expect(await listener.ended).toMatchObject({ code: 0 });
    await scene({ home, argv: ['webhook', 'events', 'replay', uidOf(1)] });
    expect(target.seen.map(({ raw }) => raw.filter((word) => ['a', 'b', 'c'].includes(word)))).toEqual(
      Array(3).fill(['a', 'b', 'c']),
    );
  });

  it("prints its address, opens no tunnel, and exits with the signal's code", async () => {
    const listener = await listen(newFolder());
    await listener.saw(/point a tunnel at http:\/\/127\.0\.0\.1:\d+/);
    expect(await deliver(listener.origin, bodyOf(1))).toMatchObject({ status: 200 });
    await listener.saw(/evt\./);
    listener.kill('SIGINT');
    const stderr = expect.stringContaining('every acknowledged event is stored');
    expect(await listener.ended).toMatchObject({ code: 130, stderr });
  });

  it('rejects deliveries with a missing or bad signature and stores them separately', async () => {
    const home = newFolder();
    const listener = await listenHere(home);
    const changed = { signature: signatureOf(SECRET, Buffer.from(bodyOf(2))) };
    expect(await deliver(listener.origin, bodyOf(1), { signature: null })).toMatchObject({ status: 401 });
    expect(await deliver(listener.origin, bodyOf(1), { signature: '' })).toMatchObject({ status: 401 });
    expect(await deliver(listener.origin, bodyOf(1), changed)).toMatchObject({ status: 401 });
    expect(await deliver(listener.origin, `${bodyOf(2)} `, changed)).toMatchObject({ status: 401 });
    await listener.saw(/refused a delivery \(401\): no signature[\s\S]*wrong signature/);
    listener.kill('SIGINT');
    expect((await listener.ended).stdout).toBe('');
    await scene({ home, argv: LIST, json: { data: [] } });
    await scene({
      home,
      argv: [...LIST, '--refused'],
      json: {
        data: [
          { why: 'wrong signature', size: bodyOf(2).length + 1, body_start: `${bodyOf(2)} `, delivery_id: 'dlv.1' },
          { why: 'wrong signature', ...changed },
          { why: 'no signature', signature: '' },
          { why: 'no signature', signature: '' },
        ],
      },
    });
  });

  it('prints and forwards an event once, however often it arrives', async () => {
    const [home, target] = [newFolder(), await serveTarget()];
    const first = await listenHere(home, ['--forward-to', target.url]);
    for (const delivery of ['a', 'b']) {
      expect(await deliver(first.origin, bodyOf(1), { delivery })).toMatchObject({ status: 200 });
    }
    await target.came(1);
    first.kill('SIGINT');
    expect(told((await first.ended).stdout)).toEqual([uidOf(1)]);
    const second = await listenHere(home, ['--forward-to', target.url, '--until', '1']);
    await deliver(second.origin, bodyOf(1));
    await deliver(second.origin, bodyOf(2));
    expect(told((await second.ended).stdout)).toEqual([uidOf(2)]);
    expect(target.seen.map(({ body }) => JSON.parse(body).uid)).toEqual([uidOf(1), uidOf(2)]);
    await scene({ home, argv: [...SHOW, uidOf(1)], json: { repeats: 2, delivery_id: 'a' } });
  });

  it('stores another body with a known uid and reports it, but neither prints nor forwards it', async () => {
    const [home, target] = [newFolder(), await serveTarget()];
    const listener = await listenHere(home, ['--forward-to', target.url, '--until', '2']);
    const other = bodyOf(1, { event: 'refund.failed' });
    for (const body of [bodyOf(1), other, other, bodyOf(2)]) {
      expect(await deliver(listener.origin, body)).toMatchObject({ status: 200 });
    }
    const { stdout, stderr } = await listener.ended;
    expect(told(stdout)).toEqual([uidOf(1), uidOf(2)]);
    expect(target.seen.map(({ body }) => body).toSorted()).toEqual([bodyOf(1), bodyOf(2)]);
    const [, uid = ''] = /came again with another body.*events show (sha256:\w+)/.exec(stderr) ?? [];
    expect(stderr.match(/came again with another body/g)).toHaveLength(1);
    await scene({ home, argv: [...SHOW, uid], json: { body: JSON.parse(other), state: 'kept', repeats: 1 } });
  });

  it('prints repeats with --duplicates, and identifies an event without uid by its bytes', async () => {
    const [home, target] = [newFolder(), await serveTarget()];
    const listener = await listenHere(home, ['--duplicates', '--forward-to', target.url, '--until', '3']);
    for (const body of ['{"event":"x"}', '{"event":"x"}', '{"event":"x" }']) await deliver(listener.origin, body);
    const uids = told((await listener.ended).stdout);
    expect(uids[0]).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(uids).toEqual([uids[0], uids[0], expect.stringMatching(/^sha256:/)]);
    expect(uids[2]).not.toBe(uids[0]);
    expect(target.seen).toHaveLength(3);
    const again = await listenHere(home, ['--until', '1']);
    await deliver(again.origin, '{"event":"x"}');
    await deliver(again.origin, bodyOf(1));
    expect(told((await again.ended).stdout)).toEqual([uidOf(1)]);
  });

  it('accepts two secrets during a rotation, and the sandbox secret only for sandbox events', async () => {
    const home = newFolder();
    const [old, sandbox] = ['wsk.old-secret', 'wsk.sandbox-secret'];
    const files = [secretFile(home), secretFile(home, old, 'old.txt'), secretFile(home, sandbox, 'sandbox.txt')];
    const listener = await listenHere(home, [
      ...['--secret-file', files[0] ?? '', '--secret-command', `cat ${files[1]}`],
      ...['--sandbox-secret-file', files[2] ?? ''],
    ]);
    const status = async (body: string, secret: string): Promise<number> =>
      (await deliver(listener.origin, body, { signature: signatureOf(secret, Buffer.from(body)) })).status;
    expect(await status(bodyOf(1), SECRET)).toBe(200);
    expect(await status(bodyOf(2), old)).toBe(200);
    expect(await status(bodyOf(3, { sandbox: true }), sandbox)).toBe(200);
    expect(await status(bodyOf(4, { sandbox: true }), SECRET)).toBe(401);
    expect(await status(bodyOf(5), sandbox)).toBe(401);
    listener.kill('SIGINT');
    const { stderr } = await listener.ended;
    for (const secret of [SECRET, old, sandbox]) expect(stderr).not.toContain(secret);
  });

  it('prints and forwards only matching events, stores the rest, and stops at the event in --until', async () => {
    const [home, target] = [newFolder(), await serveTarget()];
    const wanted = ['--only', 'ugwo.activity.*', '--only', 'refund.*', '--until', 'refund.successful'];
    const shown = ['-o', 'csv', '--columns', 'uid,event'];
    const listener = await listenHere(home, [...wanted, ...shown, '--forward-to', target.url]);
    await deliver(listener.origin, bodyOf(1, { event: 'ugwo.updated' }));
    await deliver(listener.origin, bodyOf(2, { event: 'ugwo.activity.double_charge_detected' }));
    await deliver(listener.origin, bodyOf(3, { event: 'refund.successful' }));
    const { code, stdout } = await listener.ended;
    expect([code, stdout]).toEqual([
      0,
      `uid,event\r\n${uidOf(2)},ugwo.activity.double_charge_detected\r\n${uidOf(3)},refund.successful\r\n`,
    ]);
    const argv = ['webhook', 'events', 'list', '-o', 'tsv', '--columns', 'uid,state'];
    await scene({ home, argv, stdout: `${uidOf(3)}\tforwarded\n${uidOf(2)}\tforwarded\n${uidOf(1)}\tkept\n` });
  });

  it('prints each event as a line of JSON with all digits and escapes', async () => {
    const home = newFolder();
    const file = secretFile(home);
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const { ended } = startHere(
      ['webhook', 'listen', '--port', String(port), '--secret-file', file, '--until', '2', '-o', 'ndjson'],
      { home },
    );
    const body = `{"uid":"${uidOf(1)}","event":"x\\u001b[31m","data":{"n":12345678901234567890}}`;
    for (const one of [body, '\x00 no json']) {
      for (let tries = 0; ; tries += 1) {
        const answer = await deliver(origin, one).catch((thrown: unknown) => thrown);
        if (!(answer instanceof Error)) break;
        expect(tries).toBeLessThan(1000);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    const { stdout, stderr } = await ended;
    expect(stderr).toBe('');
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toContain('"n":12345678901234567890');
    expect(stdout).not.toContain('\x1b');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { uid: uidOf(1), signature: signatureOf(SECRET, Buffer.from(body)), body: { event: 'x\u001b[31m' } },
      {
        uid: expect.stringMatching(/^sha256:/),
        event: '',
        body: null,
        body_base64: Buffer.from('\x00 no json').toString('base64'),
      },
    ]);
  });

  it('filters each event with --jq', async () => {
    const { run, deliver: post } = await listenForNews({}, '--jq', '.uid');
    const event = eventOf(1, 'ugwo.updated', {}) as { uid: string };
    await post(event);
    await run.saw(new RegExp(`^${event.uid}\\n$`));
    run.kill('SIGKILL');
    expect(await run.ended).toMatchObject({ stdout: `${event.uid}\n` });
  });

  it('waits for a target that is down, in order per payment request, also after a restart', async () => {
    const port = await freePort();
    const home = newFolder();
    const first = await listen(home, ['--forward-to', `http://127.0.0.1:${port}/app?x=1`]);
    for (const number of [1, 2, 3]) await deliver(first.origin, bodyOf(number, { ugwo: number % 2 }));
    await first.saw(/can't take events now/);
    first.kill('SIGKILL');
    await first.ended;
    await scene({ home, argv: LIST, json: { data: Array(3).fill({ state: 'waiting' }) } });
    const target = await serveTarget(() => 204, port);
    const second = await listenHere(home, ['--forward-to', target.url]);
    await target.came(3);
    second.kill('SIGINT');
    await second.ended;
    const uids = target.seen.map(({ body }) => JSON.parse(body).uid as string);
    expect(uids.toSorted()).toEqual([uidOf(1), uidOf(2), uidOf(3)]);
    expect(uids.indexOf(uidOf(1))).toBeLessThan(uids.indexOf(uidOf(3)));
    await scene({ home, argv: LIST, json: { data: Array(3).fill({ state: 'forwarded' }) } });
  });

  it('retries refused deliveries, delays later ones, and follows no redirect', async () => {
    const home = newFolder();
    const answers = [302, 400, 200];
    const target = await serveTarget(({ body }) => {
      if (JSON.parse(body).uid !== uidOf(1)) return 200;
      return { status: answers.shift() ?? 500, headers: { location: '/elsewhere' } };
    });
    const listener = await listen(home, ['--forward-to', target.url]);
    for (const number of [1, 2]) await deliver(listener.origin, bodyOf(number, { ugwo: 1 }));
    await deliver(listener.origin, bodyOf(3));
    await target.came(5);
    listener.kill('SIGINT');
    await listener.ended;
    const uids = target.seen.map(({ body }) => JSON.parse(body).uid as string);
    expect(uids.filter((uid) => uid !== uidOf(3))).toEqual([uidOf(1), uidOf(1), uidOf(1), uidOf(2)]);
    expect(target.seen.every(({ url }) => url === '/app?x=1')).toBe(true);
    await scene({ home, argv: [...SHOW, uidOf(1)], json: { state: 'forwarded', attempts: 3, answer: '200' } });
  });

  it('stops forwarding after 410 and loses no event', async () => {
    const home = newFolder();
    const target = await serveTarget(() => 410);
    const listener = await listenHere(home, ['--forward-to', target.url]);
    await deliver(listener.origin, bodyOf(1));
    await listener.saw(/410 Gone/);
    expect(await deliver(listener.origin, bodyOf(2))).toMatchObject({ status: 200 });
    listener.kill('SIGINT');
    await listener.ended;
    expect(target.seen).toHaveLength(1);
    await scene({ home, argv: LIST, json: { data: Array(2).fill({ state: 'waiting' }) } });
  });

  it('runs a command per event with the body on its standard input and no secret in its environment', async () => {
    const home = newFolder();
    const script = join(home, 'run.sh');
    writeFileSync(script, `#!/bin/sh\n{ cat; echo; env; echo "args:$*"; } >> "$1"\necho said\nexit 3\n`);
    chmodSync(script, 0o700);
    const out = join(home, 'out.txt');
    const env = { PAYCLI_SECRET_KEY: CANARY, OTHER: `x${SECRET}x`, DB_PASS: 'pa55-word', PLAIN: 'plain', LC_TIME: 'C' };
    const exec = ['--exec', `${script} '${out}' '$HOME;ls'`, '--exec-env', 'PLAIN'];
    const listener = await listen(home, [...exec, '--until', '1'], { env });
    await deliver(listener.origin, bodyOf(1));
    const { code, stdout, stderr } = await listener.ended;
    expect([code, told(stdout)]).toEqual([0, [uidOf(1)]]);
    expect(stderr).toMatch(/said[\s\S]*--exec failed for evt\.AbCd\.0+1: exit code 3/);
    const text = readFileSync(out, 'utf8');
    expect(text).toContain(`${bodyOf(1)}\n`);
    for (const line of ['PLAIN=plain', 'LC_TIME=C', `HOME=${home}`]) expect(text).toContain(`\n${line}\n`);
    expect(text).toContain(`args:${out} $HOME;ls`);
    for (const secret of [CANARY, SECRET, 'pa55-word', 'PAYCLI_']) expect(text).not.toContain(secret);
  });

  it.each([
    ['PLAIN', 'is not set', {}],
    ['PLAIN=plain-text', 'is not set', {}],
    ['constructor', 'is not set', {}],
    ['__proto__', 'is not set', {}],
    ['OTHER', 'contains a secret of paycli', { OTHER: `x${SECRET}x` }],
    ['PAYCLI_SECRET_KEY', 'contains a secret of paycli', { PAYCLI_SECRET_KEY: CANARY }],
  ])('rejects --exec-env %s, which %s', async (name, why, env) => {
    const { stderr } = await scene({
      env,
      argv: listening('--exec', 'sort', '--exec-env', name),
      exit: 2,
      stderr: [`"${name.split('=')[0]}" ${why}`],
    });
    expect(stderr).not.toContain('plain-text');
  });

  it('rejects --exec-env of a variable that holds the key of the profile, whatever its form', async () => {
    const [home, key] = [newFolder(), 'another-form-of-key-0123456789'];
    const printed = join(home, 'key.sh');
    writeFileSync(printed, `#!/bin/sh\necho ${key}\n`, { mode: 0o700 });
    const login = ['login', '--profile', 'shop', '--base-url', DEAD_ORIGIN, '--key-command', printed, '--no-verify'];
    await scene({ home, argv: login, stderr: /^/ });
    const argv = listening('--exec', 'sort', '--profile', 'shop', '--exec-env', 'OTHER');
    const basic = Buffer.from(`${key}:`).toString('base64');
    for (const OTHER of [key, `Basic ${basic}`, `https://x.test/?k=${key}`]) {
      await scene({ home, env: { OTHER }, argv, exit: 2, stderr: ['contains a secret of paycli'] });
    }
  });

  it('lets a command print colours on a terminal, but not move the cursor', async () => {
    const home = newFolder();
    const script = join(home, 'run.sh');
    writeFileSync(script, `#!/bin/sh\nprintf '\\033[31mred\\033[0m\\033[2A\\033[Kover\\rlast\\n'\n`, { mode: 0o700 });
    const port = await freePort();
    const args = ['webhook', 'listen', '--port', String(port), '--secret-file', secretFile(home)];
    const session = openTerminal([...args, '--exec', script, '--until', '1'], { home });
    await session.saw(/Stop it with/);
    await deliver(`http://127.0.0.1:${port}`, bodyOf(1));
    expect(await session.ended).toMatchObject({ code: 0 });
    expect(session.raw()).toContain('\u001b[31mred\u001b[0m\\x1b[2A\\x1b[Kover\\rlast');
  });

  // Only on Linux do all addresses 127.… lead to this machine.
  it.runIf(process.platform === 'linux')('listens on its own address alone', async () => {
    const { origin } = await listen(newFolder());
    expect(await deliver(origin, bodyOf(1))).toMatchObject({ status: 200 });
    const beside = origin.replace('127.0.0.1', '127.0.0.2');
    await expect(deliver(beside, bodyOf(2))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it.each([
    ['0.0.0.0', true],
    ['localhost', false],
  ])('warns if it listens beyond loopback: on %s %s', async (host, isOpen) => {
    const listener = await listenHere(newFolder(), ['--host', host]);
    listener.kill('SIGINT');
    expect((await listener.ended).stderr.includes('is open to the network over plain http')).toBe(isOpen);
  });

  it.skipIf(process.platform === 'win32')(
    'gives a command the whole body, and once, also if paycli is killed as it starts',
    async () => {
      const [home, command] = [newFolder(), killingProgram()];
      const body = `${bodyOf(1).slice(0, -1)},"x":"${'x'.repeat(900_000)}"}`;
      const killed = await listen(home, ['--exec', command.path]);
      await deliver(killed.origin, body);
      expect((await killed.ended).signal).toBe('SIGKILL');
      expect(await command.kept()).toBe(body);
      const next = await listenHere(home, ['--exec', "sed 's/^/started /'", '--until', '1']);
      await deliver(next.origin, bodyOf(2));
      const { code, stdout, stderr } = await next.ended;
      expect([code, told(stdout)]).toEqual([0, [uidOf(2)]]);
      expect(stderr.match(/started .*/g)).toEqual([`started ${bodyOf(2)}`]);
      expect(stderr).toContain(`${uidOf(1)} may not have been printed`);
    },
  );

  it('kills a hanging command on the first signal', async () => {
    const listener = await listen(newFolder(), [
      '--exec',
      "node -e 'console.log(1 + 40); setInterval(() => {}, 1000)'",
    ]);
    await deliver(listener.origin, bodyOf(1));
    await listener.saw(/41/);
    listener.kill('SIGTERM');
    expect(await listener.ended).toMatchObject({
      code: 143,
      stderr: expect.stringMatching(/--exec failed for \S+: SIGTERM/),
    });
  });

  it('finds the program of --exec before it listens, never in the working folder', async () => {
    const [home, cwd] = [newFolder(), newFolder('cwd')];
    writeFileSync(join(cwd, 'here'), '#!/bin/sh\necho planted\n', { mode: 0o700 });
    for (const PATH of ['.', '', cwd, `${cwd}/../${basename(cwd)}`]) {
      const env = { PATH: `${PATH}:${process.env['PATH'] ?? ''}` };
      const stderr = ['the program "here" was not found'];
      await scene({ cwd, env, argv: listening('--exec', 'here'), exit: 2, stderr });
    }
    const listener = await listen(home, ['--exec', './here', '--until', '1'], { cwd });
    await deliver(listener.origin, bodyOf(1));
    expect(await listener.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('planted') });
    // Nor the interpreter of a program that is trusted.
    const trusted = join(home, 'trusted');
    writeFileSync(trusted, '#!/usr/bin/env here\n', { mode: 0o700 });
    const env = { PATH: ['.', cwd, process.env['PATH']].join(delimiter) };
    const other = await listenHere(home, ['--exec', trusted, '--until', '1'], { cwd, env });
    await deliver(other.origin, bodyOf(2));
    expect(await other.ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^(?!.*planted).*exit code 127/s),
    });
  });

  it('forwards to another machine only with --allow-remote', async () => {
    const argv = listening('--forward-to', 'http://192.0.2.1/x');
    await scene({ argv, exit: 2, stderr: ['is not on this machine'] });
    await scene({ argv: [...argv, '--allow-remote'], exit: 2, stderr: ['is not encrypted'] });
  });

  it('runs once per machine', async () => {
    const home = newFolder();
    const listener = await listen(home);
    const error = { message: /^another `paycli webhook listen`/ };
    await scene({ home, argv: listening('--json'), exit: 2, error });
    expect(await deliver(listener.origin, bodyOf(1))).toMatchObject({ status: 200 });
  });

  it.each([
    ['is open to other users', (file: string) => chmodSync(file, 0o644)],
    [
      'was not used: the secret in it is a key of the API',
      (file: string) => writeFileSync(file, `sk.Test.${'0'.repeat(80)}`),
    ],
    ['was not used: the secret in it is not 8 to 512', (file: string) => writeFileSync(file, 'wsk.a b c d e')],
  ])('rejects a secret file that %s, without printing it', async (why, spoil) => {
    const argv = listening();
    spoil(argv.at(-1) ?? '');
    await scene({ argv, exit: 4, stderr: [why] });
  });

  it('does not repeat a secret given as a file name', async () => {
    const argv = ['webhook', 'listen', '--port', '0'];
    await scene({ argv, exit: 2, stderr: ['--secret-file or --secret-command'] });
    const named = [...argv, '--secret-file', 'wsk.AbCd.0123456789'];
    const { stderr } = await scene({ argv: named, exit: 2, stderr: ['make a new secret'] });
    expect(stderr).not.toContain('0123456789');
  });

  it('rejects a queue that others can read', async () => {
    const home = newFolder();
    const listener = await listenHere(home);
    listener.kill('SIGTERM');
    await listener.ended;
    chmodSync(join(home, 'webhooks.db'), 0o644);
    await scene({ home, argv: listening(), exit: 10, stderr: ['is open to other users'] });
  });
});

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CANARY, RUN_FOLDER } from '../support/canary.ts';
import { holding } from '../support/canary-search.ts';
import { inProcess } from '../support/in-process.ts';
import { type Ended, newFolder, paycli } from '../support/program.ts';
import { json, serveAllBy, serveBy, UGWO_ID } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { serveProxy } from '../support/tls.ts';
import { bodyOf, deliver, listen, secretFile, serveTarget } from '../support/webhooks.ts';
import { activityOf, charged } from './bulk-support.ts';
import { requestWith } from './watch-support.ts';

const KEY = `sk.Find.${'findme7'.repeat(12)}`;

describe('the search for the canary key', () => {
  it.each([
    ['unchanged', KEY],
    ['inside other text', `x"${KEY}"y`],
    ['in a URL', `https://x.test/?k=${encodeURIComponent(KEY)}`],
    ['in base64', Buffer.from(KEY).toString('base64')],
    ['in the base64 of a header', Buffer.from(`Bearer ${KEY}`).toString('base64')],
    ['in base64 at an odd offset', Buffer.from(`:${KEY}`).toString('base64')],
  ])('finds it %s', (_where, text) => {
    const folder = newFolder('search');
    mkdirSync(join(folder, 'deep', 'er'), { recursive: true });
    writeFileSync(join(folder, 'deep', 'er', 'file'), text);
    writeFileSync(join(folder, 'other'), KEY.slice(0, -1));
    expect(holding(folder, KEY)).toEqual([join('deep', 'er', 'file')]);
  });

  it('skips only the profile store', () => {
    const folder = newFolder('search');
    for (const name of ['config.json', 'config.json.tmp', 'emulator.sqlite']) writeFileSync(join(folder, name), KEY);
    expect(holding(folder, KEY).sort()).toEqual(['config.json.tmp', 'emulator.sqlite']);
  });

  it('covers the output of every run, piped or on a terminal', async () => {
    await paycli(['canary-on-a-pipe']);
    await openTerminal(['canary-on-a-terminal']).ended;
    const transcripts = readdirSync(RUN_FOLDER).filter((name) => name.startsWith('transcript-'));
    expect(transcripts.length).toBeGreaterThan(0);
    expect(holding(RUN_FOLDER, 'canary-on-a-pipe')).not.toEqual([]);
    expect(holding(RUN_FOLDER, 'canary-on-a-terminal')).not.toEqual([]);
  });
});

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb'];
const BASIC = `Basic ${Buffer.from(`${CANARY}:`).toString('base64')}`;

/** A program that keeps its environment and its input, and shows both. */
const curious = () => {
  const folder = newFolder('curious');
  const path = join(folder, 'run.sh');
  writeFileSync(path, `#!/bin/sh\n{ cat; env; } >> ${folder}/kept\ncat ${folder}/kept\n`, { mode: 0o700 });
  return { path, kept: () => readFileSync(join(folder, 'kept'), 'utf8') };
};

/** No output holds the key; all of it is searched once more after the last test. */
const hidesKey = (...texts: readonly string[]): void => {
  const folder = newFolder('said');
  for (const [index, text] of texts.entries()) writeFileSync(join(folder, String(index)), text);
  expect(holding(folder, CANARY)).toEqual([]);
};

describe('the key in variables', () => {
  it.each(['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'])(
    'is not shown when %s is refused, by whatever connection',
    async (name) => {
      const home = newFolder();
      const env = { [name]: CANARY, PAYCLI_SECRET_KEY: CANARY, PAYCLI_BASE_URL: 'https://localhost:1' };
      const hooks = ['--secret-file', secretFile(home)];
      const ledger = { PAYCLI_LEDGER: 'postgres://ada@db.invalid/pay' };
      const runs: (readonly [args: readonly string[], env?: Record<string, string>])[] = [
        [CHARGE],
        [['webhook', 'listen', '--port', '0', ...hooks, '--forward-to', 'https://localhost:1/x']],
        [['webhook', 'trigger', 'ugwo.successful', ...hooks, '--to', 'https://localhost:1/x']],
        [['ledger', 'list'], ledger],
      ];
      for (const [args, more] of runs) {
        const ended = await inProcess(args, { home, env: { ...env, ...more } });
        expect(ended, args.join(' ')).toMatchObject({
          code: 4,
          stderr: expect.stringContaining(`${name} is "[secret`),
        });
        hidesKey(ended.stdout, ended.stderr);
      }
      const doctor = await inProcess(['doctor', '-o', 'json'], { home, env });
      expect(doctor.stdout + doctor.stderr).toContain(name);
      hidesKey(doctor.stdout, doctor.stderr);
    },
  );

  it.each([{ NODE_USE_ENV_PROXY: '1' }, { NODE_OPTIONS: '--use-env-proxy' }])(
    'goes to no proxy that %j and HTTP_PROXY name',
    async (setting) => {
      const [home, proxy, target] = [newFolder(), await serveProxy(), await serveTarget()];
      const service = await serveBy(() => charged(1));
      const named = proxy.url.replace('//', `//ada:${CANARY}@`);
      const env = { ...setting, HTTP_PROXY: named, http_proxy: named };
      const hooks = ['--secret-file', secretFile(home)];
      const runs: Ended[] = [];
      runs.push(await paycli(CHARGE, { home, service, env }));
      runs.push(await paycli(['webhook', 'trigger', 'ugwo.successful', ...hooks, '--to', target.url], { home, env }));
      const listener = await listen(home, ['--until', '1', '--forward-to', target.url], {
        env: { ...env, PAYCLI_SECRET_KEY: CANARY },
      });
      await deliver(listener.origin, bodyOf(1));
      await target.came(2);
      runs.push(await listener.ended);
      for (const { code, stdout, stderr } of runs) {
        expect(code, stderr).toBe(0);
        hidesKey(stdout, stderr);
      }
      hidesKey(JSON.stringify(target.seen));
      expect([proxy.asked, proxy.readable]).toEqual([[], []]);
    },
  );

  it.skipIf(process.platform === 'win32')('goes to no program, also as a ref or an address of a customer', async () => {
    const [home, program] = [newFolder(), curious()];
    const onye = { uid: `ony.AbCd.${'0'.repeat(24)}`, email: `${CANARY}@example.com` };
    const shown = { uid: UGWO_ID, ref: CANARY, onye };
    const paid = { uid: activityOf(1), activity_type: 'charge', next_action: null, status: 'successful' };
    let activities: unknown[] = [];
    const service = await serveAllBy(({ method }) => {
      if (method === 'POST') return charged(1);
      const request = activities.length === 0 ? requestWith(1, '') : requestWith(1, 'successful', 500_001);
      return json(200, { ...request, ...shown, activities });
    });
    const env = { OTHER: CANARY, BASIC };
    const shared = await paycli([...CHARGE, '--share-with', program.path], { home, service, env });
    expect(shared.code, shared.stderr).toBe(0);
    expect(program.kept()).toContain(`PAYCLI_UGWO=${UGWO_ID}`);
    const listener = await listen(home, ['--until', '1', '--exec', program.path, '--exec-env', 'PLAIN'], {
      env: { ...env, PLAIN: 'plain', PAYCLI_SECRET_KEY: CANARY },
    });
    await deliver(listener.origin, bodyOf(1));
    const heard = await listener.ended;
    expect(program.kept()).toContain('PLAIN=plain');
    activities = [paid];
    const watched = await paycli(['watch', UGWO_ID, '--until-final', '--exec', program.path], { home, service, env });
    expect(program.kept(), watched.stderr).toContain('"kind":"paid"');
    hidesKey(program.kept(), ...[shared, heard, watched].flatMap(({ stdout, stderr }) => [stdout, stderr]));
  });

  it.each([
    CANARY,
    BASIC,
    JSON.stringify({ authorization: BASIC }),
    `token=${Buffer.from(CANARY).toString('base64url')};`,
    Buffer.from(CANARY).toString('hex'),
    `https://x.test/?k=${CANARY}`,
  ])('is refused in a variable of --exec-env, and not shown: form %#', async (OTHER) => {
    const home = newFolder();
    const args = ['webhook', 'listen', '--port', '0', '--secret-file', secretFile(home), '--exec', 'sort'];
    const env = { OTHER, PAYCLI_SECRET_KEY: CANARY };
    const ended = await inProcess([...args, '--exec-env', 'OTHER'], { home, env });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('contains a secret of paycli') });
    hidesKey(ended.stdout, ended.stderr);
  });
});

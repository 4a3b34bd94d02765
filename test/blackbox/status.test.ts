import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LOCAL_KEY_PREFIX } from '../../src/core/secret.ts';
import { CASES } from '../../src/ledger/cases.ts';
import { type Intent, ledgerTargetOf } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { sealedText } from '../../src/ledger/policy.ts';
import { openQueue } from '../../src/webhook/queue.ts';
import { intent } from '../ledger/support/memory.ts';
import { CANARY } from '../support/canary.ts';
import { clock } from '../support/clock.ts';
import { ugwoOf, uidOf } from '../support/ids.ts';
import { inProcess } from '../support/in-process.ts';
import { onTerminal } from '../support/on-terminal.ts';
import { newFolder } from '../support/program.ts';
import { ACTIVITY, json, serve, serveAllBy, UGWO_ID, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { secretFile } from '../support/webhooks.ts';
import { delivery } from '../webhook/support.ts';
import { charged } from './bulk-support.ts';
import { begin, openDesk, REFUND, REFUND_SECONDS, type Shown, USSD, writing } from './desk-support.ts';

const MINUTE = 60_000;
const LOST = { amount: 90_000, currency: 'NGN', ref: 'lost', metadata: { emulate: 'lost' } };

const beginUnknown = (ledger: Ledger, some: Partial<Intent>): Promise<unknown> =>
  begin(ledger, some, { state: 'unknown', exitCode: 6 });

/** An agent's plan of a charge that waits for a person. */
const askApproval = async (ledger: Ledger, profile: string | undefined, target = intent()): Promise<void> => {
  const { service, origin } = target;
  const id = 'plan-00000000000a';
  const name = sealedText(ledger, id, 'charge NGN 61,500.00');
  const job = { id, kind: 'charge', command: 'ugwo charge', name, rows: 1 } as const;
  await ledger.jobs.open({ ...job, service, origin, profile }, 1);
  const total = { rows: 1, amounts: new Map([['NGN', 6_150_000n]]), unknown: 0 };
  const asked = { job: job.id, total, askedBy: 'ada', askedAt: clock.now() };
  await ledger.policies.approve({ ...asked, approvedBy: undefined, approvedAt: undefined });
};

const keepWaiting = async (home: string): Promise<void> => {
  const queue = openQueue(home, process.geteuid?.());
  const came = delivery(1, { receivedAt: clock.now() - 2 * MINUTE });
  await queue.keep(came, { state: 'waiting', duplicates: false, due: 0 });
  queue.close();
};

describe('a case of status', () => {
  it('is a payment request that was paid twice, until a refund covers the excess', async () => {
    const { request, charge, settle, sync, status, run } = await openDesk();
    const uid = await request('INV-D6');
    const [first, second] = [await charge(uid), await charge(uid, '--again')];
    await settle(first, 'successful');
    await settle(second, 'successful');
    await sync();
    const { code, cases, sums, stderr } = await status();
    expect(cases).toMatchObject([{ kind: 'paid_twice', ugwo: uid, ref: 'INV-D6', amount: 90_000, currency: 'NGN' }]);
    expect(cases[0]?.command).toBe(`paycli refund create ${second} --ugwo ${uid} --amount 900.00`);
    expect([code, JSON.parse(stderr)]).toMatchObject([14, { error: { kind: 'attention', exit_code: 14 } }]);
    expect(sums).toMatchObject({
      received: [{ currency: 'NGN', count: 1, charges: 2, received: 180_000 }],
      refunded: [],
      open: [],
    });
    await run(cases[0] as Shown, '--provider', 'gtb', '--account-number', '0123456789', '--yes');
    expect(await status()).toMatchObject({
      code: 0,
      cases: [],
      stderr: '',
      sums: { refunded: [], refund_open: [{ amount: 90_000, count: 1 }] },
    });
    // The refund is not done yet.
    await sync();
    expect((await status('--since', '1h')).kinds).toEqual([]);
  });

  it('is in the report: requests and charges that were paid, open refunds, and at last what is too much', async () => {
    const { request, charge, settle, sync, status, run, paycli } = await openDesk();
    const [twice, halves] = [await request('INV-D7'), await request('INV-D8')];
    const both = [await charge(twice), await charge(twice, '--again')];
    for (const activity of both) await settle(activity, 'successful');
    await settle(await charge(halves), 'successful', 40_000);
    await sync();
    await settle(await charge(halves, '--remaining'), 'successful');
    await sync();
    const [excess] = (await status()).cases;
    await run(excess as Shown, '--provider', 'gtb', '--account-number', '0123456789', '--yes');
    const columns = 'reported,count,charges,amount,received';
    expect((await paycli('ledger', 'report', '-o', 'csv', '--columns', columns)).stdout.split('\r\n').slice(1)).toEqual(
      ['charged,2,4,180000,270000', 'paid,2,4,180000,270000', 'refund_open,1,1,90000,', 'too_much,1,1,90000,', ''],
    );
  });

  it('is each activity that came too much, with the sum that it brought', async () => {
    const { request, charge, settle, sync, status, paycli, run } = await openDesk();
    const uid = await request('INV-D3', 500_000);
    const activities = [await charge(uid), await charge(uid, '--again'), await charge(uid, '--again')];
    for (const activity of activities) await settle(activity, 'successful');
    await sync();
    const commandsOf = (cases: readonly Shown[]) => cases.map(({ command }) => command);
    const { cases } = await status();
    const commands = activities
      .slice(1)
      .map((activity) => `paycli refund create ${activity} --ugwo ${uid} --amount 5000.00`);
    expect(commandsOf(cases).sort()).toEqual(commands.sort());
    const said = (await paycli('ugwo', 'get', uid)).stderr.replaceAll(/\s+/g, ' ');
    for (const command of commands) expect(said).toContain(command);
    await run(cases[0] as Shown, '--provider', 'gtb', '--account-number', '0123456789', '--yes');
    expect(commandsOf((await status()).cases)).toEqual(commandsOf(cases.slice(1)));
  });

  it('is a part payment, which rests while the rest can be paid', async () => {
    const { request, charge, settle, sync, status, run } = await openDesk();
    const uid = await request('INV-P5');
    await settle(await charge(uid), 'successful', 40_000);
    await sync();
    const { code, cases } = await status();
    const command = 'paycli ugwo charge INV-P5 --remaining';
    expect([code, cases]).toMatchObject([14, [{ kind: 'underpaid', ref: 'INV-P5', amount: 50_000, command }]]);
    const { uid: rest } = JSON.parse(await run(cases[0] as Shown, ...USSD, '--json'));
    expect(await status()).toMatchObject({ code: 0, cases: [], sums: { open: [{ amount: 50_000 }] } });
    await settle(rest, 'successful', 50_000);
    await sync();
    expect(await status()).toMatchObject({ code: 0, cases: [] });
  });

  it('names a payment request by its id if its ref is no plain word', async () => {
    const { request, charge, settle, sync, status } = await openDesk();
    const uid = await request('INV P6');
    await settle(await charge(uid), 'successful', 40_000);
    await sync();
    expect((await status()).cases).toMatchObject([{ ref: 'INV P6', command: `paycli ugwo charge ${uid} --remaining` }]);
  });

  it('is a reversed payment, until the request is paid again or cancelled', async () => {
    const { request, charge, settle, sync, status, run, done } = await openDesk();
    const [one, other] = [await request('INV-Q1'), await request('INV-Q2')];
    for (const uid of [one, other]) {
      const activity = await charge(uid);
      await settle(activity, 'successful');
      await sync();
      await settle(activity, 'reversed');
    }
    await sync();
    const { code, cases, sums } = await status();
    expect([code, cases]).toMatchObject([
      14,
      [
        { kind: 'reversed', ugwo: other, ref: 'INV-Q2', amount: 90_000, command: 'paycli ugwo charge INV-Q2' },
        { kind: 'reversed', ugwo: one },
      ],
    ]);
    expect(sums).toMatchObject({ received: [{ currency: 'NGN', count: 2, received: 0 }] });
    const { uid: again } = JSON.parse(await run(cases[0] as Shown, ...USSD, '--json'));
    await settle(again, 'successful');
    await sync();
    expect((await status()).cases).toMatchObject([{ ugwo: one }]);
    await done('ugwo', 'cancel', one, '--yes');
    expect(await status()).toMatchObject({ code: 0, cases: [] });
  });

  it('is an unknown outcome, however old, with the command that finds out', async () => {
    const { home, origin, key, status, paycli } = await openDesk();
    const target = ledgerTargetOf(origin, key, undefined);
    await writing(home, async (ledger) => {
      await beginUnknown(ledger, { ...target, asked: { ref: 'INV-F2', amount: 5, currency: 'NGN' } });
      await beginUnknown(ledger, { ...target, ...REFUND, about: 'act.AbCd.000000000000000000000001' });
    });
    const { code, cases } = await status('--since', new Date(clock.now() + MINUTE).toISOString());
    expect([code, cases]).toMatchObject([
      14,
      [
        { kind: 'unknown', ref: 'INV-F2', amount: 5, command: 'paycli ledger sync' },
        { kind: 'unknown', ugwo: null, command: expect.stringMatching(/^paycli ledger show refund-/) },
      ],
    ]);
    const metrics = await paycli('status', '-o', 'prometheus');
    expect(metrics.stdout).toContain(`paycli_cases{profile="${origin}",kind="unknown"} 2\n`);
    expect(metrics.stdout).toMatch(/^paycli_oldest_unknown_seconds\{profile="[^"]+"\} \d+$/m);
    expect(metrics.code).toBe(0);
  });

  it('is an approval that this person can give', async () => {
    const { home, origin, key, status } = await openDesk();
    await writing(home, (ledger) =>
      askApproval(ledger, undefined, { ...intent(), ...ledgerTargetOf(origin, key, undefined) }),
    );
    const { code, cases } = await status();
    const command = 'paycli approve plan-00000000000a';
    expect([code, cases]).toMatchObject([14, [{ kind: 'approval', ref: 'plan', amount: 6_150_000, command }]]);
  });

  it('is webhook events that wait for a minute', async () => {
    const { home, status, paycli } = await openDesk();
    expect((await status()).kinds).toEqual([]);
    expect(existsSync(`${home}/webhooks.db`)).toBe(false);
    await keepWaiting(home);
    const { code, cases } = await status();
    const command = 'paycli webhook events list --state waiting';
    expect([code, cases]).toMatchObject([14, [{ kind: 'webhooks', ugwo: null, amount: null, command }]]);
    expect((await paycli('webhook', 'events', 'list', '--state', 'waiting', '-o', 'csv')).stdout).toContain('waiting');
  });

  it('is an account that expires soon, which needs nobody', async () => {
    const { request, done, status, run, paycli } = await openDesk();
    const [soon, later] = [await request('ORD-35'), await request('ORD-36')];
    await done('ugwo', 'charge', soon, '--medium', 'bank_transfer', '--expires-in', '4m');
    await done('ugwo', 'charge', later, '--medium', 'bank_transfer', '--expires-in', '10m');
    const { code, cases, sums } = await status();
    const command = 'paycli ugwo charge ORD-35 --medium bank_transfer --reuse --share';
    expect([code, cases]).toMatchObject([0, [{ kind: 'expires_soon', ref: 'ORD-35', amount: 90_000, command }]]);
    expect(sums).toMatchObject({ open: [{ currency: 'NGN', count: 2, amount: 180_000 }] });
    expect(await run(cases[0] as Shown)).toContain('900.00');
    const none = /^paycli_cases\{profile="[^"]+",kind="expires_soon"\} 0$/m;
    expect((await paycli('status', '-o', 'prometheus')).stdout).toMatch(none);
    // An account that was not shared either is both cases.
    const both = ['ugwo', 'charge', await request('ORD-37'), '--medium', 'bank_transfer', '--expires-in', '4m'];
    expect(await paycli(...both, '--share-with', 'false')).toMatchObject({ code: 14 });
    expect((await status()).cases).toMatchObject([
      { kind: 'not_shared', ref: 'ORD-37' },
      { kind: 'expires_soon', ref: 'ORD-37' },
      { kind: 'expires_soon', ref: 'ORD-35' },
    ]);
    expect((await paycli('status')).stderr).toMatch(/^Cases that need you: 1; the others are only shown$/m);
  });
});

describe('status', () => {
  it('sends nothing and runs no key command', async () => {
    const home = newFolder();
    const marker = `${home}/was-run`;
    const { origin } = await serve([]);
    const shop = { origin, key_command: ['/bin/touch', marker], created_at: '2026-11-20T12:00:00+00:00' };
    const team = { ...shop, ledger: 'postgres://ada@db.example/payments' };
    const settings = { version: 1, default: 'shop', profiles: { shop, team } };
    writeFileSync(`${home}/config.json`, JSON.stringify(settings), { mode: 0o600 });
    await writing(home, async (ledger) => {
      await beginUnknown(ledger, { profile: 'shop', asked: { ref: 'INV-F2' } });
      await beginUnknown(ledger, { profile: 'other', about: 'ugw.AbCd.000000000000000000000002' });
    });
    const env = { PAYCLI_SECRET_KEY: undefined, PAYCLI_BASE_URL: undefined };
    const ended = await inProcess(['status', '--json'], { home, env });
    expect(ended.code, ended.stderr).toBe(14);
    expect(JSON.parse(ended.stdout)).toMatchObject({ profile: 'shop', cases: [{ ref: 'INV-F2' }] });
    const all = await inProcess(['status', '--json', '--all-profiles'], { home, env });
    expect(JSON.parse(all.stdout).data).toMatchObject([
      { profile: 'other', cases: [{ command: 'paycli ledger sync --profile other' }] },
      { profile: 'shop', cases: [{ command: 'paycli ledger sync --profile shop' }] },
    ]);
    const { stderr } = await inProcess(['status', '--all-profiles'], { home, env });
    expect(stderr).toMatch(/^team uses another ledger: paycli status --profile team\nother/);
    expect(existsSync(marker)).toBe(false);
  });

  it('syncs first with --sync', async () => {
    const { request, charge, settle, status, paycli } = await openDesk();
    await settle(await charge(await request('INV-S1')), 'successful', 40_000);
    expect((await status()).kinds).toEqual([]);
    expect((await status('--sync')).kinds).toEqual(['underpaid']);
    expect(await paycli('status', '--sync', '--all-profiles')).toMatchObject({ code: 2 });
  });

  it('lists cases as rows of tsv, and as columns', async () => {
    const { request, charge, settle, sync, paycli } = await openDesk();
    const uid = await request('INV-T1');
    await settle(await charge(uid), 'successful', 40_000);
    await sync();
    const { stdout, stderr, code } = await paycli('status');
    const [head, row] = stdout.split('\n').map((line) => line.split('\t'));
    expect(head).toEqual(['kind', 'ugwo', 'ref', 'amount_minor', 'currency', 'since', 'command']);
    expect(row).toEqual(['underpaid', uid, 'INV-T1', '50000', 'NGN', expect.stringMatching(/T/), expect.any(String)]);
    expect(stderr).toContain('received NGN 400.00   refunded nothing   open nothing\n');
    expect(stderr).not.toContain('error');
    expect(stderr).toMatch(/^Cases that need you: 1$/m);
    expect(code).toBe(14);
    expect((await paycli('status', '-o', 'csv', '--columns', 'kind,ref')).stdout).toContain('underpaid,INV-T1');
  });

  it('names what was paid back today in its first line', async () => {
    const { request, charge, settle, sync, paycli, done, pass } = await openDesk();
    const activity = await charge(await request('INV-T2'));
    await settle(activity, 'successful');
    await sync();
    await done('refund', 'create', activity, '--amount', '300.00', '--yes');
    const line = async () => /^.* today .*$/m.exec((await paycli('status')).stderr)?.[0];
    expect(await line()).toContain('received NGN 900.00   refunded nothing   open nothing');
    await pass(REFUND_SECONDS);
    await sync();
    expect(await line()).toContain('received NGN 900.00   refunded NGN 300.00   open nothing');
  });

  it('counts what has no known amount beside the sum', async () => {
    const home = newFolder();
    const shop = { origin: 'http://127.0.0.1:9', key_command: ['/bin/true'], created_at: '2026-11-20T12:00:00+00:00' };
    const settings = { version: 1, default: 'shop', profiles: { shop } };
    writeFileSync(`${home}/config.json`, JSON.stringify(settings), { mode: 0o600 });
    await writing(home, async (ledger) => {
      for (const [number, amount] of [90_000, undefined, undefined].entries()) {
        const some = { profile: 'shop', about: ugwoOf(number + 1), asked: { amount, currency: 'NGN' } };
        const activity = { uid: uidOf(number + 1), status: 'requires_action', nextAction: null, createdAt: undefined };
        await begin(ledger, some, { state: 'accepted', exitCode: 0, activity });
      }
    });
    const env = { PAYCLI_SECRET_KEY: undefined, PAYCLI_BASE_URL: undefined };
    const { stderr } = await inProcess(['status', '-o', 'table'], { home, env });
    expect(stderr).toContain('open NGN 900.00 and 2 of unknown amount (3)');
  });

  it.each([
    ['an unknown amount', null, '1 of unknown amount', 'nothing', { amount: null }],
    ['an amount', 500_000, 'NGN 5,000.00', 'NGN 0.00', { amount: 500_000, received: 0 }],
  ])('counts a payment of %s until it is reversed', async (_what, amount, before, after, sum) => {
    let shown: object = {};
    const service = await serveAllBy(({ method }) => {
      const activity = { ...ACTIVITY, amount, ...shown };
      const request = { ...ugwo(1), uid: UGWO_ID, amount, checkout: { uid: 'chk.AbCd.1' } };
      return json(200, method === 'POST' ? activity : { ...request, activities: 'status' in shown ? [activity] : [] });
    });
    const options = { service, home: newFolder() };
    const at = (minute: number) => ({ updated_at: new Date(clock.now() + minute * MINUTE).toISOString() });
    const received = async (now: object): Promise<string | undefined> => {
      shown = now;
      await inProcess(['ugwo', 'get', UGWO_ID], options);
      return / received (.+?) {3}/.exec((await inProcess(['status', '-o', 'table'], options)).stderr)?.[1];
    };
    expect(await inProcess(['ugwo', 'charge', UGWO_ID, ...USSD], options)).toMatchObject({ code: 0 });
    expect(await received({ status: 'successful', ...at(1) })).toBe(before);
    expect(await received({ status: 'failed', ...at(2) })).toBe(after);
    const { stdout } = await inProcess(['status', '--json'], options);
    expect(JSON.parse(stdout)).toMatchObject({ received: [{ count: 1, ...sum }] });
  });

  it('says that --sync could not read the service, whatever else is unknown', async () => {
    const home = newFolder();
    let isDown = false;
    const service = await serveAllBy(({ method }) => {
      if (isDown) return json(503, {});
      return method === 'POST'
        ? charged(2)
        : json(200, { ...ugwo(2), checkout: { uid: 'chk.AbCd.1' }, activities: [] });
    });
    const run = (...format: readonly string[]) => inProcess(['status', '--sync', ...format], { home, service });
    const charge = ['ugwo', 'charge', ugwoOf(2), '--medium', 'bank_transfer'];
    expect(await inProcess(charge, { home, service })).toMatchObject({ code: 0 });
    isDown = true;
    await writing(home, (ledger) => beginUnknown(ledger, ledgerTargetOf(service.origin, CANARY, undefined)));
    const shown = await run('--json');
    expect(shown.code).toBe(8);
    expect(JSON.parse(shown.stdout)).toMatchObject({ cases: [{ kind: 'unknown' }] });
    expect(JSON.parse(shown.stderr)).toMatchObject({ error: { kind: 'read_failed', exit_code: 8 } });
    const metrics = await run('-o', 'prometheus');
    expect(metrics.code).toBe(0);
    expect(metrics.stdout).toMatch(/^paycli_cases\{profile="[^"]+",kind="unknown"\} 1$/m);
    expect(metrics.stdout).toMatch(/^paycli_sync_failed\{profile="[^"]+"\} 1$/m);
    expect(metrics.stdout).not.toMatch(/^paycli_last_sync_timestamp_seconds\{/m);
  });

  it('writes metrics without a key, which a sync needs', async () => {
    const ended = await inProcess(['status', '--sync', '-o', 'prometheus'], { home: newFolder() });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/^paycli_sync_failed\{profile=.*\} 1$/m);
  });

  it('writes metrics with escaped labels, which no other command does', async () => {
    const home = newFolder();
    await writing(home, (ledger) => beginUnknown(ledger, { profile: 'a\\b"c\nd' }));
    const ended = await inProcess(['status', '--all-profiles', '-o', 'prometheus'], { home });
    expect(ended.stdout).toContain('paycli_cases{profile="a\\\\b\\"c\\nd",kind="unknown"} 1\n');
    for (const name of ['received_minor', 'charges', 'cases', 'oldest_unknown_seconds']) {
      expect(ended.stdout).toMatch(new RegExp(`^# HELP paycli_${name} .+\\n# TYPE paycli_${name} gauge$`, 'm'));
    }
    const refused = await inProcess(['ledger', 'list', '-o', 'prometheus'], { home });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--output: "prometheus" is not one of table, tsv, json, ndjson, csv');
  });

  it('counts by payment in its metrics', async () => {
    const { origin, key, request, charge, settle, sync, paycli } = await openDesk();
    expect(key.startsWith(LOCAL_KEY_PREFIX)).toBe(true);
    await settle(await charge(await request('INV-M1')), 'successful');
    await charge(await request('INV-M2'));
    await sync();
    const { stdout, code } = await paycli('status', '--sync', '-o', 'prometheus');
    const labels = (payment: string): string => `{profile="${origin}",currency="NGN",payment="${payment}"}`;
    expect(stdout).toContain(`paycli_received_minor${labels('paid')} 90000\n`);
    expect(stdout).toContain(`paycli_charges${labels('paid')} 1\n`);
    expect(stdout).toContain(`paycli_charges${labels('open')} 1\n`);
    expect(stdout).toContain(`paycli_sync_failed{profile="${origin}"} 0`);
    expect(stdout).toMatch(/^paycli_last_sync_timestamp_seconds\{profile="[^"]+"\} \d{10}$/m);
    expect(code).toBe(0);
  });

  it('shows sums and whole commands on a terminal of any width', async () => {
    const { options, request, charge, settle, sync } = await openDesk();
    const uid = await request('INV-P5');
    await settle(await charge(uid), 'successful', 40_000);
    await sync();
    for (const columns of [60, 80, 100, 140]) {
      const env = { ...options.env, NO_COLOR: '1' };
      const { code, raw } = await onTerminal(['status'], { ...options, columns, env });
      expect(code).toBe(14);
      expect(raw.replaceAll(/\s+/g, ' ')).toMatch(/today \(.+?\) received NGN 400\.00 refunded nothing open nothing/);
      expect(raw).toContain('paycli ugwo charge INV-P5 --remaining');
      expect(raw).toMatch(/part paid.*NGN 400\.00 of 900\.00/s);
      expect(raw).toMatch(/open nothing\n\nkind /);
    }
  });

  it('is one line of a ledger without charges', async () => {
    const terminal = openTerminal(['status', '--local'], { home: newFolder(), env: { TZ: 'UTC', NO_COLOR: '1' } });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(terminal.raw()).toMatch(/^local.+today \(UTC\) {3}nothing received, refunded or open\r\n$/);
  });

  it('is suggested on a terminal once there are charges', async () => {
    const home = newFolder();
    const screen = async (): Promise<string> => {
      const terminal = openTerminal([], { home, columns: 100 });
      await terminal.ended;
      return terminal.raw();
    };
    expect(await screen()).not.toContain('What needs you now');
    await writing(home, (ledger) => beginUnknown(ledger, {}));
    expect(await screen()).toMatch(/What needs you now: paycli status\r?\n$/);
  });
});

describe('a day at the desk', () => {
  it('goes from every kind of case to nothing left to do, by the commands that status shows', async () => {
    const { home, origin, key, options, paycli, done, run, ...shop } = await openDesk();
    const { request, charge, settle, sync, status } = shop;
    const refs = [
      'paid_twice',
      'underpaid',
      'reversed',
      'expires_soon',
      'not_shared',
      'overpaid',
      'disputed',
      'failed',
    ];
    const [twice = '', part = '', back = '', soon = '', unshared = '', much = '', ...refundable] = await Promise.all(
      refs.map((ref) => request(ref)),
    );
    const payments = [await charge(twice), await charge(twice, '--again')];
    for (const activity of payments) await settle(activity, 'successful');
    await settle(await charge(part), 'successful', 40_000);
    await settle(await charge(much), 'successful', 120_000);
    const refunded: string[] = [];
    for (const ugwo of refundable) refunded.push(await charge(ugwo));
    for (const activity of refunded) await settle(activity, 'successful');
    const taken = await charge(back);
    await settle(taken, 'successful');
    await sync();
    await settle(taken, 'reversed');
    await sync();
    await done('ugwo', 'charge', soon, '--medium', 'bank_transfer', '--expires-in', '4m');
    const account = ['ugwo', 'charge', unshared, '--medium', 'bank_transfer'];
    expect(await paycli(...account, '--share-with', 'false')).toMatchObject({ code: 14 });
    const lost = (await shop.post('/v1/ugwo', LOST)).json.uid;
    expect(await paycli('ugwo', 'charge', lost, ...USSD)).toMatchObject({ code: 6 });
    const here = ledgerTargetOf(origin, key, undefined);
    await writing(home, (ledger) => askApproval(ledger, undefined, { ...intent(), ...here }));
    await keepWaiting(home);
    for (const activity of refunded) {
      const made = JSON.parse(await done('refund', 'create', activity, '--amount', '300.00', '--yes', '--json'));
      const shown = activity === refunded[0] ? (['paid_back', 'refund_failed'] as const) : (['refund_failed'] as const);
      await writing(home, async (ledger) => {
        for (const state of shown) await ledger.observeRefund(activity, made.uid, here.service, state);
      });
    }

    const { code, kinds, cases } = await status();
    // The emulator never shows less money than before: a service of another test does.
    expect([code, kinds]).toEqual([14, CASES.filter((kind) => kind !== 'disputed')]);
    const pay = async (activity: string, amount?: number): Promise<unknown> => settle(activity, 'successful', amount);
    const paidNow = async (answer: string): Promise<unknown> => pay(JSON.parse(answer).uid);
    const follow: Record<string, (one: Shown) => Promise<unknown>> = {
      paid_twice: (one) => run(one, '--provider', 'gtb', '--account-number', '0123456789', '--yes'),
      underpaid: async (one) => paidNow(await run(one, ...USSD, '--json')),
      reversed: async (one) => paidNow(await run(one, ...USSD, '--json')),
      unknown: async (one) => {
        await run(one);
        await pay(JSON.parse(await done('ledger', 'list', '--ref', 'lost', '--json')).data[0].activity);
      },
      overpaid: (one) => run(one, '--yes'),
      refund_failed: (one) => run(one, '--yes'),
      refund_disputed: async ({ command }) => {
        const id = String(command).split(' ')[3] ?? '';
        await done('ledger', 'resolve', id, '--as', 'paid-back', '--reason', 'seen', '--yes');
      },
      approval: async (one) => {
        const typed = { after: /to approve: /, line: 'NGN 61,500.00' };
        const { code } = await onTerminal(String(one.command).split(' ').slice(1), options, typed);
        expect(code).toBe(0);
      },
      webhooks: async (one) => {
        expect(await run(one)).toContain('waiting');
        const { origin: target } = await serve([json(200, {})]);
        const secret = secretFile(home);
        await done('webhook', 'listen', '--port', '0', '--secret-file', secret, '--forward-to', target, '--until', '1');
      },
      not_shared: async (one) => {
        expect(one.command).toMatch(/ --reuse --share-with PROGRAM$/);
        await run({ ...one, command: String(one.command).replace('PROGRAM', 'true') });
        expect((await status()).kinds).not.toContain('not_shared');
        await pay(JSON.parse(await done(...account, '--reuse', '--json')).uid);
      },
      expires_soon: async (one) => {
        expect(await run(one)).toContain('Account number');
        await pay(JSON.parse(await done('ugwo', 'charge', soon, '--medium', 'bank_transfer', '--reuse', '--json')).uid);
      },
    };
    for (const one of cases) await follow[one.kind]?.(one);

    expect(await status('--sync')).toMatchObject({ code: 0, cases: [], stderr: '', sums: { open: [] } });
  });
});

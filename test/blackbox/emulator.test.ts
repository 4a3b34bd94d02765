import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { inProcess, startHere } from '../support/in-process.ts';
import { newFolder, paycli, start } from '../support/program.ts';
import { serve } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';

interface Listed {
  readonly data: readonly {
    readonly uid: string;
    readonly ref: string;
    readonly checkout: { readonly currency: readonly [string, string] } | null;
    readonly metadata: { readonly emulate?: string };
    readonly onye: { readonly uid: string } | null;
  }[];
  readonly next_cursor: string | null;
}

const list = async (home: string, ...args: string[]): Promise<Listed> =>
  JSON.parse((await inProcess(['ugwo', 'list', '--local', '--json', ...args], { home })).stdout) as Listed;

/** A running emulator with its address and key. */
const serving = async (home: string, ...args: string[]) => {
  const running = startHere(['emulator', 'start', '--json', ...args], { home });
  await running.saw(/"key":"[^"]+".*\n/);
  return { running, ...(JSON.parse(running.stdout()) as { origin: string; key: string }) };
};

describe('--local', () => {
  it('works without set-up, key or network', async () => {
    const home = newFolder();
    const first = await paycli(['ugwo', 'list', '--local', '--limit', '3'], { home });
    expect(first).toMatchObject({ code: 0, stderr: expect.stringMatching(/First use: .*120 payment requests/) });
    const again = await inProcess(['ugwo', 'list', '--local', '--limit', '3', '-q'], { home });
    expect(again).toEqual({ code: 0, signal: null, stdout: first.stdout, stderr: '' });
    expect((lstatSync(join(home, 'emulator.sqlite')).mode & 0o777).toString(8)).toBe('600');
  });

  it('has the ids used by the README and the help examples', async () => {
    const home = newFolder();
    const { data } = await list(home);
    expect(data[0]).toMatchObject({
      uid: 'ugw.Lcal.p8Wdunr9tr1bMLFMnJArp5Qt',
      onye: { uid: 'ony.Lcal.KM95wboeepUEQlRxTTvqlK7H' },
    });
    expect(SEEDED).toMatchObject({ ugwo: data[0]?.uid, onye: data[0]?.onye?.uid });
    expect(data.find(({ metadata }) => metadata.emulate === 'lost')?.uid).toBe(SEEDED.losing);
    for (const [{ ugwo, activity }, status] of [
      [SEEDED.paid, 'successful'],
      [SEEDED.processing, 'processing'],
    ] as const) {
      const { stdout } = await inProcess(['activity', 'get', ugwo, activity, '--local', '--json'], { home });
      expect(JSON.parse(stdout)).toMatchObject({ uid: activity, ugwo_uid: ugwo, status });
    }
  });

  it('keeps state between calls', async () => {
    const home = newFolder();
    const { data } = await list(home);
    const uid = data[0]?.onye?.uid ?? '';
    const updated = await inProcess(
      ['onye', 'update', uid, '--local', '--email', 'ADA@Example.com', '--first-name', 'ada', '--json'],
      { home },
    );
    expect(JSON.parse(updated.stdout)).toMatchObject({ email: 'ada@example.com', first_name: 'Ada' });
    const later = await inProcess(['onye', 'update', uid, '--local', '--meta', 'tier=vip', '--json'], { home });
    expect(JSON.parse(later.stdout)).toMatchObject({
      email: 'ada@example.com',
      first_name: 'Ada',
      meta: { tier: 'vip' },
    });
  });

  it('keeps an unknown field as sent, including its digits', async () => {
    const home = newFolder();
    const { data } = await list(home, '--limit', '1');
    const extra = '"big":12345678901234567890,"price":1.50';
    const args = ['onye', 'update', data[0]?.onye?.uid ?? '', '--local', '--json', '--data', `{${extra}}`];
    expect((await inProcess(args, { home })).stdout).toContain(extra);
    const later = await inProcess([...args.slice(0, -1), '{"ref":"R"}'], { home });
    expect(later.stdout).toContain(extra);
  });

  it('notes with --dry-run that its port changes', async () => {
    const ended = await inProcess(['ugwo', 'list', '--local', '--as-curl']);
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('emulator start') });
  });

  it('charges by every medium, fails on demand, and validates like the service', async () => {
    const home = newFolder();
    const { data } = await list(home);
    const plain = data.filter(({ metadata }) => metadata.emulate === undefined);
    const ngn = plain.find(({ checkout }) => checkout?.currency[0] === 'NGN')?.uid ?? '';
    const ghs = plain.find(({ checkout }) => checkout?.currency[0] === 'GHS')?.uid ?? '';
    const bare = data.find(({ checkout }) => checkout === null)?.uid ?? '';
    const failing = data.find(({ metadata }) => metadata.emulate !== undefined)?.uid ?? '';
    const charge = async (uid: string, ...args: string[]) => {
      const ended = await inProcess(['ugwo', 'charge', uid, '--local', '--json', ...args], { home });
      const text = ended.code === 0 || ended.code === 11 ? ended.stdout : ended.stderr;
      return { code: ended.code, answer: JSON.parse(text.trim().split('\n').at(-1) ?? '') as unknown };
    };
    expect(await charge(ngn, '--medium', 'bank_transfer', '--expires-in', '5m')).toMatchObject({
      code: 0,
      answer: {
        status: 'requires_action',
        next_action: { headers: { account_number: expect.stringMatching(/^\d{10}$/) } },
      },
    });
    expect(await charge(ngn, '--medium', 'ussd', '--provider', 'zenith', '--again')).toMatchObject({
      code: 0,
      answer: { status: 'requires_action', next_action: { headers: { ussd: expect.stringMatching(/^\*.*#$/) } } },
    });
    expect(
      await charge(ghs, '--medium', 'mobile_money', '--provider', 'mtn', '--phone', '+233241234567'),
    ).toMatchObject({
      code: 0,
      answer: { status: 'processing', next_action: null },
    });
    expect(await charge(failing, '--medium', 'ussd', '--provider', 'gtb')).toMatchObject({
      code: 11,
      answer: { status: 'failed' },
    });
    expect(await charge(bare, '--medium', 'bank_transfer')).toMatchObject({
      code: 3,
      answer: { error: { status: 422 } },
    });
    expect(await charge(ngn, '--medium', 'ussd', '--provider', 'zenit', '--again')).toMatchObject({
      code: 3,
      answer: {
        error: { violations: [{ option: '--provider', did_you_mean: 'zenith' }] },
      },
    });
    expect(await charge(SEEDED.paid.ugwo, '--medium', 'bank_transfer', '--no-preflight')).toMatchObject({
      code: 3,
      answer: { error: { status: 409 } },
    });
    expect(await charge('ugw.Lcal.000000000000000000000000', '--medium', 'bank_transfer')).toMatchObject({
      code: 3,
      answer: { error: { status: 404 } },
    });
  });

  it('walks all pages', async () => {
    const { data, next_cursor } = await list(newFolder(), '--all');
    expect(new Set(data.map(({ uid }) => uid)).size).toBe(120);
    expect(next_cursor).toBeNull();
  });

  it('is selected by --profile local and PAYCLI_PROFILE=local, too', async () => {
    const home = newFolder();
    expect(await inProcess(['ugwo', 'list', '--profile', 'local'], { home })).toMatchObject({ code: 0 });
    expect(await inProcess(['ugwo', 'list'], { home, env: { PAYCLI_PROFILE: 'local' } })).toMatchObject({ code: 0 });
  });

  it("can't be combined with another profile or base URL", async () => {
    const service = await serve([]);
    for (const args of [
      ['--base-url', service.origin],
      ['--profile', 'shop'],
    ]) {
      const ended = await inProcess(['ugwo', 'list', '--local', ...args]);
      expect(ended).toMatchObject({ code: 2, stdout: '' });
    }
  });
});

describe('emulator', () => {
  it('start prints origin and key, serves until a signal, and shares its data with --local', async () => {
    const home = newFolder();
    const running = start(['emulator', 'start', '--json'], { home });
    await running.saw(/"key":"sk\.Lcal\./);
    const [before] = (await list(home, '--limit', '1')).data;
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(ended.code).toBe(0);
    const { origin, key } = JSON.parse(ended.stdout) as { origin: string; key: string };
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(key).toMatch(/^sk\.Lcal\.\w{80}$/);
    expect(before?.ref).toBe('INV-000120');
  });

  it('start serves another program with its key', async () => {
    const { running, origin, key } = await serving(newFolder());
    const ended = await inProcess(['ugwo', 'list', '--limit', '1', '-q'], {
      env: { PAYCLI_BASE_URL: origin, PAYCLI_SECRET_KEY: key },
    });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const wrong = await inProcess(['ugwo', 'list'], {
      env: { PAYCLI_BASE_URL: origin, PAYCLI_SECRET_KEY: `${key.slice(0, -1)}!` },
    });
    expect(wrong.code).toBe(4);
    running.kill('SIGTERM');
    await running.ended;
  });

  it('start listens on other interfaces only with --host, and warns', async () => {
    const home = newFolder();
    const open = startHere(['emulator', 'start', '--host', '0.0.0.0'], { home });
    await open.saw(/0\.0\.0\.0 is open to the network over plain http/);
    await open.saw(/^origin\thttp:\/\/127\.0\.0\.1:\d+$/m);
    open.kill('SIGTERM');
    await open.ended;
    const wrong = await inProcess(['emulator', 'start', '--host', '192.0.2.1'], { home });
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--host: 192.0.2.1 cannot be listened on'),
    });
  });

  it('start answers like the live service with --dialect live; --local never does', async () => {
    const home = newFolder();
    const { running, origin, key } = await serving(home, '--dialect', 'live');
    const headers = { authorization: `Bearer ${key}` };
    const { data } = (await (await fetch(`${origin}/v1/ugwo?limit=1`, { headers })).json()) as { data: unknown[] };
    expect(data[0]).toMatchObject({
      uid: SEEDED.ugwo.replace(/..$/, '_t'),
      status: ['requires_ugwo', 'enum.ugwo_status.requires_ugwo'],
    });
    expect((await list(home, '--limit', '1')).data[0]).toMatchObject({ uid: SEEDED.ugwo, status: 'requires_ugwo' });
    running.kill('SIGINT');
    await running.ended;
    const wrong = await inProcess(['emulator', 'start', '--dialect', 'alive'], { home });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('live') });
  });

  it('start takes --port, and reports a port in use', async () => {
    const [one, two] = [newFolder(), newFolder()];
    const { running, origin } = await serving(one, '--data', join(one, 'a.sqlite'));
    const ended = await inProcess([
      'emulator',
      'start',
      '--port',
      new URL(origin).port,
      '--data',
      join(two, 'b.sqlite'),
    ]);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(new URL(origin).port);
    running.kill('SIGINT');
    await running.ended;
  });

  it('seed adds the requested records, newest first', async () => {
    const home = newFolder();
    await list(home);
    const ended = await inProcess(['emulator', 'seed', '--customers', '1', '--ugwo', '3', '--json'], { home });
    expect(JSON.parse(ended.stdout)).toMatchObject({ customers: 1, ugwo: 3 });
    const { data } = await list(home, '--all');
    expect(data).toHaveLength(123);
    expect(data[3]?.ref).toBe('INV-000120');
  });

  it('reset asks for confirmation', async () => {
    const home = newFolder();
    await list(home);
    expect(await inProcess(['emulator', 'reset'], { home })).toMatchObject({ code: 2, stdout: '' });
    const no = openTerminal(['emulator', 'reset'], { home });
    await no.saw(/\[y\/N\]/);
    no.type('n\r');
    expect(await no.ended).toEqual({ code: 130 });
    expect((await list(home, '--all')).data).toHaveLength(120);
    const yes = openTerminal(['emulator', 'reset'], { home });
    await yes.saw(/\[y\/N\]/);
    yes.type('y\r');
    expect(await yes.ended).toEqual({ code: 0 });
    expect(await inProcess(['ugwo', 'list', '--local', '--json'], { home })).toMatchObject({
      stdout: '{"data":[],"next_cursor":null}\n',
      stderr: '',
    });
  });

  it('never changes a file of another program', async () => {
    const file = join(newFolder(), 'notes.txt');
    writeFileSync(file, 'not a database, and long enough to be read as one by its header '.repeat(20));
    const ended = await inProcess(['emulator', 'seed', '--data', file]);
    expect(ended.code).toBe(2);
    expect(readFileSync(file, 'utf8')).toContain('not a database');
    expect(existsSync(`${file}-wal`)).toBe(false);
  });
});

describe('emulator settle', () => {
  const charged = async (home: string): Promise<{ readonly uid: string; readonly ugwo: string }> => {
    const ugwo = (await list(home, '--limit', '1')).data[0]?.uid ?? '';
    const args = ['ugwo', 'charge', ugwo, '--local', '--json', '--medium', 'bank_transfer'];
    const { uid } = JSON.parse((await inProcess(args, { home })).stdout) as { uid: string };
    return { uid, ugwo };
  };
  const settle = (home: string, ...args: string[]) => inProcess(['emulator', 'settle', ...args], { home });

  it('settles a --local charge once', async () => {
    const home = newFolder();
    const { uid, ugwo } = await charged(home);
    const ended = await settle(home, uid, '--as', 'successful', '--json');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({ uid, status: 'successful', next_action: null });
    const { data } = await list(home, '--limit', '1');
    expect(data[0]).toMatchObject({ uid: ugwo, status: 'ugwo_successful' });
    const again = await settle(home, uid, '--as', 'failed');
    expect(again).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('has ended already') });
  });

  const read = async (home: string, ugwo: string) =>
    JSON.parse((await inProcess(['ugwo', 'get', ugwo, '--local', '--json'], { home })).stdout);

  it.each([
    ['a part', ['--amount', '100.00'], 10_000],
    ['a part, in the minor unit', ['--amount-minor', '10000'], 10_000],
    ['too much', ['--amount', '9,000,000.00'], 900_000_000],
  ])('pays %s, and the amount of the charge stays', async (_what, args, received) => {
    const home = newFolder();
    const { uid, ugwo } = await charged(home);
    const { amount } = await read(home, ugwo);
    const ended = await settle(home, uid, '--as', 'successful', ...args, '--json');
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'successful', amount, charged_amount: received });
    const status = received < amount ? 'requires_ugwo' : 'ugwo_successful';
    expect(await read(home, ugwo)).toMatchObject({ amount, status, total_amount_paid: received });
  });

  it('refuses an amount that could be naira or kobo', async () => {
    const home = newFolder();
    const { uid } = await charged(home);
    const ended = await settle(home, uid, '--as', 'successful', '--amount', '900');
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('could mean NGN 900.00 or NGN 9.00') });
  });

  it('shows the amount with its currency', async () => {
    const home = newFolder();
    const { uid, ugwo } = await charged(home);
    const { stdout } = await settle(home, uid, '--as', 'successful', '-o', 'table');
    expect(stdout).toMatch(/^asked +[A-Z]{3} [\d,]+\.\d\d$/m);
    expect(stdout).toMatch(/^received +[A-Z]{3} [\d,]+\.\d\d$/m);
    expect(stdout).toMatch(new RegExp(`^payment request +${ugwo}$`, 'm'));
  });

  it('settles while an emulator runs, also later by its clock, and prints the time', async () => {
    const home = newFolder();
    const { uid, ugwo } = await charged(home);
    const { running, origin, key } = await serving(home);
    const asked = Date.now();
    const later = await settle(home, uid, '--as', 'failed', '--in', '10m', '--json');
    const waited = Date.now() - asked;
    const { status, due } = JSON.parse(later.stdout) as { status: string; due: string };
    expect(status).toBe('requires_action');
    // In whole seconds.
    expect(Math.abs(Date.parse(due) - asked - 600_000)).toBeLessThanOrEqual(waited + 1000);
    const read = async (): Promise<unknown> =>
      (
        await fetch(`${origin}/v1/ugwo/${ugwo}/activities/${uid}`, { headers: { authorization: `Bearer ${key}` } })
      ).json();
    expect(await read()).toMatchObject({ status: 'requires_action' });
    await settle(home, uid, '--as', 'failed', '--in', '0s');
    expect(await read()).toMatchObject({ status: 'failed', error: { code: 'psp.error.declined' } });
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(0);
  });
});

it('ugwo charge --local with the metadata emulate=lost creates a charge and loses the answer', async () => {
  const home = newFolder();
  const { data } = await list(home);
  const uid = data.find(({ metadata }) => metadata.emulate === 'lost')?.uid ?? '';
  const ended = await inProcess(['ugwo', 'charge', uid, '--local', '--medium', 'ussd', '--provider', 'gtb'], { home });
  expect(ended).toMatchObject({ code: 6, stdout: '' });
  expect(ended.stderr).not.toContain('aborted a request');
});

it('--local follows fault rules and a moved clock', async () => {
  const home = newFolder();
  const uid = (await list(home, '--limit', '1')).data[0]?.uid ?? '';
  const rules = join(home, 'faults.json');
  writeFileSync(rules, '{"rules": [{"method": "POST", "times": 1, "reset": true, "when": "after"}]}');
  const set = await inProcess(['emulator', 'faults', rules, '--json'], { home });
  expect(JSON.parse(set.stdout)).toMatchObject({ data: [{ times: 1, seen: 0, fired: 0 }] });
  const charge = ['ugwo', 'charge', uid, '--local', '--medium', 'bank_transfer', '--json'];
  expect(await inProcess(charge, { home })).toMatchObject({ code: 6, stdout: '' });
  expect((await inProcess(['ledger', 'sync', '--local'], { home })).code).toBe(0);
  const moved = await inProcess(['emulator', 'clock', '+15m', '--json'], { home });
  expect(JSON.parse(moved.stdout)).toMatchObject({ moved: 900_000 });
  const got = await inProcess(['ugwo', 'get', uid, '--local', '--json'], { home });
  expect(JSON.parse(got.stdout).activities).toMatchObject([{ status: 'failed', error: { code: 'psp.error.expired' } }]);
});

it('emulator faults has a column for each part of a rule', async () => {
  const home = newFolder();
  const rules = join(home, 'faults.json');
  writeFileSync(rules, '{"rules": [{"event": "ugwo.*", "out_of_order": true}]}');
  const set = await inProcess(['emulator', 'faults', rules, '-o', 'csv'], { home });
  expect(set.stdout).toMatch(/^method,path,.*,out_of_order,.*\r?\n.*,ugwo\.\*,.*true/);
});

it('emulator start prints the variables for scripts, seeds an empty file only, and ends on a signal', async () => {
  const home = newFolder();
  const data = join(home, 'emulator.sqlite');
  for (const first of [`First use: created 25 customers and 120 payment requests in ${data}\n`, '']) {
    const running = startHere(['emulator', 'start'], { home });
    await running.saw(/Stop it with Ctrl-C/);
    running.kill('SIGTERM');
    const { code, stdout, stderr } = await running.ended;
    const [origin, key] = ['origin', 'key'].map((name) => new RegExp(`^${name}\\t(.+)$`, 'm').exec(stdout)?.[1]);
    expect(stderr).toBe(
      `${first}For your scripts:\nexport PAYCLI_BASE_URL=${origin}\nexport PAYCLI_SECRET_KEY=${key}\nStop it with Ctrl-C.\n`,
    );
    expect(code).toBe(0);
  }
});

it('emulator start has each variable on a line of its own on a narrow terminal, and they work', async () => {
  const running = openTerminal(['emulator', 'start'], { columns: 60 });
  await running.saw(/Stop it with Ctrl-C/);
  const lines = running
    .raw()
    .split(/\r?\n/)
    .filter((line) => line.trim().startsWith('export '));
  const env = Object.fromEntries(lines.map((line) => line.trim().slice('export '.length).split('=', 2)));
  expect(Object.keys(env)).toEqual(['PAYCLI_BASE_URL', 'PAYCLI_SECRET_KEY']);
  expect(await inProcess(['ugwo', 'list', '--limit', '1'], { env })).toMatchObject({ code: 0 });
  running.type('\u0003');
  expect(await running.ended).toEqual({ code: 0 });
});

it('emulator start --faults follows the rules until it stops', async () => {
  const home = newFolder();
  const rules = join(home, 'faults.json');
  writeFileSync(rules, '{"rules": [{"path": "/v1/ugwo", "status": 503}]}');
  const { running, origin, key } = await serving(home, '--faults', rules);
  expect((await fetch(`${origin}/v1/ugwo`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(503);
  running.kill('SIGINT');
  await running.ended;
  expect((await inProcess(['emulator', 'faults', '--json'], { home })).stdout).toContain('"data":[]');
});

it('emulator seed, clock, faults and reset print a TSV line per result', async () => {
  const home = newFolder();
  const data = join(home, 'emulator.sqlite');
  const rules = join(home, 'faults.json');
  writeFileSync(rules, '{"rules": [{"path": "/v1/ugwo", "status": 503}]}');
  for (const [command, stdout, stderr = ''] of [
    ['seed --customers 0 --ugwo 3', `customers\t0\nugwo\t3\ndata\t${data}\n`],
    ['clock +15m', /^now\t\S+\+00:00\nmoved\t900000\n$/],
    ['clock 45m', /\nmoved\t3600000\n$/],
    ['clock', /\nmoved\t3600000\n$/],
    ['clock -o table', /\nmoved by +1 h\n$/],
    ['clock back', /\nmoved\t0\n$/],
    [`faults ${rules} --json`, /\{"path":"\/v1\/ugwo","status":503,"seen":0,"fired":0\}/],
    ['faults --json', /"fired":0/],
    ['faults --clear', '', 'All faults were cleared.\n'],
    ['faults --json', /"data":\[\]/],
    ['reset --yes', `data\t${data}\n`],
  ] as const) {
    const ended = await inProcess(['emulator', ...command.split(' ')], { home });
    const shown = typeof stdout === 'string' ? stdout : expect.stringMatching(stdout);
    expect(ended, command).toMatchObject({ code: 0, stdout: shown, stderr });
  }
  expect((await list(home, '--all')).data).toEqual([]);
});

it('emulator faults --clear does not print an empty result on a terminal', async () => {
  const home = newFolder();
  for (const [args, words] of [
    [[], /^Nothing found\.\s*$/],
    [['--clear'], /^All faults were cleared\.\s*$/],
  ] as const) {
    const terminal = openTerminal(['emulator', 'faults', ...args], { home });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).toMatch(words);
  }
});

it.each([
  ['start --port 65536', '--port: "65536" is not a whole number from 0 to 65535'],
  ['start --port 80a', '--port: "80a" is not a whole number'],
  ['reset', 'add --yes; nothing was changed'],
  ['settle ugw.Lcal.x --as failed', 'is the identifier of a payment request'],
  ['settle act.Lcal.x --as failed', 'there is no activity act.Lcal.x'],
  ['settle act.Lcal.x', '--as is required: successful, failed, expired'],
  ['settle act.Lcal.x --as succesful', 'did you mean successful?'],
  ['settle act.Lcal.x --as failed --in 30', 'is not a duration'],
  ['settle act.Lcal.x --as failed --amount-minor 5', '--amount-minor is for --as successful'],
  ['settle act.Lcal.x --as reversed --amount 5.00', '--amount is for --as successful'],
  ['settle act.Lcal.x --as taken_back', 'is not one of successful, failed, expired, reversed'],
  ['clock soon', 'is not a duration'],
  ['clock -- -15m', 'is not a duration'],
  ['faults not.json', 'not.json is not JSON'],
  ['faults wrong.json', 'these are no rules for faults'],
  ['webhook add http://127.0.0.1:1/', 'choose one of --secret-out, --secret-file and --unsigned'],
  ['webhook add http://127.0.0.1:1/ --unsigned --secret-out x', 'choose one of --secret-out'],
])('emulator %s is a usage error', async (command, words) => {
  const home = newFolder();
  const files = { 'not.json': '{', 'wrong.json': '{"rules": [{"status": 200}]}' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  const args = command.split(' ').map((word) => (word in files ? join(home, word) : word));
  const ended = await inProcess(['emulator', ...args], { home });
  expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(words) });
});

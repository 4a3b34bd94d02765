import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { startHere } from '../support/in-process.ts';
import { newFolder, start } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import { openTerminal } from '../support/terminal.ts';

/** A run with the emulator in its own process, as JSON without notes. */
const local = (...words: readonly string[]): readonly string[] => [...words, '--local', '--json', '-q'];

/** A file with one rule for faults. */
const fileWith = (rule: object): string => {
  const file = join(newFolder('rules'), 'faults.json');
  writeFileSync(file, JSON.stringify({ rules: [rule] }));
  return file;
};

/** A running emulator with its address and key. */
const serving = async (home: string, ...args: string[]) => {
  const running = startHere(['emulator', 'start', '--json', ...args], { home });
  await running.saw(/"key":"[^"]+".*\n/);
  return { running, ...(JSON.parse(running.stdout()) as { origin: string; key: string }) };
};

describe('--local', () => {
  it('works without set-up, key or network', async () => {
    const argv = ['ugwo', 'list', '--local', '--limit', '3'];
    const { home, stdout } = await scene({
      built: true,
      argv,
      stdout: /^uid\t.*\n(?:ugw\.Lcal\..*\n){3}$/,
      stderr: /^First use: created 25 customers and 120 payment requests in \S+emulator\.sqlite\nMore: .*\n$/,
    });
    await scene({ home, argv: [...argv, '-q'], stdout });
    expect((lstatSync(join(home, 'emulator.sqlite')).mode & 0o777).toString(8)).toBe('600');
  });

  const { paid, processing } = SEEDED;
  const NEWEST = { uid: 'ugw.Lcal.p8Wdunr9tr1bMLFMnJArp5Qt', onye: { uid: 'ony.Lcal.KM95wboeepUEQlRxTTvqlK7H' } };

  it.each([
    [['ugwo', 'list', '--limit', '1'], { data: [NEWEST] }],
    [['ugwo', 'get', SEEDED.ugwo], { ...NEWEST, onye: { uid: SEEDED.onye } }],
    [['ugwo', 'get', SEEDED.losing], { metadata: { emulate: 'lost' } }],
    [['activity', 'get', paid.ugwo, paid.activity], { uid: paid.activity, ugwo_uid: paid.ugwo, status: 'successful' }],
    [
      ['activity', 'get', processing.ugwo, processing.activity],
      { uid: processing.activity, ugwo_uid: processing.ugwo, status: 'processing' },
    ],
  ])('has the ids used by the README and the help examples: %j', async (words, json) => {
    await scene({ argv: local(...words), json });
  });

  it('keeps state between calls', () =>
    scene({
      before: [local('onye', 'update', SEEDED.onye, '--email', 'ADA@Example.com', '--first-name', 'ada')],
      argv: local('onye', 'update', SEEDED.onye, '--meta', 'tier=vip'),
      json: { email: 'ada@example.com', first_name: 'Ada', meta: { tier: 'vip' } },
    }));

  it('keeps an unknown field as sent, including its digits', () => {
    const extra = '"big":12345678901234567890,"price":1.50';
    return scene({
      before: [local('onye', 'update', SEEDED.onye, '--data', `{${extra}}`)],
      argv: local('onye', 'update', SEEDED.onye, '--data', '{"ref":"R"}'),
      stdout: ['"ref":"R"', extra],
    });
  });

  it('notes with --dry-run that its port changes', () =>
    scene({
      before: [local('ugwo', 'list')],
      argv: ['ugwo', 'list', '--local', '--as-curl'],
      stderr: 'This local address is temporary; `paycli emulator start` runs one that stays.\n',
    }));

  const requiring = (headers: object) => ({ json: { status: 'requires_action', next_action: { headers } } });
  const ZENIT = { option: '--provider', did_you_mean: 'zenith' };
  const GHANA = 'ugw.Lcal.JVHP7kW6JmKY3OITglMD8IlF';
  const FAILING = 'ugw.Lcal.TKxvTBJHOHJDP1ZlyhPJAdpY';
  const WITHOUT_CHECKOUT = 'ugw.Lcal.X7fBzImQPzx0byXA7BeNdwvU';

  it.each<[uid: string, words: string, seen: Partial<Scene>]>([
    [SEEDED.ugwo, 'bank_transfer --expires-in 5m', requiring({ account_number: /^\d{10}$/ })],
    [SEEDED.ugwo, 'ussd --provider zenith', requiring({ ussd: /^\*.*#$/ })],
    [GHANA, 'mobile_money --provider mtn --phone +233241234567', { json: { status: 'processing', next_action: null } }],
    [FAILING, 'ussd --provider gtb', { exit: 11, json: { status: 'failed' } }],
    [WITHOUT_CHECKOUT, 'bank_transfer', { exit: 3, error: { status: 422 } }],
    [SEEDED.ugwo, 'ussd --provider zenit', { exit: 3, error: { status: 422, violations: [ZENIT] } }],
    [paid.ugwo, 'bank_transfer --no-preflight', { exit: 3, error: { status: 409 } }],
    ['ugw.Lcal.000000000000000000000000', 'bank_transfer', { exit: 3, error: { status: 404 } }],
  ])('charges by every medium, fails on demand, and validates like the service: %s %s', async (uid, words, seen) => {
    await scene({ argv: local('ugwo', 'charge', uid, '--medium', ...words.split(' ')), ...seen });
  });

  it('walks all pages', () =>
    scene({
      argv: [...local('ugwo', 'list', '--all'), '--jq', '[(.data | unique_by(.uid) | length), .next_cursor]'],
      stdout: '[120,null]\n',
    }));

  it.each([
    [['--profile', 'local'], {}],
    [[], { PAYCLI_PROFILE: 'local' }],
  ])('is selected by %j and %j, too', async (words, env) => {
    await scene({ env, argv: ['ugwo', 'list', '-q', ...words], stdout: ['INV-000120'] });
  });
});

describe('emulator', () => {
  it('start prints origin and key, serves until a signal, and shares its data with --local', async () => {
    const home = newFolder();
    const running = start(['emulator', 'start', '--json'], { home });
    await running.saw(/"key":"sk\.Lcal\./);
    await scene({ home, argv: local('ugwo', 'list', '--limit', '1'), json: { data: [{ ref: 'INV-000120' }] } });
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(ended.code).toBe(0);
    const { origin, key } = JSON.parse(ended.stdout) as { origin: string; key: string };
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(key).toMatch(/^sk\.Lcal\.\w{80}$/);
  });

  it('start serves another program with its key', async () => {
    const { running, origin, key } = await serving(newFolder());
    const env = { PAYCLI_BASE_URL: origin, PAYCLI_SECRET_KEY: key };
    const argv = ['ugwo', 'list', '--limit', '1', '-q'];
    await scene({ env, argv, stdout: ['INV-000120'] });
    await scene({ env: { ...env, PAYCLI_SECRET_KEY: `${key.slice(0, -1)}!` }, argv, exit: 4 });
    running.kill('SIGTERM');
    await running.ended;
  });

  it('start listens on other interfaces only with --host, and warns', async () => {
    const home = newFolder();
    const open = startHere(['emulator', 'start', '--host', '0.0.0.0'], { home });
    await open.saw(/0\.0\.0\.0 is open to the network over plain http/);
    await open.saw(/^origin\thttp:\/\/127\.0\.0\.1:\d+$/m);
    open.kill('SIGTERM');
    expect(await open.ended).toMatchObject({ code: 0 });
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
    const documented = { uid: SEEDED.ugwo, status: 'requires_ugwo' };
    await scene({ home, argv: local('ugwo', 'list', '--limit', '1'), json: { data: [documented] } });
    running.kill('SIGINT');
    await running.ended;
  });

  it('start takes --port, and reports a port in use', async () => {
    const [one, two] = [newFolder(), newFolder()];
    const { running, origin } = await serving(one, '--data', join(one, 'a.sqlite'));
    const { port } = new URL(origin);
    await scene({
      argv: ['emulator', 'start', '--port', port, '--data', join(two, 'b.sqlite')],
      exit: 2,
      stderr: [`error: port ${port} is already in use\n`],
    });
    running.kill('SIGINT');
    await running.ended;
  });

  it('seed adds the requested records, newest first', async () => {
    const { home } = await scene({
      before: [local('ugwo', 'list')],
      argv: ['emulator', 'seed', '--customers', '1', '--ugwo', '3', '--json'],
      json: { customers: 1, ugwo: 3 },
    });
    const argv = [...local('ugwo', 'list', '--all'), '--jq', '[(.data | length), .data[3].ref]'];
    await scene({ home, argv, stdout: '[123,"INV-000120"]\n' });
  });

  it('reset asks for confirmation', async () => {
    const { home } = await scene({ before: [local('ugwo', 'list')], argv: ['emulator', 'reset'], exit: 2 });
    const no = openTerminal(['emulator', 'reset'], { home });
    await no.saw(/\[y\/N\]/);
    no.type('n\r');
    expect(await no.ended).toEqual({ code: 130 });
    await scene({ home, argv: [...local('ugwo', 'list', '--all'), '--jq', '.data | length'], stdout: '120\n' });
    const yes = openTerminal(['emulator', 'reset'], { home });
    await yes.saw(/\[y\/N\]/);
    yes.type('y\r');
    expect(await yes.ended).toEqual({ code: 0 });
    const argv = ['ugwo', 'list', '--local', '--json'];
    await scene({ home, argv, stdout: '{"data":[],"next_cursor":null}\n' });
  });

  it('never changes a file of another program', async () => {
    const file = join(newFolder(), 'notes.txt');
    const text = 'not a database, and long enough to be read as one by its header '.repeat(20);
    writeFileSync(file, text);
    const stderr = [`error: ${file} is not a data file of the emulator\n`];
    await scene({ argv: ['emulator', 'seed', '--data', file], exit: 2, stderr });
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });
});

describe('emulator settle', () => {
  const { ugwo, activity } = SEEDED.processing;
  const settle = (uid: string, as: string, ...more: string[]) => ['emulator', 'settle', uid, '--as', as, ...more];
  const settling = (...more: string[]) => ({
    before: [local('ugwo', 'list')],
    argv: settle(activity, 'successful', ...more),
  });

  /** Charges a payment request by bank transfer. */
  const charged = async (uid: string) => {
    const made = await scene({ argv: local('ugwo', 'charge', uid, '--medium', 'bank_transfer') });
    return { home: made.home, ...(JSON.parse(made.stdout) as { uid: string }) };
  };

  it('settles a --local charge once', async () => {
    const { home, uid } = await charged(SEEDED.ugwo);
    const json = { uid, status: 'successful', next_action: null };
    await scene({ home, argv: settle(uid, 'successful', '--json'), json });
    await scene({ home, argv: local('ugwo', 'get', SEEDED.ugwo), json: { status: 'ugwo_successful' } });
    await scene({
      home,
      argv: settle(uid, 'failed'),
      exit: 2,
      stderr: `error: the activity ${uid} has ended already: it is paid\n`,
    });
  });

  it.each([
    ['a part', ['--amount', '100.00'], 10_000, 'requires_ugwo'],
    ['a part, in the minor unit', ['--amount-minor', '10000'], 10_000, 'requires_ugwo'],
    ['too much', ['--amount', '9,000,000.00'], 900_000_000, 'ugwo_successful'],
  ])('pays %s, and the amount of the charge stays', async (_what, words, received, status) => {
    const amount = 120_130_000;
    const settled = { status: 'successful', amount, charged_amount: received };
    const { home } = await scene({ ...settling(...words, '--json'), json: settled });
    await scene({ home, argv: local('ugwo', 'get', ugwo), json: { amount, status, total_amount_paid: received } });
  });

  it('refuses an amount that could be naira or kobo', () =>
    scene({
      ...settling('--amount', '900'),
      exit: 2,
      stderr:
        'error: --amount: "900" could mean NGN 900.00 or NGN 9.00\n→ write --amount 900.00 or --amount-minor 900\n',
    }));

  it('shows the amount with its currency', () =>
    scene({
      ...settling('-o', 'table'),
      stdout: [
        /^asked +NGN 1,201,300\.00\nreceived +NGN 1,201,300\.00$/m,
        new RegExp(`^payment request +${ugwo}$`, 'm'),
      ],
    }));

  it('settles while an emulator runs, also later by its clock, and prints the time', async () => {
    const { home, uid } = await charged(SEEDED.ugwo);
    const { running, origin, key } = await serving(home);
    const asked = Date.now();
    const argv = settle(uid, 'failed', '--in', '10m', '--json');
    const later = await scene({ home, argv, json: { status: 'requires_action' } });
    const waited = Date.now() - asked;
    const { due } = JSON.parse(later.stdout) as { due: string };
    // In whole seconds.
    expect(Math.abs(Date.parse(due) - asked - 600_000)).toBeLessThanOrEqual(waited + 1000);
    const activity = `${origin}/v1/ugwo/${SEEDED.ugwo}/activities/${uid}`;
    const read = async (): Promise<unknown> =>
      (await fetch(activity, { headers: { authorization: `Bearer ${key}` } })).json();
    expect(await read()).toMatchObject({ status: 'requires_action' });
    await scene({ home, argv: settle(uid, 'failed', '--in', '0s') });
    expect(await read()).toMatchObject({ status: 'failed', error: { code: 'psp.error.declined' } });
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(0);
  });
});

it('ugwo charge --local with the metadata emulate=lost creates a charge and loses the answer', async () => {
  const { home } = await scene({
    before: [local('ugwo', 'list')],
    argv: ['ugwo', 'charge', SEEDED.losing, '--local', '--medium', 'ussd', '--provider', 'gtb'],
    exit: 6,
    stderr:
      /^error: the charge may have been made: .*: the connection was closed\n→ .*\n {2}in the ledger: chg-\w+\n {2}POST \S+\n$/,
  });
  await scene({
    home,
    argv: local('ugwo', 'get', SEEDED.losing),
    json: { activities: [{ status: 'requires_action' }] },
  });
});

it('--local follows fault rules and a moved clock', async () => {
  const rules = fileWith({ method: 'POST', times: 1, reset: true, when: 'after' });
  const { home } = await scene({
    before: [['emulator', 'faults', rules]],
    argv: local('ugwo', 'charge', SEEDED.ugwo, '--medium', 'bank_transfer'),
    exit: 6,
  });
  await scene({
    home,
    before: [
      ['ledger', 'sync', '--local'],
      ['emulator', 'clock', '+15m'],
    ],
    argv: local('ugwo', 'get', SEEDED.ugwo),
    json: { activities: [{ status: 'failed', error: { code: 'psp.error.expired' } }] },
  });
});

it('emulator faults has a column for each part of a rule', () =>
  scene({
    argv: ['emulator', 'faults', fileWith({ event: 'ugwo.*', out_of_order: true }), '-o', 'csv'],
    stdout: /^method,path,.*,out_of_order,.*\r?\n.*,ugwo\.\*,.*true/,
  }));

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
  await scene({ env, argv: ['ugwo', 'list', '--limit', '1', '-q'], stdout: ['INV-000120'] });
  running.type('\u0003');
  expect(await running.ended).toEqual({ code: 0 });
});

it('emulator start --faults follows the rules until it stops', async () => {
  const home = newFolder();
  const rules = fileWith({ path: '/v1/ugwo', status: 503 });
  const { running, origin, key } = await serving(home, '--faults', rules);
  expect((await fetch(`${origin}/v1/ugwo`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(503);
  running.kill('SIGINT');
  await running.ended;
  await scene({ home, argv: ['emulator', 'faults', '--json'], json: { data: [] } });
});

it('emulator seed, clock, faults and reset print a TSV line per result', async () => {
  const home = newFolder();
  const data = join(home, 'emulator.sqlite');
  const rules = fileWith({ path: '/v1/ugwo', times: 1, status: 503 });
  for (const [command, stdout, stderr = ''] of [
    ['seed --customers 0 --ugwo 3', `customers\t0\nugwo\t3\ndata\t${data}\n`],
    ['clock +15m', /^now\t\S+\+00:00\nmoved\t900000\n$/],
    ['clock --json', /^\{"now":"\S+\+00:00","moved":900000\}\n$/],
    ['clock 45m', /\nmoved\t3600000\n$/],
    ['clock', /\nmoved\t3600000\n$/],
    ['clock -o table', /\nmoved by +1 h\n$/],
    ['clock back', /\nmoved\t0\n$/],
    [`faults ${rules} --json`, /\{"path":"\/v1\/ugwo","times":1,"status":503,"seen":0,"fired":0\}/],
    ['faults --json', /"fired":0/],
    ['faults --clear', '', 'All faults were cleared.\n'],
    ['faults --json', /"data":\[\]/],
    ['reset --yes', `data\t${data}\n`],
  ] as const) {
    await scene({ home, argv: ['emulator', ...command.split(' ')], stdout, stderr });
  }
  await scene({ home, argv: local('ugwo', 'list', '--all'), json: { data: [] } });
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
  ['start --host 192.0.2.1', '--host: 192.0.2.1 cannot be listened on'],
  ['start --dialect alive', '--dialect: "alive" is not one of documented, live'],
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
  await scene({ home, argv: ['emulator', ...args], exit: 2, stderr: [words] });
});

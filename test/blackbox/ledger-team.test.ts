import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../src/ledger/postgres/session.ts';
import { parseAddress } from '../../src/ledger/postgres/url.ts';
import { CANARY } from '../support/canary.ts';
import { sharedCluster, shownUrl } from '../support/postgres.ts';
import { errorOf, newFolder, paycli, start } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import { type Answer, held, problem, reset, serveBy } from '../support/service.ts';
import {
  activityOf,
  charged,
  chargeFrom,
  charging,
  postsOf,
  serveCharges,
  summaryOf,
  ugwoOf,
  ussdFile,
} from './bulk-support.ts';
import { byUssd, listOf, newTeam, SCHEMA } from './team-support.ts';
import { charge } from './watch-support.ts';

/** A run of `ledger` for this address. */
const ledgerAt = (url: string, verb: string) => ({ env: { PAYCLI_LEDGER: url }, argv: ['ledger', verb, '--json'] });

// The tests have no PostgreSQL on Windows.
describe.skipIf(process.platform === 'win32')('a shared ledger', () => {
  it('blocks a charge that another machine has made', async () => {
    const team = await newTeam();
    const service = await serveCharges({ 2: reset });
    const [one, other] = [team.machine(service), team.machine(service)];
    await scene({ ...one, argv: byUssd(ugwoOf(1)), requests: ['POST'] });
    await scene({ ...other, argv: byUssd(ugwoOf(1)), exit: 9, requests: [] });
    await scene({ ...one, argv: byUssd(ugwoOf(2)), exit: 6, requests: ['POST'] });
    const entries = [{ state: 'unknown' }, { state: 'accepted' }];
    await scene({ ...other, argv: byUssd(ugwoOf(2)), exit: 9, requests: [], entries });
    expect(existsSync(join(one.home, 'ledger.sqlite'))).toBe(false);
  });

  it('is only read by a dry run, which also leaves no file on the machine', async () => {
    const team = await newTeam();
    const service = await serveCharges({ 2: reset });
    const made = team.machine(service);
    await scene({ ...made, before: [byUssd(ugwoOf(1))], argv: byUssd(ugwoOf(2)), exit: 6 });
    const other = team.machine(service);
    const [before, files] = [await listOf(made), readdirSync(made.home).sort()];
    for (const [number, exit] of [
      [1, 9],
      [2, 9],
      [3, 0],
    ] as const) {
      const argv = ['ugwo', 'charge', ugwoOf(number), '--medium', 'ussd', '--provider', 'gtb', '--json', '--dry-run'];
      for (const machine of [other, made]) await scene({ ...machine, argv, exit, requests: [] });
      expect(readdirSync(other.home)).toEqual([]);
    }
    const json = { accepted: 1, refused: 1, planned: { rows: 1 } };
    await scene({ ...other, argv: charging(ussdFile(1, 2, 3), '--dry-run'), exit: 9, json, requests: [] });
    expect(readdirSync(other.home)).toEqual([]);
    expect(readdirSync(made.home).sort()).toEqual(files);
    expect(await listOf(made)).toEqual(before);
  });

  it('is not read by a dry run beside a copy of the intents that others can write', async () => {
    const team = await newTeam();
    const machine = team.machine(await serveCharges());
    await scene({ ...machine, argv: byUssd(ugwoOf(1)) });
    const [name = ''] = readdirSync(machine.home).filter((file) => /^shared-\w+\.sqlite$/.test(file));
    chmodSync(join(machine.home, name), 0o666);
    await scene({
      ...machine,
      argv: ['ugwo', 'charge', ugwoOf(2), '--medium', 'ussd', '--provider', 'gtb', '--dry-run', '--json'],
      exit: 10,
      error: { message: expect.stringContaining(`${name} is open to other users (mode 0666)`) },
      requests: [],
    });
  });

  it('lets two machines run one file and sends each row once', async () => {
    const team = await newTeam();
    const service = await serveCharges();
    const file = ussdFile(...Array.from({ length: 16 }, (_, index) => index + 1));
    const args = ['ugwo', 'charge', '--from', file, '--no-preflight'];
    const runs = [1, 2].map(() => paycli(args, team.machine(service)));
    for (const ended of await Promise.all(runs)) expect(ended.code, ended.stderr).toBe(0);
    expect(Object.values(postsOf(service))).toEqual(Array.from({ length: 16 }, () => 1));
    await scene({
      ...team.machine(service),
      argv: charging(file, '--no-preflight'),
      json: { accepted: 16 },
      requests: [],
    });
  });

  it("lets a machine watch another one's charges and stores the payments for all", async () => {
    const team = await newTeam();
    const world = await charge(2, undefined, team.machine());
    const other = { ...team.machine(), service: world.service };
    const run = start(['watch', '--job', world.job, '--until-final', '-o', 'ndjson'], other);
    await run.saw(/"row":2,[^\n]*\n/);
    world.set(1, 'successful');
    await run.saw(/"now":"paid"/);
    world.set(2, 'failed');
    expect(await run.ended).toMatchObject({ code: 11 });
    expect(await listOf(team.machine())).toMatchObject([{ status: 'failed' }, { status: 'successful' }]);
    const before = world.reads().length;
    const again = { ...team.machine(), service: world.service };
    expect(await paycli(['watch', '--job', world.job, '--until-final'], again)).toMatchObject({ code: 11 });
    expect(world.reads()).toHaveLength(before);
  });

  it('is created once, and reports its status', async () => {
    const cluster = await sharedCluster();
    const url = cluster.url(await cluster.createDatabase());
    const at = shownUrl(url);
    const status = { ...ledgerAt(url, 'status'), stderr: /^/ };
    await scene({ ...status, json: { kind: 'postgres', at, from: 'PAYCLI_LEDGER', schema: null, owner: true } });
    await scene({
      ...ledgerAt(url, 'list'),
      built: true,
      exit: 10,
      error: {
        message: `${at}: there is no ledger in this database`,
        hint: 'run `paycli ledger init` once, as the owner of the database',
      },
    });
    const made = (isMade: boolean) => `${JSON.stringify({ at, made: isMade, schema: SCHEMA, operators: [] })}\n`;
    await scene({ ...ledgerAt(url, 'init'), built: true, stdout: made(true) });
    await scene({ ...ledgerAt(url, 'init'), stdout: made(false) });
    const json = { schema: SCHEMA, standbys: [], warnings: [], user: 'postgres', version: /^PostgreSQL \d/ };
    const { stdout } = await scene({ ...status, json });
    expect(Math.abs(JSON.parse(stdout).clock_ahead_ms)).toBeLessThan(60_000);
  });

  it('is refused if a newer paycli made it, or one that was never released', async () => {
    const team = await newTeam();
    const options = team.machine(await serveCharges());
    const set = (version: number) =>
      team.cluster.sql(`UPDATE paycli.setting SET value = '${version}' WHERE name = 'version'`, [], team.database);
    await set(SCHEMA + 1);
    const newer = `(schema ${SCHEMA + 1}, this one knows ${SCHEMA})`;
    const by = (whom: string) => `the ledger ${shownUrl(team.url)} was made by ${whom}`;
    await scene({ ...options, argv: byUssd(ugwoOf(1)), exit: 10, error: { message: by(`a newer paycli ${newer}`) } });
    const hint = 'use the newer paycli; nothing was changed';
    for (const verb of ['migrate', 'init']) await scene({ ...ledgerAt(team.url, verb), exit: 10, error: { hint } });
    await set(SCHEMA - 1);
    await scene({
      ...options,
      argv: byUssd(ugwoOf(1)),
      exit: 10,
      error: {
        message: by(`a paycli that was never released (schema ${SCHEMA - 1})`),
        hint: /first settle it with the last commit that reads it \(2696dc9e, or 4181737e/,
      },
    });
    await set(SCHEMA);
    const stdout = `${JSON.stringify({ at: shownUrl(team.url), from: SCHEMA, to: SCHEMA })}\n`;
    await scene({ ...ledgerAt(team.url, 'migrate'), built: true, stdout });
    await scene({ ...options, argv: byUssd(ugwoOf(1)), requests: ['POST'] });
  });

  it('must exist for migrate and push', async () => {
    const cluster = await sharedCluster();
    const url = cluster.url(await cluster.createDatabase());
    for (const verb of ['migrate', 'push']) {
      await scene({ argv: ['ledger', verb, '--json'], exit: 2, error: { message: 'no shared ledger is set' } });
      // No profile is used beside --local, so a ledger of one isn't either.
      const hint = 'set PAYCLI_LEDGER to postgres://USER@HOST/DATABASE';
      await scene({ argv: ['ledger', verb, '--local', '--json'], exit: 2, error: { hint } });
    }
    await scene({ ...ledgerAt(url, 'migrate'), exit: 2, error: { hint: 'run `paycli ledger init`' } });
    const message = 'there is no ledger on this machine to push';
    await scene({ ...ledgerAt(url, 'push'), exit: 2, error: { message } });
    const { home } = await scene({ service: serveCharges(), argv: byUssd(ugwoOf(1)) });
    const error = { message: `${shownUrl(url)}: there is no ledger in this database` };
    await scene({ ...ledgerAt(url, 'push'), home, exit: 10, error });
  });

  it('blocks charges that the local ledger has as open or unknown, until these are pushed', async () => {
    const team = await newTeam();
    const service = await serveCharges({ 2: reset });
    const file = { home: newFolder(), service };
    const shared = { ...team.machine(service), home: file.home };
    await scene({ ...file, before: [byUssd(ugwoOf(1))], argv: byUssd(ugwoOf(2)), exit: 6 });
    for (const [number, what, more] of [
      [1, 'was made', '; --again charges it all the same'],
      [2, 'may have been made', ''],
    ] as const) {
      const where = `with the ledger of this machine (${file.home}/ledger.sqlite), which is not in use now`;
      const message = expect.stringContaining(`${what} ${where}`);
      const hint = `push it: \`paycli ledger push\`, then run the same command again${more}`;
      await scene({ ...shared, argv: byUssd(ugwoOf(number)), exit: 9, error: { message, hint } });
    }
    const status = { ...shared, argv: ['ledger', 'status', '--json'], stderr: /^/ };
    const push = '`paycli ledger push --profile shop`';
    const warning = `holds 2 charges, open or unknown, that this one does not know: ${push} takes`;
    const argv = [...status.argv, '--profile', 'shop'];
    await scene({ ...status, argv, json: { warnings: [expect.stringContaining(warning)] } });
    await scene({ ...shared, argv: byUssd(ugwoOf(3)) });
    await scene({
      ...shared,
      argv: charging(ussdFile(1, 2), '--no-preflight'),
      exit: 9,
      json: { refused: 2, accepted: 0 },
      error: { message: /which is not in use now/, hint: /^to see what to do about a refused row/ },
    });
    await scene({ ...status, before: [['ledger', 'push']], json: { warnings: [] } });
    for (const number of [1, 2])
      await scene({ ...shared, argv: byUssd(ugwoOf(number)), exit: 9, error: { message: /^(?!.*not in use)/s } });
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1, 3: 1 });
  });

  it("blocks unknown charges of the local ledger, even with --again and after others' charges, until they are resolved", async () => {
    const team = await newTeam();
    let posts = 0;
    const service = await serveBy(() => (++posts === 1 ? reset : charged(1)));
    const file = { home: newFolder(), service };
    const shared = { ...team.machine(service), home: file.home };
    const id = String(errorOf(await scene({ ...file, argv: byUssd(ugwoOf(1)), exit: 6 }))['ledger_id']);
    await scene({ ...team.machine(service), argv: byUssd(ugwoOf(1)) });
    const error = { ledger_id: id, message: /may have been made with the ledger of this machine/ };
    for (const more of [[], ['--again']])
      await scene({ ...shared, argv: byUssd(ugwoOf(1), ...more), exit: 9, error, requests: [] });
    const resolve = ['ledger', 'resolve', id, '--as', 'not-created', '--reason', 'seen', '--yes'];
    await scene({ ...file, argv: resolve, stderr: /^/ });
    await scene({ ...shared, argv: byUssd(ugwoOf(1), '--again'), requests: ['POST'] });
  });

  it('blocks charges made with another ledger while a file was being sent', async () => {
    const team = await newTeam();
    const { hold, letGo } = held(charged(1));
    const service = await serveCharges({ 1: hold });
    const file = { home: newFolder(), service };
    const rows = chargeFrom(ussdFile(1, 2), file, '--no-preflight', '--concurrency', '1');
    await service.came(1);
    await scene({ ...team.machine(service), home: file.home, argv: byUssd(ugwoOf(2)) });
    letGo();
    expect(summaryOf(await rows)).toMatchObject({ accepted: 1, refused: 1 });
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1 });
  });

  it('blocks charges made with another ledger, except with --again', async () => {
    const [team, other] = [await newTeam(), await newTeam()];
    const service = await serveCharges();
    const shared = team.machine(service);
    const { home } = shared;
    await scene({ ...shared, argv: byUssd(ugwoOf(1)) });
    const file = { home, service };
    const message = /may have been made with a shared ledger/;
    const hint = 'use that ledger for it; --again charges it all the same';
    for (const next of [file, { ...other.machine(service), home }])
      await scene({ ...next, argv: byUssd(ugwoOf(1)), exit: 9, error: { message, hint }, requests: [] });
    const warnings = [/a shared ledger was charged with from here/];
    await scene({ ...file, argv: ['ledger', 'status', '--json'], json: { warnings } });
    await scene({ ...file, argv: byUssd(ugwoOf(1), '--again'), requests: ['POST'] });
    const error = { message: /^(?!.*not in use)/s };
    await scene({ ...file, argv: byUssd(ugwoOf(1)), exit: 9, error, requests: [] });
  });

  it('imports the local ledgers of machines once', async () => {
    const team = await newTeam();
    const service = await serveCharges({ 3: reset });
    const homes = [newFolder(), newFolder()] as const;
    const json = { accepted: 2, unknown: 1 };
    await scene({ home: homes[0], service, argv: charging(ussdFile(1, 2, 3), '--no-preflight'), exit: 6, json });
    for (const [number, exit] of [
      [4, 0],
      [3, 6],
      [5, 0],
    ] as const)
      await scene({ home: homes[1], service, argv: byUssd(ugwoOf(number)), exit });
    const push = ledgerAt(team.url, 'push');
    await scene({ ...push, home: homes[0], json: { charges: 3, jobs: 1, known: 0, kept: [] }, stderr: /^/ });
    await scene({ ...push, home: homes[0], json: { charges: 0, jobs: 0, known: 4, kept: [] }, stderr: /^/ });
    // The other machine has an unknown charge of the same payment request.
    await scene({ ...push, home: homes[1], exit: 9, json: { charges: 2, known: 0, kept: [/^chg-/] } });
    for (const number of [2, 3, 4, 5])
      await scene({ ...team.machine(service), argv: byUssd(ugwoOf(number)), exit: 9, requests: [] });
  });

  it('is pushed until a signal comes, also while its database is busy; the next push takes the rest', async () => {
    const team = await newTeam();
    const file = { home: newFolder(), service: await serveCharges() };
    await scene({ ...file, argv: byUssd(ugwoOf(1)) });
    const session = await openSession({ address: parseAddress(team.url), password: async () => undefined });
    onTestFinished(session.close);
    await session.run('BEGIN; LOCK TABLE paycli.charge IN SHARE MODE', 20_000);
    const shared = { ...file, env: { PAYCLI_LEDGER: team.url } };
    const push = start(['ledger', 'push', '--json'], shared);
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'";
    while ((await team.cluster.sql(waiting, [team.database])).length === 0);
    push.kill('SIGTERM');
    const stopped = await push.ended;
    expect(errorOf(stopped)).toMatchObject({
      exit_code: 143,
      message: 'cancelled by SIGTERM; the charges pushed so far stay; run it again to push the rest',
    });
    await session.run('ROLLBACK', 20_000);
    const entries = [{ ugwo: ugwoOf(1), state: 'accepted' }];
    await scene({ ...shared, argv: ['ledger', 'push'], stderr: /^/, entries });
  });

  it('takes what a wait sees once it exists, though it was missing at the start', async () => {
    const cluster = await sharedCluster();
    const options = { home: newFolder(), env: { PAYCLI_LEDGER: cluster.url(await cluster.createDatabase()) } };
    const paid = held(charged(1, { status: 'successful' }));
    let reads = 0;
    const service = await serveBy(({ method }) => {
      if (method === 'POST') return charged(1);
      reads += 1;
      return reads === 1 ? charged(1) : paid.hold;
    });
    const waiting = start(['activity', 'wait', ugwoOf(1), activityOf(1)], { ...options, service });
    await service.came(2);
    await scene({ ...options, service, before: [['ledger', 'init']], argv: byUssd(ugwoOf(1)) });
    paid.letGo();
    expect(await waiting.ended).toMatchObject({ code: 0 });
    expect(await listOf(options)).toMatchObject([{ status: 'successful' }]);
  });

  it('judges a row by its newest charge, also after a push of an older one', async () => {
    const team = await newTeam();
    const refused: Record<number, Answer> = { 1: problem(422, 'Validation Failed') };
    const service = await serveCharges(refused);
    const file = ussdFile(1, 2);
    const local = { home: newFolder(), service };
    const argv = charging(file, '--no-preflight');
    await scene({ ...local, argv, exit: 3, json: { accepted: 1, rejected: 1 } });
    delete refused[1];
    const machine = team.machine(service);
    await scene({ ...machine, argv, json: { accepted: 2 } });
    await scene({ ...ledgerAt(team.url, 'push'), home: local.home, stderr: /^/ });
    await scene({ ...machine, argv, json: { accepted: 2 }, requests: [] });
  });

  it('is set per profile, or per call by an environment variable', async () => {
    const team = await newTeam();
    const other = { url: team.cluster.url(await team.cluster.createDatabase()) };
    const service = await serveCharges();
    const home = newFolder();
    const use = (...words: string[]) => ({ home, argv: ['ledger', 'use', ...words, '--json'] });
    const status = { home, argv: ['ledger', 'status', '--json'], stderr: /^/ };
    await scene({ ...use(team.url), exit: 4 });
    const login = ['login', '--base-url', service.origin, '--key-stdin', '--profile', 'shop', '--no-verify'];
    await scene({ home, stdin: `${CANARY}\n`, argv: login, stderr: /^/ });
    const used = (ledger: string | null) => `${JSON.stringify({ name: 'shop', ledger })}\n`;
    await scene({ ...use(team.url), stdout: used(team.url), stderr: /^/ });
    await scene({ home, argv: byUssd(ugwoOf(1)) });
    expect(await listOf(team.machine())).toMatchObject([{ ugwo: ugwoOf(1) }]);
    await scene({ ...status, json: { at: shownUrl(team.url), from: 'the profile shop' } });
    const env = { PAYCLI_LEDGER: other.url };
    await scene({ ...status, env, json: { at: shownUrl(other.url), from: 'PAYCLI_LEDGER' } });
    // --local uses the local ledger.
    await scene({ ...status, argv: [...status.argv, '--local'], json: { kind: 'file', from: null } });
    await scene({ ...use('--file'), stdout: used(null), stderr: /^/ });
    await scene({ ...status, json: { kind: 'file' } });
    const needed = 'give the address of a ledger, or --file';
    for (const [words, message] of [
      [[], needed],
      [[team.url, '--file'], needed],
      [['--file', '--password-command', 'op read op://payments'], /^--password-command is for a shared/],
    ] as const)
      await scene({ ...use(...words), exit: 2, error: { message } });
    await scene({ ...status, env: { PAYCLI_LEDGER: '' }, exit: 2 });
  });

  it("sends nothing if the database can't be reached", async () => {
    const hint = 'check that the database runs and can be reached, then run the same command again';
    await scene({
      service: serveCharges(),
      env: { PAYCLI_LEDGER: 'postgres://ada@127.0.0.1:9/pay' },
      argv: byUssd(ugwoOf(1)),
      exit: 10,
      error: { hint },
      requests: [],
    });
  });

  it('is named by its profile in each hint', async () => {
    const cluster = await sharedCluster();
    const home = newFolder();
    const run = (words: string, more: Partial<Scene>) =>
      scene({ home, argv: [...words.split(' '), '--profile', 'team'], ...more });
    for (const profile of ['shop', 'team']) {
      const login = ['login', '--base-url', 'https://pay.example', '--key-stdin', '--no-verify', '--profile', profile];
      await scene({ home, argv: login, stdin: CANARY, stderr: /^/ });
    }
    await run('ledger push', { exit: 2, stderr: ['or run `paycli ledger use URL --profile team`'] });
    const stderr = 'See whether it can be used: `paycli ledger status --profile team`\n';
    await run(`ledger use ${cluster.url(await cluster.createDatabase())}`, { stderr });
    const init = 'run `paycli ledger init --profile team` once, as the owner of the database';
    await run('ledger list --all-profiles', { exit: 10, stderr: [init] });
    const data = expect.arrayContaining([expect.objectContaining({ check: 'ledger', advice: init })]);
    await run('doctor --json', { exit: 10, json: { data } });
  });

  it('stores no secret key, and only the last digits of a phone number', async () => {
    const team = await newTeam();
    const service = await serveCharges();
    const options = team.machine(service);
    const mobile = ['--medium', 'mobile_money', '--provider', 'mtn', '--phone', '+233201234567'];
    await scene({ ...options, argv: ['ugwo', 'charge', ugwoOf(1), ...mobile, '--no-preflight'], stderr: /^/ });
    const rows = await team.cluster.sql('SELECT * FROM paycli.charge', [], team.database);
    const files = readdirSync(options.home, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
    for (const text of [JSON.stringify(rows), ...files]) {
      expect(text).not.toContain(CANARY);
      expect(text).not.toContain('233201234567');
    }
    expect(JSON.stringify(rows)).toContain('4567');
  });
});

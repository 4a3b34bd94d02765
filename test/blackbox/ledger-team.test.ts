import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../src/ledger/postgres/session.ts';
import { parseAddress } from '../../src/ledger/postgres/url.ts';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { sharedCluster, shownUrl } from '../support/postgres.ts';
import type { Ended } from '../support/program.ts';
import { errorOf, newFolder, paycli, start } from '../support/program.ts';
import { type Answer, held, problem, reset, serveBy } from '../support/service.ts';
import { activityOf, charged, chargeFrom, postsOf, serveCharges, summaryOf, ugwoOf, ussdFile } from './bulk-support.ts';
import { chargeOf, listOf, newTeam, SCHEMA } from './team-support.ts';
import { charge } from './watch-support.ts';

const recordOf = ({ stdout, stderr }: Ended): Record<string, unknown> => {
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
};

/** Runs `ledger` with these arguments for this address. */
const ledgerAt = (url: string, ...args: readonly string[]): Promise<Ended> =>
  inProcess(['ledger', ...args, '--json'], { env: { PAYCLI_LEDGER: url } });

/** The same in a process of its own. */
const builtAt = (url: string, ...args: readonly string[]): Promise<Ended> =>
  paycli(['ledger', ...args, '--json'], { env: { PAYCLI_LEDGER: url } });

// The tests have no PostgreSQL on Windows.
describe.skipIf(process.platform === 'win32')('a shared ledger', () => {
  it('blocks a charge that another machine has made', async () => {
    const team = await newTeam();
    const service = await serveCharges({ 2: reset });
    const [one, other] = [team.machine(service), team.machine(service)];
    expect(await chargeOf(ugwoOf(1), one)).toMatchObject({ code: 0 });
    expect(errorOf(await chargeOf(ugwoOf(1), other))).toMatchObject({ exit_code: 9 });
    expect(await chargeOf(ugwoOf(2), one)).toMatchObject({ code: 6 });
    expect(errorOf(await chargeOf(ugwoOf(2), other))).toMatchObject({ exit_code: 9 });
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1 });
    expect(await listOf(other)).toMatchObject([{ state: 'unknown' }, { state: 'accepted' }]);
    expect(existsSync(join(one.home, 'ledger.sqlite'))).toBe(false);
  });

  it('is only read by a dry run, which also leaves no file on the machine', async () => {
    const team = await newTeam();
    const service = await serveCharges({ 2: reset });
    const made = team.machine(service);
    expect(await chargeOf(ugwoOf(1), made)).toMatchObject({ code: 0 });
    expect(await chargeOf(ugwoOf(2), made)).toMatchObject({ code: 6 });
    const other = team.machine(service);
    const [before, files] = [await listOf(made), readdirSync(made.home).sort()];
    for (const [number, code] of [
      [1, 9],
      [2, 9],
      [3, 0],
    ] as const) {
      const charging = ['ugwo', 'charge', ugwoOf(number), '--medium', 'ussd', '--provider', 'gtb', '--json'];
      for (const machine of [other, made]) {
        const dry = await inProcess([...charging, '--dry-run'], machine);
        expect([number, dry.code], dry.stderr).toEqual([number, code]);
      }
      expect(readdirSync(other.home)).toEqual([]);
    }
    const file = await chargeFrom(ussdFile(1, 2, 3), other, '--dry-run');
    expect(summaryOf(file)).toMatchObject({ accepted: 1, refused: 1, planned: { rows: 1 } });
    expect(readdirSync(other.home)).toEqual([]);
    expect(readdirSync(made.home).sort()).toEqual(files);
    expect(await listOf(made)).toEqual(before);
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1 });
  });

  it('is not read by a dry run beside a copy of the intents that others can write', async () => {
    const team = await newTeam();
    const machine = team.machine(await serveCharges());
    expect(await chargeOf(ugwoOf(1), machine)).toMatchObject({ code: 0 });
    const [name = ''] = readdirSync(machine.home).filter((file) => /^shared-\w+\.sqlite$/.test(file));
    chmodSync(join(machine.home, name), 0o666);
    const args = ['ugwo', 'charge', ugwoOf(2), '--medium', 'ussd', '--provider', 'gtb', '--dry-run', '--json'];
    expect(errorOf(await inProcess(args, machine))).toMatchObject({
      exit_code: 10,
      message: expect.stringContaining(`${name} is open to other users (mode 0666)`),
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
    expect(summaryOf(await chargeFrom(file, team.machine(service), '--no-preflight'))).toMatchObject({ accepted: 16 });
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
    const before = await ledgerAt(url, 'status');
    expect(recordOf(before)).toMatchObject({
      kind: 'postgres',
      at: shownUrl(url),
      from: 'PAYCLI_LEDGER',
      schema: null,
      owner: true,
    });
    const list = await builtAt(url, 'list');
    expect(errorOf(list)).toMatchObject({
      exit_code: 10,
      message: `${shownUrl(url)}: there is no ledger in this database`,
      hint: 'run `paycli ledger init` once, as the owner of the database',
    });
    expect(recordOf(await builtAt(url, 'init'))).toEqual({
      at: shownUrl(url),
      made: true,
      schema: SCHEMA,
      operators: [],
    });
    expect(recordOf(await ledgerAt(url, 'init'))).toEqual({
      at: shownUrl(url),
      made: false,
      schema: SCHEMA,
      operators: [],
    });
    const status = recordOf(await ledgerAt(url, 'status'));
    expect(status).toMatchObject({ schema: SCHEMA, standbys: [], warnings: [], user: 'postgres' });
    expect(status['version']).toMatch(/^PostgreSQL \d/);
    expect(Math.abs(Number(status['clock_ahead_ms']))).toBeLessThan(60_000);
  });

  it('is refused if a newer paycli made it, or one that was never released', async () => {
    const team = await newTeam();
    const options = team.machine(await serveCharges());
    const set = (version: number) =>
      team.cluster.sql(`UPDATE paycli.setting SET value = '${version}' WHERE name = 'version'`, [], team.database);
    await set(SCHEMA + 1);
    const [charge, migrate, init] = [
      await chargeOf(ugwoOf(1), options),
      await ledgerAt(team.url, 'migrate'),
      await ledgerAt(team.url, 'init'),
    ];
    expect(errorOf(charge)).toMatchObject({
      exit_code: 10,
      message: `the ledger ${shownUrl(team.url)} was made by a newer paycli (schema ${SCHEMA + 1}, this one knows ${SCHEMA})`,
    });
    expect(errorOf(migrate)).toMatchObject({ exit_code: 10, hint: 'use the newer paycli; nothing was changed' });
    expect(errorOf(init)).toMatchObject({ exit_code: 10, hint: 'use the newer paycli; nothing was changed' });
    await set(SCHEMA - 1);
    expect(errorOf(await chargeOf(ugwoOf(1), options))).toMatchObject({
      exit_code: 10,
      message: `the ledger ${shownUrl(team.url)} was made by a paycli that was never released (schema ${SCHEMA - 1})`,
      hint: expect.stringContaining('first settle it with the last commit that reads it (2696dc9e, or 4181737e'),
    });
    await set(SCHEMA);
    expect(recordOf(await builtAt(team.url, 'migrate'))).toEqual({ at: shownUrl(team.url), from: SCHEMA, to: SCHEMA });
    expect(await chargeOf(ugwoOf(1), options)).toMatchObject({ code: 0 });
  });

  it('must exist for migrate and push', async () => {
    const cluster = await sharedCluster();
    const url = cluster.url(await cluster.createDatabase());
    for (const verb of ['migrate', 'push']) {
      const local = await inProcess(['ledger', verb, '--json']);
      expect(errorOf(local)).toMatchObject({ exit_code: 2, message: 'no shared ledger is set' });
      const practice = await inProcess(['ledger', verb, '--local', '--json']);
      // No profile is used beside --local, so a ledger of one isn't either.
      expect(errorOf(practice)['hint']).toBe('set PAYCLI_LEDGER to postgres://USER@HOST/DATABASE');
    }
    expect(errorOf(await ledgerAt(url, 'migrate'))).toMatchObject({ exit_code: 2, hint: 'run `paycli ledger init`' });
    expect(errorOf(await ledgerAt(url, 'push'))).toMatchObject({
      exit_code: 2,
      message: 'there is no ledger on this machine to push',
    });
    const home = newFolder();
    expect(await chargeOf(ugwoOf(1), { home, service: await serveCharges() })).toMatchObject({ code: 0 });
    const push = await inProcess(['ledger', 'push', '--json'], { home, env: { PAYCLI_LEDGER: url } });
    expect(errorOf(push)).toMatchObject({
      exit_code: 10,
      message: `${shownUrl(url)}: there is no ledger in this database`,
    });
  });

  it('blocks charges that the local ledger has as open or unknown, until these are pushed', async () => {
    const team = await newTeam();
    const service = await serveCharges({ 2: reset });
    const file = { home: newFolder(), service };
    const shared = { ...team.machine(service), home: file.home };
    expect(await chargeOf(ugwoOf(1), file)).toMatchObject({ code: 0 });
    expect(await chargeOf(ugwoOf(2), file)).toMatchObject({ code: 6 });
    for (const [number, what, more] of [
      [1, 'was made', '; --again charges it all the same'],
      [2, 'may have been made', ''],
    ] as const) {
      const ended = await chargeOf(ugwoOf(number), shared);
      expect(errorOf(ended)).toMatchObject({
        exit_code: 9,
        message: expect.stringContaining(
          `${what} with the ledger of this machine (${file.home}/ledger.sqlite), which is not in use now`,
        ),
        hint: `push it: \`paycli ledger push\`, then run the same command again${more}`,
      });
    }
    const warned = recordOf(await inProcess(['ledger', 'status', '--profile', 'shop', '--json'], shared))['warnings'];
    expect(warned).toEqual([
      expect.stringMatching(
        /holds 2 charges, open or unknown, that this one does not know: `paycli ledger push --profile shop` takes/,
      ),
    ]);
    expect(await chargeOf(ugwoOf(3), shared)).toMatchObject({ code: 0 });
    const rows = await chargeFrom(ussdFile(1, 2), shared, '--no-preflight');
    expect([rows.code, summaryOf(rows)]).toMatchObject([9, { refused: 2, accepted: 0 }]);
    expect(errorOf(rows)).toMatchObject({
      message: expect.stringContaining('which is not in use now'),
      hint: expect.stringMatching(/^to see what to do about a refused row/),
    });
    expect((await inProcess(['ledger', 'push'], shared)).code).toBe(0);
    expect(recordOf(await inProcess(['ledger', 'status', '--json'], shared))['warnings']).toEqual([]);
    for (const number of [1, 2]) {
      const { exit_code: code, message } = errorOf(await chargeOf(ugwoOf(number), shared));
      expect([code, message]).toEqual([9, expect.not.stringContaining('not in use')]);
    }
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1, 3: 1 });
  });

  it("blocks unknown charges of the local ledger, even with --again and after others' charges, until they are resolved", async () => {
    const team = await newTeam();
    let posts = 0;
    const service = await serveBy(() => (++posts === 1 ? reset : charged(1)));
    const file = { home: newFolder(), service };
    const shared = { ...team.machine(service), home: file.home };
    const id = String(errorOf(await chargeOf(ugwoOf(1), file))['ledger_id']);
    expect(await chargeOf(ugwoOf(1), team.machine(service))).toMatchObject({ code: 0 });
    for (const more of [[], ['--again']]) {
      expect(errorOf(await chargeOf(ugwoOf(1), shared, ...more))).toMatchObject({
        exit_code: 9,
        ledger_id: id,
        message: expect.stringContaining('may have been made with the ledger of this machine'),
      });
    }
    const resolved = await inProcess(
      ['ledger', 'resolve', id, '--as', 'not-created', '--reason', 'seen', '--yes'],
      file,
    );
    expect(resolved.code, resolved.stderr).toBe(0);
    expect(await chargeOf(ugwoOf(1), shared, '--again')).toMatchObject({ code: 0 });
  });

  it('blocks charges made with another ledger while a file was being sent', async () => {
    const team = await newTeam();
    const { hold, letGo } = held(charged(1));
    const service = await serveCharges({ 1: hold });
    const file = { home: newFolder(), service };
    const rows = chargeFrom(ussdFile(1, 2), file, '--no-preflight', '--concurrency', '1');
    await service.came(1);
    expect(await chargeOf(ugwoOf(2), { ...team.machine(service), home: file.home })).toMatchObject({ code: 0 });
    letGo();
    expect(summaryOf(await rows)).toMatchObject({ accepted: 1, refused: 1 });
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1 });
  });

  it('blocks charges made with another ledger, except with --again', async () => {
    const [team, other] = [await newTeam(), await newTeam()];
    const service = await serveCharges();
    const shared = team.machine(service);
    const { home } = shared;
    expect(await chargeOf(ugwoOf(1), shared)).toMatchObject({ code: 0 });
    const to = { file: { home, service }, shared: { ...other.machine(service), home } };
    for (const next of [to.file, to.shared]) {
      expect(errorOf(await chargeOf(ugwoOf(1), next))).toMatchObject({
        exit_code: 9,
        message: expect.stringContaining('may have been made with a shared ledger'),
        hint: 'use that ledger for it; --again charges it all the same',
      });
    }
    const warned = recordOf(await inProcess(['ledger', 'status', '--json'], to.file))['warnings'];
    expect(warned).toEqual([expect.stringContaining('a shared ledger was charged with from here')]);
    expect(await chargeOf(ugwoOf(1), to.file, '--again')).toMatchObject({ code: 0 });
    expect(errorOf(await chargeOf(ugwoOf(1), to.file))['message']).not.toContain('not in use');
    expect(postsOf(service)).toEqual({ 1: 2 });
  });

  it('imports the local ledgers of machines once', async () => {
    const team = await newTeam();
    const service = await serveCharges({ 3: reset });
    const homes = [newFolder(), newFolder()] as const;
    expect(summaryOf(await chargeFrom(ussdFile(1, 2, 3), { home: homes[0], service }, '--no-preflight'))).toMatchObject(
      {
        accepted: 2,
        unknown: 1,
      },
    );
    for (const [number, code] of [
      [4, 0],
      [3, 6],
      [5, 0],
    ] as const)
      expect(await chargeOf(ugwoOf(number), { home: homes[1], service })).toMatchObject({ code });
    const env = { PAYCLI_LEDGER: team.url };
    const push = (home: string) => inProcess(['ledger', 'push', '--json'], { home, env });
    expect(recordOf(await push(homes[0]))).toMatchObject({ charges: 3, jobs: 1, known: 0, kept: [] });
    expect(recordOf(await push(homes[0]))).toMatchObject({ charges: 0, jobs: 0, known: 4, kept: [] });
    // The other machine has an unknown charge of the same payment request.
    const kept = await push(homes[1]);
    expect(kept.code).toBe(9);
    expect(recordOf(kept)).toMatchObject({ charges: 2, known: 0, kept: [expect.stringMatching(/^chg-/)] });
    for (const number of [2, 3, 4, 5])
      expect(await chargeOf(ugwoOf(number), team.machine(service))).toMatchObject({ code: 9 });
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1, 3: 2, 4: 1, 5: 1 });
  });

  it('is pushed until a signal comes, also while its database is busy; the next push takes the rest', async () => {
    const team = await newTeam();
    const file = { home: newFolder(), service: await serveCharges() };
    expect(await chargeOf(ugwoOf(1), file)).toMatchObject({ code: 0 });
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
    expect(await inProcess(['ledger', 'push'], shared)).toMatchObject({ code: 0 });
    expect(await listOf(team.machine())).toMatchObject([{ ugwo: ugwoOf(1), state: 'accepted' }]);
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
    expect(await inProcess(['ledger', 'init'], options)).toMatchObject({ code: 0 });
    expect(await chargeOf(ugwoOf(1), { ...options, service })).toMatchObject({ code: 0 });
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
    expect(summaryOf(await chargeFrom(file, local, '--no-preflight'))).toMatchObject({ accepted: 1, rejected: 1 });
    delete refused[1];
    const machine = team.machine(service);
    expect(summaryOf(await chargeFrom(file, machine, '--no-preflight'))).toMatchObject({ accepted: 2 });
    expect(await inProcess(['ledger', 'push'], { ...local, env: { PAYCLI_LEDGER: team.url } })).toMatchObject({
      code: 0,
    });
    const again = await chargeFrom(file, machine, '--no-preflight');
    expect(again).toMatchObject({ code: 0 });
    expect(summaryOf(again)).toMatchObject({ accepted: 2 });
  });

  it('is set per profile, or per call by an environment variable', async () => {
    const team = await newTeam();
    const other = { url: team.cluster.url(await team.cluster.createDatabase()) };
    const service = await serveCharges();
    const home = newFolder();
    const run = (args: readonly string[], env = {}) => inProcess([...args, '--json'], { home, env });
    expect(errorOf(await run(['ledger', 'use', team.url]))['exit_code']).toBe(4);
    const login = await inProcess(
      ['login', '--base-url', service.origin, '--key-stdin', '--profile', 'shop', '--no-verify'],
      {
        home,
        stdin: `${CANARY}\n`,
      },
    );
    expect(login.code, login.stderr).toBe(0);
    expect(recordOf(await run(['ledger', 'use', team.url]))).toEqual({ name: 'shop', ledger: team.url });
    expect(await chargeOf(ugwoOf(1), { home })).toMatchObject({ code: 0 });
    expect(await listOf(team.machine())).toMatchObject([{ ugwo: ugwoOf(1) }]);
    expect(recordOf(await run(['ledger', 'status']))).toMatchObject({
      at: shownUrl(team.url),
      from: 'the profile shop',
    });
    const env = { PAYCLI_LEDGER: other.url };
    expect(recordOf(await run(['ledger', 'status'], env))).toMatchObject({
      at: shownUrl(other.url),
      from: 'PAYCLI_LEDGER',
    });
    // --local uses the local ledger.
    expect(recordOf(await run(['ledger', 'status', '--local']))).toMatchObject({ kind: 'file', from: null });
    expect(recordOf(await run(['ledger', 'use', '--file']))).toEqual({ name: 'shop', ledger: null });
    expect(recordOf(await run(['ledger', 'status']))).toMatchObject({ kind: 'file' });
    const [needed, needless] = ['give the address of a ledger, or --file', /^--password-command is for a shared/];
    for (const [args, message] of [
      [[], needed],
      [[team.url, '--file'], needed],
      [['--file', '--password-command', 'op read op://payments'], expect.stringMatching(needless)],
    ]) {
      expect(errorOf(await run(['ledger', 'use', ...args]))).toMatchObject({ exit_code: 2, message });
    }
    expect(errorOf(await run(['ledger', 'status'], { PAYCLI_LEDGER: '' }))).toMatchObject({ exit_code: 2 });
  });

  it("sends nothing if the database can't be reached", async () => {
    const service = await serveCharges();
    const env = { PAYCLI_LEDGER: 'postgres://ada@127.0.0.1:9/pay' };
    const ended = await chargeOf(ugwoOf(1), { service, env });
    expect(errorOf(ended)).toMatchObject({
      exit_code: 10,
      hint: 'check that the database runs and can be reached, then run the same command again',
    });
    expect(service.seen).toEqual([]);
  });

  it('is named by its profile in each hint', async () => {
    const cluster = await sharedCluster();
    const home = newFolder();
    const run = (...args: readonly string[]) => inProcess([...args, '--profile', 'team'], { home });
    const key = ['login', '--base-url', 'https://pay.example', '--key-stdin', '--no-verify'];
    for (const profile of ['shop', 'team'])
      expect(await inProcess([...key, '--profile', profile], { home, stdin: CANARY })).toMatchObject({ code: 0 });
    expect((await run('ledger', 'push')).stderr).toContain('or run `paycli ledger use URL --profile team`');
    const used = await run('ledger', 'use', cluster.url(await cluster.createDatabase()));
    expect(used.stderr).toBe('See whether it can be used: `paycli ledger status --profile team`\n');
    const init = 'run `paycli ledger init --profile team` once, as the owner of the database';
    expect((await run('ledger', 'list', '--all-profiles')).stderr).toContain(init);
    const { data } = JSON.parse((await run('doctor', '--json')).stdout);
    expect(data).toContainEqual(expect.objectContaining({ check: 'ledger', advice: init }));
  });

  it('stores no secret key, and only the last digits of a phone number', async () => {
    const team = await newTeam();
    const service = await serveCharges();
    const args = ['--medium', 'mobile_money', '--provider', 'mtn', '--phone', '+233201234567', '--no-preflight'];
    const options = team.machine(service);
    expect(await inProcess(['ugwo', 'charge', ugwoOf(1), ...args], options)).toMatchObject({ code: 0 });
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

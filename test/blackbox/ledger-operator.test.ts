import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { startCluster } from '../support/postgres/cluster.ts';
import type { Cluster } from '../support/postgres/kinds.ts';
import { ownCluster } from '../support/postgres.ts';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import { ACTIVITY, json, reset, serveAllBy, ugwo } from '../support/service.ts';
import {
  activityOf,
  charged,
  chargeFrom,
  csvOf,
  fileOf,
  numberIn,
  summaryOf,
  ugwoOf,
  ussdFile,
} from './bulk-support.ts';
import type { Team } from './team-support.ts';
import { chargeOf, listOf, newTeam, SCHEMA } from './team-support.ts';

let own: Promise<Cluster> | undefined;
afterAll(async () => (await own)?.remove());

/** A team in this file's own cluster, because roles belong to a whole cluster. */
const newTeamOf = async (...operators: readonly string[]): Promise<Team> => {
  own ??= startCluster();
  const cluster = await own;
  for (const role of operators) {
    const made = await cluster.sql('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
    if (made.length === 0) await cluster.sql(`CREATE ROLE "${role.replaceAll('"', '""')}" LOGIN`);
  }
  return newTeam(cluster, ...operators);
};

const nowAtom = (): string => `${new Date().toISOString().slice(0, 19)}+00:00`;

/** Accepts every charge, but loses the answer for number 7 and lists that charge later. */
const serveAll = () =>
  serveAllBy((seen) => {
    const number = numberIn(seen);
    if (seen.url.startsWith('/v1/onye/'))
      return json(200, { uid: ONYE, email: 'a@b.example', first_name: 'Ada', meta: {} });
    if (seen.url.startsWith('/v1/ugwo?')) return json(200, { data: [], next_cursor: null });
    if (seen.method === 'POST') return number === 7 ? reset : charged(number);
    const made = { ...ACTIVITY, uid: activityOf(number), created_at: nowAtom(), updated_at: nowAtom() };
    const activities = [{ ...made, status: number === 7 ? 'requires_action' : 'successful' }];
    return json(200, { ...ugwo(1), uid: ugwoOf(number), activities });
  });

const ONYE = `ony.AbCd.${'1'.padStart(24, '0')}`;
const ROLE = 'Ada "the op"';

// Windows lacks the needed users and signals.
describe.skipIf(process.platform === 'win32')("an operator's role", () => {
  it('can run every command of an operator', { timeout: 60_000 }, async () => {
    const team = await newTeamOf(ROLE);
    const ada = team.machine(await serveAll(), ROLE);
    expect(await chargeOf(ugwoOf(1), ada)).toMatchObject({ code: 0 });
    expect(await chargeOf(ugwoOf(1), team.machine(ada.service as never, ROLE))).toMatchObject({ code: 9 });
    // Read, sync and resolve.
    expect(await paycli(['ugwo', 'get', ugwoOf(1), '--json'], ada)).toMatchObject({ code: 0 });
    expect(await listOf(ada)).toMatchObject([{ ugwo: ugwoOf(1), state: 'accepted', status: 'successful' }]);
    expect(await chargeOf(ugwoOf(7), ada)).toMatchObject({ code: 6 });
    expect(await inProcess(['ledger', 'sync', '--json'], ada)).toMatchObject({ code: 0, stderr: '' });
    expect(await listOf(ada)).toMatchObject([{ ugwo: ugwoOf(7), state: 'accepted', activity: activityOf(7) }, {}]);
    // Files of charges and updates.
    const file = ussdFile(11, 12, 13);
    expect(summaryOf(await chargeFrom(file, ada, '--no-preflight'))).toMatchObject({ accepted: 3 });
    expect(summaryOf(await chargeFrom(file, ada, '--no-preflight'))).toMatchObject({ accepted: 3 });
    const customers = fileOf(csvOf('uid,email', `${ONYE},a@b.example`), 'customers.csv');
    for (const _again of [1, 2]) {
      const updated = await inProcess(['onye', 'update', '--from', customers, '--json'], ada);
      expect(updated).toMatchObject({ code: 0 });
    }
    const jobs = await inProcess(['ledger', 'jobs', '--json'], ada);
    const { data } = JSON.parse(jobs.stdout) as { data: { id: string; kind: string }[] };
    expect(data).toHaveLength(2);
    for (const { id } of data) {
      expect(await inProcess(['ledger', 'show', id, '--json'], ada)).toMatchObject({ code: 0 });
    }
    // Import of a local ledger.
    const home = newFolder();
    expect(await chargeOf(ugwoOf(21), { home, service: ada.service as never })).toMatchObject({ code: 0 });
    const push = await inProcess(['ledger', 'push', '--json'], { ...ada, home });
    expect(JSON.parse(push.stdout)).toMatchObject({ charges: 1, kept: [] });
    const status = await inProcess(['ledger', 'status', '--json'], ada);
    expect(JSON.parse(status.stdout)).toMatchObject({ user: ROLE, owner: false, schema: SCHEMA, warnings: [] });
  });

  it("can't gain the owner's rights through functions or operators in schema public", async () => {
    const team = await newTeamOf('ada');
    const { cluster, database } = team;
    await cluster.sql('GRANT CREATE ON SCHEMA public TO ada', [], database);
    const client = new pg.Client(cluster.url(database, { user: 'ada' }));
    await client.connect();
    await client.query(`CREATE FUNCTION public.times(numeric, integer) RETURNS numeric LANGUAGE plpgsql AS $$
      BEGIN EXECUTE 'ALTER ROLE ada SUPERUSER'; RETURN $1 * $2::numeric; END $$;
      CREATE OPERATOR public.* (LEFTARG = numeric, RIGHTARG = integer, FUNCTION = public.times)`);
    await client.end();
    const owner = team.machine(await serveAll());
    expect(await chargeOf(ugwoOf(1), owner)).toMatchObject({ code: 0 });
    for (const verb of ['status', 'list', 'verify', 'migrate', 'init', 'jobs', 'report'])
      expect(await inProcess(['ledger', verb, '--json'], owner), verb).toMatchObject({ code: 0 });
    expect(await cluster.sql("SELECT rolsuper FROM pg_roles WHERE rolname = 'ada'")).toEqual([{ rolsuper: false }]);
    // Proves that the planted operator is active for others.
    await cluster.sql('SELECT 1::numeric * 1', [], database);
    expect(await cluster.sql("SELECT rolsuper FROM pg_roles WHERE rolname = 'ada'")).toEqual([{ rolsuper: true }]);
    await cluster.sql('ALTER ROLE ada NOSUPERUSER');
  });

  it("can't change tables, delete rows or change sent requests", async () => {
    const team = await newTeamOf('ada', 'eve');
    const ada = team.machine(await serveAll(), 'ada');
    expect(await chargeOf(ugwoOf(1), ada)).toMatchObject({ code: 0 });
    expect(await chargeFrom(ussdFile(2), ada, '--no-preflight')).toMatchObject({ code: 0 });
    const client = new pg.Client(team.cluster.url(team.database, { user: 'ada' }));
    await client.connect();
    const kept = "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'paycli'";
    const tables = (await team.cluster.sql<{ name: string }>(kept, [], team.database)).map(({ name }) => name);
    const begun = [
      'id',
      'service',
      'origin',
      'ugwo',
      'medium',
      'phone',
      'digest',
      'job',
      '"row"',
      'deadline',
      'created_at',
      'pid',
      'boot',
      'kind',
      'body',
      'put_back',
    ];
    const forbidden = [
      ...tables.flatMap((table) => [
        `DELETE FROM paycli.${table}`,
        `TRUNCATE paycli.${table}`,
        `DROP TABLE paycli.${table}`,
      ]),
      ...tables.map((table) => `ALTER TABLE paycli.${table} ADD COLUMN more text`),
      ...begun.map((column) => `UPDATE paycli.charge SET ${column} = ${column}`),
      'UPDATE paycli.job SET command = command',
      'UPDATE paycli.onye_update SET job = job',
      "UPDATE paycli.setting SET value = '0'",
      "INSERT INTO paycli.setting VALUES ('more', '1')",
      'UPDATE paycli.policy SET policy = policy',
      "INSERT INTO paycli.policy VALUES ('shop', NULL, 'ada', 0)",
      'UPDATE paycli.approval SET job = job',
      'CREATE TABLE paycli.more (n int)',
      'DROP INDEX paycli.charge_open',
      'DROP SCHEMA paycli CASCADE',
      'GRANT DELETE ON paycli.charge TO eve',
    ];
    for (const statement of forbidden) {
      // Granting a missing right only warns.
      if (statement.startsWith('GRANT')) await client.query(statement).catch(() => undefined);
      else await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' });
    }
    await client.end();
    const [{ may } = {}] = await team.cluster.sql<{ may: boolean }>(
      "SELECT has_table_privilege('eve', 'paycli.charge', 'DELETE') AS may",
      [],
      team.database,
    );
    expect(may).toBe(false);
  });

  it('works as set up in docs/team.md, with an owner that has no other rights', async () => {
    const cluster = await ownCluster();
    const text = readFileSync('docs/team.md', 'utf8');
    const statements = text.split('\n').filter((line) => line.startsWith('    CREATE '));
    expect(statements).toHaveLength(3);
    for (const statement of statements) await cluster.sql(statement);
    const as = (user: string) => ({ env: { PAYCLI_LEDGER: cluster.url('payments', { user }) } });
    const init = await inProcess(['ledger', 'init', '--operator', 'ada', '--json'], as('payments_owner'));
    expect(JSON.parse(init.stdout)).toMatchObject({ made: true, operators: ['ada'] });
    expect(await chargeOf(ugwoOf(1), { ...as('ada'), service: await serveAll() })).toMatchObject({ code: 0 });
    await cluster.sql('REVOKE ALL ON ALL TABLES IN SCHEMA paycli FROM ada', [], 'payments');
    const revoked = await inProcess(['ledger', 'list', '--json'], as('ada'));
    expect(errorOf(revoked)).toMatchObject({ exit_code: 10, code: '42501' });
  });

  it("can't create a ledger; the error says whom to ask", async () => {
    const team = await newTeamOf('ada');
    const other = await team.cluster.createDatabase();
    const env = { PAYCLI_LEDGER: team.cluster.url(other, { user: 'ada' }) };
    const init = await inProcess(['ledger', 'init', '--json'], { env });
    expect(errorOf(init)).toMatchObject({ exit_code: 10, hint: 'run it as the owner of the database' });
  });

  it('without rights gets an error that suggests ledger init --operator', async () => {
    const team = await newTeamOf('ada');
    await team.cluster.sql('CREATE ROLE bob LOGIN');
    const bob = team.machine(await serveAll(), 'bob');
    const ended = await chargeOf(ugwoOf(1), bob);
    expect(errorOf(ended)).toMatchObject({ exit_code: 10, code: '42501', hint: expect.stringContaining('--operator') });
    const again = await inProcess(['ledger', 'init', '--operator', 'bob', '--json'], team.machine());
    expect(JSON.parse(again.stdout)).toMatchObject({ made: false, operators: ['bob'] });
    expect(await chargeOf(ugwoOf(1), bob)).toMatchObject({ code: 0 });
    const stranger = await inProcess(['ledger', 'init', '--operator', 'nobody', '--json'], team.machine());
    expect(errorOf(stranger)).toMatchObject({ exit_code: 10, hint: 'create the role first: CREATE ROLE … LOGIN' });
  });
});

import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { startCluster } from '../support/postgres/cluster.ts';
import type { Cluster } from '../support/postgres/kinds.ts';
import { ownCluster } from '../support/postgres.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, json, reset, serveAllBy, ugwo } from '../support/service.ts';
import { activityOf, charged, charging, csvOf, fileOf, numberIn, ugwoOf, ussdFile } from './bulk-support.ts';
import type { Team } from './team-support.ts';
import { byUssd, newTeam, SCHEMA } from './team-support.ts';

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
  it('can run every command of an operator', async () => {
    const team = await newTeamOf(ROLE);
    const service = await serveAll();
    const ada = team.machine(service, ROLE);
    await scene({ ...ada, argv: byUssd(ugwoOf(1)) });
    await scene({ ...team.machine(service, ROLE), argv: byUssd(ugwoOf(1)), exit: 9, requests: [] });
    // Read, sync and resolve.
    const paid = { ugwo: ugwoOf(1), state: 'accepted', status: 'successful' };
    await scene({ ...ada, built: true, argv: ['ugwo', 'get', ugwoOf(1), '--json'], entries: [paid] });
    await scene({ ...ada, argv: byUssd(ugwoOf(7)), exit: 6 });
    const found = { ugwo: ugwoOf(7), state: 'accepted', activity: activityOf(7) };
    await scene({ ...ada, argv: ['ledger', 'sync', '--json'], entries: [found, paid] });
    // Files of charges and updates.
    const file = charging(ussdFile(11, 12, 13), '--no-preflight');
    for (const posts of [3, 0])
      await scene({ ...ada, argv: file, json: { accepted: 3 }, requests: Array.from({ length: posts }, () => 'POST') });
    const customers = fileOf(csvOf('uid,email', `${ONYE},a@b.example`), 'customers.csv');
    const update = ['onye', 'update', '--from', customers, '--json'];
    await scene({ ...ada, before: [update], argv: update });
    const jobs = await scene({ ...ada, argv: ['ledger', 'jobs', '--json'], json: { data: [{}, {}] } });
    const { data } = JSON.parse(jobs.stdout) as { data: { id: string }[] };
    for (const { id } of data) await scene({ ...ada, argv: ['ledger', 'show', id, '--json'] });
    // Import of a local ledger.
    const { home } = await scene({ service, argv: byUssd(ugwoOf(21)) });
    await scene({ ...ada, home, argv: ['ledger', 'push', '--json'], json: { charges: 1, kept: [] } });
    const status = { user: ROLE, owner: false, schema: SCHEMA, warnings: [] };
    await scene({ ...ada, argv: ['ledger', 'status', '--json'], json: status });
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
    await scene({ ...owner, argv: byUssd(ugwoOf(1)) });
    for (const verb of ['status', 'list', 'verify', 'migrate', 'init', 'jobs', 'report'])
      await scene({ ...owner, argv: ['ledger', verb, '--json'], stderr: /^/ });
    expect(await cluster.sql("SELECT rolsuper FROM pg_roles WHERE rolname = 'ada'")).toEqual([{ rolsuper: false }]);
    // Proves that the planted operator is active for others.
    await cluster.sql('SELECT 1::numeric * 1', [], database);
    expect(await cluster.sql("SELECT rolsuper FROM pg_roles WHERE rolname = 'ada'")).toEqual([{ rolsuper: true }]);
    await cluster.sql('ALTER ROLE ada NOSUPERUSER');
  });

  it("can't change tables, delete rows or change sent requests", async () => {
    const team = await newTeamOf('ada', 'eve');
    const ada = team.machine(await serveAll(), 'ada');
    await scene({ ...ada, before: [byUssd(ugwoOf(1))], argv: charging(ussdFile(2), '--no-preflight') });
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
    const init = ['ledger', 'init', '--operator', 'ada', '--json'];
    await scene({ ...as('payments_owner'), argv: init, json: { made: true, operators: ['ada'] } });
    await scene({ ...as('ada'), service: serveAll(), argv: byUssd(ugwoOf(1)) });
    await cluster.sql('REVOKE ALL ON ALL TABLES IN SCHEMA paycli FROM ada', [], 'payments');
    await scene({ ...as('ada'), argv: ['ledger', 'list', '--json'], exit: 10, error: { code: '42501' } });
  });

  it("can't create a ledger; the error says whom to ask", async () => {
    const team = await newTeamOf('ada');
    const other = await team.cluster.createDatabase();
    const env = { PAYCLI_LEDGER: team.cluster.url(other, { user: 'ada' }) };
    const error = { hint: 'run it as the owner of the database' };
    await scene({ env, argv: ['ledger', 'init', '--json'], exit: 10, error });
  });

  it('without rights gets an error that suggests ledger init --operator', async () => {
    const team = await newTeamOf('ada');
    await team.cluster.sql('CREATE ROLE bob LOGIN');
    const bob = team.machine(await serveAll(), 'bob');
    const error = { code: '42501', hint: /--operator/ };
    await scene({ ...bob, argv: byUssd(ugwoOf(1)), exit: 10, error, requests: [] });
    const init = (role: string) => ['ledger', 'init', '--operator', role, '--json'];
    await scene({ ...team.machine(), argv: init('bob'), json: { made: false, operators: ['bob'] } });
    await scene({ ...bob, argv: byUssd(ugwoOf(1)) });
    const hint = 'create the role first: CREATE ROLE … LOGIN';
    await scene({ ...team.machine(), argv: init('nobody'), exit: 10, error: { hint } });
  });
});

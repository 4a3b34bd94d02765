import { describe, expect, it } from 'vitest';
import { ownCluster, ownStandby, shownUrl } from '../support/postgres.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, json, serveAllBy, ugwo } from '../support/service.ts';
import { activityOf, charged, numberIn, postsOf, serveCharges, ugwoOf } from './bulk-support.ts';
import type { Team } from './team-support.ts';
import { byUssd, listOf, newTeam } from './team-support.ts';

/** Replaces the team's database. */
const replace = async ({ cluster, database }: Team, by: string): Promise<void> => {
  await cluster.sql(`DROP DATABASE ${database} WITH (FORCE)`);
  await cluster.sql(`ALTER DATABASE ${by} RENAME TO ${database}`);
};

const nowAtom = (): string => `${new Date().toISOString().slice(0, 19)}+00:00`;

const LOST = "the ledger's database had lost 2 charges, which may have been made";

/** Accepts every charge and lists it later. */
const serveKnown = () =>
  serveAllBy((seen) => {
    const number = numberIn(seen);
    if (seen.method === 'POST') return charged(number);
    const activity = { ...ACTIVITY, uid: activityOf(number), created_at: nowAtom(), updated_at: nowAtom() };
    return json(200, { ...ugwo(1), uid: ugwoOf(number), activities: [activity] });
  });

// The tests have no PostgreSQL on Windows.
describe.skipIf(process.platform === 'win32')("a team's database", () => {
  it('restored from an older copy blocks charging until the missing charges are known', async () => {
    const team = await newTeam();
    const service = await serveKnown();
    const [one, other] = [team.machine(service), team.machine(service)];
    await scene({ ...one, argv: byUssd(ugwoOf(1)) });
    const copy = await team.cluster.createDatabase(team.database);
    await scene({ ...one, before: [byUssd(ugwoOf(2))], argv: byUssd(ugwoOf(3)) });
    await replace(team, copy);
    // Only the charging machine has its charges.
    const error = { message: LOST, hint: `find out first: \`paycli ledger sync --base-url ${service.origin}\`` };
    await scene({ ...one, argv: byUssd(ugwoOf(2)), exit: 10, error });
    const elsewhere = team.machine(await serveCharges());
    await scene({ ...elsewhere, argv: byUssd(ugwoOf(5)), exit: 10, error, requests: [] });
    const entries = [{ state: 'unknown' }, { state: 'unknown' }, { state: 'accepted' }];
    for (const number of [2, 4]) await scene({ ...other, argv: byUssd(ugwoOf(number)), exit: 10, entries });
    await scene({ ...other, built: true, argv: ['ledger', 'sync', '--json'] });
    for (const number of [1, 2]) await scene({ ...other, argv: byUssd(ugwoOf(number)), exit: 9 });
    await scene({ ...other, argv: byUssd(ugwoOf(4)) });
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1, 3: 1, 4: 1 });
    expect(await listOf(one)).toMatchObject([1, 2, 3, 4].map(() => ({ state: 'accepted' })));
  });

  it('restored from an older copy at another address is recognised by its contents', async () => {
    const team = await newTeam();
    const service = await serveKnown();
    const machine = team.machine(service);
    await scene({ ...machine, argv: byUssd(ugwoOf(1)) });
    const copy = await team.cluster.createDatabase(team.database);
    for (const number of [2, 3]) await scene({ ...machine, argv: byUssd(ugwoOf(number)) });
    const moved = { ...machine, env: { PAYCLI_LEDGER: team.cluster.url(copy) } };
    await scene({ ...moved, argv: byUssd(ugwoOf(2)), exit: 10, error: { message: LOST } });
    await scene({ ...moved, argv: ['ledger', 'sync', '--json'] });
    for (const number of [1, 2, 3]) await scene({ ...moved, argv: byUssd(ugwoOf(number)), exit: 9 });
    await scene({ ...moved, argv: byUssd(ugwoOf(4)) });
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1, 3: 1, 4: 1 });
  });

  it('with a different ledger is refused with instructions', async () => {
    const [team, fresh] = [await newTeam(), await newTeam()];
    const machine = team.machine(await serveCharges());
    await scene({ ...machine, argv: byUssd(ugwoOf(1)) });
    await replace(team, fresh.database);
    const message = `${shownUrl(team.url)} has another ledger than the one this machine used there before`;
    const hint = /^charges that it doesn't know could be made again\. .* remove \/\S+\.sqlite$/;
    for (const argv of [
      byUssd(ugwoOf(1)),
      ['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--provider', 'gtb', '--dry-run', '--json'],
      ['ledger', 'list', '--json'],
    ])
      await scene({ ...machine, argv, exit: 10, error: { message, hint }, requests: [] });
  });

  it('on a standby is refused until promoted', async () => {
    const primary = await ownCluster();
    const team = await newTeam(primary);
    const standby = await ownStandby(primary, { synchronous: false });
    const service = await serveCharges();
    const url = standby.url(team.database);
    const options = { ...team.machine(service), env: { PAYCLI_LEDGER: url } };
    const message = `the ledger ${shownUrl(url)} cannot be used: it is a standby, which takes no writes`;
    await scene({ ...options, argv: byUssd(ugwoOf(1)), exit: 10, error: { message }, requests: [] });
    const status = { argv: ['ledger', 'status', '--json'], stderr: /^/ };
    const warnings = ['this is a standby, which takes no writes'];
    await scene({ ...options, ...status, json: { warnings } });
    const lag = 'no standby is synchronous: when one takes over, the last charges may be lost';
    await scene({ ...team.machine(), ...status, json: { standbys: ['async'], warnings: [lag] } });
    await primary.stop();
    await standby.promote();
    await scene({ ...options, argv: byUssd(ugwoOf(1)), requests: ['POST'] });
  });

  it('waits for the synchronous standby on import; without it the charges count as not imported', async () => {
    const primary = await ownCluster();
    const team = await newTeam(primary);
    const standby = await ownStandby(primary, { synchronous: true });
    await primary.sql(`ALTER DATABASE ${team.database} SET synchronous_commit = off`);
    const { home } = await scene({ service: serveCharges(), argv: byUssd(ugwoOf(1)) });
    await standby.stop();
    const push = { home, env: { PAYCLI_LEDGER: team.url }, argv: ['ledger', 'push', '--json'] };
    const pushing = scene({ ...push, exit: 10, error: { message: /synchronous/ } });
    const waiting = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    await expect.poll(() => primary.sql(waiting)).toHaveLength(1);
    await pushing;
    await standby.start();
    // The row exists; only the wait was cancelled.
    await scene({ ...push, json: { charges: 0, known: 1 }, stderr: /^/ });
  });

  it('on a server that could lose commits causes a warning', async () => {
    const cluster = await ownCluster({
      settings: { fsync: false, full_page_writes: false, synchronous_commit: false },
    });
    const team = await newTeam(cluster);
    await scene({
      ...team.machine(),
      argv: ['ledger', 'status', '--json'],
      json: {
        settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' },
        warnings: [
          'fsync is off: a crash of the server loses committed charges',
          'full_page_writes is off: a crash of the server may damage the database',
        ],
      },
    });
  });
});

import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { ownCluster, ownStandby, shownUrl } from '../support/postgres.ts';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import { ACTIVITY, json, serveAllBy, ugwo } from '../support/service.ts';
import { activityOf, charged, numberIn, postsOf, serveCharges, ugwoOf } from './bulk-support.ts';
import type { Team } from './team-support.ts';
import { chargeOf, listOf, newTeam } from './team-support.ts';

/** Replaces the team's database. */
const replace = async ({ cluster, database }: Team, by: string): Promise<void> => {
  await cluster.sql(`DROP DATABASE ${database} WITH (FORCE)`);
  await cluster.sql(`ALTER DATABASE ${by} RENAME TO ${database}`);
};

const nowAtom = (): string => `${new Date().toISOString().slice(0, 19)}+00:00`;

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
    expect(await chargeOf(ugwoOf(1), one)).toMatchObject({ code: 0 });
    const copy = await team.cluster.createDatabase(team.database);
    expect(await chargeOf(ugwoOf(2), one)).toMatchObject({ code: 0 });
    expect(await chargeOf(ugwoOf(3), one)).toMatchObject({ code: 0 });
    await replace(team, copy);
    // Only the charging machine has its charges.
    const again = await chargeOf(ugwoOf(2), one);
    expect(errorOf(again)).toMatchObject({
      exit_code: 10,
      message: "the ledger's database had lost 2 charges; the charges may exist",
      hint: 'find out about them first: `paycli ledger sync`',
    });
    for (const number of [2, 4]) expect(await chargeOf(ugwoOf(number), other)).toMatchObject({ code: 10 });
    expect(await listOf(other)).toMatchObject([{ state: 'unknown' }, { state: 'unknown' }, { state: 'accepted' }]);
    expect(await paycli(['ledger', 'sync', '--json'], other)).toMatchObject({ code: 0, stderr: '' });
    for (const number of [1, 2]) expect(await chargeOf(ugwoOf(number), other)).toMatchObject({ code: 9 });
    expect(await chargeOf(ugwoOf(4), other)).toMatchObject({ code: 0 });
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1, 3: 1, 4: 1 });
    expect(await listOf(one)).toMatchObject([1, 2, 3, 4].map(() => ({ state: 'accepted' })));
  });

  it('restored from an older copy at another address is recognised by its contents', async () => {
    const team = await newTeam();
    const service = await serveKnown();
    const machine = team.machine(service);
    expect(await chargeOf(ugwoOf(1), machine)).toMatchObject({ code: 0 });
    const copy = await team.cluster.createDatabase(team.database);
    for (const number of [2, 3]) expect(await chargeOf(ugwoOf(number), machine)).toMatchObject({ code: 0 });
    const moved = { ...machine, env: { PAYCLI_LEDGER: team.cluster.url(copy) } };
    expect(errorOf(await chargeOf(ugwoOf(2), moved))).toMatchObject({
      exit_code: 10,
      message: "the ledger's database had lost 2 charges; the charges may exist",
    });
    expect(await inProcess(['ledger', 'sync', '--json'], moved)).toMatchObject({ code: 0, stderr: '' });
    for (const number of [1, 2, 3]) expect(await chargeOf(ugwoOf(number), moved)).toMatchObject({ code: 9 });
    expect(await chargeOf(ugwoOf(4), moved)).toMatchObject({ code: 0 });
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1, 3: 1, 4: 1 });
  });

  it('with a different ledger is refused with instructions', async () => {
    const [team, fresh] = [await newTeam(), await newTeam()];
    const service = await serveCharges();
    const machine = team.machine(service);
    expect(await chargeOf(ugwoOf(1), machine)).toMatchObject({ code: 0 });
    await replace(team, fresh.database);
    for (const ended of [
      await chargeOf(ugwoOf(1), machine),
      await inProcess(
        ['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--provider', 'gtb', '--dry-run', '--json'],
        machine,
      ),
      await inProcess(['ledger', 'list', '--json'], machine),
    ]) {
      expect(errorOf(ended)).toMatchObject({
        exit_code: 10,
        message: `${shownUrl(team.url)} has another ledger than the one this machine used there before`,
        hint: expect.stringMatching(/^charges that it doesn't know could be made again\. .* remove \/\S+\.sqlite$/),
      });
    }
    expect(postsOf(service)).toEqual({ 1: 1 });
  });

  it('on a standby is refused until promoted', { timeout: 60_000 }, async () => {
    const primary = await ownCluster();
    const team = await newTeam(primary);
    const standby = await ownStandby(primary, { synchronous: false });
    const service = await serveCharges();
    const url = standby.url(team.database);
    const options = { ...team.machine(service), env: { PAYCLI_LEDGER: url } };
    const ended = await chargeOf(ugwoOf(1), options);
    expect(errorOf(ended)).toMatchObject({
      exit_code: 10,
      message: `the ledger ${shownUrl(url)} cannot be used: it is a standby, which takes no writes`,
    });
    const status = await inProcess(['ledger', 'status', '--json'], options);
    expect(JSON.parse(status.stdout)).toMatchObject({ warnings: ['this is a standby, which takes no writes'] });
    const lagging = await inProcess(['ledger', 'status', '--json'], team.machine());
    expect(JSON.parse(lagging.stdout)).toMatchObject({
      standbys: ['async'],
      warnings: ['no standby is synchronous: when one takes over, the last charges may be lost'],
    });
    await primary.stop();
    await standby.promote();
    expect(await chargeOf(ugwoOf(1), options)).toMatchObject({ code: 0 });
    expect(postsOf(service)).toEqual({ 1: 1 });
  });

  it('waits for the synchronous standby on import; without it the charges count as not imported', {
    timeout: 60_000,
  }, async () => {
    const primary = await ownCluster();
    const team = await newTeam(primary);
    const standby = await ownStandby(primary, { synchronous: true });
    await primary.sql(`ALTER DATABASE ${team.database} SET synchronous_commit = off`);
    const home = newFolder();
    expect(await chargeOf(ugwoOf(1), { home, service: await serveCharges() })).toMatchObject({ code: 0 });
    await standby.stop();
    const push = () => inProcess(['ledger', 'push', '--json'], { home, env: { PAYCLI_LEDGER: team.url } });
    const pushing = push();
    const waiting = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    await expect.poll(() => primary.sql(waiting), { timeout: 20_000 }).toHaveLength(1);
    expect(errorOf(await pushing)).toMatchObject({ exit_code: 10, message: expect.stringContaining('synchronous') });
    await standby.start();
    // The row exists; only the wait was cancelled.
    expect(JSON.parse((await push()).stdout)).toMatchObject({ charges: 0, known: 1 });
  });

  it('on a server that could lose commits causes a warning', async () => {
    const cluster = await ownCluster({
      settings: { fsync: false, full_page_writes: false, synchronous_commit: false },
    });
    const team = await newTeam(cluster);
    const status = await inProcess(['ledger', 'status', '--json'], team.machine());
    expect(JSON.parse(status.stdout)).toMatchObject({
      settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' },
      warnings: [
        'fsync is off: a crash of the server loses committed charges',
        'full_page_writes is off: a crash of the server may damage the database',
      ],
    });
  });
});

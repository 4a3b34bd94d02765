import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgresRelay } from '../faults/postgres-relay.ts';
import { full } from '../faults/torture.ts';
import { hasBouncer } from '../support/postgres/bouncer.ts';
import { hasReplayed } from '../support/postgres/standby.ts';
import { ownBouncer, ownCluster, ownStandby, sharedCluster } from '../support/postgres.ts';
import { errorOf, paycli } from '../support/program.ts';
import { reset, serveAllBy } from '../support/service.ts';
import { charged, postsOf, serveCharges, ugwoOf, ussdFile } from './bulk-support.ts';
import { chargeOf, listOf, newTeam, SCHEMA } from './team-support.ts';

const ROWS = 60;

// Skipped by `npm test` if PgBouncer is missing; `npm run torture` fails without it.
describe.runIf(full || hasBouncer())('a shared ledger behind a PgBouncer in transaction mode', () => {
  it('distinguishes processes that share a server connection', async () => {
    const cluster = await sharedCluster();
    const bouncer = await ownBouncer(cluster, { settings: { default_pool_size: 2 } });
    const team = await newTeam();
    const env = { PAYCLI_LEDGER: cluster.url(team.database, { port: bouncer.port }) };
    const service = await serveCharges({ 100: reset });
    const machine = () => ({ ...team.machine(service), env });
    const one = machine();
    expect(await chargeOf(ugwoOf(100), one)).toMatchObject({ code: 6 });
    expect(errorOf(await chargeOf(ugwoOf(100), machine()))).toMatchObject({ exit_code: 9 });
    expect(JSON.parse((await paycli(['ledger', 'status', '--json'], one)).stdout)).toMatchObject({ schema: SCHEMA });
    const file = ussdFile(...Array.from({ length: ROWS }, (_, index) => index));
    const runs = Array.from({ length: 4 }, () =>
      paycli(['ugwo', 'charge', '--from', file, '--no-preflight'], machine()),
    );
    for (const ended of await Promise.all(runs)) expect(ended.code, ended.stderr).toBe(0);
    expect(postsOf(service)).toEqual({ ...Object.fromEntries(Array.from({ length: ROWS }, (_, n) => [n, 1])), 100: 1 });
    expect((await listOf(one)).filter(({ state }) => state === 'unknown')).toHaveLength(1);
  });

  it('detects entries missing after a failover, over a connection that survived it', async () => {
    const primary = await ownCluster();
    const team = await newTeam(primary);
    const standby = await ownStandby(primary, { synchronous: false });
    const way = await openPostgresRelay(primary.port);
    onTestFinished(way.close);
    const bouncer = await ownBouncer({ ...primary, socketDir: '127.0.0.1', port: way.port });
    const env = { PAYCLI_LEDGER: primary.url(team.database, { port: bouncer.port }) };
    const service = await serveCharges();
    const machine = { ...team.machine(service), env };
    // The first row is answered after the failover.
    const takenOver = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const held = await serveAllBy(() => async (seen, response, request) => {
      reached.resolve();
      await takenOver.promise;
      charged(0)(seen, response, request);
    });
    const file = ussdFile(0, 1);
    const running = paycli(['ugwo', 'charge', '--from', file, '--no-preflight', '--concurrency', '1', '--json'], {
      ...machine,
      service: held,
    });
    await reached.promise;
    await expect.poll(() => hasReplayed(primary, standby)).toBe(true);
    await standby.stop();
    expect(await chargeOf(ugwoOf(5), machine)).toMatchObject({ code: 0 });
    await primary.stop('immediate');
    await standby.start();
    await standby.promote();
    way.lead(standby.port);
    takenOver.resolve();
    const ended = await running;
    expect(ended.code, ended.stderr).toBe(10);
    expect(ended.stderr).toContain("the ledger's database had lost 1 charge, which may have been made");
    expect(errorOf(await chargeOf(ugwoOf(5), machine))).toMatchObject({ exit_code: 10 });
    expect([postsOf(held), postsOf(service)]).toEqual([{ 0: 1 }, { 5: 1 }]);
  });
});

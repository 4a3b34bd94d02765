import { describe, expect, it } from 'vitest';
import { full } from '../faults/torture.ts';
import { hasBouncer } from '../support/postgres/bouncer.ts';
import { ownBouncer, sharedCluster } from '../support/postgres.ts';
import { errorOf, paycli } from '../support/program.ts';
import { reset } from '../support/service.ts';
import { postsOf, serveCharges, ugwoOf, ussdFile } from './bulk-support.ts';
import { chargeOf, listOf, newTeam, SCHEMA } from './team-support.ts';

const ROWS = 60;

// What this machine lacks is left out of `npm test`, and fails `npm run torture`.
describe.runIf(full || hasBouncer())('a shared ledger behind a PgBouncer that pools transactions', () => {
  it('keeps processes apart that share a connection to the server', { timeout: 60_000 }, async () => {
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
});

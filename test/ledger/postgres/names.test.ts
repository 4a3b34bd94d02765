import { beforeAll, describe, expect, it } from 'vitest';
import { databaseStatus, initLedger, migrateLedger } from '../../../src/ledger/postgres/admin.ts';
import { INTENT_LOOKS, MIGRATION_LOCK } from '../../../src/ledger/postgres/schema.ts';
import { openSession } from '../../../src/ledger/postgres/session.ts';
import { findStatement, knowsAllStatement, writtenStatement } from '../../../src/ledger/postgres/statements.ts';
import { allowanceLooks } from '../../../src/ledger/postgres/steps.ts';
import { CLOCK, SERVER } from '../../../src/ledger/postgres/transaction.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { full } from '../../faults/torture.ts';
import { hasBouncer } from '../../support/postgres/bouncer.ts';
import { ownBouncer, sharedCluster } from '../../support/postgres.ts';
import { charge, intent } from '../support/charges.ts';
import { newSharedPlace } from '../support/postgres.ts';

const TYPES = ['numeric', 'integer', 'bigint', 'double precision', 'name', 'text'];
const OPERATORS = ['*', '/', '+', '-', '=', '<>', '<', '<=', '>', '>='];

/**
 * Creates an operator in `public` for each pair of types. PostgreSQL calls it if its own operators match less
 * exactly.
 */
const TRAPS = TYPES.flatMap((left) =>
  TYPES.map(
    (right) => `CREATE FUNCTION public.trap("left" ${left}, "right" ${right}) RETURNS ${left} LANGUAGE plpgsql
      AS $$ BEGIN RAISE 'the operator of somebody else was called'; END $$;
      ${OPERATORS.map((name) => `CREATE OPERATOR public.${name} (LEFTARG = ${left}, RIGHTARG = ${right}, FUNCTION = public.trap);`).join('\n')}`,
  ),
).join('\n');

const FUNCTIONS = `
  CREATE FUNCTION public.has_database_privilege(name, text) RETURNS boolean LANGUAGE plpgsql
    AS $$ BEGIN RAISE 'the function of somebody else was called'; END $$;
  CREATE FUNCTION public.hashtextextended(text, integer) RETURNS bigint LANGUAGE plpgsql
    AS $$ BEGIN RAISE 'the function of somebody else was called'; END $$;
  CREATE FUNCTION public.unnest(bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql
    AS $$ BEGIN RAISE 'the function of somebody else was called'; END $$;`;

const place = newSharedPlace();
const path = "SELECT current_setting('search_path')";
const LIMIT_MS = 20_000;

describe.skipIf(process.platform === 'win32')('a schema `public` with planted operators and functions', () => {
  beforeAll(async () => {
    await place.sql(TRAPS + FUNCTIONS);
  });

  it('affects other sessions', async () => {
    await expect(place.sql('SELECT 1::numeric * 1')).rejects.toThrow('of somebody else was called');
  });

  it('is ignored by every message, which resolves names in pg_catalog only', async () => {
    const session = await openSession({ address: parseAddress(await place.url()), password: async () => undefined });
    for (const text of [path, `BEGIN; ${path}`, path, `${path}; COMMIT`]) {
      const { answers } = await session.run(text, LIMIT_MS);
      expect(answers.find(({ command }) => command === 'SELECT')?.rows).toEqual([['pg_catalog, pg_temp']]);
    }
    await session.close();
  });

  it.runIf(full || hasBouncer())('is ignored over a pooled connection, which keeps no setting', async () => {
    const cluster = await sharedCluster();
    const bouncer = await ownBouncer(cluster, { settings: { default_pool_size: 1 } });
    const url = new URL(await place.url());
    url.port = String(bouncer.port);
    const session = await openSession({ address: parseAddress(url.href), password: async () => undefined });
    await session.run('SELECT 1', LIMIT_MS);
    const { default: pg } = await import('pg');
    const other = new pg.Client(url.href);
    await other.connect();
    expect((await other.query(path)).rows).toEqual([{ current_setting: '"$user", public' }]);
    await other.end();
    await session.close();
  });

  const earlier = { earlier: 'ugw.AbCd.000000000000000000000001' };
  const looks = allowanceLooks({ profile: 'shop', since: 1 });
  it.each<[what: string, statement: string]>([
    ['the clock', `SELECT ${CLOCK}`],
    ['the server', `SELECT ${SERVER} = 'x'`],
    ["the check for this machine's entries", `SELECT ${knowsAllStatement(['a', 'b'])}`],
    ['a search', findStatement({ ...earlier, states: ['unknown'], started: { since: 1 }, limit: 1 }, true)],
    ['a row', findStatement({ job: 'job-0000000000000001', rows: [1, 1], order: 'newest' }, true)],
    ['a write', writtenStatement([charge()])],
    ...looks.map((look, index): [string, string] => [`allowance ${index}`, look]),
    ['the lock of a migration', MIGRATION_LOCK],
    ...INTENT_LOOKS.map((look, index): [string, string] => [`the look ${index} before an intent`, look]),
  ])('never affects %s, whose types are exact, with any search_path', async (_what, statement) => {
    await expect(place.sql(statement)).resolves.toBeDefined();
  });

  it('never affects the owner', async () => {
    const access = { address: parseAddress(await place.url()), password: async () => undefined };
    await place.sql(`INSERT INTO paycli.policy VALUES ('shop', NULL, 'ada', 0)`);
    const ledger = await place.open();
    expect(await ledger.begin(intent(), { again: false })).toMatchObject({ kind: 'begun' });
    expect(await ledger.list({ limit: 9 })).toHaveLength(1);
    expect(await databaseStatus(access)).toMatchObject({ owner: true });
    await initLedger(access, []);
    await migrateLedger(access, { wait: async () => undefined });
  });
});

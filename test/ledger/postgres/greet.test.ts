import { describe, expect, it } from 'vitest';
import { databaseStatus, initLedger } from '../../../src/ledger/postgres/admin.ts';
import { isPostgres } from '../../../src/ledger/postgres/handshake.ts';
import type { Access } from '../../../src/ledger/postgres/session.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { ownCluster } from '../../support/postgres.ts';
import { newSharedPlace } from '../support/postgres.ts';

const COCKROACH = 'CockroachDB CCL v24.3.0 (x86_64-pc-linux-gnu)';
const YUGABYTE = 'PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu';

describe('isPostgres', () => {
  it.each([
    ['PostgreSQL 15.20 (Debian 15.20-0+deb12u1) on x86_64-pc-linux-gnu', true],
    ['PostgreSQL 18.4 on aarch64-apple-darwin', true],
    [YUGABYTE, false],
    [COCKROACH, false],
    ['PostgreSQL 8.0.2 on i686-pc-linux-gnu, Redshift 1.0.1', false],
    ['PostgreSQL 12.12 (Greenplum Database 7.0.0)', false],
    ['', false],
  ])('for %j is %s', (version, is) => {
    expect(isPostgres(version)).toBe(is);
  });
});

const NO_LOCKS = `
  CREATE OR REPLACE FUNCTION pg_catalog.pg_advisory_xact_lock(bigint) RETURNS void LANGUAGE sql AS '';
  CREATE OR REPLACE FUNCTION pg_catalog.pg_try_advisory_xact_lock(bigint) RETURNS boolean LANGUAGE sql AS 'SELECT true';`;

/** A PostgreSQL that reports another product; `locks` can disable its locks. */
const otherServer = async (version: string, locks: string): Promise<Access> => {
  const cluster = await ownCluster();
  const database = await cluster.createDatabase();
  const access = { address: parseAddress(cluster.url(database)), password: async () => undefined };
  await initLedger(access, []);
  const said = `CREATE OR REPLACE FUNCTION pg_catalog.version() RETURNS text LANGUAGE sql AS 'SELECT text ''${version}'''`;
  await cluster.sql(`${said}; ${locks}`, [], database);
  return access;
};

const OPEN = { states: ['unknown'], limit: 1 } as const;

describe.skipIf(process.platform === 'win32')('a server other than PostgreSQL', () => {
  it.each([COCKROACH, YUGABYTE])('is accepted if its locks work: %s', async (version) => {
    const access = await otherServer(version, '');
    const ledger = await newSharedPlace().open({ access });
    expect(await ledger.list(OPEN)).toEqual([]);
    expect(await databaseStatus(access)).toMatchObject({ version, isPostgres: false });
  });

  it("is refused if its locks don't work", async () => {
    const access = await otherServer(COCKROACH, NO_LOCKS);
    await expect(newSharedPlace().open({ access })).rejects.toMatchObject({
      kind: 'ledger',
      message: `${access.address.name} is not PostgreSQL (${COCKROACH}), so its locks may not prevent double charges`,
      detail: { hint: 'use PostgreSQL 14 or newer' },
    });
  });
});

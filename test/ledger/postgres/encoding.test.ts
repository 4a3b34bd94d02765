import { expect, it } from 'vitest';
import { initLedger } from '../../../src/ledger/postgres/admin.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { thrownBy } from '../../client/support.ts';
import { sharedCluster } from '../../support/postgres.ts';

it("ledger init refuses a database with an encoding that can't store all text", async () => {
  const cluster = await sharedCluster();
  const name = `latin_${process.pid}`;
  await cluster.sql(`CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
  const access = { address: parseAddress(cluster.url(name)), password: async () => undefined };
  expect(await thrownBy(initLedger(access, []))).toMatchObject({
    kind: 'usage',
    message: expect.stringMatching(/has the encoding LATIN1$/),
  });
  expect(await cluster.sql("SELECT 1 FROM pg_namespace WHERE nspname = 'paycli'", [], name)).toEqual([]);
});

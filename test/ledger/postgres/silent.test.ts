import { expect, it } from 'vitest';
import { openSharedLedger } from '../../../src/ledger/postgres/open.ts';
import { CLOCK } from '../../../src/ledger/postgres/transaction.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { openPostgresRelay } from '../../faults/postgres-relay.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { sharedCluster } from '../../support/postgres.ts';
import { newFolder } from '../../support/program.ts';
import { account, intent, MINUTE } from '../support/charges.ts';
import { newSharedPlace } from '../support/postgres.ts';
import { shown } from '../support/shown.ts';

/** Far longer than background work may take, and shorter than a read may take. */
const SOON_MS = 12_000;

const timed = async (work: Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work.catch(() => undefined);
  return performance.now() - started;
};

/** A ledger behind a relay that now drops all data. */
const silenced = async () => {
  const place = newSharedPlace();
  const { hostname, pathname, username } = new URL(await place.url());
  const relay = await openPostgresRelay((await sharedCluster()).port);
  const address = parseAddress(`postgres://${username}@${hostname}:${relay.port}${pathname}`);
  const { path: _path, ...options } = ledgerOptions('');
  const access = { address, password: async () => undefined };
  const ledger = await openSharedLedger({ ...options, access, folder: newFolder('silent'), worker: 'ada@laptop' });
  relay.use(() => ({ way: 'stall', after: 0 }));
  return { ledger, relay };
};

it.skipIf(process.platform === 'win32')('closing a ledger ends soon even if the database is silent', async () => {
  const { ledger, relay } = await silenced();
  const read = ledger.list({ limit: 1 });
  const closing = timed(ledger.close());
  expect(await timed(read)).toBeLessThan(SOON_MS);
  expect(await closing).toBeLessThan(SOON_MS);
  await relay.close();
});

it.skipIf(process.platform === 'win32')('observe ends soon if the database is silent', async () => {
  const { ledger, relay } = await silenced();
  expect(await timed(ledger.observe(shown([account()])))).toBeLessThan(SOON_MS);
  await ledger.close();
  await relay.close();
});

it.skipIf(process.platform === 'win32')("a policy uses the server's day, whatever the local clock", async () => {
  const place = newSharedPlace();
  let ahead = 0;
  const ledger = await place.open({ clockSql: () => CLOCK, now: () => Date.now() + ahead });
  const profile = intent().profile ?? '';
  await ledger.policies.set(profile, () => ({ policy: { maxCharges: 1 }, by: 'ada', at: Date.now() }));
  expect(await ledger.begin(intent(), { again: false })).toMatchObject({ kind: 'begun' });
  ahead = 48 * 60 * MINUTE;
  const next = intent({ about: 'ugw.AbCd.000000000000000000000099' });
  expect(await ledger.begin(next, { again: false })).toMatchObject({ kind: 'refused', why: 'policy' });
});

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { evidenceOf } from '../../../src/ledger/entry.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { initLedger } from '../../../src/ledger/postgres/admin.ts';
import { type Access, DATABASE_LIMITS } from '../../../src/ledger/postgres/session.ts';
import { SHADOW_FILE } from '../../../src/ledger/postgres/shadow.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { openPostgresRelay } from '../../faults/postgres-relay.ts';
import { full } from '../../faults/torture.ts';
import { ugwoOf } from '../../support/ids.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { hasBouncer } from '../../support/postgres/bouncer.ts';
import { ownBouncer, ownCluster, sharedCluster } from '../../support/postgres.ts';
import { newFolder } from '../../support/program.ts';
import { SELF } from '../support/charges.ts';
import { intent, SENT } from '../support/memory.ts';
import { newSharedPlace, openShared, type SharedPlace } from '../support/postgres.ts';

/** Begins these charges in one transaction. */
const beginAll = async (ledger: Ledger, numbers: readonly number[]): Promise<void> => {
  const begun = numbers.map((number) => ledger.begin(intent({ about: ugwoOf(number) }), { again: false }));
  for (const { kind } of await Promise.all(begun)) expect(kind).toBe('begun');
};

/** Deletes entries, like a failover to a lagging standby. */
const forget = async (place: SharedPlace, numbers: readonly number[]): Promise<void> => {
  const database = new URL(await place.url()).pathname.slice(1);
  const names = numbers.map((number) => `'${ugwoOf(number)}'`).join();
  await (await sharedCluster()).sql(`DELETE FROM paycli.charge WHERE ugwo IN (${names})`, [], database);
};

const from = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index);

const unknownTo = async (ledger: Ledger): Promise<string[]> =>
  (await ledger.unknown()).map(({ about }) => about).sort();

/** More commits than each connection checks. */
const MANY = 70;

const shadowOf = ({ folder }: SharedPlace): string => {
  const [name = ''] = readdirSync(folder).filter((file) => /^shared-\w+\.sqlite$/.test(file));
  return join(folder, name);
};

it.each([
  ['newer', /^use the newer paycli/],
  ['unreleased', /keep it elsewhere$/],
  ['foreign', /then move it away$/],
] as const)("a fault of this machine's copies says what to do: %s", (kind, hint) => {
  const { detail } = SHADOW_FILE.error({ kind, path: '/x', what: 'is odd' });
  expect(detail.hint).toMatch(hint);
});

describe.skipIf(process.platform === 'win32')("this machine's copies of what it started", () => {
  it('detect a loss even if another local process committed later but recorded earlier', async () => {
    const place = newSharedPlace();
    const [one, other] = [await place.open(), await place.open()];
    await beginAll(one, from(0, 3));
    // Earlier commits, recorded late, with more entries than a connection asks for.
    await beginAll(other, from(100, 70));
    await forget(place, from(0, 3));
    const next = await place.open();
    expect(await unknownTo(next)).toEqual(from(0, 3).map(ugwoOf));
    await expect(next.begin(intent({ about: ugwoOf(500) }), { again: false })).rejects.toMatchObject({
      kind: 'ledger',
      message: "the ledger's database had lost 3 charges, which may have been made",
    });
  });

  it('are asked about no longer than a read may take if the database falls silent', async () => {
    const place = newSharedPlace();
    await beginAll(await place.open(), [0]);
    const url = new URL(await place.url());
    const relay = await openPostgresRelay(Number(url.port));
    const isAsked = (text: string): boolean => text.includes('WHERE id IN') && !text.includes('version()');
    relay.use(({ bytes }) => (isAsked(bytes.toString()) ? { way: 'stall', after: 0 } : undefined));
    url.port = String(relay.port);
    const opening = openShared(url.href, place.folder, { limits: { ...DATABASE_LIMITS, read: 300 } });
    await expect(opening).rejects.toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining('no answer within 0.3 s'),
    });
    await relay.close();
  });

  it('restore all missing entries once', async () => {
    const place = newSharedPlace();
    await beginAll(await place.open(), from(0, 505));
    await beginAll(await place.open(), [505]);
    const lost = from(3, 503);
    await forget(place, lost);
    // Several processes may find it at once.
    for (const next of [...(await Promise.all([1, 2, 3].map(() => place.open()))), await place.open()])
      expect(await unknownTo(next)).toEqual(lost.map(ugwoOf));
  });

  it("cover ninety days by the server's clock, whatever the local clock", async () => {
    const day = 24 * 3_600_000;
    const place = newSharedPlace();
    const after = (days: number) => ({ clockSql: () => `${SENT + days * day}::bigint` });
    await beginAll(await place.open(after(0)), [0]);
    const told = [evidenceOf('to_share', SENT + day, {})];
    const begun = await (await place.open(after(1))).begin(intent({ about: ugwoOf(1), evidence: told }), {
      again: false,
    });
    expect(begun.kind).toBe('begun');
    // The local clock is a year ahead for a while.
    await place.open({ ...after(2), now: () => SENT + 365 * day });
    await place.open(after(90.5));
    await forget(place, [0, 1]);
    expect(await (await place.open(after(90.5))).unknown()).toMatchObject([
      {
        ...{ about: ugwoOf(1), createdAt: SENT + day, recordedAt: SENT + 90.5 * day },
        evidence: [{ kind: 'to_share' }, { kind: 'ledger_lost' }],
      },
    ]);
  });

  it('belong to one machine', async () => {
    const place = newSharedPlace();
    await beginAll(await place.open(), [0]);
    await forget(place, [0]);
    expect(await unknownTo(await place.open({ folder: newFolder('other') }))).toEqual([]);
    expect(await unknownTo(await place.open())).toEqual([ugwoOf(0)]);
  });

  it('distinguish local processes from those of a clone with the same process ids', async () => {
    const place = newSharedPlace();
    const gone = { hasEnded: () => true };
    await beginAll(await place.open(), [0]);
    const clone = await place.open({ ...gone, folder: newFolder('clone') });
    expect(await unknownTo(clone)).toEqual([]);
    expect(await unknownTo(await place.open(gone))).toEqual([ugwoOf(0)]);
  });

  it('are not needed if the process left an emergency file here', async () => {
    const place = newSharedPlace();
    await beginAll(await place.open({ self: { ...SELF, pid: 13 } }), [0]);
    const [name = ''] = readdirSync(place.folder).filter((file) => /^shared-\w+\.sqlite$/.test(file));
    // As if killed between its commit and its copy here.
    const shadow = new DatabaseSync(join(place.folder, name));
    shadow.exec('DELETE FROM intent');
    shadow.close();
    await place.open({ hasEnded: ({ pid }) => pid === 13 });
    expect(await unknownTo(await place.open())).toEqual([ugwoOf(0)]);
  });

  it('restore an entry beside another open one, and then block every machine', async () => {
    const place = newSharedPlace();
    await beginAll(await place.open(), [0]);
    await forget(place, [0]);
    const other = await place.open({ folder: newFolder('other') });
    const begun = await other.begin(intent({ about: ugwoOf(0) }), { again: false });
    const mine = await place.open();
    expect(await unknownTo(mine)).toEqual([ugwoOf(0)]);
    await other.record(begun.kind === 'begun' ? begun.id : '', { state: 'rejected', exitCode: 3 });
    for (const machine of [mine, other]) {
      await expect(machine.begin(intent({ about: ugwoOf(0) }), { again: false })).rejects.toMatchObject({
        message: "the ledger's database had lost 1 charge, which may have been made",
      });
    }
  });

  it('are restored completely or not at all', async () => {
    const place = newSharedPlace();
    await beginAll(await place.open(), [0, 1, 2]);
    await forget(place, [0, 1, 2]);
    await place.sql(`CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
      CREATE TRIGGER no BEFORE INSERT ON paycli.charge FOR EACH ROW WHEN (NEW.ugwo = '${ugwoOf(1)}') EXECUTE FUNCTION no()`);
    await expect(place.open()).rejects.toMatchObject({ kind: 'ledger' });
    expect(await place.sql('SELECT FROM paycli.charge')).toEqual([]);
    await place.sql('DROP TRIGGER no ON paycli.charge');
    expect(await unknownTo(await place.open())).toEqual([0, 1, 2].map(ugwoOf));
  });

  it('are compared after the database lost entries behind a living connection', async () => {
    const place = newSharedPlace();
    const ledger = await place.open();
    await beginAll(ledger, [0]);
    await forget(place, [0]);
    await expect(ledger.begin(intent({ about: ugwoOf(1) }), { again: false })).rejects.toMatchObject({
      message: "the ledger's database had lost 1 charge, which may have been made",
    });
    expect(await unknownTo(ledger)).toEqual([ugwoOf(0)]);
  });

  it('are compared before each change, whichever local process started the entry', async () => {
    const place = newSharedPlace();
    const [one, other] = [await place.open(), await place.open()];
    await beginAll(one, [0]);
    await beginAll(other, [1]);
    await beginAll(one, [2]);
    await forget(place, [1]);
    await expect(one.begin(intent({ about: ugwoOf(3) }), { again: false })).rejects.toMatchObject({
      message: "the ledger's database had lost 1 charge, which may have been made",
    });
    expect(await unknownTo(one)).toEqual([ugwoOf(1)]);
  });

  it.each([
    ['the server has changed', "UPDATE setting SET value = 'other' WHERE name = 'server'"],
    ['an earlier version wrote them', "DELETE FROM setting WHERE name = 'server'"],
  ])('are compared completely if %s', async (_where, sql) => {
    const place = newSharedPlace();
    const ledger = await place.open();
    for (const number of from(0, MANY)) await beginAll(ledger, [number]);
    await forget(place, [0]);
    expect(await unknownTo(await place.open())).toEqual([]);
    const shadow = new DatabaseSync(shadowOf(place));
    shadow.exec(sql);
    shadow.close();
    expect(await unknownTo(await place.open())).toEqual([ugwoOf(0)]);
    // Only the first connection compares completely.
    await forget(place, [1]);
    expect(await unknownTo(await place.open())).toEqual([ugwoOf(0)]);
  });

  it.runIf(full || hasBouncer())('are compared completely if a pooler switches to another server', async () => {
    const cluster = await ownCluster();
    const database = await cluster.createDatabase();
    const accessAt = (port: number): Access => ({
      address: parseAddress(cluster.url(database, { port })),
      password: async () => undefined,
    });
    await initLedger(accessAt(cluster.port), []);
    const bouncer = await ownBouncer(cluster);
    const ledger = await newSharedPlace().open({ access: accessAt(bouncer.port) });
    for (const number of from(0, MANY)) await beginAll(ledger, [number]);
    await cluster.sql(`DELETE FROM paycli.charge WHERE ugwo = '${ugwoOf(0)}'`, [], database);
    // A restarted server may be an older copy.
    await cluster.stop();
    await cluster.start();
    await expect(ledger.begin(intent({ about: ugwoOf(MANY) }), { again: false })).rejects.toMatchObject({
      message: "the ledger's database had lost 1 charge, which may have been made",
    });
  });

  it('are written before a charge may be sent', async () => {
    const place = newSharedPlace();
    const ledger = await place.open();
    const shadow = new DatabaseSync(shadowOf(place));
    shadow.exec("CREATE TRIGGER full BEFORE INSERT ON intent BEGIN SELECT RAISE(FAIL, 'the disk is full'); END");
    shadow.close();
    await expect(ledger.begin(intent(), { again: false })).rejects.toMatchObject({ kind: 'ledger' });
  });

  it('are written after another process has released the lock', async () => {
    const place = newSharedPlace();
    let writing: DatabaseSync | undefined;
    const { lockWait } = ledgerOptions('');
    const sleep: typeof lockWait.sleep = async (ms, signal) => {
      if (writing?.isTransaction === true) writing.exec('COMMIT');
      await lockWait.sleep(ms, signal);
    };
    const ledger = await place.open({ lockWait: { ...lockWait, sleep } });
    writing = new DatabaseSync(shadowOf(place));
    writing.exec('BEGIN IMMEDIATE');
    await beginAll(ledger, [0]);
    writing.close();
    await forget(place, [0]);
    expect(await unknownTo(await place.open())).toEqual([ugwoOf(0)]);
  });
});

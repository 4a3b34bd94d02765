import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { currentVersion } from '../../src/database/connect.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { initLedger, migrateLedger } from '../../src/ledger/postgres/admin.ts';
import { SHARED_LEDGER } from '../../src/ledger/postgres/schema.ts';
import type { Access } from '../../src/ledger/postgres/session.ts';
import { SHADOW_FILE } from '../../src/ledger/postgres/shadow.ts';
import { parseAddress } from '../../src/ledger/postgres/url.ts';
import { openToRead } from '../../src/ledger/sqlite/open.ts';
import { LEDGER_FILE } from '../../src/ledger/sqlite/schema.ts';
import { thrownBy } from '../client/support.ts';
import type { Sabotage } from '../faults/sabotage.ts';
import { changedFolder } from '../support/changed.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { sharedCluster } from '../support/postgres.ts';
import { newFolder } from '../support/program.ts';
import { HOUR } from '../support/units.ts';
import { account, beginCharge, beside, intent, NOON, newPath, open } from './support/charges.ts';
import { newSharedPlace, openShared, type SharedPlace } from './support/postgres.ts';

const migration = (tables: string, schema: string): Sabotage => ({
  name: 'a migration',
  file: `src/ledger/${schema === '' ? 'sqlite' : 'postgres'}/schema.ts`,
  from: `migrations: [${tables}]`,
  to: `migrations: [${tables}, 'ALTER TABLE ${schema}charge ADD COLUMN more text; CREATE TABLE ${schema}later (a text);']`,
});

/** The next paycli, whose tables have one table and, amid those that a checksum covers, one column more. */
const NEXT = changedFolder(
  migration('LEDGER_TABLES', ''),
  migration('SHARED_TABLES', 'paycli.'),
  {
    name: 'a column',
    file: 'src/ledger/rows.ts',
    from: "namesIn('id kind service",
    to: "namesIn('id more kind service",
  },
  {
    name: 'its value',
    file: 'src/ledger/rows.ts',
    from: '    id: entry.id,',
    to: '    id: entry.id, more: undefined,',
  },
);
const fromNext = (file: string) => import(join(NEXT, 'src/ledger', file));
const sqlite: typeof import('../../src/ledger/sqlite/open.ts') = await fromNext('sqlite/open.ts');
const postgres: typeof import('../../src/ledger/postgres/open.ts') = await fromNext('postgres/open.ts');
const admin: typeof import('../../src/ledger/postgres/admin.ts') = await fromNext('postgres/admin.ts');

const [IN_FILE, SHARED] = [currentVersion(LEDGER_FILE), currentVersion(SHARED_LEDGER)];

/** Expects that an older ledger is sound and still holds its charge, which blocks another one. */
const expectItsCharge = async (ledger: Ledger, id: string): Promise<void> => {
  expect(await ledger.verify()).toMatchObject({ entries: 1, faults: [] });
  expect(await ledger.get(id)).toMatchObject({ id, state: 'sending' });
  expect(await ledger.begin(intent(), { again: false })).toMatchObject({ kind: 'refused' });
};

const fileWithCharge = async () => {
  const path = newPath();
  const ledger = await open(path);
  const id = await beginCharge(ledger);
  await ledger.close();
  return { path, id };
};

const SETTLED_FIRST =
  /\(2696dc9e, or 4181737e if that one refuses it, too\): run `paycli ledger sync` there until `paycli ledger list --all-profiles --state unknown`/;

describe('the next version of a ledger file', () => {
  it('migrates the file when it opens it, and this version refuses it afterwards', async () => {
    const { path, id } = await fileWithCharge();
    await expectItsCharge(await open(path, {}, sqlite.openLedger), id);
    expect(beside(path, 'SELECT more FROM charge')).toEqual([{ more: null }]);
    expect(beside(path, 'PRAGMA user_version')).toEqual([{ user_version: IN_FILE + 1 }]);
    expect(await thrownBy(open(path))).toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining(`newer paycli (schema ${IN_FILE + 1}, this one knows ${IN_FILE})`),
    });
  });

  it.each([
    ['another column', 'ALTER TABLE charge RENAME COLUMN medium TO means'],
    ['another checksum', 'UPDATE charge SET checksum = 1'],
  ])('is called newer by a process that runs on, and nothing is damaged: %s', async (_what, change) => {
    const { path, id } = await fileWithCharge();
    const ledger = await open(path);
    await (await open(path, {}, sqlite.openLedger)).close();
    beside(path, change);
    const newer = {
      kind: 'ledger',
      message: `the ledger ${path} was upgraded by a newer paycli while in use`,
      detail: { hint: expect.stringMatching(/^use the newer paycli/) },
    };
    for (const use of [
      () => ledger.get(id),
      () => ledger.list({ limit: 9 }),
      () => ledger.begin(intent(), { again: false }),
    ]) {
      expect(await thrownBy(use())).toMatchObject(newer);
    }
    const kept = await thrownBy(ledger.record(id, { state: 'accepted', exitCode: 0, activity: account() }));
    expect(kept).toMatchObject({ kind: 'unrecorded', message: expect.stringContaining('upgraded by a newer paycli') });
  });

  it('refuses to read it only, which would not migrate it', async () => {
    const { path } = await fileWithCharge();
    const before = readFileSync(path);
    expect(await thrownBy(sqlite.openToRead(ledgerOptions(path)))).toMatchObject({
      message: expect.stringContaining(`older paycli (schema ${IN_FILE}, this one needs ${IN_FILE + 1})`),
      detail: { hint: expect.stringContaining('run `paycli ledger list` once') },
    });
    expect(readFileSync(path)).toEqual(before);
  });
});

it('a ledger file that was never of a released version is refused and unchanged', async () => {
  const { path } = await fileWithCharge();
  beside(path, `PRAGMA user_version = ${LEDGER_FILE.first - 1}`);
  const before = readFileSync(path);
  for (const opening of [() => open(path), () => openToRead(ledgerOptions(path))]) {
    expect(await thrownBy(opening())).toMatchObject({
      kind: 'ledger',
      message: `the ledger ${path} was made by a paycli that was never released (schema 12)`,
      detail: { hint: expect.stringMatching(SETTLED_FIRST) },
    });
  }
  expect(readFileSync(path)).toEqual(before);
});

const never = async (sending: number): Promise<never> => {
  throw new Error(`${sending} are being sent`);
};

/** Migrates a ledger so late that the sending of each charge that was begun at noon must be over. */
const migrateToNext = (access: Access) =>
  admin.migrateLedger(access, { clockSql: `${NOON + HOUR}::bigint`, wait: never });

const openNext = async ({ url, folder }: SharedPlace): Promise<Ledger> =>
  openShared(await url(), folder, {}, postgres.openSharedLedger);

/** Everything that refuses a shared ledger of another version. */
const usesOf = (place: SharedPlace): readonly ((access: Access) => Promise<unknown>)[] => [
  () => place.open(),
  (access) => migrateLedger(access, { wait: never }),
  (access) => initLedger(access, []),
];

// The tests have no PostgreSQL on Windows.
describe.skipIf(process.platform === 'win32')('the next version of a shared ledger', () => {
  const withCharge = async () => {
    const place = newSharedPlace();
    const access = { address: parseAddress(await place.url()), password: async () => undefined };
    return { place, access, id: await beginCharge(await place.open()) };
  };

  it('migrates it on request, and this version refuses it afterwards', async () => {
    const { place, access, id } = await withCharge();
    expect(await migrateToNext(access)).toEqual({ from: SHARED, to: SHARED + 1 });
    expect(await place.sql('SELECT id, more FROM paycli.charge')).toEqual([{ id, more: null }]);
    const newer = { kind: 'ledger', detail: { hint: 'use the newer paycli; nothing was changed' } };
    for (const use of usesOf(place)) expect(await thrownBy(use(access))).toMatchObject(newer);
    expect(await migrateToNext(access)).toEqual({ from: SHARED + 1, to: SHARED + 1 });
    await expectItsCharge(await openNext(place), id);
  });

  it('restores a lost charge from the record that the older version wrote', async () => {
    const { place, access, id } = await withCharge();
    const before = await (await place.open()).get(id);
    await place.sql('DELETE FROM paycli.charge');
    await migrateToNext(access);
    const ledger = await openNext(place);
    expect(await ledger.get(id)).toMatchObject({ about: before?.about, digest: before?.digest, state: 'unknown' });
    expect(await ledger.verify()).toMatchObject({ entries: 1, faults: [] });
  });

  it('gives the operators their rights to new tables', async () => {
    const { place, access } = await withCharge();
    await place.sql('DO $$ BEGIN CREATE ROLE mover LOGIN; EXCEPTION WHEN duplicate_object THEN END $$');
    await initLedger(access, ['mover']);
    await migrateToNext(access);
    const [cluster, database] = [await sharedCluster(), access.address.database];
    const right = "SELECT has_table_privilege('mover', 'paycli.later', 'SELECT') AS mine";
    expect(await cluster.sql(right, [], database)).toEqual([{ mine: true }]);
  });

  const other = intent({ about: 'ugw.AbCd.000000000000000000000002' });
  const update = { job: 'job-0000000000000001', row: 1, onye: 'ony.AbCd.000000000000000000000001', bound: HOUR };
  const accepted = { state: 'accepted', exitCode: 0, activity: account() } as const;
  const newer = {
    kind: 'ledger',
    message: expect.stringMatching(new RegExp(`newer paycli \\(schema ${SHARED + 1}, this one knows ${SHARED}\\)$`)),
  };

  it('waits until no charge is being sent, and nobody begins one meanwhile', async () => {
    const { place, access } = await withCharge();
    const ledger = await place.open({ folder: newFolder('machine') });
    const [sending, unchanged] = [await beginCharge(ledger, other), 'SELECT id FROM paycli.charge'];
    const waits: number[] = [];
    const wait = async (count: number): Promise<void> => {
      waits.push(count);
      const upgrading = { kind: 'ledger', message: expect.stringMatching(/ is being upgraded$/) };
      const third = intent({ about: 'ugw.AbCd.000000000000000000000003' });
      expect(await thrownBy(ledger.begin(third, { again: false }))).toMatchObject(upgrading);
      expect(await thrownBy(ledger.jobs.beginUpdate(update, { retry: false, looked: false }))).toMatchObject(upgrading);
      expect(await place.sql(unchanged)).toHaveLength(2);
      for (const { id } of await ledger.list({ states: ['sending'], limit: 1 })) await ledger.record(id, accepted);
    };
    const at = { clockSql: `${NOON}::bigint`, wait };
    expect(await admin.migrateLedger(access, at)).toEqual({ from: SHARED, to: SHARED + 1 });
    expect(waits).toEqual([2, 1]);
    expect(await ledger.get(sending)).toMatchObject({ state: 'accepted' });
  });

  it('refuses the next intent of a process that runs on, and stores its outcomes, on a new connection, too', async () => {
    const { place, access, id } = await withCharge();
    const ledger = await place.open({ folder: newFolder('machine') });
    const more = await beginCharge(ledger, other);
    await migrateToNext(access);
    await ledger.record(id, accepted);
    const third = intent({ about: 'ugw.AbCd.000000000000000000000003' });
    expect(await thrownBy(ledger.begin(third, { again: false }))).toMatchObject(newer);
    expect(await thrownBy(ledger.jobs.beginUpdate(update, { retry: false, looked: false }))).toMatchObject(newer);
    await place.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
    await ledger.record(more, { ...accepted, activity: account({ uid: 'act.AbCd.000000000000000000000002' }) });
    expect(await place.sql('SELECT DISTINCT state FROM paycli.charge')).toEqual([{ state: 'accepted' }]);
  });

  it('is called newer by a process that runs on, also if its tables have other columns', async () => {
    const { place, access, id } = await withCharge();
    const ledger = await place.open({ folder: newFolder('machine') });
    await migrateToNext(access);
    await place.sql('ALTER TABLE paycli.charge RENAME COLUMN medium TO means');
    for (const use of [() => ledger.get(id), () => ledger.list({ limit: 9 })]) {
      expect(await thrownBy(use())).toMatchObject(newer);
    }
    await place.sql('ALTER TABLE paycli.charge RENAME COLUMN id TO number');
    for (const use of usesOf(place)) expect(await thrownBy(use(access))).toMatchObject(newer);
  });

  it('changes nothing when the wait is ended', async () => {
    const { place, access, id } = await withCharge();
    const at = { clockSql: `${NOON}::bigint`, wait: never };
    expect(await thrownBy(admin.migrateLedger(access, at))).toMatchObject({
      message: expect.stringContaining('1 are being'),
    });
    await expectItsCharge(await place.open(), id);
  });

  it('refuses it until then, and names the command', async () => {
    expect(await thrownBy(openNext(newSharedPlace()))).toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining(`made by an older paycli (schema ${SHARED}, this one needs ${SHARED + 1})`),
      detail: { hint: 'run `paycli ledger migrate` once, as the owner of the database' },
    });
  });
});

// The tests have no PostgreSQL on Windows.
it.skipIf(process.platform === 'win32')('a shared ledger that was never of a released version is refused', async () => {
  const place = newSharedPlace();
  const access = { address: parseAddress(await place.url()), password: async () => undefined };
  await place.sql(`UPDATE paycli.setting SET value = '${SHARED_LEDGER.first - 1}' WHERE name = 'version'`);
  for (const use of usesOf(place)) {
    expect(await thrownBy(use(access))).toMatchObject({
      kind: 'ledger',
      message: expect.stringMatching(/ was made by a paycli that was never released \(schema 7\)$/),
      detail: { hint: expect.stringMatching(SETTLED_FIRST) },
    });
  }
});

it('a newer record of shared charges is not to be moved away', () => {
  expect(SHADOW_FILE.error({ kind: 'newer', path: '/a', what: 'is newer' }).detail.hint).toMatch(
    /^use the newer paycli/,
  );
});

it('a record of shared charges that was never of a released version has its own next step', () => {
  const { message, detail } = SHADOW_FILE.error({ kind: 'unreleased', path: '/a', what: 'is old' });
  expect(message).toContain("/a, this machine's record of its charges in the shared ledger, is old");
  expect(detail.hint).toMatch(SETTLED_FIRST);
});

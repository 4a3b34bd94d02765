import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { currentVersion, type Versions } from '../../src/database/connect.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { initLedger, migrateLedger } from '../../src/ledger/postgres/admin.ts';
import { checkVersion, SHARED_LEDGER } from '../../src/ledger/postgres/schema.ts';
import type { Access } from '../../src/ledger/postgres/session.ts';
import { SHADOW_FILE } from '../../src/ledger/postgres/shadow.ts';
import { parseAddress } from '../../src/ledger/postgres/url.ts';
import { openToRead } from '../../src/ledger/sqlite/open.ts';
import { LEDGER_FILE } from '../../src/ledger/sqlite/schema.ts';
import { thrownBy } from '../client/support.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { sharedCluster } from '../support/postgres.ts';
import { beginCharge, beside, intent, newPath, open } from './support/charges.ts';
import { newSharedPlace, type SharedPlace } from './support/postgres.ts';

/** The versions of the next paycli, whose tables have one column and one table more. */
const next = (known: Versions, schema: string): Versions => ({
  first: known.first,
  migrations: [
    ...known.migrations,
    `ALTER TABLE ${schema}charge ADD COLUMN more text; CREATE TABLE ${schema}later (a text);`,
  ],
});

const NEXT_FILE = { ...LEDGER_FILE, ...next(LEDGER_FILE, '') };
const NEXT_SHARED = next(SHARED_LEDGER, 'paycli.');
const [IN_FILE, SHARED] = [currentVersion(LEDGER_FILE), currentVersion(SHARED_LEDGER)];

/** Expects that an older ledger still holds its charge, which blocks another one. */
const expectItsCharge = async (ledger: Ledger, id: string): Promise<void> => {
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
  /4181737e: run `paycli ledger sync` there until `paycli ledger list --all-profiles --state unknown`/;

describe('the next version of a ledger file', () => {
  it('migrates the file when it opens it, and this version refuses it afterwards', async () => {
    const { path, id } = await fileWithCharge();
    await expectItsCharge(await open(path, { kind: NEXT_FILE }), id);
    expect(beside(path, 'SELECT more FROM charge')).toEqual([{ more: null }]);
    expect(beside(path, 'PRAGMA user_version')).toEqual([{ user_version: IN_FILE + 1 }]);
    expect(await thrownBy(open(path))).toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining(`newer paycli (schema ${IN_FILE + 1}, this one knows ${IN_FILE})`),
    });
  });

  it('refuses to read it only, which would not migrate it', async () => {
    const { path } = await fileWithCharge();
    const before = readFileSync(path);
    expect(await thrownBy(openToRead(ledgerOptions(path, { kind: NEXT_FILE })))).toMatchObject({
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
      message: `the ledger ${path} was made by a paycli that was never released (schema 11)`,
      detail: { hint: expect.stringMatching(SETTLED_FIRST) },
    });
  }
  expect(readFileSync(path)).toEqual(before);
});

/** Everything that refuses a shared ledger of another version. */
const usesOf = (place: SharedPlace): readonly ((access: Access) => Promise<unknown>)[] => [
  () => place.open(),
  (access) => migrateLedger(access),
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
    expect(await migrateLedger(access, NEXT_SHARED)).toEqual({ from: SHARED, to: SHARED + 1 });
    expect(await place.sql('SELECT id, more FROM paycli.charge')).toEqual([{ id, more: null }]);
    const newer = { kind: 'ledger', detail: { hint: 'use the newer paycli; nothing was changed' } };
    for (const use of usesOf(place)) expect(await thrownBy(use(access))).toMatchObject(newer);
    expect(await migrateLedger(access, NEXT_SHARED)).toEqual({ from: SHARED + 1, to: SHARED + 1 });
    await place.sql(`UPDATE paycli.setting SET value = '${SHARED}' WHERE name = 'version'`);
    await expectItsCharge(await place.open(), id);
  });

  it('gives the operators their rights to new tables', async () => {
    const { place, access } = await withCharge();
    await place.sql('DO $$ BEGIN CREATE ROLE mover LOGIN; EXCEPTION WHEN duplicate_object THEN END $$');
    await initLedger(access, ['mover']);
    await migrateLedger(access, NEXT_SHARED);
    const [cluster, database] = [await sharedCluster(), access.address.database];
    const right = "SELECT has_table_privilege('mover', 'paycli.later', 'SELECT') AS mine";
    expect(await cluster.sql(right, [], database)).toEqual([{ mine: true }]);
  });

  it('refuses it until then, and names the command', () => {
    expect(() => checkVersion('db', SHARED, NEXT_SHARED)).toThrow(
      expect.objectContaining({
        kind: 'ledger',
        message: `the ledger db was made by an older paycli (schema ${SHARED}, this one needs ${SHARED + 1})`,
        detail: { hint: 'run `paycli ledger migrate` once, as the owner of the database' },
      }),
    );
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
      message: expect.stringMatching(/ was made by a paycli that was never released \(schema 6\)$/),
      detail: { hint: expect.stringMatching(SETTLED_FIRST) },
    });
  }
});

it('a record of shared charges that was never of a released version has its own next step', () => {
  const { message, detail } = SHADOW_FILE.error({ kind: 'unreleased', path: '/a', what: 'is old' });
  expect(message).toContain("/a, this machine's record of its charges in the shared ledger, is old");
  expect(detail.hint).toMatch(SETTLED_FIRST);
});

import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import type { Charge } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { migrateLedger } from '../../src/ledger/postgres/admin.ts';
import { SHARED_MIGRATIONS } from '../../src/ledger/postgres/schema.ts';
import { literal } from '../../src/ledger/postgres/statements.ts';
import { parseAddress } from '../../src/ledger/postgres/url.ts';
import { COLUMNS, entryRow, type Value } from '../../src/ledger/rows.ts';
import { LEDGER_FILE } from '../../src/ledger/sqlite/schema.ts';
import { moneyKnown } from '../../src/ledger/transitions.ts';
import { ugwoOf, uidOf } from '../support/ids.ts';
import { sharedCluster } from '../support/postgres.ts';
import { newFolder } from '../support/program.ts';
import { account, beside, charge, MINUTE, momentAt, NOON, newPath, open } from './support/charges.ts';
import { openShared } from './support/postgres.ts';
import { shown } from './support/shown.ts';

const readAt = (after: number): Pick<Charge, 'told'> => ({
  told: { ...momentAt(NOON + after), service: NOON + after },
});
const expiring = (expires_at: unknown): object => ({ headers: { account_number: '0123456789', expires_at } });

/** Accepted charges of an older version by what their last reading showed, and the money that follows. */
const OLD: readonly (readonly [
  what: string,
  status: string | undefined,
  more: Partial<Charge> & { readonly nextAction?: unknown },
  money: readonly [payment: string, received: number | null, refunded: number | null, paidAt: number | null],
])[] = [
  ['paid', 'successful', {}, ['paid', 900, 0, NOON]],
  ['part refunded', 'partially_refunded', {}, ['partially_refunded', 900, null, NOON]],
  ['refunded', 'refunded', {}, ['refunded', 900, 900, NOON]],
  ['failed', 'failed', {}, ['failed', 0, 0, null]],
  ['expired', 'expired', {}, ['expired', 0, 0, null]],
  ['open', 'requires_action', {}, ['open', 0, 0, null]],
  ['of a status of the future', 'reviewed', {}, ['open', 0, 0, null]],
  [
    'accepted by a person, without an activity',
    undefined,
    { evidence: [{ kind: 'resolved', at: '2026-11-20T12:00:00+00:00' }] },
    ['open', 0, 0, null],
  ],
  ['read too soon after its account ended', 'requires_action', readAt(15 * MINUTE + 14_000), ['open', 0, 0, null]],
  ['read after its account ended', 'requires_action', readAt(15 * MINUTE + 15_000), ['expired', 0, 0, null]],
  ['under way after its account ended', 'processing', readAt(16 * MINUTE), ['open', 0, 0, null]],
  ...['soon', 7, null, '2026-02-31T12:00:00+00:00', '2026-11-20T12:15:00', '\0', '\ud83d'].map(
    (expires) =>
      [
        `with ${JSON.stringify(expires)} as the end of its account`,
        'requires_action',
        { ...readAt(16 * MINUTE), nextAction: expiring(expires) },
        ['open', 0, 0, null],
      ] as const,
  ),
];

const entries = OLD.map(([, status, { nextAction, ...more }], index) => {
  const kept = account({ uid: uidOf(index), ...(nextAction === undefined ? {} : { nextAction }) });
  const activity = status === undefined ? undefined : { ...kept, status };
  const asked = { amount: 900, currency: 'NGN', ref: `INV-${index}`, customer: undefined };
  return charge({ id: `chg-${index}`, seq: index + 1, about: ugwoOf(index), asked, ...more, activity });
});

/** Columns that the migration adds. */
const ADDED: readonly string[] = [
  ...['operator', 'money', 'customer_email', 'payment', 'received', 'refunded', 'paid_at', 'paid_twice'],
  ...['psp_reference', 'account_digest'],
];
const NAMES = COLUMNS.filter((name) => name !== 'seq' && !ADDED.includes(name)).map((name) => `"${name}"`);
const oldRow = (entry: Charge): Value[] => entryRow(entry).filter((_value, at) => !ADDED.includes(COLUMNS[at] ?? ''));

interface Migrated {
  readonly ledger: Ledger;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

const QUERY = 'SELECT payment, received, refunded, paid_at, checksum FROM charge ORDER BY seq';

const inFile = async (): Promise<Migrated> => {
  const path = newPath();
  openDatabase(path, { ...LEDGER_FILE, migrations: LEDGER_FILE.migrations.slice(0, 7) }, (db) => {
    const add = db.prepare(`INSERT INTO charge (${NAMES.join()}) VALUES (${NAMES.map(() => '?').join()})`);
    for (const entry of entries) add.run(...oldRow(entry));
    db.close();
  });
  const ledger = await open(path);
  return { ledger, rows: beside(path, QUERY) };
};

const inPostgres = async (): Promise<Migrated> => {
  const cluster = await sharedCluster();
  const database = await cluster.createDatabase();
  const rows = entries.map((entry) => `(${oldRow(entry).map(literal).join()})`);
  const settings = "('name', 'a'), ('key', 'b'), ('version', '3')";
  const made = [
    ...SHARED_MIGRATIONS.slice(0, 3),
    `INSERT INTO paycli.setting VALUES ${settings};`,
    `INSERT INTO paycli.charge (${NAMES.join()}) VALUES ${rows.join()};`,
  ];
  await cluster.sql(made.join('\n'), [], database);
  const url = cluster.url(database);
  const access = { address: parseAddress(url), password: async () => undefined };
  expect(await migrateLedger(access)).toMatchObject({ from: 3 });
  const found = await cluster.sql(QUERY.replace('charge', 'paycli.charge'), [], database);
  const numbers = found.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, name === 'payment' || value === null ? value : Number(value)]),
    ),
  );
  return { ledger: await openShared(url, newFolder('shared')), rows: numbers };
};

// The tests have no PostgreSQL on Windows.
const LEDGERS = [
  ['in a file', inFile] as const,
  ...(process.platform === 'win32' ? [] : [['in PostgreSQL', inPostgres] as const]),
];

describe.each(LEDGERS)('an older ledger %s', (_where, migrated) => {
  it('gets the money that follows from the last readings, with the same checksums', async () => {
    const { ledger, rows } = await migrated();
    const expected = OLD.map(([what, , , [payment, received, refunded, paid_at]], index) => {
      const checksum = oldRow(entries[index] as Charge).at(-1);
      return { what, payment, received, refunded, paid_at, checksum };
    });
    expect(rows.map((row, index) => ({ what: OLD[index]?.[0], ...row }))).toEqual(expected);
    expect(await ledger.verify()).toMatchObject({ entries: OLD.length, faults: [] });
  });

  it('reads the same money from the entries', async () => {
    const { ledger, rows } = await migrated();
    const read = (await ledger.list({ limit: -1, oldestFirst: true })).map(moneyKnown);
    const nullable = (value: unknown) => value ?? null;
    expect(
      read.map((money) => [
        money?.payment,
        nullable(money?.received),
        nullable(money?.refunded),
        nullable(money?.paidAt),
      ]),
    ).toEqual(rows.map(({ payment, received, refunded, paid_at }) => [payment, received, refunded, paid_at]));
    expect(new Set(read.map((money) => money?.receivedAssumed === (money?.received === 900)))).toEqual(new Set([true]));
  });

  it('takes a charge that was paid as reversed if a later read shows that it failed', async () => {
    const { ledger } = await migrated();
    const [paid] = await ledger.list({ limit: 1, oldestFirst: true });
    if (paid?.activity === undefined) throw new Error('it has no activity');
    await ledger.observe(
      shown([{ ...paid.activity, status: 'failed', servedAt: NOON + MINUTE, askedAt: NOON + MINUTE }]),
    );
    expect(await ledger.get(paid.id)).toMatchObject({ money: { payment: 'reversed', received: 0, paidAt: NOON } });
    expect(await ledger.verify()).toMatchObject({ faults: [] });
  });
});

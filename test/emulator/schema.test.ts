import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { DATA_FILE } from '../../src/emulator/schema.ts';
import { inFile, NOON, startEmulator, tempFile } from './support.ts';

const ROOM = join(import.meta.dirname, '../../src/emulator/room.ts');
/** The columns of version 1. */
const COLUMNS = {
  setting: 'name, value',
  onye: 'seq, uid, record',
  ugwo: 'seq, uid, onye, record',
  activity: 'seq, uid, ugwo, record',
};

/** The columns that version 3 added. */
const ADDED = { ugwo: ['total_amount_paid'], activity: ['ugwo_uid', 'amount'] };

const parsed = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
};

/** Every row with its parsed record, because a migration may reorder fields. */
const rowsOf = (file: string): unknown[] =>
  inFile(file, (db) =>
    Object.entries(COLUMNS).flatMap(([table, columns]) =>
      db
        .prepare(`SELECT ${columns} FROM ${table}`)
        .all()
        .map((row) => ({ ...row, record: parsed(row['record']) })),
    ),
  );

const strip = (file: string): void =>
  inFile(file, (db) => {
    for (const [table, names] of Object.entries(ADDED)) {
      const paths = names.map((name) => `'$.${name}'`).join(', ');
      db.exec(`UPDATE ${table} SET record = json_remove(record, ${paths}) WHERE json_valid(record)`);
    }
  });

/**
 * A file of version 1 with an open transfer, a dial string, a failure, a double payment and invalid JSON; and its
 * rows of today.
 */
const oldFile = async (): Promise<{ readonly file: string; readonly rows: unknown[] }> => {
  const { file, send, close, clock } = await startEmulator({ customers: 2, ugwo: 25 });
  const { data } = (await send('GET', '/v1/ugwo')).json;
  const charge = (ugwo: { uid: string }, sent: unknown) =>
    send('POST', `/v1/ugwo/${ugwo.uid}/activities`, { type: 'charge', data: sent });
  await charge(data[0], { medium: 'bank_transfer', expires_at: '2026-11-20T13:10:00+01:00' });
  await charge(data[0], { medium: 'ussd', provider: 'gtb' });
  await charge(data[2], { medium: 'ussd', provider: 'gtb' });
  await charge(data[4], { medium: 'ussd', provider: 'gtb' });
  const twice = [];
  for (const _ of [1, 2]) twice.push((await charge(data[9], { medium: 'ussd', provider: 'gtb' })).json.uid);
  for (const activity of twice)
    await emulatorRoom.settle({ file, clock, activity, as: 'successful', after: undefined });
  await close();
  inFile(file, (db) => {
    // Version 1 seeded no activities.
    db.exec('DELETE FROM activity WHERE due IS NULL AND seq <= (SELECT count(*) FROM activity) - 6');
    db.exec("UPDATE activity SET record = '{' WHERE ugwo = (SELECT uid FROM ugwo ORDER BY seq DESC LIMIT 1 OFFSET 4)");
  });
  const rows = rowsOf(file);
  strip(file);
  const old = tempFile();
  const first = { ...DATA_FILE, migrations: DATA_FILE.migrations.slice(0, 1), fill: () => undefined };
  openDatabase(old, first, (db) => {
    db.exec(`ATTACH '${file}' AS new`);
    for (const [table, columns] of Object.entries(COLUMNS)) {
      db.exec(`INSERT INTO ${table} SELECT ${columns} FROM new.${table}`);
    }
    db.close();
  });
  return { file: old, rows };
};

const versionIn = (file: string): unknown => inFile(file, (db) => db.prepare('PRAGMA user_version').get());

test('a data file of version 1 is migrated to 6 with its records, by two processes at once', async () => {
  const { file, rows } = await oldFile();
  expect(rowsOf(file)).not.toEqual(rows);
  expect(versionIn(file)).toEqual({ user_version: 1 });
  const script = `
    import { emulatorRoom } from ${JSON.stringify(ROOM)};
    const clock = { now: () => ${NOON}, sleep: async () => {} };
    while (Date.now() < ${Date.now() + 400});
    await emulatorRoom.seed({ file: ${JSON.stringify(file)}, clock, customers: 0, ugwo: 0 });`;
  const open = async (): Promise<unknown> =>
    (await once(spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }), 'exit'))[0];
  expect(await Promise.all([open(), open()])).toEqual([0, 0]);
  expect(versionIn(file)).toEqual({ user_version: 6 });
  expect(rowsOf(file)).toEqual(rows);
  const plans = inFile(file, (db) => db.prepare('SELECT due, ending FROM activity ORDER BY seq').all());
  const none = { due: null, ending: null };
  expect(plans).toEqual([{ due: NOON + 10 * 60_000, ending: 'expired' }, ...Array(5).fill(none)]);
});

test('an account in a file of version 1 expires on time, and nothing else ends by itself', async () => {
  const { file } = await oldFile();
  const { send, clock } = await startEmulator({ file });
  const statuses = async (): Promise<unknown> => {
    const [{ uid }] = (await send('GET', '/v1/ugwo?limit=1')).json.data;
    return (await send('GET', `/v1/ugwo/${uid}`)).json.activities.map(({ status }: { status: string }) => status);
  };
  clock.set(NOON + 10 * 60_000 - 1);
  expect(await statuses()).toEqual(['requires_action', 'requires_action']);
  clock.set(NOON + 10 * 60_000);
  expect(await statuses()).toEqual(['failed', 'requires_action']);
  const [uid] = inFile(file, (db) => db.prepare('SELECT uid FROM activity ORDER BY seq LIMIT 1 OFFSET 1').all()).map(
    (row) => row['uid'],
  );
  await emulatorRoom.settle({ file, clock, activity: String(uid), as: 'successful', after: undefined });
  expect(await statuses()).toEqual(['failed', 'successful']);
});

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { modeOf } from '../support/files.ts';
import { clockAt, customersIn, faultOf, inFile, startEmulator, tempFile, tempFolder } from './support.ts';

const ROOM = join(import.meta.dirname, '../../src/emulator/room.ts');
// Older versions of Node warn about SQLite on stderr.
const QUIET = ['--disable-warning=ExperimentalWarning'];
const clock = clockAt();
const FEW = { clock, customers: 2, ugwo: 3 };

const start = (file: string) => emulatorRoom.start({ file, port: 0, clock });

describe('the data file survives', () => {
  test('a restart, with its customers, payment requests, activities, cursors and key', async () => {
    const first = await startEmulator({ customers: 2, ugwo: 12 });
    const customer = `/v1/onye/${customersIn(first.file)[0]}`;
    await first.send('PATCH', customer, { first_name: 'Kept' });
    const [{ uid }] = (await first.send('GET', '/v1/ugwo?limit=1')).json.data;
    const activity = await first.send('POST', `/v1/ugwo/${uid}/activities`, {
      type: 'charge',
      data: { medium: 'bank_transfer' },
    });
    const page = (await first.send('GET', '/v1/ugwo')).json;
    await first.close();

    const second = await startEmulator({ file: first.file });
    expect(second.key).toBe(first.key);
    expect((await second.send('PATCH', customer, {})).json.first_name).toBe('Kept');
    expect((await second.send('GET', '/v1/ugwo')).json.data).toEqual(page.data);
    expect((await second.send('GET', `/v1/ugwo?cursor=${page.next_cursor}`)).json.data).toHaveLength(2);
    const kept = inFile(first.file, (db) => db.prepare('SELECT record FROM activity ORDER BY seq DESC LIMIT 1').all());
    expect(kept.map(({ record }) => JSON.parse(String(record)))).toEqual([activity.json]);
  });

  test('kill -9, with everything that was answered', async () => {
    const file = tempFile();
    const script = `
      import { emulatorRoom } from ${JSON.stringify(ROOM)};
      const clock = { now: () => 1e12, sleep: async () => {} };
      const file = ${JSON.stringify(file)};
      await emulatorRoom.seed({ file, clock, customers: 1, ugwo: 0 });
      await emulatorRoom.start({ file, port: 0, clock });
      process.kill(process.pid, 'SIGKILL');`;
    const child = spawnSync(process.execPath, [...QUIET, '--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(child.signal).toBe('SIGKILL');
    expect(customersIn(file)).toHaveLength(1);
  });

  test('close, which ends open connections and can be called twice', async () => {
    const emulator = await startEmulator();
    const answer = await fetch(`${emulator.origin}/v1/ugwo`, { headers: { authorization: `Bearer ${emulator.key}` } });
    await answer.text();
    expect(answer.headers.get('connection')).toBe('keep-alive');
    await emulator.close();
    await emulator.close();
    await expect(fetch(emulator.origin)).rejects.toThrow();
    expect(readdirSync(join(emulator.file, '..'))).toEqual(['emulator.sqlite']);
  });

  test('close during a request that never ends', async () => {
    const emulator = await startEmulator();
    const { promise, resolve } = Promise.withResolvers<void>();
    const path = '/v1/onye/ony.Lcal.x';
    const headers = {
      authorization: `Bearer ${emulator.key}`,
      'content-type': 'application/json',
      expect: '100-continue',
    };
    const hanging = request(emulator.origin, { method: 'PATCH', path, headers, agent: false });
    hanging.on('continue', resolve).on('error', () => undefined);
    hanging.write('{');
    await promise;
    await emulator.close();
    expect(readdirSync(join(emulator.file, '..'))).toEqual(['emulator.sqlite']);
  });

  test('a port in use, which is a usage error', async () => {
    const emulator = await startEmulator();
    const port = Number(new URL(emulator.origin).port);
    const file = tempFile();
    const fault = await faultOf(emulatorRoom.start({ file, port, clock }));
    expect(fault).toMatchObject({ kind: 'usage', message: `port ${port} is already in use` });
    expect(fault.detail.hint).toContain('--port');
    expect(readdirSync(join(file, '..'))).toEqual(['emulator.sqlite']);
  });
});

describe('file modes', () => {
  test('are 0600 for the file and its logs, and 0700 for its folder, with any umask', () => {
    const folders = ['000', '022', '077'].map((umask) => [umask, join(tempFolder(), 'deep')]);
    const script = `
      import { readdirSync, statSync } from 'node:fs';
      import { emulatorRoom } from ${JSON.stringify(ROOM)};
      const clock = { now: () => 1e12, sleep: async () => {} };
      const mode = (path) => (statSync(path).mode & 0o777).toString(8);
      for (const [umask, deep] of ${JSON.stringify(folders)}) {
        process.umask(Number.parseInt(umask, 8));
        const file = deep + '/new/emulator.sqlite';
        const running = await emulatorRoom.start({ file, port: 0, clock });
        await emulatorRoom.seed({ file, clock, customers: 1, ugwo: 1 });
        const files = readdirSync(deep + '/new').map((name) => [name, mode(deep + '/new/' + name)]);
        console.log(JSON.stringify({ ...Object.fromEntries(files), deep: mode(deep), new: mode(deep + '/new') }));
        await running.close();
      }`;
    const child = spawnSync(process.execPath, [...QUIET, '--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(child.stderr).toBe('');
    const modes = {
      'emulator.sqlite': '600',
      'emulator.sqlite-shm': '600',
      'emulator.sqlite-wal': '600',
      deep: '700',
      new: '700',
    };
    const seen = child.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(seen).toEqual(folders.map(() => modes));
  });

  test('of an existing folder are kept', async () => {
    const folder = join(tempFolder(), 'mine');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    await emulatorRoom.seed({ file: join(folder, 'e.sqlite'), ...FEW });
    expect(modeOf(folder)).toBe('755');
  });

  test('of an existing empty file become 0600', async () => {
    const file = tempFile();
    writeFileSync(file, '', { mode: 0o644 });
    await emulatorRoom.seed({ file, ...FEW });
    expect(modeOf(file)).toBe('600');
    expect(customersIn(file)).toHaveLength(2);
  });
});

describe('a foreign file is rejected and unchanged', () => {
  const foreign: [string, (file: string) => void][] = [
    ['a text', (file) => writeFileSync(file, 'my notes\n')],
    ['bytes that only start like a database', (file) => writeFileSync(file, 'SQLite format 3\0 and so on')],
    ["another program's database", (file) => inFile(file, (db) => db.exec('CREATE TABLE ledger (id TEXT) STRICT'))],
  ];

  test.each(foreign)('%s', async (_case, make) => {
    const file = tempFile();
    make(file);
    const before = readFileSync(file);
    for (const use of [start(file), emulatorRoom.seed({ file, ...FEW }), emulatorRoom.reset({ file })]) {
      const fault = await faultOf(use);
      expect(fault).toMatchObject({ kind: 'usage', message: `${file} is not a data file of the emulator` });
      expect(fault.detail.hint).toContain('--data');
    }
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(join(file, '..'))).toEqual(['emulator.sqlite']);
  });

  test('a folder', async () => {
    const folder = tempFolder();
    expect(await faultOf(start(folder))).toMatchObject({ kind: 'usage' });
  });

  test('a path below a file', async () => {
    const file = tempFile();
    writeFileSync(file, 'x');
    expect(await faultOf(start(join(file, 'e.sqlite')))).toMatchObject({ kind: 'usage' });
  });

  test('a name with a special meaning for SQLite is an ordinary file name', () => {
    const cwd = tempFolder();
    const names = [':memory:', 'file:x?mode=memory', 'a b\'"%20.sqlite'];
    const script = `
      import { emulatorRoom } from ${JSON.stringify(ROOM)};
      const clock = { now: () => 1e12, sleep: async () => {} };
      for (const file of ${JSON.stringify(names)}) {
        await emulatorRoom.seed({ file, clock, customers: 1, ugwo: 1 });
        await (await emulatorRoom.start({ file, port: 0, clock })).close();
      }`;
    const child = spawnSync(process.execPath, [...QUIET, '--input-type=module', '-e', script], {
      cwd,
      encoding: 'utf8',
    });
    expect(child.stderr).toBe('');
    expect(readdirSync(cwd).toSorted()).toEqual(names.toSorted());
    for (const name of names) expect(customersIn(join(cwd, name))).toHaveLength(1);
  });

  test('a symbolic link is followed', async () => {
    const [file, link] = [tempFile(), tempFile()];
    await emulatorRoom.seed({ file, ...FEW });
    symlinkSync(file, link);
    expect(customersIn(link)).toHaveLength(2);
    expect(await emulatorRoom.seed({ file: link, ...FEW, onlyIfNew: true })).toEqual({ customers: 0, ugwo: 0 });
  });
});

describe('an unusable data file', () => {
  const ofVersion = (version: number) => (file: string) =>
    inFile(file, (db) => db.exec(`PRAGMA user_version = ${version}`));
  const damaged = (file: string) => {
    const bytes = readFileSync(file);
    bytes.fill(0xff, 100, 4000);
    writeFileSync(file, bytes);
  };
  const keyless = (file: string) => inFile(file, (db) => db.exec('DELETE FROM setting'));

  test.each([
    ['from a newer paycli', ofVersion(4), 'newer paycli (schema 4, this one knows 3)'],
    ['from no released paycli', ofVersion(2), 'was made by a paycli that was never released (schema 2)'],
    ['damaged', damaged, 'is damaged'],
    ['without a key', keyless, 'is damaged'],
  ])('%s is a usage error whose hint suggests reset, which works', async (_case, spoil, message) => {
    const file = tempFile();
    await emulatorRoom.seed({ file, ...FEW });
    spoil(file);
    const fault = await faultOf(start(file));
    expect(fault.kind).toBe('usage');
    expect(fault.message).toContain(message);
    expect(fault.detail.hint).toContain('paycli emulator reset');
    expect(fault.detail.hint).toContain('--data');
    await emulatorRoom.reset({ file });
    expect(modeOf(file)).toBe('600');
    await (await start(file)).close();
  });

  test('does not get the WAL of a deleted database', async () => {
    const file = tempFile();
    const running = await startEmulator({ file });
    await emulatorRoom.seed({ file, ...FEW });
    const log = readFileSync(`${file}-wal`);
    await running.close();
    const other = tempFile();
    writeFileSync(`${other}-wal`, log);
    expect(log.length).toBeGreaterThan(0);
    await (await start(other)).close();
    expect(customersIn(other)).toEqual([]);
  });
});

describe('reset', () => {
  test('removes every record and keeps the key', async () => {
    const emulator = await startEmulator({ customers: 2, ugwo: 3 });
    const { json } = await emulator.send('GET', '/v1/ugwo');
    await emulator.send('POST', `/v1/ugwo/${json.data[0].uid}/activities`, {
      type: 'charge',
      data: { medium: 'ussd', provider: 'uba' },
    });
    await emulatorRoom.reset(emulator);
    expect((await emulator.send('GET', '/v1/ugwo')).json).toEqual({ data: [], next_cursor: null });
    const left = inFile(emulator.file, (db) =>
      db.prepare('SELECT (SELECT count(*) FROM onye) + (SELECT count(*) FROM activity) AS records').get(),
    );
    expect(left?.['records']).toBe(0);
    await emulator.close();
    expect((await startEmulator({ file: emulator.file })).key).toBe(emulator.key);
  });

  test('does not create a missing file', async () => {
    const file = tempFile();
    await emulatorRoom.reset({ file });
    expect(existsSync(file)).toBe(false);
  });
});

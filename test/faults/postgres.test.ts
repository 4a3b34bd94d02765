import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import type { At } from '../support/postgres/kinds.ts';
import { askedAt } from '../support/postgres/sql.ts';
import { ownCluster, ownStandby, sharedCluster } from '../support/postgres.ts';
import { CA_FILE } from '../support/tls.ts';

const fixture = (name: string): string => readFileSync(resolve('test/fixtures/tls', name), 'utf8');

/** Connects over TLS as others than the server's own user do; gives who that is, by the server's word. */
const whoIs = async (port: number, user: string, host: string, ssl: object): Promise<string> => {
  const client = new pg.Client({ host, port, user, database: 'postgres', ssl });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ user: string }>('SELECT session_user AS user');
  await client.end();
  return rows[0]?.user ?? '';
};

// Windows has neither its users nor its signals.
describe.skipIf(process.platform === 'win32')('a PostgreSQL of the tests', () => {
  it('gives each test a database of its own, which it may copy', async () => {
    const cluster = await sharedCluster();
    const database = await cluster.createDatabase();
    await cluster.sql('CREATE TABLE kept (number int)', [], database);
    await cluster.sql('INSERT INTO kept VALUES ($1)', [7], database);
    const copy = await cluster.createDatabase(database);
    for (const over of ['tcp', 'socket'] as const) {
      const client = new pg.Client(cluster.url(copy, { over }));
      await client.connect();
      expect((await client.query('SELECT number FROM kept')).rows).toEqual([{ number: 7 }]);
      await client.end();
    }
    expect(await cluster.sql('SHOW fsync')).toEqual([{ fsync: 'on' }]);
    expect(await sharedCluster()).toBe(cluster);
  });

  it.runIf(process.platform === 'linux')(
    'can be killed with all its processes, and keeps what was committed',
    async () => {
      const cluster = await ownCluster();
      await cluster.sql('CREATE TABLE kept (number int)');
      await cluster.sql('INSERT INTO kept VALUES (1)');
      const client = new pg.Client(cluster.url('postgres'));
      client.on('error', () => undefined);
      await client.connect();
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const backend = rows[0]?.pid ?? 0;
      expect(cluster.children()).toContain(backend);
      process.kill(backend, 'SIGSTOP');
      const ended = new Promise((done) => client.once('end', done));
      await cluster.kill();
      await ended;
      await expect(cluster.sql('SELECT 1')).rejects.toThrow();
      await cluster.start({ fsync: false });
      expect(await cluster.sql('SELECT number FROM kept')).toEqual([{ number: 1 }]);
      expect(await cluster.sql('SHOW fsync')).toEqual([{ fsync: 'off' }]);
      expect(cluster.log()).toContain('automatic recovery');
    },
  );

  it.each([true, false])(
    'has a standby that has what was committed, and can take over (synchronous: %s)',
    async (synchronous) => {
      const primary = await ownCluster();
      await primary.sql('CREATE TABLE kept (number int)');
      const standby = await ownStandby(primary, { synchronous });
      await primary.sql('INSERT INTO kept VALUES (1)');
      await expect(standby.sql('INSERT INTO kept VALUES (0)')).rejects.toMatchObject({ code: '25006' });
      await primary.stop();
      await standby.promote();
      await standby.sql('INSERT INTO kept VALUES (2)');
      expect(await standby.sql('SELECT number FROM kept')).toEqual([{ number: 1 }, { number: 2 }]);
    },
  );

  it('waits at a commit for its synchronous standby', async () => {
    const primary = await ownCluster();
    const standby = await ownStandby(primary, { synchronous: true });
    await primary.sql('CREATE TABLE kept (number int)');
    await standby.stop();
    const commit = primary.sql('INSERT INTO kept VALUES (1)');
    await vi.waitFor(async () => {
      expect(await primary.sql("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'")).toHaveLength(1);
    });
    expect(await primary.sql('SELECT number FROM kept')).toEqual([]);
    await standby.start();
    await commit;
    expect(await primary.sql('SELECT number FROM kept')).toEqual([{ number: 1 }]);
  });

  it('shows a certificate, lets in over TLS alone, and by certificate whom the certificate names', async () => {
    const { port, sql } = await ownCluster({ tls: 'good', loopback: 'cert' });
    await sql('CREATE ROLE operator LOGIN');
    const ca = readFileSync(CA_FILE, 'utf8');
    const own = { ca, cert: fixture('operator.pem'), key: fixture('operator.key') };
    expect(await whoIs(port, 'operator', 'localhost', own)).toBe('operator');
    await expect(whoIs(port, 'postgres', 'localhost', own)).rejects.toThrow('certificate authentication failed');
    await expect(whoIs(port, 'operator', 'localhost', { ca })).rejects.toThrow('requires a valid client certificate');
    await expect(whoIs(port, 'operator', 'localhost', { ...own, ca: fixture('self-signed.pem') })).rejects.toThrow(
      'self',
    );
    const clear = new pg.Client({ host: '127.0.0.1', port, user: 'operator', database: 'postgres' });
    await expect(clear.connect()).rejects.toThrow('no encryption');
  });

  it('goes away with the process that started it, even where that is killed', async () => {
    const child = fork(join(import.meta.dirname, 'postgres-starter.ts'), { execArgv: [] });
    const [at] = (await once(child, 'message')) as [At];
    const url = askedAt(at).url('postgres');
    const client = new pg.Client(url);
    await client.connect();
    await client.end();
    child.kill('SIGKILL');
    await expect.poll(() => existsSync(at.socketDir)).toBe(false);
    await expect(new pg.Client(url).connect()).rejects.toThrow('ECONNREFUSED');
  });
});

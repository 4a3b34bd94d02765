import { readFileSync } from 'node:fs';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownCluster, sharedCluster } from '../support/postgres.ts';
import { CA_FILE } from '../support/tls.ts';
import type { Message } from './postgres-messages.ts';
import { openPostgresRelay } from './postgres-relay.ts';

/** A client behind a proxy, and a direct view of the committed rows. */
const openBench = async () => {
  const cluster = await sharedCluster();
  const relay = await openPostgresRelay(cluster.port);
  onTestFinished(relay.close);
  const database = await cluster.createDatabase();
  await cluster.sql('CREATE TABLE kept (number int)', [], database);
  const client = new pg.Client(cluster.url(database, { port: relay.port }));
  client.on('error', () => undefined);
  await client.connect();
  const kept = () => cluster.sql<{ number: number }>('SELECT number FROM kept', [], database);
  return { relay, client, kept };
};

const isCommitted = ({ name, text }: Message): boolean => name === 'CommandComplete' && text === 'COMMIT';

describe.skipIf(process.platform === 'win32')('the proxy in front of PostgreSQL', () => {
  it('parses and counts the messages of both sides', async () => {
    const { relay, client } = await openBench();
    expect(relay.messages[0]?.name).toBe('Startup');
    const before = relay.messages.length;
    const { request, answer } = relay.bytes;
    await client.query('INSERT INTO kept VALUES ($1)', [7]);
    await client.query('COMMIT');
    const came = relay.messages.slice(before);
    const names = (side: string): string[] => came.filter((one) => one.side === side).map(({ name }) => name);
    expect(names('request')).toEqual(['Parse', 'Bind', 'Describe', 'Execute', 'Sync', 'Query']);
    expect(names('answer')).toEqual([
      ...['ParseComplete', 'BindComplete', 'NoData', 'CommandComplete', 'ReadyForQuery'],
      ...['NoticeResponse', 'CommandComplete', 'ReadyForQuery'],
    ]);
    const sum = (side: string): number =>
      came.filter((one) => one.side === side).reduce((all, { bytes }) => all + bytes.length, 0);
    expect([sum('request'), sum('answer')]).toEqual([relay.bytes.request - request, relay.bytes.answer - answer]);
    await client.end();
  });

  it('can hold the answer to a commit, which is visible before the client knows', async () => {
    const { relay, client, kept } = await openBench();
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    relay.use(async (message) => {
      if (!isCommitted(message)) return undefined;
      reached.resolve();
      await held.promise;
      return undefined;
    });
    await client.query('BEGIN');
    await client.query('INSERT INTO kept VALUES (1)');
    let known = false;
    const commit = client.query('COMMIT').then(() => {
      known = true;
    });
    await reached.promise;
    expect(await kept()).toEqual([{ number: 1 }]);
    expect(known).toBe(false);
    held.resolve();
    await commit;
    await client.end();
  });

  it.each(['fin', 'rst'] as const)('can cut a connection by %s within a message', async (way) => {
    const { relay, client, kept } = await openBench();
    relay.use(({ text }) => (text === 'COMMIT' ? { way, after: 3 } : undefined));
    await client.query('BEGIN');
    await client.query('INSERT INTO kept VALUES (1)');
    await expect(client.query('COMMIT')).rejects.toThrow();
    expect(await kept()).toEqual([]);
    expect(relay.messages.at(-1)?.text).toBe('COMMIT');
  });

  it('can stall before the answer, without notice to either end', async () => {
    const { relay, client, kept } = await openBench();
    const reached = Promise.withResolvers<void>();
    relay.use((message) => {
      if (!isCommitted(message)) return undefined;
      reached.resolve();
      return { way: 'stall', after: 0 };
    });
    await client.query('BEGIN');
    await client.query('INSERT INTO kept VALUES (1)');
    let known = false;
    void client
      .query('COMMIT')
      .catch(() => undefined)
      .finally(() => {
        known = true;
      });
    await reached.promise;
    expect(await kept()).toEqual([{ number: 1 }]);
    expect(known).toBe(false);
    const ended = new Promise((done) => client.once('end', done));
    await relay.close();
    await ended;
  });

  it('can delay both directions without blocking later messages', async () => {
    const { relay, client } = await openBench();
    relay.delay(50);
    const start = performance.now();
    // Three messages in a row, but one round trip.
    await client.query('SELECT $1::int', [1]);
    const took = performance.now() - start;
    expect(took).toBeGreaterThan(99);
    await client.end();
  });

  it('passes encrypted bytes', async () => {
    const { port, sql } = await ownCluster({ tls: 'good' });
    const relay = await openPostgresRelay(port);
    onTestFinished(relay.close);
    await sql('CREATE ROLE operator LOGIN');
    const ssl = { ca: readFileSync(CA_FILE, 'utf8') };
    const client = new pg.Client({ host: 'localhost', port: relay.port, user: 'operator', database: 'postgres', ssl });
    await client.connect();
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    const names = [...new Set(relay.messages.map(({ name }) => name))];
    expect(names).toEqual(['SSLRequest', 'SSLYes', 'Bytes']);
  });
});

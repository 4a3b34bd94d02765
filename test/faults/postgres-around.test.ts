import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasBouncer } from '../support/postgres/bouncer.ts';
import { ownBouncer, ownCluster, sharedCluster } from '../support/postgres.ts';
import { clockThatIsOff, hasFaketime } from './clocks.ts';
import { makeNamespace, mayMakeNamespaces } from './namespaces.ts';
import { full } from './torture.ts';

const HOUR = 3600;

// `npm test` skips what this machine lacks; `npm run torture` fails.
describe.runIf(full || hasBouncer())('a PgBouncer of the tests', () => {
  it('assigns a server connection for each transaction', async () => {
    const cluster = await sharedCluster();
    const bouncer = await ownBouncer(cluster, { settings: { default_pool_size: 1 } });
    const database = await cluster.createDatabase();
    const pids: unknown[] = [];
    for (const _ of [1, 2]) {
      const client = new pg.Client(cluster.url(database, { port: bouncer.port }));
      await client.connect();
      onTestFinished(() => client.end());
      pids.push((await client.query('SELECT pg_backend_pid() AS pid')).rows);
    }
    expect(pids[0]).toEqual(pids[1]);
  });
});

describe.runIf(full || hasFaketime())('a wrong clock', () => {
  it.each([HOUR, -HOUR])('by %i seconds affects a program and a database', async (seconds) => {
    const env = clockThatIsOff(seconds);
    const child = spawn(process.execPath, ['-p', 'Date.now()'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const cluster = await ownCluster({ env });
    const [row] = await cluster.sql<{ now: Date }>('SELECT clock_timestamp() AS now');
    for (const time of [Number(said), Number(row?.now)]) {
      expect(Math.abs(time - Date.now() - seconds * 1000)).toBeLessThan(60_000);
    }
  });
});

/** An echo server on loopback. */
const serveEcho = async (): Promise<number> => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

/** Connects to each `name:port`, sends its input to all, and prints which have answered. */
const ASKING = `
  const { connect } = require('node:net');
  const sockets = process.argv.slice(1).map((at) => {
    const [host, port] = at.split(':');
    const socket = connect({ host, port });
    socket.on('data', (said) => console.log(host + ' ' + said));
    return socket;
  });
  process.stdin.on('data', (said) => sockets.forEach((socket) => socket.write(said)));`;

describe.runIf(full || mayMakeNamespaces())('a network namespace', () => {
  it('has a cable to each peer, which can be cut and restored', async () => {
    const peers = [
      { name: 'ledger.test', port: await serveEcho() },
      { name: 'localhost', port: await serveEcho() },
    ];
    const network = await makeNamespace(peers);
    onTestFinished(network.remove);
    const names = peers.map(({ name, port }) => `${name}:${port}`);
    const [file, ...args] = network.command(process.execPath, '-e', ASKING, ...names);
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let heard = '';
    child.stdout.on('data', (said: Buffer) => {
      heard += said.toString('utf8');
    });
    child.stdin.write('1');
    for (const { name } of peers) await expect.poll(() => heard).toContain(`${name} 1`);
    network.cut('ledger.test');
    child.stdin.write('2');
    await expect.poll(() => heard).toContain('localhost 2');
    expect(heard).not.toContain('ledger.test 2');
    network.heal('ledger.test');
    await expect.poll(() => heard).toContain('ledger.test 2');
  });
});

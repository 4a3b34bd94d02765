import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession, type Session } from '../../../src/ledger/postgres/session.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { createReader, type Message } from '../../faults/postgres-messages.ts';
import { newFolder } from '../../support/program.ts';

const PASSWORD = 'sesame';
const LIMIT_MS = 20_000;

const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const message = (type: string, ...parts: readonly (Buffer | string)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([Buffer.from(type), int(4 + body.length), body]);
};

const LET_IN = Buffer.concat([message('R', int(0)), message('Z', 'I')]);
const CLEAR_TEXT = message('R', int(3));
const MD5 = message('R', int(5), 'salt');
const SCRAM = message('R', int(10), 'SCRAM-SHA-256\0\0');
const ROWS = message(
  'T',
  Buffer.from([0, 1]),
  'a\0',
  Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0]),
);
const NOTICE = message('N', 'SNOTICE\0C01000\0Mhm\0\0');

type Say = (asked: Message, socket: Socket) => void;

/** A fake server with scripted answers, on loopback or at a Unix socket in a folder. */
const serverThat = async (say: Say, folder?: string) => {
  const asked: Message[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    const reader = createReader();
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      for (const one of reader.read('request', chunk)) {
        asked.push(one);
        say(one, socket);
      }
    });
  });
  await once(
    folder === undefined ? server.listen(0, '127.0.0.1') : server.listen(join(folder, '.s.PGSQL.5432')),
    'listening',
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url =
    folder === undefined
      ? `postgres://ada@127.0.0.1:${(server.address() as AddressInfo).port}/pay`
      : `postgres://ada@/pay?host=${folder}`;
  const open = (): Promise<Session> => openSession({ address: parseAddress(url), password: async () => PASSWORD });
  return {
    open,
    asked,
    name: parseAddress(url).name,
    sent: () => sockets.reduce((sum, one) => sum + one.bytesWritten, 0),
  };
};

/** Sends the same bytes as long as the client reads. */
const forever = (socket: Socket, bytes: Buffer): void => {
  const some = Buffer.concat(Array.from({ length: Math.ceil(65_536 / bytes.length) }, () => bytes));
  const all = function* () {
    for (;;) yield some;
  };
  Readable.from(all())
    .on('error', () => undefined)
    .pipe(socket);
};

describe.skipIf(process.platform === 'win32')('a server without TLS that asks for the password', () => {
  it.each([
    ['in clear text', [CLEAR_TEXT]],
    ['as MD5', [MD5]],
    ['in clear text', [SCRAM, CLEAR_TEXT]],
    ['as MD5', [SCRAM, MD5]],
  ])('%s does not get it, over TCP or a socket (after %j)', async (how, words) => {
    for (const folder of [undefined, newFolder('socket')]) {
      const left = [...words];
      const server = await serverThat((_asked, socket) => void socket.write(left.shift() ?? LET_IN), folder);
      await expect(server.open()).rejects.toMatchObject({
        kind: 'auth',
        message: `the ledger ${server.name} asks for the password ${how} over a connection without TLS`,
        detail: { hint: expect.stringContaining('SCRAM') },
      });
      const told = server.asked.filter(({ name }) => name === 'Password').map(({ text }) => text);
      expect(told).toEqual(words.length === 1 ? [] : [expect.stringContaining('n=*,r=')]);
    }
  });
});

/** More than the system's buffers. */
const SLACK = 8 * 1024 * 1024;
const HUGE = Buffer.concat([Buffer.from('D'), int(2 ** 30), Buffer.alloc(65_536)]);

describe.skipIf(process.platform === 'win32')('a server that sends without end', () => {
  it.each([
    ['notices', NOTICE],
    ['a message of 1 GiB', HUGE],
    ['empty messages', message('1')],
  ])('is disconnected during login: %s', async (_what, bytes) => {
    const server = await serverThat((_asked, socket) => forever(socket, bytes));
    await expect(server.open()).rejects.toMatchObject({
      kind: 'ledger',
      message: `the ledger ${server.name} sent more than 64 KiB in one answer`,
    });
    expect(server.sent()).toBeLessThan(SLACK);
  });

  it.each([
    ['notices', [], NOTICE],
    ['rows', [ROWS], message('D', Buffer.from([0, 1]), int(1000), 'x'.repeat(1000))],
    ['rows without columns', [ROWS], message('D', Buffer.from([0, 0]))],
    ['answers', [], message('C', 'X\0')],
    ['a message of 1 GiB', [ROWS], HUGE],
  ])('is disconnected during an answer: %s', async (_what, first, bytes) => {
    const server = await serverThat(({ name }, socket) => {
      if (name !== 'Query') return void socket.write(LET_IN);
      for (const one of first) socket.write(one);
      forever(socket, bytes);
    });
    const session = await server.open();
    const before = process.memoryUsage().rss;
    await expect(session.run('SELECT 1', LIMIT_MS)).rejects.toMatchObject({
      kind: 'ledger',
      message: `the ledger ${server.name} sent more than 65536 KiB in one answer`,
    });
    expect(session.isOpen()).toBe(false);
    expect(server.sent()).toBeLessThan(64 * 1024 * 1024 + SLACK);
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });

  it.each([
    ['asks for an unknown authentication method', message('R', int(99))],
    ['sends a truncated row', Buffer.concat([LET_IN, message('D', Buffer.from([127, 255]))])],
  ])('that %s causes an ordinary error', async (_what, bytes) => {
    const server = await serverThat((_asked, socket) => void socket.write(bytes));
    await expect(server.open().then((session) => session.run('SELECT 1', LIMIT_MS))).rejects.toMatchObject({
      name: expect.stringMatching(/Lost|PayError/),
    });
  });
});

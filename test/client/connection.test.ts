import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ACTIVITY, DEAD_ORIGIN, json, page, serve, UGWO_ID } from '../support/service.ts';
import { answerText, serveWire } from '../support/wire.ts';
import { bench, thrownBy } from './support.ts';

const CHARGE = { params: { ugwoUid: UGWO_ID }, body: { type: 'charge', data: { medium: 'bank_transfer' } } };
const ANSWER = answerText(200, ACTIVITY);

/** Writes the pieces one after the other. */
const writeIn = async (socket: Socket, pieces: readonly string[]): Promise<void> => {
  socket.setNoDelay(true);
  for (const piece of pieces) {
    await new Promise((done) => socket.write(piece, done));
    for (let turns = 0; turns < 5; turns += 1) await turn();
  }
};

describe('1xx responses', () => {
  it.each([
    ['100 Continue', ['HTTP/1.1 100 Continue\r\n\r\n', ANSWER]],
    ['100 in one piece with the answer', [`HTTP/1.1 100 Continue\r\n\r\n${ANSWER}`]],
    ['100 without a reason, with headers', [`HTTP/1.1 100\r\nX: 1\r\n\r\n${ANSWER}`]],
    ['100 in pieces', ['HTTP', '/1.1 1', '00 Continue', '\r\n', '\r', `\n${ANSWER.slice(0, 20)}`, ANSWER.slice(20)]],
    ['several of them', [`HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${ANSWER}`]],
    ['102 and then a slow 100', ['HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n', ANSWER]],
  ])('before the answer are ignored: %s', async (_what, pieces) => {
    const service = await serveWire({ asked: (socket) => void writeIn(socket, pieces) });
    const { client } = bench(service.origin);
    expect((await client.call('ugwo.charge', CHARGE)).value).toMatchObject({ uid: ACTIVITY.uid });
    expect(service.received).toHaveLength(1);
  });

  it.each([
    ['only 100', ['HTTP/1.1 100 Continue\r\n\r\n']],
    ['half of 100', ['HTTP/1.1 10']],
    ['a protocol switch', [`HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n${ANSWER}`]],
    ['an endless 100', [`HTTP/1.1 100 Continue\r\nX: ${'x'.repeat(40_000)}`]],
  ])('without an answer are not one: %s', async (_what, pieces) => {
    const service = await serveWire({ asked: (socket) => void writeIn(socket, pieces).then(() => socket.end()) });
    const { client } = bench(service.origin);
    expect(await thrownBy(client.call('ugwo.charge', CHARGE))).toMatchObject({ kind: 'unknown' });
    expect(service.received).toHaveLength(1);
  });

  it('without an end are given up, however small their pieces and without a close', async () => {
    const pieces = ['HTTP/1.1 100 Continue\r\n', ...Array.from({ length: 40 }, () => `X: ${'x'.repeat(1000)}\r\n`)];
    const service = await serveWire({ asked: (socket) => void writeIn(socket, pieces) });
    expect(await thrownBy(bench(service.origin).client.call('ugwo.charge', CHARGE))).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('Headers Overflow Error'),
    });
  });

  it('are ignored for reads, too', async () => {
    const answer = answerText(200, { data: [], next_cursor: null });
    const service = await serveWire({
      asked: (socket) => void writeIn(socket, ['HTTP/1.1 100 Continue\r\n\r\n', answer]),
    });
    const { client } = bench(service.origin);
    expect((await client.call('ugwo.list', {})).value).toMatchObject({ data: [] });
  });
});

describe('a connection with data before the request', () => {
  it.each([
    ['a whole answer', ANSWER],
    ['a single byte', 'H'],
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('is not used: %s', async (_what, bytes) => {
    const service = await serveWire({ opened: (socket) => void socket.write(bytes) });
    const { client, flight } = bench(service.origin);
    expect(await thrownBy(client.call('ugwo.charge', CHARGE))).toMatchObject({
      kind: 'not_sent',
      message: expect.stringContaining('answered before it was asked'),
    });
    expect(service.received).toEqual(['', '', '']);
    expect(flight).toEqual({ open: 0, accepted: 0 });
  });

  it('is replaced by another one', async () => {
    let opened = 0;
    const service = await serveWire({
      opened: (socket) => {
        opened += 1;
        if (opened === 1) socket.write(ANSWER);
      },
      asked: (socket) => void socket.write(answerText(200, { ...ACTIVITY, uid: 'act.AbCd.222222222222222222222222' })),
    });
    const { client } = bench(service.origin);
    expect((await client.call('ugwo.charge', CHARGE)).value).toMatchObject({
      uid: 'act.AbCd.222222222222222222222222',
    });
    expect(service.received).toHaveLength(2);
  });

  it('or already closed is not used', async () => {
    const service = await serveWire({ opened: (socket) => socket.end() });
    const { client } = bench(service.origin);
    expect(await thrownBy(client.call('ugwo.charge', CHARGE))).toMatchObject({ kind: 'not_sent' });
    expect(service.received).toEqual(['', '', '']);
  });
});

describe('a read', () => {
  it('forbids cached answers and reports the age of one', async () => {
    const service = await serve([
      json(200, ACTIVITY, { age: '90', date: 'Sun, 22 Nov 2026 10:00:00 GMT' }),
      json(200, ACTIVITY, { age: '0' }),
      json(200, ACTIVITY),
    ]);
    const { client } = bench(service.origin);
    const look = { params: { ugwoUid: UGWO_ID, activityUid: String(ACTIVITY.uid) } };
    expect(await client.call('activity.get', look)).toMatchObject({
      age: 90_000,
      servedAt: Date.UTC(2026, 10, 22, 10),
    });
    expect(await client.call('activity.get', look)).not.toHaveProperty('age');
    expect(await client.call('activity.get', look)).not.toHaveProperty('age');
    expect(service.seen.map(({ headers }) => headers['cache-control'])).toEqual(['no-cache', 'no-cache', 'no-cache']);
  });

  it('forbids caches; a charge has no such header', async () => {
    const service = await serve([json(200, ACTIVITY), page([], null)]);
    const { client } = bench(service.origin);
    await client.call('ugwo.charge', CHARGE);
    await client.call('ugwo.list', {});
    expect(service.seen.map(({ headers }) => headers['cache-control'])).toEqual([undefined, 'no-cache']);
  });
});

describe('a proxy that is down', () => {
  it('is named without user and password', async () => {
    const dead = DEAD_ORIGIN.replace('http://', 'http://ada:secret-word@');
    const { client } = bench('https://localhost:9', { env: { https_proxy: dead } });
    const { host } = new URL(dead);
    expect(await thrownBy(client.call('ugwo.charge', CHARGE))).toMatchObject({
      kind: 'not_sent',
      message: `nothing was applied: could not connect through the proxy ${host} (from HTTPS_PROXY): ${host} refused the connection`,
      detail: { code: 'ECONNREFUSED' },
    });
  });

  it('is not mentioned if NO_PROXY excludes the host', async () => {
    const origin = DEAD_ORIGIN.replace('http:', 'https:');
    const { client } = bench(origin, { env: { HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '127.0.0.1' } });
    expect(await thrownBy(client.call('ugwo.charge', CHARGE))).toMatchObject({
      kind: 'not_sent',
      message: `nothing was applied: ${new URL(origin).host} refused the connection`,
    });
  });
});

describe('an unknown host', () => {
  it('is named in plain words, with the code in the details', async () => {
    const { client } = bench('https://no-such-host.invalid');
    expect(await thrownBy(client.call('ugwo.charge', CHARGE))).toMatchObject({
      kind: 'not_sent',
      message: expect.stringMatching(/could not (find|look up) the host no-such-host\.invalid/),
      detail: { code: expect.stringMatching(/^E/) },
    });
  });
});

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  ACTIVITY,
  type Answer,
  DEAD_ORIGIN,
  hang,
  json,
  ONYE_ID,
  page,
  problem,
  reset,
  serveAll,
  UGWO_ID,
  ugwo,
} from '../support/service.ts';
import { MIB } from '../support/units.ts';
import { bench, thrownBy } from './support.ts';

const INPUT = { query: { limit: '10' } };

/** Pages that are answered once all are requested. */
const together = (count: number): Answer[] => {
  const all: (() => void)[] = [];
  return Array.from({ length: count }, () => (...request) => {
    all.push(() => page([1], null)(...request));
    if (all.length === count) for (const answer of all) answer();
  });
};

describe('a read', () => {
  it('has a query and keeps its connection', async () => {
    const service = await serveAll([page([1], 'a b&c'), page([2], null)]);
    const { client } = bench(service.origin);
    const seen: unknown[] = [];
    for await (const { records } of client.pages('ugwo.list', INPUT, {}))
      seen.push(...records.map(({ value }) => value['uid']));
    expect(seen).toHaveLength(2);
    expect(service.seen.map(({ url }) => url)).toEqual(['/v1/ugwo?limit=10', '/v1/ugwo?limit=10&cursor=a+b%26c']);
    expect(service.connections()).toBe(1);
  });

  it('is repeated at once if the kept connection was closed', async () => {
    const closing =
      (answer: Answer): Answer =>
      (seen, response, socket) => {
        response.on('finish', () => socket.destroySoon());
        answer(seen, response, socket);
      };
    const service = await serveAll([closing(page([1], 'a')), closing(page([2], 'b')), closing(page([3], null))]);
    const { client, waits } = bench(service.origin);
    for await (const { records } of client.pages('ugwo.list', INPUT, {})) expect(records).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  it('that fails on a kept and a new connection counts as one attempt', async () => {
    const service = await serveAll([page([1], 'a'), reset, reset, page([2], null)]);
    const { client, waits } = bench(service.origin);
    for await (const { records } of client.pages('ugwo.list', INPUT, {})) expect(records).toHaveLength(1);
    expect(waits).toEqual([250]);
  });

  it('does not wait for others, and leaves its connection to the next', async () => {
    const service = await serveAll([page([1], null), ...together(3), page([1], null)]);
    const { client } = bench(service.origin);
    await client.call('ugwo.list', INPUT);
    await Promise.all([1, 2, 3].map(() => client.call('ugwo.list', INPUT)));
    await client.call('ugwo.list', INPUT);
    expect([service.seen.length, service.connections()]).toEqual([5, 3]);
  });

  it('is serialised after a 429, whose delay is reported', async () => {
    let [open, most] = [0, 0];
    const counted: Answer = (seen, response, socket) => {
      open += 1;
      most = Math.max(most, open);
      setImmediate(() => {
        open -= 1;
        page([1], null)(seen, response, socket);
      });
    };
    const slow = problem(429, 'Slow', undefined, { 'retry-after': '3' });
    const service = await serveAll([slow, counted, counted, counted, counted]);
    const { client, waits } = bench(service.origin);
    const told: number[] = [];
    await client.paced({ slowDown: (ms) => void told.push(ms) }).call('ugwo.list', INPUT);
    await Promise.all([1, 2, 3].map(() => client.call('ugwo.list', INPUT)));
    expect({ told, waits, most }).toEqual({ told: [3000], waits: [expect.closeTo(3300)], most: 1 });
  });

  it('keeps its connection if the answer is not JSON', async () => {
    const busy: Answer = (_seen, response) => response.writeHead(503).end('<p>busy');
    const service = await serveAll([busy, busy, page([1], null)]);
    await bench(service.origin).client.call('ugwo.list', INPUT);
    expect(service.connections()).toBe(1);
  });

  it('that fails on one of several kept connections is repeated on a new one', async () => {
    const service = await serveAll([...together(2), reset, page([1], null)]);
    const { client, waits } = bench(service.origin);
    await Promise.all([1, 2].map(() => client.call('ugwo.list', INPUT)));
    await client.call('ugwo.list', INPUT);
    expect([waits, service.connections()]).toEqual([[], 3]);
  });

  it('without a connection fails', async () => {
    const { client } = bench(DEAD_ORIGIN);
    expect(await thrownBy(client.call('ugwo.list', INPUT))).toMatchObject({
      kind: 'read_failed',
      message: expect.stringContaining('refused the connection'),
      detail: { code: 'ECONNREFUSED' },
    });
  });

  it.each([429, 503])('ends at once after a %i with too long a delay, as do all others', async (status) => {
    const service = await serveAll([problem(status, 'Slow', undefined, { 'retry-after': '3600' })]);
    const { client, waits } = bench(service.origin);
    const asked = { kind: 'read_failed', message: expect.stringContaining('asks to wait 1 h, until') };
    expect(await thrownBy(client.call('ugwo.list', INPUT))).toMatchObject(asked);
    expect(await thrownBy(client.call('ugwo.list', INPUT))).toMatchObject({
      kind: 'read_failed',
      detail: { retryAt: expect.any(Number) },
    });
    expect(
      await thrownBy(
        client.call('ugwo.charge', {
          params: { ugwoUid: UGWO_ID },
          body: { type: 'charge', data: { medium: 'bank_transfer' } },
        }),
      ),
    ).toMatchObject({
      kind: 'not_sent',
      detail: { retryAt: expect.any(Number) },
    });
    expect(waits).toEqual([]);
  });

  it.each<[string, Answer, RegExp]>([
    ['a redirect', (_s, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /redirect/],
    ['invalid JSON', (_s, response) => response.end('<html>'), /not JSON/],
    ['an empty body', (_s, response) => response.end(), /empty/],
    [
      'a record that is not an object',
      json(200, { data: ['ugw'], next_cursor: null }),
      /record in "data" is not an object/,
    ],
    [
      'a gzip bomb',
      (_s, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10 * MIB))),
      /larger than 2 MiB/,
    ],
    ['JSON 200,000 levels deep', (_s, response) => response.end('['.repeat(200_000)), /nested deeper/],
    ['not UTF-8', (_s, response) => response.end(Buffer.from([0x22, 0xff, 0xfe, 0x22])), /UTF-8/],
    ['more than 2 MiB', (_s, response) => response.end(Buffer.alloc(3 * MIB, 0x20)), /larger than 2 MiB/],
  ])('answered with %s is an error and not repeated', async (_what, answer, message) => {
    const service = await serveAll([answer]);
    const { client } = bench(service.origin);
    expect(await thrownBy(client.call('ugwo.list', INPUT))).toMatchObject({
      kind: 'read_failed',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['onye.get', { uid: ONYE_ID }, { uid: 'ony.AbCd.other' }, 'customer (onye), ony.AbCd.other'],
    ['ugwo.get', { uid: UGWO_ID }, ugwo(7), `payment request (ugwo), ${ugwo(7)['uid']}`],
    [
      'activity.get',
      { ugwoUid: UGWO_ID, activityUid: ACTIVITY.uid },
      { ...ACTIVITY, uid: 'act.AbCd.other' },
      'activity, act.AbCd.other',
    ],
  ] as const)('of one record rejects an answer about another: %s', async (id, params, other, told) => {
    const service = await serveAll([json(200, other)]);
    const { client } = bench(service.origin);
    expect(await thrownBy(client.call(id, { params }))).toMatchObject({
      kind: 'read_failed',
      message: `couldn't read from the service: the service answered with another ${told}`,
      detail: { status: 200 },
    });
  });

  it('rejects headers above 16 KiB', async () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`x-${index}`, 'a'.repeat(20)]));
    const flood: Answer = (_seen, response) => response.writeHead(200, many).end('{}');
    const service = await serveAll([flood, flood, flood, flood]);
    const { client } = bench(service.origin);
    expect(await thrownBy(client.call('ugwo.list', INPUT))).toMatchObject({ kind: 'read_failed' });
  });

  it('with a slow body is limited as a whole', async () => {
    const drip: Answer = (_seen, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };
    const service = await serveAll([drip, drip, drip, drip]);
    const { client } = bench(service.origin, { timeout: 150 });
    expect(await thrownBy(client.call('ugwo.list', INPUT))).toMatchObject({
      kind: 'read_failed',
      message: expect.stringContaining('within 0.15 s'),
    });
  });

  it('ends at once on a signal', async () => {
    const service = await serveAll([hang]);
    const { client, stop } = bench(service.origin);
    const call = thrownBy(client.call('ugwo.list', INPUT));
    while (service.seen.length === 0) await new Promise(setImmediate);
    stop.abort('SIGTERM');
    expect(await call).toMatchObject({ kind: 'interrupted', detail: { exitCode: 143 } });
  });

  it('rejects an invalid limit and names it', async () => {
    const service = await serveAll([]);
    const { client } = bench(service.origin);
    expect(await thrownBy(client.call('ugwo.list', { query: { limit: '101' } }))).toMatchObject({
      kind: 'usage',
      detail: { violations: [{ propertyPath: 'limit', title: 'should be at most 100' }] },
    });
  });
});

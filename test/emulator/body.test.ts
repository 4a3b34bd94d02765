import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { customersIn, type Emulator, sendRaw, startEmulator } from './support.ts';

const withCustomer = async (): Promise<Emulator & { path: string }> => {
  const emulator = await startEmulator({ customers: 1 });
  return { ...emulator, path: `/v1/onye/${customersIn(emulator.file)[0]}` };
};

const patch = ({ origin, key, path }: Emulator & { path: string }, body: string | Uint8Array, contentType?: string) =>
  sendRaw(origin, {
    method: 'PATCH',
    path,
    headers: {
      authorization: `Bearer ${key}`,
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    },
    body,
  });

const MEBIBYTE = 1_048_576;
const JSON_TYPE = 'application/json';
const sized = (bytes: number): string => `{"x":"${'y'.repeat(bytes - 8)}"}`;
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('5: Content-Type: application/json on requests with a body', () => {
  test.each([JSON_TYPE, 'application/json; charset=utf-8', 'Application/JSON'])('%s is accepted', async (type) => {
    expect((await patch(await withCustomer(), '{}', type)).status).toBe(200);
  });

  test.each([undefined, '', 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'text/json'])(
    '400 problem for %s',
    async (type) => {
      const answer = await patch(await withCustomer(), '{}', type);
      expect(answer.status).toBe(400);
      expect(answer.json.detail).toContain('Content-Type');
    },
  );
});

describe('an unreadable body is a 400 problem', () => {
  test.each([
    ['nothing', ''],
    ['half an object', '{"first_name":'],
    ['two objects', '{}{}'],
    ['a trailing comma', '{"a":1,}'],
    ['single quotes', "{'a':1}"],
    ['not a number', '{"a":NaN}'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number', '1.50'],
    ['a string', '"{}"'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['gzip', Buffer.from('1f8b0800000000000003ab05000000ffff', 'hex')],
  ])('%s', async (_case, body) => {
    const answer = await patch(await withCustomer(), body, JSON_TYPE);
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json).toMatchObject({ title: 'An error occurred', status: 400, detail: expect.any(String) });
  });

  test('reads 64 levels, rejects 65, and survives 100,000', async () => {
    const customer = await withCustomer();
    expect((await patch(customer, nested(64), JSON_TYPE)).status).toBe(200);
    for (const levels of [65, 100_000]) {
      const answer = await patch(customer, nested(levels), JSON_TYPE);
      expect([answer.status, answer.json.detail]).toEqual([400, expect.stringContaining('nested')]);
    }
    expect((await patch(customer, '['.repeat(200_000), JSON_TYPE)).status).toBe(400);
  });
});

describe('a body holds at most 1 MiB', () => {
  test('1 MiB is read', async () => {
    expect((await patch(await withCustomer(), sized(MEBIBYTE), JSON_TYPE)).status).toBe(200);
  });

  test('one byte more is a 413 problem', async () => {
    const answer = await patch(await withCustomer(), sized(MEBIBYTE + 1), JSON_TYPE);
    expect(answer.status).toBe(413);
    expect(answer.json).toMatchObject({ title: 'An error occurred', status: 413 });
  });

  test('stops reading a body without a length, and keeps serving', async () => {
    const customer = await withCustomer();
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const outgoing = request(
      customer.origin,
      {
        method: 'PATCH',
        path: customer.path,
        headers: { authorization: `Bearer ${customer.key}`, 'content-type': JSON_TYPE, 'transfer-encoding': 'chunked' },
      },
      (incoming) => {
        incoming.resume();
        resolve(incoming.statusCode ?? 0);
      },
    );
    outgoing.on('error', reject);
    const chunk = 'y'.repeat(64 * 1024);
    outgoing.write('{"x":"');
    for (let sent = 0; sent <= MEBIBYTE; sent += chunk.length) outgoing.write(chunk);
    expect(await promise).toBe(413);
    outgoing.destroy();
    expect((await patch(customer, '{}', JSON_TYPE)).status).toBe(200);
  });

  test('reads a chunked body within the limit', async () => {
    const customer = await withCustomer();
    const answer = await sendRaw(customer.origin, {
      method: 'PATCH',
      path: customer.path,
      headers: { authorization: `Bearer ${customer.key}`, 'content-type': JSON_TYPE, 'transfer-encoding': 'chunked' },
      body: JSON.stringify({ meta: { long: 'ö'.repeat(100_000) } }),
    });
    expect(answer.json.meta.long).toBe('ö'.repeat(100_000));
  });
});

test('a GET needs no content type', async () => {
  const { origin, key } = await startEmulator();
  expect((await sendRaw(origin, { path: '/v1/ugwo', headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
});

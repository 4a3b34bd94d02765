import tls from 'node:tls';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTransport } from '../../src/client/transport.ts';
import { LOCAL_KEY_PREFIX } from '../../src/core/secret.ts';
import { clock } from '../support/clock.ts';
import { ACTIVITY, json, serve, UGWO_ID } from '../support/service.ts';
import { CA_FILE, serveTls } from '../support/tls.ts';
import { bench, KEY } from './support.ts';

const ORIGIN = 'https://api.example.com';
const credentials = { origin: ORIGIN, key: KEY };

type Credentials = Parameters<typeof openTransport>[0]['credentials'];

/** Gets a path, or another URL, with these credentials. */
const openSend = (to: Credentials, now = clock.now) => {
  const transport = openTransport({
    ...{ credentials: to, env: {}, clock: { ...clock, now }, userAgent: 'test' },
    ...{ debug: () => undefined, clean: (text) => text },
  });
  onTestFinished(() => transport.close());
  const signal = new AbortController().signal;
  const limits = { timeout: 10_000, signal };
  return (path: string, headers = {}) =>
    transport.send({ method: 'GET', path, headers, body: undefined, fresh: true, ...limits });
};
const faultOf = (to: Credentials, path: string): Promise<unknown> => openSend(to)(path).catch((thrown) => thrown);

describe('the key', () => {
  it('is sent to its origin, and no header replaces it', async () => {
    const service = await serve([json(200, {})]);
    await openSend({ origin: service.origin, key: KEY })('/v1/ugwo?limit=1', { authorization: 'x', 'x-own': '1' });
    expect(service.seen[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-own': '1' });
  });

  it.each([
    'http://api.example.com/',
    'https://api.example.com:8443/',
    'https://api.example.com./',
    'https://api.example.com@evil.test/',
    'https://evil.test/https://api.example.com/',
    'https://api.example.com.evil.test/',
    'https://xapi.example.com/',
    'https://аpi.example.com/',
    'https://api.example.com%5c@evil.test/',
    '//evil.test/',
  ])('is not sent to %s', async (url) => {
    expect(await faultOf(credentials, url)).toMatchObject({
      kind: 'auth',
      message: `the key is for ${ORIGIN} and was not sent to ${new URL(url, ORIGIN).origin}`,
    });
  });

  it('is sent to no URL of another origin', async () => {
    const send = openSend(credentials);
    await fc.assert(
      fc.asyncProperty(fc.webUrl({ withQueryParameters: true }), async (url) => {
        fc.pre(new URL(url).origin !== ORIGIN);
        await expect(send(url)).rejects.toMatchObject({ kind: 'auth' });
      }),
      { numRuns: 25 },
    );
  });

  it.each(['short', `${KEY}\n`, `${KEY} x`, `pk.${KEY}`, `${KEY}é`])(
    "with characters that a header can't contain is rejected and not quoted",
    async (key) => {
      const thrown = await faultOf({ origin: ORIGIN, key }, '/');
      expect(thrown).toMatchObject({ kind: 'auth', message: expect.stringMatching(/^the secret key ./) });
      expect(String(thrown)).not.toContain(key);
    },
  );

  it('of the emulator is sent only to this machine', async () => {
    const key = `${LOCAL_KEY_PREFIX}${'x'.repeat(80)}`;
    expect(String(await faultOf({ origin: ORIGIN, key }, '/'))).toMatch(/emulator/);
    const service = await serve([json(200, {})]);
    expect(await openSend({ origin: service.origin, key })('/')).toMatchObject({ kind: 'answer', status: 200 });
  });
});

it('an answer has the time at which it was requested, not the later one at which it came', async () => {
  let now = 1000;
  const service = await serve([
    (...request) => {
      now = 9000;
      json(200, {}, { date: 'Thu, 01 Jan 1970 00:00:05 GMT', age: '2' })(...request);
    },
  ]);
  const answer = await openSend({ origin: service.origin, key: KEY }, () => now)('/');
  expect(answer).toMatchObject({ askedAt: 1000, servedAt: 5000, age: 2000 });
});

it("reads the system's authorities once for all connections", async () => {
  const service = await serveTls('good', JSON.stringify(ACTIVITY));
  const made = vi.spyOn(tls, 'createSecureContext');
  const { client } = bench(service.origin, { env: { SSL_CERT_FILE: CA_FILE } });
  const input = { params: { ugwoUid: UGWO_ID }, body: { type: 'charge', data: { medium: 'bank_transfer' } } };
  for (let count = 0; count < 3; count += 1) await client.call('ugwo.charge', input);
  expect(service.requests).toHaveLength(3);
  expect(made.mock.calls.filter(([options]) => options?.ca !== undefined).length).toBeLessThanOrEqual(1);
  made.mockRestore();
});

import tls from 'node:tls';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ageOf, authorize } from '../../src/client/transport.ts';
import { LOCAL_KEY_PREFIX } from '../../src/core/secret.ts';
import { ACTIVITY, UGWO_ID } from '../support/service.ts';
import { CA_FILE, serveTls } from '../support/tls.ts';
import { bench, KEY } from './support.ts';

describe('ageOf', () => {
  it.each([
    ['1', 1000],
    [' 60 ', 60_000],
    ['315360000', 315_360_000_000],
  ])('reads %j', (header, ms) => {
    expect(ageOf(header)).toBe(ms);
  });

  it.each([undefined, '', '0', '-1', '1.5', '1e3', '5 s', 'old', '315360001', '1000000000'])('ignores %j', (header) => {
    expect(ageOf(header)).toBeUndefined();
  });
});

const ORIGIN = 'https://api.example.com';
const credentials = { origin: ORIGIN, key: KEY };

describe('the key', () => {
  it('is sent to its origin with any path', () => {
    expect(authorize(credentials, new URL('/v1/ugwo?limit=1', ORIGIN))).toBe(`Bearer ${KEY}`);
  });

  it.each([
    'http://api.example.com/',
    'https://api.example.com:8443/',
    'https://api.example.com./',
    'https://api.example.com@evil.test/',
    'https://evil.test/https://api.example.com/',
    'https://api.example.com.evil.test/',
    'https://xapi.example.com/',
    'https://api%2eexample%2ecom.evil.test/',
    'https://аpi.example.com/',
    'https://api.example.com\\@evil.test/'.replace('\\', '%5c'),
  ])('is not sent to %s', (url) => {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed === undefined) return;
    expect(() => authorize(credentials, parsed)).toThrow(expect.objectContaining({ kind: 'auth' }));
  });

  it('for another origin causes an error naming both', () => {
    expect(() => authorize(credentials, new URL('https://other.example/x'))).toThrow(
      expect.objectContaining({
        kind: 'auth',
        message: `the key is for ${ORIGIN} and was not sent to https://other.example`,
      }),
    );
    expect(() => authorize({ origin: ORIGIN, key: 'short' }, new URL(ORIGIN))).toThrow(
      expect.objectContaining({ kind: 'auth', message: expect.stringMatching(/^the secret key ./) }),
    );
  });

  it('is sent to no URL of another origin', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        fc.pre(new URL(url).origin !== ORIGIN);
        expect(() => authorize(credentials, new URL(url))).toThrow();
      }),
    );
  });

  it.each(['short', `${KEY}\n`, `${KEY} x`, `pk.${KEY}`, `${KEY}é`])(
    "with characters that a header can't contain is rejected and not quoted",
    (key) => {
      let message = '';
      try {
        authorize({ origin: ORIGIN, key }, new URL(ORIGIN));
      } catch (thrown) {
        message = String(thrown);
      }
      expect(message).not.toBe('');
      expect(message).not.toContain(key);
    },
  );

  it('of the emulator is sent only to this machine', () => {
    const local = `${LOCAL_KEY_PREFIX}${'x'.repeat(80)}`;
    expect(() => authorize({ origin: ORIGIN, key: local }, new URL(ORIGIN))).toThrow(/emulator/);
    expect(authorize({ origin: 'http://127.0.0.1:4', key: local }, new URL('http://127.0.0.1:4'))).toBe(
      `Bearer ${local}`,
    );
  });
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

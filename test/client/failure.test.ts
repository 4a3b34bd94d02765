import { channel } from 'node:diagnostics_channel';
import dns from 'node:dns';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  withCode as errorWithCode,
  failureFrom,
  newSentDetector,
  routeTo,
  type SentDetector,
  withSentDetector,
} from '../../src/client/connection.ts';
import { PayError } from '../../src/core/error.ts';
import { localhost } from '../../src/core/origin.ts';
import { ACTIVITY, json, serve, UGWO_ID } from '../support/service.ts';
import { bench } from './support.ts';

const withCode = (code: string, cause?: unknown): Error =>
  Object.assign(new Error(`it failed with ${code}`, { cause }), { code });

/** Any throwable value, including errors with all kinds of codes. */
const thrown = fc.oneof(
  fc.anything(),
  fc
    .constantFrom('ECONNRESET', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED', 'EPIPE')
    .map((code) => withCode(code)),
  fc.string().map((code) => withCode('UND_ERR_SOCKET', withCode(code))),
);
const mark = (traced: boolean, handedOver: boolean) => ({ ...newSentDetector('POST', '/'), traced, handedOver });

describe('failureOf', () => {
  it('says "not sent" by the sent detector only, whatever was thrown', () => {
    fc.assert(
      fc.property(thrown, fc.boolean(), fc.boolean(), (error, traced, handedOver) => {
        const { kind } = failureFrom(error, mark(traced, handedOver));
        expect(kind).toBe(traced && !handedOver ? 'not_sent' : 'broken');
      }),
    );
  });

  it.each([[{ toString: false }], [{ toString: 0 }], [[{ toString: '' }]], [Object.create(null)], [Symbol('x')]])(
    "accepts a value that can't become text: %#",
    (thing) => {
      expect(failureFrom(thing, mark(true, true)).reason).toBeTypeOf('string');
    },
  );

  it('accepts a cyclic cause', () => {
    const error = withCode('A');
    error.cause = error;
    expect(failureFrom(error, mark(true, false))).toMatchObject({ kind: 'not_sent', untrusted: false });
  });

  it.each([
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'CERT_REVOKED',
    'CERT_UNTRUSTED',
    'CERT_REJECTED',
    'CERT_SIGNATURE_FAILURE',
    'CERT_CHAIN_TOO_LONG',
    'CRL_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
    'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
    'UNABLE_TO_GET_CRL',
    'INVALID_CA',
    'INVALID_PURPOSE',
    'PATH_LENGTH_EXCEEDED',
    'HOSTNAME_MISMATCH',
    'ERROR_IN_CERT_NOT_AFTER_FIELD',
    'ERROR_IN_CRL_LAST_UPDATE_FIELD',
    'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])('marks the code %s as untrusted', (code) => {
    expect(failureFrom(withCode('X', withCode(code)), mark(true, false))).toMatchObject({ untrusted: true });
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT', 'EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'])(
    'does not mark the code %s as untrusted',
    (code) => {
      expect(failureFrom(withCode(code), mark(true, false))).toMatchObject({ untrusted: false });
    },
  );
});

describe('the reason of a failure', () => {
  const reasonOf = (error: unknown): string => failureFrom(error, mark(true, true)).reason;
  const failed = (code: string, some: Readonly<Record<string, unknown>> = {}): Error =>
    Object.assign(withCode(code), some);
  const V4 = { address: '192.0.2.1', port: 443 };

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['ENOTFOUND', { hostname: 'pay.example' }, 'could not find the host pay.example'],
    ['ENOTFOUND', {}, 'could not find the host'],
    ['ENOTFOUND', { hostname: 7 }, 'could not find the host'],
    [
      'EAI_AGAIN',
      { hostname: 'pay.example' },
      'could not look up the host pay.example: the name server did not answer',
    ],
    ['ECONNREFUSED', V4, '192.0.2.1:443 refused the connection'],
    ['ECONNREFUSED', { address: '2001:db8::1', port: 443 }, '[2001:db8::1]:443 refused the connection'],
    ['ECONNREFUSED', {}, 'the other end refused the connection'],
    ['ECONNREFUSED', { address: 7 }, 'the other end refused the connection'],
    ['ECONNRESET', {}, 'the connection was closed'],
    ['EPIPE', {}, 'the connection was closed'],
    ['UND_ERR_SOCKET', {}, 'the connection was closed'],
    ['UND_ERR_PRX_CONN', {}, 'the connection was closed'],
    ['ETIMEDOUT', {}, 'the connection timed out'],
    ['UND_ERR_CONNECT_TIMEOUT', {}, 'the connection timed out'],
    ['ENETUNREACH', {}, 'the network is not reachable'],
    ['EHOSTUNREACH', V4, '192.0.2.1:443 is not reachable'],
    ['ENEW', {}, 'it failed with ENEW'],
    ['toString', {}, 'it failed with toString'],
  ])('for the code %s with %j', (code, some, said) => {
    expect(reasonOf(failed(code, some))).toBe(said);
  });

  it('comes from the innermost known error', () => {
    expect(reasonOf(withCode('UND_ERR_SOCKET', failed('ECONNREFUSED', V4)))).toBe(
      '192.0.2.1:443 refused the connection',
    );
    expect(reasonOf(withCode('EPIPE', withCode('ENEW')))).toBe('the connection was closed');
    expect(reasonOf(new Error('it broke', { cause: new Error('inside') }))).toBe('it broke');
  });

  it('comes from one of several addresses', () => {
    const all = new AggregateError([failed('ECONNREFUSED', V4), failed('ECONNREFUSED')], 'all failed');
    expect(reasonOf(Object.assign(all, { code: 'ECONNREFUSED' }))).toBe('192.0.2.1:443 refused the connection');
    expect(reasonOf(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe(
      'the other end refused the connection',
    );
  });

  it('has the outermost code', () => {
    expect(failureFrom(withCode('A', withCode('B')), mark(true, true))).toMatchObject({ code: 'A' });
    expect(failureFrom(new Error('x', { cause: withCode('B') }), mark(true, false))).toMatchObject({ code: 'B' });
    for (const error of [new Error('x'), Object.assign(new Error('x'), { code: 7 }), 'x']) {
      expect(failureFrom(error, mark(true, true))).toStrictEqual({ kind: 'broken', reason: 'x' });
    }
  });

  it.each(['X_CERT_HAS_EXPIRED', 'ERROR_IN_CRL', 'INVALID_URL', 'UNABLE_TO_CONNECT', 'SELF_SIGNED', 'ERROR_IN_COMMA_'])(
    'with the code %s is not untrusted',
    (code) => {
      expect(failureFrom(withCode(code), mark(true, false))).toMatchObject({ untrusted: false });
    },
  );

  it('adds its code to the error', () => {
    const error = new PayError('read_failed', 'no', { status: 5 });
    expect(errorWithCode(error, { code: 'EPIPE' }).detail).toEqual({ status: 5, code: 'EPIPE' });
    expect(errorWithCode(error, {})).toBe(error);
  });
});

const CHARGE = { params: { ugwoUid: UGWO_ID }, body: { type: 'charge', data: { medium: 'bank_transfer' } } };

afterEach(() => void vi.restoreAllMocks());

describe('localhost', () => {
  it('is this machine, whatever DNS says', async () => {
    const { port } = new URL((await serve([json(200, ACTIVITY)])).origin);
    const asked = vi.spyOn(dns, 'lookup').mockImplementation(() => {
      throw new Error('a name server was asked');
    });
    const { client } = bench(`http://localhost:${port}`);
    expect((await client.call('ugwo.charge', CHARGE)).value).toMatchObject({ uid: ACTIVITY.uid });
    expect(asked).not.toHaveBeenCalled();
  });

  it('has both addresses, for services that listen on one', () => {
    const found: unknown[] = [];
    localhost('localhost', { all: true }, (...all) => void found.push(all));
    localhost('localhost', {}, (...one) => void found.push(one));
    const both = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    expect(found).toEqual([
      [null, both],
      [null, '127.0.0.1', 4],
    ]);
  });
});

const provesNotSent = (mark: SentDetector): boolean => failureFrom(new Error('no'), mark).kind === 'not_sent';
const [made, handedOver] = [channel('undici:request:create'), channel('undici:client:sendHeaders')];
const request = (method = 'POST', path = '/v1/a') => ({ method, path });
const tell = (which: typeof made, about: object): void => which.publish({ request: about });
const marked = (...requests: readonly object[]): SentDetector => {
  const mark = newSentDetector('POST', '/v1/a');
  withSentDetector(mark, () => {
    for (const one of requests) tell(made, one);
  });
  return mark;
};

describe('the sent detector', () => {
  it('proves "not sent" if the request was created but never passed on', () => {
    const own = request();
    const mark = marked(own);
    expect(mark).toEqual({ method: 'POST', path: '/v1/a', traced: true, handedOver: false });
    expect(provesNotSent(mark)).toBe(true);
    tell(handedOver, own);
    expect(mark.handedOver).toBe(true);
    expect(provesNotSent(mark)).toBe(false);
  });

  it.each([
    ['nothing was created', []],
    ['only a tunnel was created', [request('CONNECT', '/v1/a')]],
    ['another path was requested', [request('POST', '/v1/b')]],
  ])('proves nothing if %s', (_what, requests) => {
    const mark = marked(...requests);
    expect(mark).toEqual({ method: 'POST', path: '/v1/a', traced: false, handedOver: false });
    expect(provesNotSent(mark)).toBe(false);
    for (const one of requests) tell(handedOver, one);
    expect(mark.handedOver).toBe(false);
  });

  it('works per request', () => {
    const [first, second] = [request(), request()];
    const marks = [marked(first), marked(second)];
    tell(handedOver, first);
    tell(handedOver, request());
    expect(marks.map(provesNotSent)).toEqual([false, true]);
  });

  it('ignores a request created after the marked call', () => {
    const mark = marked();
    expect(() =>
      withSentDetector(mark, () => {
        throw new Error('no connection');
      }),
    ).toThrow('no connection');
    tell(made, request());
    expect(provesNotSent(mark)).toBe(false);
  });

  it('ignores unmarked requests without errors', async () => {
    const broken: unknown[] = [];
    const onBroken = (thrown: unknown): void => void broken.push(thrown);
    // A subscriber's exception appears there in a later tick.
    process.on('uncaughtExceptionMonitor', onBroken);
    tell(made, request());
    tell(handedOver, request());
    await turn();
    process.off('uncaughtExceptionMonitor', onBroken);
    expect(broken).toEqual([]);
  });

  it("returns the callback's result", () => {
    expect(withSentDetector(newSentDetector('GET', '/'), () => 7)).toBe(7);
  });
});

const SERVICE = 'https://pay.example';
const HERE = 'https://127.0.0.1:8443';

describe('routeOf', () => {
  it('is direct and verified by default', () => {
    expect(routeTo(SERVICE, {})).toEqual({ origin: SERVICE, verified: true });
  });

  it.each([
    ['0', HERE, false],
    ['1', HERE, true],
    ['', HERE, true],
    ['1', SERVICE, true],
  ])('with NODE_TLS_REJECT_UNAUTHORIZED=%s to %s is verified: %s', (value, origin, verified) => {
    expect(routeTo(origin, { NODE_TLS_REJECT_UNAUTHORIZED: value }).verified).toBe(verified);
  });

  it('rejects a route that would send the key unverified', () => {
    expect(() => routeTo(SERVICE, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toThrow(
      expect.objectContaining({
        kind: 'auth',
        message: 'NODE_TLS_REJECT_UNAUTHORIZED=0 would send the secret key to anyone who answers',
        detail: {
          hint: 'unset it; to trust a certificate authority of your own, name its file in NODE_EXTRA_CA_CERTS',
        },
      }),
    );
  });
});

describe('a proxy', () => {
  it.each<[Readonly<Record<string, string>>, string, string]>([
    [{ HTTPS_PROXY: 'http://proxy:3128' }, 'http://proxy:3128', 'proxy:3128 (from HTTPS_PROXY)'],
    [{ https_proxy: 'http://proxy:3128' }, 'http://proxy:3128', 'proxy:3128 (from HTTPS_PROXY)'],
    [{ HTTPS_PROXY: 'x:1', https_proxy: 'proxy:3128' }, 'http://proxy:3128', 'proxy:3128 (from HTTPS_PROXY)'],
    [{ ALL_PROXY: 'proxy:3128' }, 'http://proxy:3128', 'proxy:3128 (from ALL_PROXY)'],
    [{ all_proxy: 'proxy:3128' }, 'http://proxy:3128', 'proxy:3128 (from ALL_PROXY)'],
    [{ HTTPS_PROXY: '', ALL_PROXY: 'proxy' }, 'http://proxy', 'proxy:80 (from ALL_PROXY)'],
    [{ HTTPS_PROXY: 'one', ALL_PROXY: 'two' }, 'http://one', 'one:80 (from HTTPS_PROXY)'],
    [{ HTTPS_PROXY: 'https://proxy' }, 'https://proxy', 'proxy:443 (from HTTPS_PROXY)'],
    [{ HTTPS_PROXY: 'http://ada:p%40ss@proxy:1' }, 'http://ada:p%40ss@proxy:1', 'proxy:1 (from HTTPS_PROXY)'],
  ])('from %j is %s', (env, url, name) => {
    expect(routeTo(SERVICE, env).proxy).toEqual({ url, name, passedBy: '' });
  });

  it('is skipped for NO_PROXY, and never used without TLS', () => {
    const env = { HTTPS_PROXY: 'proxy', NO_PROXY: 'pay.example' };
    expect(routeTo(SERVICE, env).proxy?.passedBy).toBe('pay.example');
    expect(routeTo(SERVICE, { ...env, no_proxy: 'other.example' }).proxy?.passedBy).toBe('other.example');
    expect(routeTo('http://127.0.0.1:8080', env)).toEqual({ origin: 'http://127.0.0.1:8080', verified: true });
  });

  it.each([
    'socks5://proxy:1',
    'ftp://proxy',
    'xhttp://proxy',
    'httpsx://proxy',
    'http://ada%zz:x@proxy',
    'http://ada:p%zz@proxy',
    'http://proxy/path',
    'proxy:9/path',
    'http://proxy:99999',
    'http://proxy/?query',
    'http://proxy/#hash',
    'http://',
    'http://a b',
  ])('is rejected if it is %j, without quoting it', (value) => {
    expect(() => routeTo(SERVICE, { HTTPS_PROXY: value })).toThrow(
      expect.objectContaining({
        kind: 'auth',
        message: 'HTTPS_PROXY is not the URL of an http or https proxy',
        detail: {
          hint: 'write it as http://host:port, with user and password percent-encoded and nothing after the port; or unset it',
        },
      }),
    );
  });
});

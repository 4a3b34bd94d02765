import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withCode as errorWithCode, failureOf, newSentDetector, proxyFault } from '../../src/client/connection.ts';
import { PayError } from '../../src/core/error.ts';

const withCode = (code: string, cause?: unknown): Error =>
  Object.assign(new Error(`it failed with ${code}`, { cause }), { code });

/** Anything that can be thrown, errors with codes of every kind among them. */
const thrown = fc.oneof(
  fc.anything(),
  fc
    .constantFrom('ECONNRESET', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED', 'EPIPE')
    .map((code) => withCode(code)),
  fc.string().map((code) => withCode('UND_ERR_SOCKET', withCode(code))),
);
const mark = (traced: boolean, handedOver: boolean) => ({ ...newSentDetector('POST', '/'), traced, handedOver });

describe('a failure', () => {
  it('is "not sent" by the mark alone, whatever was thrown', () => {
    fc.assert(
      fc.property(thrown, fc.boolean(), fc.boolean(), (error, traced, handedOver) => {
        const { kind } = failureOf(error, mark(traced, handedOver));
        expect(kind).toBe(traced && !handedOver ? 'not_sent' : 'broken');
      }),
    );
  });

  it.each([[{ toString: false }], [{ toString: 0 }], [[{ toString: '' }]], [Object.create(null)], [Symbol('x')]])(
    'may be a thing that is no text: %#',
    (thing) => {
      expect(failureOf(thing, mark(true, true)).reason).toBeTypeOf('string');
    },
  );

  it('may have a cause that leads back to itself', () => {
    const error = withCode('A');
    error.cause = error;
    expect(failureOf(error, mark(true, false))).toMatchObject({ kind: 'not_sent', untrusted: false });
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
  ])('of the code %s is one of trust', (code) => {
    expect(failureOf(withCode('X', withCode(code)), mark(true, false))).toMatchObject({ untrusted: true });
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT', 'EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'])(
    'of the code %s is none of trust',
    (code) => {
      expect(failureOf(withCode(code), mark(true, false))).toMatchObject({ untrusted: false });
    },
  );
});

describe('what is said of a failure', () => {
  const reasonOf = (error: unknown): string => failureOf(error, mark(true, true)).reason;
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
  ])('of the code %s, with %j', (code, some, said) => {
    expect(reasonOf(failed(code, some))).toBe(said);
  });

  it('is what the innermost error that is known says', () => {
    expect(reasonOf(withCode('UND_ERR_SOCKET', failed('ECONNREFUSED', V4)))).toBe(
      '192.0.2.1:443 refused the connection',
    );
    expect(reasonOf(withCode('EPIPE', withCode('ENEW')))).toBe('the connection was closed');
    expect(reasonOf(new Error('it broke', { cause: new Error('inside') }))).toBe('it broke');
  });

  it('is what one of several addresses says, for all of them', () => {
    const all = new AggregateError([failed('ECONNREFUSED', V4), failed('ECONNREFUSED')], 'all failed');
    expect(reasonOf(Object.assign(all, { code: 'ECONNREFUSED' }))).toBe('192.0.2.1:443 refused the connection');
    expect(reasonOf(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe(
      'the other end refused the connection',
    );
  });

  it('has the outermost code beside it, where there is one', () => {
    expect(failureOf(withCode('A', withCode('B')), mark(true, true))).toMatchObject({ code: 'A' });
    expect(failureOf(new Error('x', { cause: withCode('B') }), mark(true, false))).toMatchObject({ code: 'B' });
    for (const error of [new Error('x'), Object.assign(new Error('x'), { code: 7 }), 'x']) {
      expect(failureOf(error, mark(true, true))).toStrictEqual({ kind: 'broken', reason: 'x' });
    }
  });

  it('of a tunnel names the proxy, but not where the service behind it is not trusted', () => {
    const fault = proxyFault('proxy.example:3128', failed('ECONNREFUSED', V4));
    expect(reasonOf(fault)).toBe(
      'could not connect through the proxy proxy.example:3128: 192.0.2.1:443 refused the connection',
    );
    expect(fault.name).toBe('ProxyFault');
    const untrusted = withCode('CERT_HAS_EXPIRED');
    expect(proxyFault('proxy.example:3128', untrusted)).toBe(untrusted);
  });

  it.each(['X_CERT_HAS_EXPIRED', 'ERROR_IN_CRL', 'INVALID_URL', 'UNABLE_TO_CONNECT', 'SELF_SIGNED', 'ERROR_IN_COMMA_'])(
    'of the code %s is not that the other end is not trusted',
    (code) => {
      expect(failureOf(withCode(code), mark(true, false))).toMatchObject({ untrusted: false });
    },
  );

  it('is in the error about it by its code, too', () => {
    const error = new PayError('read_failed', 'no', { status: 5 });
    expect(errorWithCode(error, { code: 'EPIPE' }).detail).toEqual({ status: 5, code: 'EPIPE' });
    expect(errorWithCode(error, {})).toBe(error);
  });
});

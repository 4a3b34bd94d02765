import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../src/client/failure.ts';
import { newMark } from '../../src/client/marker.ts';

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
const mark = (traced: boolean, handedOver: boolean) => ({ ...newMark('POST', '/'), traced, handedOver });

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

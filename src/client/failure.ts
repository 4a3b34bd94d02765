import { PayError, reasonOf } from '../core/error.ts';
import type { Mark } from './marker.ts';
import { provenNotSent } from './marker.ts';

/** What an attempt without a whole answer ended as. `broken`: the request was handed over, or may have been. */
export type Failure =
  | { readonly kind: 'broken'; readonly reason: string }
  | { readonly kind: 'not_sent'; readonly reason: string; readonly untrusted: boolean };

/** OpenSSL's words for a certificate that does not prove what it should, and Node's for a wrong host. */
const UNTRUSTED =
  /^(?:CERT_|CRL_|ERR_TLS_CERT|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(?:GET|VERIFY|DECRYPT|DECODE)|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED|ERROR_IN_C(?:ERT|RL)_)/;

const codesOf = (thrown: unknown): string[] => {
  const codes: string[] = [];
  const seen = new Set<unknown>();
  for (let at = thrown; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    const code = (at as { code?: unknown }).code;
    if (typeof code === 'string') codes.push(code);
  }
  return codes;
};

const describe = (thrown: unknown, codes: readonly string[]): string => {
  const reason = reasonOf(thrown);
  return codes.length === 0 || codes.some((code) => reason.includes(code)) ? reason : `${reason} (${codes[0]})`;
};

/**
 * Judges a failure by the mark alone. Error codes only tell, of what is proven not sent, whether the other end was not
 * trusted.
 */
export const failureOf = (thrown: unknown, mark: Mark): Failure => {
  const codes = codesOf(thrown);
  const reason = describe(thrown, codes);
  if (!provenNotSent(mark)) return { kind: 'broken', reason };
  return { kind: 'not_sent', reason, untrusted: codes.some((code) => UNTRUSTED.test(code)) };
};

/** The error of a connection whose other end is not trusted: the same for reads and writes, never worth a retry. */
export const untrustedError = (origin: string, reason: string): PayError =>
  new PayError('auth', `${new URL(origin).host} could not prove who it is, so nothing was sent: ${reason}`, {
    hint: 'if the certificate is one of your own authority, name its file in NODE_EXTRA_CA_CERTS',
  });

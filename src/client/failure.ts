import { subscribe } from 'node:diagnostics_channel';
import { PayError, reasonOf } from '../core/error.ts';

/**
 * Proof that a request was not sent. Error codes prove nothing: one ECONNRESET looks like another. undici publishes an
 * event when it hands a request to a connected socket; without that event "not sent" is certain.
 */
export interface SentDetector {
  readonly method: string;
  readonly path: string;
  /** The creation of the request was observed, so its hand-over can't have been missed. */
  traced: boolean;
  handedOver: boolean;
}

interface Published {
  readonly request: { readonly method: string; readonly path: string };
}

const marks = new WeakMap<object, SentDetector>();
let making: SentDetector | undefined;

// A CONNECT to a proxy may be created in the same turn; method and path distinguish the marked request.
subscribe('undici:request:create', (message) => {
  const { request } = message as Published;
  if (making === undefined || request.method !== making.method || request.path !== making.path) return;
  making.traced = true;
  marks.set(request, making);
});

subscribe('undici:client:sendHeaders', (message) => {
  const mark = marks.get((message as Published).request);
  if (mark !== undefined) mark.handedOver = true;
});

export const newSentDetector = (method: string, path: string): SentDetector => ({
  method,
  path,
  traced: false,
  handedOver: false,
});

/** Runs `dispatch`, which must create its request before it returns, and links that request to the mark. */
export const withSentDetector = <T>(mark: SentDetector, dispatch: () => T): T => {
  making = mark;
  try {
    return dispatch();
  } finally {
    making = undefined;
  }
};

/** True only with proof that no byte of the request was sent. */
export const provenNotSent = (mark: SentDetector): boolean => mark.traced && !mark.handedOver;

/** Reason why there is no answer. */
interface Why {
  /** For people, in plain words; a known code is replaced by them. */
  readonly reason: string;
  /** Code from the system, OpenSSL or undici. */
  readonly code?: string;
}

/** Result of an attempt without a complete answer. `broken`: the request was handed over, or may have been. */
export type Failure =
  | (Why & { readonly kind: 'broken' })
  | (Why & { readonly kind: 'not_sent'; readonly untrusted: boolean });

/** A failed connection through a proxy, with its cause. */
class ProxyFault extends Error {
  override readonly name = 'ProxyFault';
}

/** OpenSSL's codes for an untrusted certificate, and Node's for a wrong host. */
const UNTRUSTED =
  /^(?:CERT_|CRL_|ERR_TLS_CERT|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(?:GET|VERIFY|DECRYPT|DECODE)|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED|ERROR_IN_C(?:ERT|RL)_)/;

/** An error and its causes, outermost first. */
const chainOf = (thrown: unknown): Error[] => {
  const chain: Error[] = [];
  for (let at = thrown; at instanceof Error && !chain.includes(at); at = at.cause) chain.push(at);
  return chain;
};

const codeOf = (error: Error): string | undefined => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
};

/** All codes of an error and its causes. */
const codesOf = (thrown: unknown): string[] => chainOf(thrown).flatMap((error) => codeOf(error) ?? []);

const isUntrusted = (codes: readonly string[]): boolean => codes.some((code) => UNTRUSTED.test(code));

/** Blames the proxy for a failed tunnel, except for a certificate error: that is the service's, behind the proxy. */
export const proxyFault = (proxy: string, cause: Error): Error =>
  isUntrusted(codesOf(cause)) ? cause : new ProxyFault(`could not connect through the proxy ${proxy}`, { cause });

/** The other end of a connection according to a system error; the first of several addresses stands for all. */
const endOf = (error: Error): Readonly<Record<string, unknown>> =>
  error instanceof AggregateError ? { ...error.errors[0] } : { ...(error as object) };

const hostOf = (error: Error): string => {
  const { hostname } = endOf(error);
  return typeof hostname === 'string' ? `the host ${hostname}` : 'the host';
};

const addressOf = (error: Error): string => {
  const { address, port } = endOf(error);
  return typeof address === 'string' ? `${address.includes(':') ? `[${address}]` : address}:${port}` : 'the other end';
};

const CLOSED = 'the connection was closed';
const TOO_LATE = 'the connection timed out';

/** Plain words for the codes of everyday failures. */
const WORDS = new Map<unknown, (error: Error) => string>(
  Object.entries({
    ENOTFOUND: (error: Error) => `could not find ${hostOf(error)}`,
    EAI_AGAIN: (error: Error) => `could not look up ${hostOf(error)}: the name server did not answer`,
    ECONNREFUSED: (error: Error) => `${addressOf(error)} refused the connection`,
    ECONNRESET: () => CLOSED,
    EPIPE: () => CLOSED,
    UND_ERR_SOCKET: () => CLOSED,
    UND_ERR_PRX_CONN: () => CLOSED,
    ETIMEDOUT: () => TOO_LATE,
    UND_ERR_CONNECT_TIMEOUT: () => TOO_LATE,
    ENETUNREACH: () => 'the network is not reachable',
    EHOSTUNREACH: (error: Error) => `${addressOf(error)} is not reachable`,
  }),
);

const inWords = (thrown: unknown): string => {
  if (thrown instanceof ProxyFault) return `${thrown.message}: ${inWords(thrown.cause)}`;
  const known = chainOf(thrown).flatMap((error) => WORDS.get(codeOf(error))?.(error) ?? []);
  return known.at(-1) ?? reasonOf(thrown);
};

/** Judges a failure by the mark alone. For a proven `not_sent` the error codes tell if the other end was untrusted. */
export const failureOf = (thrown: unknown, mark: SentDetector): Failure => {
  const codes = codesOf(thrown);
  const why = { reason: inWords(thrown), ...(codes[0] === undefined ? {} : { code: codes[0] }) };
  if (!provenNotSent(mark)) return { kind: 'broken', ...why };
  return { kind: 'not_sent', ...why, untrusted: isUntrusted(codes) };
};

/** Error of a connection to an untrusted service: the same for reads and writes, never worth a retry. */
export const untrustedError = (origin: string, reason: string): PayError =>
  new PayError('auth', `couldn't verify the certificate of ${new URL(origin).host}, so nothing was sent: ${reason}`, {
    hint: 'if you run your own certificate authority, put its file in NODE_EXTRA_CA_CERTS',
  });

/** The error with the code of its failure. */
export const withCode = (error: PayError, outcome: { readonly code?: string }): PayError =>
  outcome.code === undefined ? error : error.with({ code: outcome.code });

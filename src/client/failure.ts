import { subscribe } from 'node:diagnostics_channel';
import { PayError, reasonOf } from '../core/error.ts';

/**
 * What proves that a request was not sent. No error code does: one ECONNRESET looks like another. undici publishes the
 * moment in which it hands a request to a connected socket; only when that moment never came is "not sent" certain.
 */
export interface SentDetector {
  readonly method: string;
  readonly path: string;
  /** The request was seen being made, so that its hand-over can't have been missed. */
  traced: boolean;
  handedOver: boolean;
}

interface Published {
  readonly request: { readonly method: string; readonly path: string };
}

const marks = new WeakMap<object, SentDetector>();
let making: SentDetector | undefined;

// A CONNECT to a proxy may be made in the same turn; method and path tell the marked request from it.
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

/** Runs `dispatch`, which must make its request before it returns, and ties that request to the mark. */
export const withSentDetector = <T>(mark: SentDetector, dispatch: () => T): T => {
  making = mark;
  try {
    return dispatch();
  } finally {
    making = undefined;
  }
};

/** True only when it is proven that no byte of the request left. */
export const provenNotSent = (mark: SentDetector): boolean => mark.traced && !mark.handedOver;

/** Why there is no answer. */
interface Why {
  /** For people: plain words, without a code where the code is one of those that are known here. */
  readonly reason: string;
  /** What the system, OpenSSL or undici calls it. */
  readonly code?: string;
}

/** What an attempt without a whole answer ended as. `broken`: the request was handed over, or may have been. */
export type Failure =
  | (Why & { readonly kind: 'broken' })
  | (Why & { readonly kind: 'not_sent'; readonly untrusted: boolean });

/** A connection that did not come about through a proxy; its cause says why. */
class ProxyFault extends Error {
  override readonly name = 'ProxyFault';
}

/** OpenSSL's words for a certificate that does not prove what it should, and Node's for a wrong host. */
const UNTRUSTED =
  /^(?:CERT_|CRL_|ERR_TLS_CERT|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(?:GET|VERIFY|DECRYPT|DECODE)|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED|ERROR_IN_C(?:ERT|RL)_)/;

/** An error and what caused it, outermost first. */
const chainOf = (thrown: unknown): Error[] => {
  const chain: Error[] = [];
  for (let at = thrown; at instanceof Error && !chain.includes(at); at = at.cause) chain.push(at);
  return chain;
};

const codeOf = (error: Error): string | undefined => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
};

/** All codes of an error and of what caused it. */
const codesOf = (thrown: unknown): string[] => chainOf(thrown).flatMap((error) => codeOf(error) ?? []);

const isUntrusted = (codes: readonly string[]): boolean => codes.some((code) => UNTRUSTED.test(code));

/** Whose fault it is that a tunnel did not come about: a service that is not trusted is met behind the proxy. */
export const proxyFault = (proxy: string, cause: Error): Error =>
  isUntrusted(codesOf(cause)) ? cause : new ProxyFault(`could not connect through the proxy ${proxy}`, { cause });

/** What an error of the system says of the other end; one of several addresses stands for all of them. */
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

/** The codes of what goes wrong every day, in words. */
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

/**
 * Judges a failure by the mark alone. Error codes only tell, of what is proven not sent, whether the other end was not
 * trusted.
 */
export const failureOf = (thrown: unknown, mark: SentDetector): Failure => {
  const codes = codesOf(thrown);
  const why = { reason: inWords(thrown), ...(codes[0] === undefined ? {} : { code: codes[0] }) };
  if (!provenNotSent(mark)) return { kind: 'broken', ...why };
  return { kind: 'not_sent', ...why, untrusted: isUntrusted(codes) };
};

/** The error of a connection whose other end is not trusted: the same for reads and writes, never worth a retry. */
export const untrustedError = (origin: string, reason: string): PayError =>
  new PayError('auth', `couldn't verify the certificate of ${new URL(origin).host}, so nothing was sent: ${reason}`, {
    hint: 'if you run your own certificate authority, put its file in NODE_EXTRA_CA_CERTS',
  });

/** The error with the code of the failure that it is about. */
export const withCode = (error: PayError, outcome: { readonly code?: string }): PayError =>
  outcome.code === undefined ? error : error.with({ code: outcome.code });

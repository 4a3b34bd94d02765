import { hash, timingSafeEqual } from 'node:crypto';
import type { Judge } from '../contract/common.ts';
import type { AnswerOf, OperationId, Operations } from '../contract/operations.ts';
import { type ProblemAnswer, problemAnswer } from '../contract/problem.ts';
import type { Dialect } from '../core/data-files.ts';
import { reasonOf, type Violation } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import { isJsonObject, parseExact, printExact } from '../core/json.ts';
import { depthOf } from '../core/json-scan.ts';
import { decodeUtf8 } from '../core/text.ts';
import { WIRE_FORMS } from './dialect.ts';
import type { HttpAnswer, HttpRequest } from './http.ts';
import { derivedText } from './ids.ts';
import type { EmulatorStore } from './store.ts';

/** Thrown to answer with an error document (docs/service.md, Errors). */
export class ProblemError extends Error {
  readonly problem: ProblemAnswer;
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: ProblemAnswer, headers: Readonly<Record<string, string>> = {}) {
    super(problem.title);
    this.problem = problem;
    this.headers = headers;
  }
}

/** A 402 of the service: the workspace's balance for the service itself is used up (docs/service.md, Errors). */
export const UNFUNDED = 'workspace.error.balance_too_low';

/**
 * Builds the error document of a status; `detail` explains the fault of this request, `field` names its field. It
 * contains the shapes that both kinds of clients read: RFC 7807, and `message` with `errors` (docs/service.md, Errors).
 */
export const problemError = (
  status: number,
  detail: string,
  { field, headers }: { readonly field?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): ProblemError => {
  const errors = field === undefined ? [] : [{ field, message: detail }];
  const kind = { type: 'https://tools.ietf.org/html/rfc2616#section-10', title: 'An error occurred' };
  return new ProblemError({ ...kind, status, detail, message: detail, errors }, headers);
};

/** Builds a validation failure: status 422 and one violation for each broken rule (docs/service.md, Errors). */
export const invalid = (violations: readonly Violation[]): ProblemError =>
  new ProblemError({
    type: 'https://symfony.com/errors/validation',
    title: 'Validation Failed',
    status: 422,
    detail: violations.map(({ propertyPath, title }) => `${propertyPath}: ${title}`).join('\n'),
    violations: violations.map(({ propertyPath, title }) => ({ propertyPath, title })),
    message: 'validation_failed',
    errors: violations.map(({ propertyPath, title }) => ({ field: propertyPath, message: title })),
  });

/** Builds a validation failure with one of the service's own codes. */
export const invalidBy = (code: string, field: string): ProblemError => {
  const { problem } = invalid([{ propertyPath: field, title: code }]);
  const violations = [{ propertyPath: field, title: code, code }];
  return new ProblemError({ ...problem, violations, detail: code, message: code });
};

/** Returns the record; throws a 404 if there is none. */
export const present = <T>(found: T | undefined, code: string): T => {
  if (found === undefined) throw problemError(404, code);
  return found;
};

/**
 * Returns the answer as JSON text. Throws a 500 if it breaks the contract, so that no client learns a wrong shape here.
 */
export const checkedAnswer = (schema: Judge, answer: unknown): string => {
  const text = printExact(answer);
  const { error } = schema.safeParse(JSON.parse(text));
  if (error === undefined) return text;
  const faults = error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  throw problemError(500, `the emulator's answer breaks the contract: ${faults.join('; ')}`);
};

export interface Service {
  readonly store: EmulatorStore;
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** Aborted when the service closes, to end all waits. */
  readonly closing: AbortSignal;
}

/** Returns the emulator's time in milliseconds since the epoch; its clock may have been moved. */
export const nowOf = ({ clock, store }: Pick<Service, 'clock' | 'store'>): number => clock.now() + store.clockOffset();

/** Builds an answer with the headers common to all answers. */
export const respond = (
  service: Pick<Service, 'clock' | 'store'>,
  status: number,
  type: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer => {
  const date = new Date(nowOf(service)).toUTCString();
  return { status, headers: { 'content-type': type, 'cache-control': 'no-store', date, ...headers }, text };
};

/** Converts an error to an error document. Anything other than a ProblemError is a defect, and a 500. */
export const respondTo = (thrown: unknown, service: Service): HttpAnswer => {
  const { problem, headers } = thrown instanceof ProblemError ? thrown : problemError(500, reasonOf(thrown));
  const form = WIRE_FORMS[service.dialect];
  return respond(
    service,
    problem.status,
    form.problemType,
    form.problem(checkedAnswer(problemAnswer(), problem)),
    headers,
  );
};

/** The type that a schema accepts; the schema of a body may depend on the current time. */
type Accepted<S> = S extends Judge<infer T> ? T : undefined;
type BodyOf<O> = O extends { body: (now: number) => infer S } ? Accepted<S> : undefined;
type QueryOf<O> = O extends { query: () => infer S } ? Accepted<S> : undefined;

/** A request that the contract's schemas have accepted. The whole request is processed at the one moment `now`. */
export interface RequestOf<K extends OperationId> {
  readonly params: { readonly [P in keyof Operations[K]['params']]: string };
  readonly query: QueryOf<Operations[K]>;
  readonly body: BodyOf<Operations[K]>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Cuts the connection after the request was processed, instead of answering. */
  readonly hangUp: () => void;
}

/** Answers one operation, or throws a ProblemError. */
export type OperationHandler<K extends OperationId> = (request: RequestOf<K>, store: EmulatorStore) => AnswerOf<K>;

/** The largest request body, in bytes. */
const BODY_LIMIT = 1024 * 1024;
const DEPTH_LIMIT = 64;

/** Reads the body of a request as bytes; throws a 413 if it is too large. */
const readAllBytes = async ({ body }: Pick<HttpRequest, 'body'>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > BODY_LIMIT)
      throw problemError(413, `a body may hold at most ${BODY_LIMIT} bytes`, { headers: { connection: 'close' } });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** False if a text in the value has half a surrogate pair, which the service's language refuses. */
const isWellFormed = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  return typeof value !== 'object' || value === null || Object.entries(value).flat().every(isWellFormed);
};

const parseBody = (bytes: Uint8Array): unknown => {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw problemError(400, 'the body is not UTF-8');
  if (depthOf(text) > DEPTH_LIMIT) throw problemError(400, `the body is nested deeper than ${DEPTH_LIMIT} levels`);
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    throw problemError(400, 'the body is not JSON');
  }
  if (!isWellFormed(value)) throw problemError(400, 'the body has half a surrogate pair, which is no character');
  return value;
};

/** Reads a body of one type as bytes; throws a 400 if it is announced as another. */
const readBody = async (asked: HttpRequest, type: string): Promise<Uint8Array> => {
  if (asked.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== type) {
    throw problemError(400, `the body must be announced as \`Content-Type: ${type}\``);
  }
  return readAllBytes(asked);
};

/** Reads the JSON object of a request (docs/service.md, Requests); throws a 400 if the body isn't one. */
export const readJsonBody = async (asked: HttpRequest): Promise<Readonly<Record<string, unknown>>> => {
  const value = parseBody(await readBody(asked, 'application/json'));
  if (isJsonObject(value)) return value;
  throw problemError(400, 'the body is not a JSON object');
};

/**
 * Reads a form of one of our pages. Throws a 403 unless the browser names this service as the page's origin: another
 * site can send the same form, but not the same `Origin`.
 */
export const readForm = async (asked: HttpRequest): Promise<URLSearchParams> => {
  if (asked.headers['origin'] !== `http://${asked.headers['host']}`) {
    throw problemError(403, 'only its own pages may send forms: the header `Origin` is missing or differs');
  }
  return new URLSearchParams(decodeUtf8(await readBody(asked, 'application/x-www-form-urlencoded')));
};

type RequestHeaders = Readonly<Record<string, string | undefined>>;

const hostsOf = (port: number): string[] =>
  ['127.0.0.1', 'localhost', '[::1]'].flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));

/**
 * Refuses requests that a web page could send: a name rebound to this machine shows in `Host`, and a browser names the
 * page in `Origin` or `Sec-Fetch-Site`. No answer ever has a CORS header. Other sites may only open a page, for example
 * in a frame.
 */
export const refusePages = (
  headers: RequestHeaders,
  { port, viaLoopback }: { readonly port: number; readonly viaLoopback: boolean },
  isPage = false,
): void => {
  const host = headers['host']?.toLowerCase();
  // On a container network, a machine has names that it doesn't know itself.
  const hosts = viaLoopback || host === undefined ? hostsOf(port) : [host];
  if (host === undefined || !hosts.includes(host)) {
    throw problemError(403, `this service answers only to the names ${hosts.join(', ')}`);
  }
  const origin = headers['origin'];
  if (origin !== undefined && !hosts.some((name) => origin === `http://${name}`)) {
    throw problemError(403, 'this service does not answer web pages');
  }
  if (isPage && headers['sec-fetch-mode'] === 'navigate') return;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'none' && site !== 'same-origin') {
    throw problemError(403, 'this service does not answer web pages');
  }
};

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares a key in constant time. */
export const isKey = (given: string, key: string): boolean => key !== '' && timingSafeEqual(digest(given), digest(key));

/** Throws a 401 unless the request carries the key (docs/service.md, Requests). */
export const refuseStrangers = (headers: RequestHeaders, key: string): void => {
  const given = /^Bearer (\S+)$/.exec(headers['authorization'] ?? '')?.[1];
  if (given !== undefined && isKey(given, key)) return;
  throw problemError(
    401,
    'the header `Authorization: Bearer <SECRET_KEY>` is missing, malformed or holds another key',
    {
      headers: { 'www-authenticate': 'Bearer' },
    },
  );
};

/**
 * Derives the token in the console's path. A cookie would go to every port of this machine. The token stays the same
 * for a data file, so that the address can be bookmarked.
 */
export const consoleToken = (store: Pick<EmulatorStore, 'setting'>): string =>
  derivedText(`console ${store.setting('control_token') ?? ''}`, 32);

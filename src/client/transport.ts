import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';
import type { Clock, Env } from '../cli/io.ts';
import { PayError, reasonOf } from '../core/error.ts';
import { depthOf } from '../core/json.ts';
import type { Credentials } from './authorize.ts';
import { authorize } from './authorize.ts';
import { openDispatcher } from './dispatcher.ts';
import type { Mark } from './marker.ts';
import { newMark, provenNotSent, withMark } from './marker.ts';

const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 64;

/** What one attempt ended as. `broken`: the request was handed over, and no whole answer came back. */
export type Outcome =
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfter: string | undefined; readonly body: Body }
  | { readonly kind: 'broken'; readonly reason: string }
  | { readonly kind: 'not_sent'; readonly reason: string; readonly untrusted: boolean };

/** The whole body as JSON, or why it is none. */
export type Body = { readonly text: string; readonly json: unknown } | { readonly fault: string };

export interface Attempt {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly body: string | undefined;
  /** A connection of its own, closed behind it: a write never rides on a connection that may be half dead. */
  readonly fresh: boolean;
  readonly timeout: number;
  /** Ends the attempt wherever it is. */
  readonly signal: AbortSignal;
  /** Ends it only while nothing has been handed over; afterwards `held` is called once and the answer awaited. */
  readonly stop?: { readonly signal: AbortSignal; readonly held: () => void };
}

export interface Transport {
  send(attempt: Attempt): Promise<Outcome>;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly credentials: Credentials;
  readonly env: Env;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly timeout: number;
  readonly debug: (line: string) => void;
}

const UNTRUSTED =
  /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(?:GET|VERIFY)|HOSTNAME_MISMATCH|INVALID_CA)/;

const codesOf = (thrown: unknown): string[] => {
  const codes: string[] = [];
  for (let at = thrown; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code;
    if (typeof code === 'string') codes.push(code);
  }
  return codes;
};

const describe = (thrown: unknown): string => {
  const codes = codesOf(thrown);
  const reason = reasonOf(thrown);
  return codes.length === 0 || codes.some((code) => reason.includes(code)) ? reason : `${reason} (${codes[0]})`;
};

const readBytes = async (body: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

const readJson = (text: string): Body => {
  if (depthOf(text) > MAX_DEPTH) return { fault: `the answer is nested deeper than ${MAX_DEPTH} levels` };
  try {
    return { text, json: JSON.parse(text) };
  } catch {
    return { fault: text === '' ? 'the answer is empty' : 'the answer is not JSON' };
  }
};

const readBody = async (response: Dispatcher.ResponseData): Promise<Body> => {
  // A body that is left unread is destroyed, and says so by an event that nobody else listens to.
  response.body.on('error', () => undefined);
  const encoding = String(response.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding !== 'identity') {
    response.body.destroy();
    return { fault: 'the answer is compressed, which was not asked for' };
  }
  const bytes = await readBytes(response.body);
  if (bytes === undefined) return { fault: `the answer is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB` };
  const text = decodeUtf8(bytes);
  return text === undefined ? { fault: 'the answer is not valid UTF-8' } : readJson(text);
};

const header = (response: Dispatcher.ResponseData, name: string): string | undefined => {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** Aborts after `ms`, unless disposed before; its reason is the sentence that an error will show. */
const deadline = (clock: Clock, ms: number): { readonly signal: AbortSignal; readonly cancel: () => void } => {
  const timer = new AbortController();
  const cancelled = new AbortController();
  clock.sleep(ms, cancelled.signal).then(
    () => timer.abort(new Error(`no whole answer within ${ms / 1000} s (--timeout)`)),
    () => undefined,
  );
  return { signal: timer.signal, cancel: () => cancelled.abort() };
};

/** A signal of the user ends an attempt that has not been handed over; one that has is told about and awaited. */
const stopBeforeHandOver = (stop: Attempt['stop'], mark: Mark): { signal: AbortSignal; dispose: () => void } => {
  const abort = new AbortController();
  const onStop = (): void => {
    if (mark.handedOver) stop?.held();
    else abort.abort(stop?.signal.reason);
  };
  stop?.signal.addEventListener('abort', onStop, { once: true });
  return { signal: abort.signal, dispose: () => stop?.signal.removeEventListener('abort', onStop) };
};

/** One origin, its key and its connections. Sends what it is told to, once, and says what became of it. */
export const openTransport = (options: TransportOptions): Transport => {
  const { credentials, env, clock, debug } = options;
  let shared: Promise<Dispatcher> | undefined;
  const open = () => openDispatcher(credentials.origin, env, options.timeout);

  const exchange = async (attempt: Attempt, dispatcher: Dispatcher): Promise<Outcome> => {
    const mark = newMark(attempt.method, attempt.path);
    const limit = deadline(clock, attempt.timeout);
    const stop = stopBeforeHandOver(attempt.stop, mark);
    const headers: Record<string, string> = {
      authorization: authorize(credentials, new URL(attempt.path, credentials.origin)),
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': options.userAgent,
    };
    if (attempt.body !== undefined) headers['content-type'] = 'application/json';
    const started = clock.now();
    debug(`> ${attempt.method} ${credentials.origin}${attempt.path}`);
    try {
      const response = await withMark(mark, () =>
        request.call(dispatcher, {
          origin: credentials.origin,
          path: attempt.path,
          method: attempt.method,
          headers,
          body: attempt.body === undefined ? null : Buffer.from(attempt.body),
          reset: attempt.fresh,
          signal: AbortSignal.any([attempt.signal, limit.signal, stop.signal]),
        }),
      );
      const body = await readBody(response);
      debug(`< ${response.statusCode} in ${clock.now() - started} ms`);
      return { kind: 'answer', status: response.statusCode, retryAfter: header(response, 'retry-after'), body };
    } catch (thrown) {
      const reason = describe(limit.signal.aborted ? limit.signal.reason : thrown);
      const unsent = provenNotSent(mark);
      debug(`! ${unsent ? 'not sent' : 'no whole answer'} after ${clock.now() - started} ms: ${reason}`);
      if (!unsent) return { kind: 'broken', reason };
      return { kind: 'not_sent', reason, untrusted: codesOf(thrown).some((code) => UNTRUSTED.test(code)) };
    } finally {
      limit.cancel();
      stop.dispose();
    }
  };

  return {
    send: async (attempt) => {
      if (!attempt.fresh) {
        shared ??= open();
        return exchange(attempt, await shared);
      }
      const dispatcher = await open();
      try {
        return await exchange(attempt, dispatcher);
      } finally {
        await dispatcher.destroy();
      }
    },
    close: async () => {
      await (await shared)?.destroy();
    },
  };
};

/** The error of a connection whose other end is not trusted: the same for reads and writes, never worth a retry. */
export const untrustedError = (origin: string, reason: string): PayError =>
  new PayError('auth', `${new URL(origin).host} could not prove who it is, so nothing was sent: ${reason}`, {
    hint: 'if the certificate is one of your own authority, name its file in NODE_EXTRA_CA_CERTS',
  });

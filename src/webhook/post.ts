import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as plain,
  type RequestOptions,
} from 'node:http';
import { request as encrypted, Agent as HttpsAgent } from 'node:https';
import { reasonOf } from '../core/error.ts';
import type { Headers } from './event.ts';

const MOST_ANSWER = 64 * 1024;

/** A URL that gets events, and options for connections to it. */
export interface DeliveryTarget extends Pick<RequestOptions, 'lookup' | 'agent'> {
  readonly url: URL;
}

/**
 * The answer of a target; or the reason why there was none, and `reached`: true if the target may have received the
 * event.
 */
export type PostResult =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'failed'; readonly why: string; readonly code?: string; readonly reached: boolean }
  /** A program has run without failure. */
  | { readonly kind: 'ran' }
  /** The request was abandoned because the run ends. */
  | { readonly kind: 'left' };

export const isTaken = (posted: PostResult): boolean =>
  posted.kind === 'ran' || (posted.kind === 'answered' && posted.status >= 200 && posted.status < 300);

/** Groups repeated headers. Senders choose the names, so `constructor` must be a name like any other. */
const groupHeaders = (headers: Headers): Record<string, string[]> => {
  const together: Record<string, string[]> = Object.create(null);
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    together[key] = [...(together[key] ?? []), value];
  }
  return together;
};

/** Reads the body of an answer, so that the connection can be reused; of a long body, no more than the limit. */
const drain = async (answer: IncomingMessage): Promise<void> => {
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MOST_ANSWER) break;
  }
};

/** Errors from before a connection exists: the target has received nothing. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ConnectionRefused',
]);

/** Aborts a request when the run ends, or when the target exceeds its time limit. */
const limited = (stop: AbortSignal, limitMs: number) => {
  const over = new AbortController();
  const end = (): void => over.abort();
  const late = setTimeout(end, limitMs);
  stop.addEventListener('abort', end);
  if (stop.aborted) end();
  return {
    signal: over.signal,
    done: (): void => {
      clearTimeout(late);
      stop.removeEventListener('abort', end);
    },
  };
};

/** Agents of our own: variables can make the runtime's send through a proxy, which would read an event on its way. */
const [plainAgent, encryptedAgent] = [new HttpAgent({ keepAlive: true }), new HttpsAgent({ keepAlive: true })];

interface PostOptions {
  readonly stop: AbortSignal;
  /** The time limit for an answer, in milliseconds. */
  readonly limitMs: number;
  /** Writes the body; the default writes it at once. */
  readonly write?: ((request: ClientRequest, body: Uint8Array) => Promise<void>) | undefined;
}

/** Sends one POST without following redirects; rejects only where the request can't be created. */
export const post = async (
  { url, ...connection }: DeliveryTarget,
  headers: Headers,
  body: Uint8Array,
  { stop, limitMs, write = async (request) => void request.end(body) }: PostOptions,
): Promise<PostResult> => {
  const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { signal, done } = limited(stop, limitMs);
  const isEncrypted = url.protocol === 'https:';
  const options: RequestOptions = {
    method: 'POST',
    agent: isEncrypted ? encryptedAgent : plainAgent,
    headers: { ...groupHeaders(headers), 'content-length': String(body.byteLength) },
    signal,
    ...connection,
  };
  const request = (isEncrypted ? encrypted : plain)(url, options, resolve).on('error', reject);
  try {
    const [answer] = await Promise.all([answered, write(request, body)]);
    // Only the status counts: a truncated body is no failure.
    void drain(answer)
      .catch(() => undefined)
      .finally(done);
    const { statusCode: status = 0, headers: said } = answer;
    return { kind: 'answered', status, retryAfter: said['retry-after'] };
  } catch (thrown) {
    done();
    if (stop.aborted) return { kind: 'left' };
    const code = (thrown as NodeJS.ErrnoException).code ?? '';
    const why = signal.aborted ? `no answer within ${limitMs / 1000} s` : reasonOf(thrown);
    return { kind: 'failed', why, code, reached: !NOT_CONNECTED.has(code) };
  }
};

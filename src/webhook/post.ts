import { type IncomingMessage, request as plain, type RequestOptions } from 'node:http';
import { request as encrypted } from 'node:https';
import { reasonOf, usageError } from '../core/error.ts';
import type { Env } from '../core/io.ts';
import { lookupFor } from '../core/localhost.ts';
import { isLoopback } from '../core/origin.ts';
import { verifies } from '../core/verified.ts';
import type { Headers } from './kept.ts';

/** What a target answered; or why there was no answer, and whether it can have got the event. */
export type Posted =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'failed'; readonly why: string; readonly reached: boolean }
  /** It was left, for an end of ours. */
  | { readonly kind: 'left' };

/** What came of it, in a word or two. */
export const postedWord = (posted: Posted): string => {
  if (posted.kind === 'answered') return String(posted.status);
  return posted.kind === 'failed' ? posted.why : 'left';
};

export const isTaken = (posted: Posted): boolean =>
  posted.kind === 'answered' && posted.status >= 200 && posted.status < 300;

/** So long a target may take to answer, in milliseconds (as long as senders give it). */
const LIMIT_MS = 30_000;

/** In bytes: more of an answer is not read. */
const MOST_ANSWER = 64 * 1024;

/** Where events go on to; throws where they may not. Another machine is named on purpose, and never without knowing which it is. */
export const checkTarget = (text: string, flag: string, allowRemote: boolean, env: Env): URL => {
  const refuse = (what: string, hint: string): never => {
    throw usageError(`${flag}: "${text}" ${what}`, { hint });
  };
  const example = 'such as http://127.0.0.1:3000/webhooks';
  if (!URL.canParse(text)) return refuse('is not a URL', example);
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol)) return refuse('is not a URL', example);
  if (url.username !== '' || url.password !== '') return refuse('contains a user name or a password', 'leave it out');
  if (isLoopback(url.origin)) return url;
  if (!allowRemote) return refuse('is not on this machine', 'add --allow-remote if events may leave this machine');
  if (url.protocol === 'http:') return refuse('is not encrypted', 'use https:// for another machine');
  verifies(url.origin, env, 'events');
  return url;
};

/** Headers that repeat, together. Senders choose the names: `constructor` is one like any other. */
const headersOf = (headers: Headers): Record<string, string[]> => {
  const together: Record<string, string[]> = Object.create(null);
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    together[key] = [...(together[key] ?? []), value];
  }
  return together;
};

/** Reads the body of an answer, so that the connection can be used again; of a long one, no more than the bound. */
const drain = async (answer: IncomingMessage): Promise<void> => {
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MOST_ANSWER) break;
  }
};

/** Errors before there is a connection: the target has seen nothing. */
const UNREACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ConnectionRefused',
]);

/** Ends a request for us, or for the target, which has not answered in time. */
const limited = (stop: AbortSignal) => {
  const over = new AbortController();
  const end = (): void => over.abort();
  const late = setTimeout(end, LIMIT_MS);
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

/** Sends one POST, and follows no redirect; rejects only where it can't be made. */
export const post = async (url: URL, headers: Headers, body: Uint8Array, stop: AbortSignal): Promise<Posted> => {
  const { promise, resolve } = Promise.withResolvers<Posted>();
  const { signal, done } = limited(stop);
  const failed = (thrown: unknown): void => {
    done();
    const code = (thrown as NodeJS.ErrnoException).code ?? '';
    const why = signal.aborted ? `no answer within ${LIMIT_MS / 1000} s` : reasonOf(thrown);
    resolve(stop.aborted ? { kind: 'left' } : { kind: 'failed', why, reached: !UNREACHED.has(code) });
  };
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headersOf(headers), 'content-length': String(body.byteLength) },
    signal,
    ...lookupFor(url),
  };
  // The status alone counts: a body that breaks off says nothing against it.
  const sent = (url.protocol === 'https:' ? encrypted : plain)(url, options, (answer) => {
    const { statusCode: status = 0, headers: said } = answer;
    resolve({ kind: 'answered', status, retryAfter: said['retry-after'] });
    void drain(answer)
      .catch(() => undefined)
      .finally(done);
  });
  sent.on('error', failed).end(body);
  return promise;
};

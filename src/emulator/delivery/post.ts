import { type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { reasonOf } from '../../core/error.ts';
import type { Clock } from '../../core/io.ts';
import { lookupFor } from '../../core/localhost.ts';

/** How long an answer is waited for. */
const PATIENCE_MS = 15_000;

/** So much of an answer is read, and none of it is looked at. */
const ANSWER_BYTES = 64 * 1024;

export interface Letter {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The connection is cut behind so many bytes of the body. */
  readonly cut?: number | undefined;
  /** It takes so many milliseconds to be sent. */
  readonly slow?: number | undefined;
}

/** What came of it: a status, or why there was none. */
export type Answered = { readonly status: number } | { readonly error: string };

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed without an answer',
  EPIPE: 'the connection was closed without an answer',
  ENOTFOUND: 'the host was not found',
};

const wordsOf = (thrown: unknown): string => WORDS[(thrown as NodeJS.ErrnoException).code ?? ''] ?? reasonOf(thrown);

const open = ({ url, headers, body }: Letter): ClientRequest => {
  const target = new URL(url);
  const sized = { ...headers, 'content-length': body.byteLength };
  const how = { method: 'POST', agent: false as const, headers: sized, ...lookupFor(target) };
  return target.protocol === 'https:' ? overHttps(target, how) : overHttp(target, how);
};

/** The status, once the answer has ended or enough of it was read. */
const statusOf = (answer: IncomingMessage): Promise<number> => {
  const { promise, resolve } = Promise.withResolvers<number>();
  let size = 0;
  answer.on('data', (chunk: Uint8Array) => {
    size += chunk.byteLength;
    if (size > ANSWER_BYTES) answer.destroy();
  });
  answer.on('error', () => undefined);
  answer.on('close', () => resolve(answer.statusCode ?? 0));
  return promise;
};

const answerOf = (outgoing: ClientRequest): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  outgoing.on('response', (answer) => resolve(statusOf(answer)));
  outgoing.on('error', reject);
  outgoing.on('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  return promise;
};

const flushed = (outgoing: ClientRequest, bytes: Uint8Array): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  outgoing.write(bytes, () => resolve());
  return promise;
};

const sendBody = async (outgoing: ClientRequest, { body, cut, slow }: Letter, clock: Clock, stop: AbortSignal) => {
  if (cut !== undefined) {
    await flushed(outgoing, body.subarray(0, cut));
    outgoing.destroy();
    return;
  }
  if (slow !== undefined) {
    outgoing.write(body.subarray(0, body.byteLength / 2));
    await clock.sleep(slow, stop);
    outgoing.end(body.subarray(body.byteLength / 2));
    return;
  }
  outgoing.end(body);
};

/** Sends it once; follows no redirect. */
export const post = async (letter: Letter, clock: Clock, stop: AbortSignal): Promise<Answered> => {
  const outgoing = open(letter);
  const late = AbortSignal.timeout(PATIENCE_MS + (letter.slow ?? 0));
  const leave = (): void => void outgoing.destroy();
  stop.addEventListener('abort', leave, { once: true });
  late.addEventListener('abort', leave, { once: true });
  try {
    const answered = answerOf(outgoing);
    const [status] = await Promise.all([answered, sendBody(outgoing, letter, clock, stop)]);
    return { status };
  } catch (thrown) {
    if (letter.cut !== undefined) return { error: `cut off behind ${letter.cut} bytes` };
    return { error: late.aborted ? `no answer in ${PATIENCE_MS / 1000} s` : wordsOf(thrown) };
  } finally {
    outgoing.destroy();
    stop.removeEventListener('abort', leave);
  }
};

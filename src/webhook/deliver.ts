import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as plain,
  type RequestOptions,
} from 'node:http';
import { request as encrypted, Agent as HttpsAgent } from 'node:https';
import { backoff } from '../core/async.ts';
import { reasonOf } from '../core/error.ts';
import { type Clock, withTimeout } from '../core/io.ts';
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

/** Retries a write until it succeeds; resolves to false if the run ends first. */
export const retryUntilWritten = async (
  write: () => Promise<void>,
  { clock, say }: { readonly clock: Clock; readonly say: (text: string) => void },
  stop: AbortSignal,
): Promise<boolean> => {
  for (let tries = 0; ; tries += 1) {
    try {
      await write();
      return true;
    } catch (thrown) {
      if (tries === 0) say(`the queue can't be written to (${reasonOf(thrown)}); this is tried again until it can`);
      if (stop.aborted) return false;
      const pause = backoff(tries, () => 1, { base: 500, cap: 30_000 });
      await clock.sleep(pause, stop).catch(() => undefined);
    }
  }
};

/** The time of day at this call, monotonic from there: setting the clock extends no pause. */
export const steadyTime = (clock: Clock): (() => number) => {
  const offset = clock.now() - clock.ticks();
  return () => Math.floor(clock.ticks() + offset);
};

/** A notifier: one waits, others call. A call while nobody waits counts for the next wait. */
export const openNotifier = (clock: Pick<Clock, 'sleep'>) => {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    call: (): void => resolve(),
    /** Resolves at a call, or after `ms` milliseconds. */
    wait: async (ms?: number): Promise<void> => {
      await (ms === undefined ? promise : withTimeout(promise, Math.max(0, ms), clock));
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
  };
};
export type Notifier = ReturnType<typeof openNotifier>;

/** Something to send: after the others with its key, and not before `due`. */
export interface Queued {
  readonly key: string;
  readonly due: number;
}

/** The keys of what is being sent. */
export type Busy = ReadonlyMap<string, unknown>;

/** The items to send now, and the milliseconds until the next is due; undefined if that depends on other events. */
export interface Step<T extends Queued> {
  readonly start: readonly T[];
  readonly wait: number | undefined;
}

/** Selects what is due at `now`, at most `room`, and one of each idle key. `waiting` has the earliest first. */
export const dueOf = <T extends Queued>(waiting: readonly T[], busy: Busy, room: number, now: number): Step<T> => {
  if (room <= 0) return { start: [], wait: undefined };
  const keys = new Set(busy.keys());
  const idle = waiting.filter(({ key }) => !keys.has(key) && keys.add(key));
  const next = idle.find(({ due }) => due > now);
  return { start: idle.filter(({ due }) => due <= now).slice(0, room), wait: next && next.due - now };
};

interface Source<T extends Queued> {
  /** Called after each notification, and when the wait is over. */
  readonly next: (busy: Busy) => Step<T> | Promise<Step<T>>;
  /** Sends and stores the result. Never rejects. */
  readonly send: (one: T) => Promise<void>;
}

/**
 * Sends what a source holds, one at a time of each key, until `stop`; the caller also calls `notifier` then.
 */
export const deliverInOrder = <T extends Queued>({ next, send }: Source<T>, notifier: Notifier, stop: AbortSignal) => {
  const busy = new Map<string, Promise<void>>();
  /** Conditions to wait for, each with the callback to call once it holds. */
  const conditions = new Map<(busy: Busy) => boolean, () => void>();

  const run = async (): Promise<void> => {
    while (!stop.aborted) {
      const { start, wait } = await next(busy);
      for (const one of start) {
        const sent = send(one).finally(() => {
          busy.delete(one.key);
          notifier.call();
        });
        busy.set(one.key, sent);
      }
      for (const [holds, done] of conditions) if (holds(busy) && conditions.delete(holds)) done();
      await notifier.wait(wait);
    }
    await Promise.all(busy.values());
    for (const done of conditions.values()) done();
  };

  return {
    /** Resolves once it has stopped and the results of what was being sent are stored. */
    ended: run(),
    /** Resolves once a condition holds, or at the end. */
    until: (holds: (busy: Busy) => boolean): Promise<void> =>
      new Promise((resolve) => {
        conditions.set(holds, resolve);
        notifier.call();
      }),
  };
};

import dns from 'node:dns';
import { type IncomingMessage, request as plain, type RequestOptions } from 'node:http';
import { request as encrypted } from 'node:https';
import type { LookupFunction } from 'node:net';
import { backoff } from '../core/async.ts';
import { PayError, reasonOf, usageError } from '../core/error.ts';
import { type Clock, type Env, withTimeout } from '../core/io.ts';
import { isLoopback, lookupFor } from '../core/origin.ts';
import { shellLine } from '../core/shell.ts';
import { retryAfter } from '../core/time.ts';
import { verifies } from '../core/unsafe-settings.ts';
import { type Headers, type KeptEvent, passedOn } from './event.ts';
import type { Queue } from './queue.ts';
import type { Head } from './statements.ts';

/**
 * The answer of a target; or the reason why there was none, and `reached`: true where the target may have received the
 * event.
 */
export type ForwardResult =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'failed'; readonly why: string; readonly reached: boolean }
  /** The request was abandoned because the run ends. */
  | { readonly kind: 'left' };

/** The result in a word or two. */
const resultText = (posted: ForwardResult): string => {
  if (posted.kind === 'answered') return String(posted.status);
  return posted.kind === 'failed' ? posted.why : 'left';
};

const isTaken = (posted: ForwardResult): boolean =>
  posted.kind === 'answered' && posted.status >= 200 && posted.status < 300;

/** The time limit for a target's answer, in milliseconds (senders use the same limit). */
const LIMIT_MS = 30_000;

/** The bytes of an answer to read at most. */
const MOST_ANSWER = 64 * 1024;

/** A forwarding target. */
export interface ForwardTarget {
  readonly url: URL;
  /** Looks up the host of each connection. */
  readonly lookup?: LookupFunction;
}

const HERE = /^(?:127\.[\d.]+|::1)$/;
/** Addresses of private networks, such as those between containers. Not 169.254.…, where clouds keep credentials. */
const NEAR = /^(?:127\.[\d.]+|::1|10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|f[cd][\da-f]{2}:.*)$/i;

/** The addresses of a host; none if its name can't be resolved. */
const addressesOf = ({ hostname }: URL): Promise<readonly string[]> =>
  new Promise((resolve) => {
    dns.lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }, (_error, found = []) =>
      resolve(found.map(({ address }) => address)),
    );
  });

/** Resolves a name to the allowed addresses alone. A name server may answer each time with others. */
const lookupWithin =
  (allowed: RegExp): LookupFunction =>
  (hostname, options, done) =>
    dns.lookup(hostname, { ...options, all: true }, (error, found = []) => {
      const [first, ...others] = found.filter(({ address }) => allowed.test(address));
      if (first === undefined) {
        const elsewhere = Object.assign(new Error(`${hostname} leads elsewhere now`), { code: 'EHOSTUNREACH' });
        return done(error ?? elsewhere, '');
      }
      return options.all === true ? done(null, [first, ...others]) : done(null, first.address, first.family);
    });

/**
 * Checks the forwarding target; throws where it is not allowed. Another machine must be allowed explicitly, and its
 * certificate must be verified, except in a private network.
 */
export const checkTarget = async (
  text: string,
  flag: string,
  allowRemote: boolean,
  env: Env,
): Promise<ForwardTarget> => {
  const refuse = (what: string, hint: string): never => {
    throw usageError(`${flag}: "${text}" ${what}`, { hint });
  };
  const example = 'such as http://127.0.0.1:3000/webhooks';
  if (!URL.canParse(text)) return refuse('is not a URL', example);
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol)) return refuse('is not a URL', example);
  if (url.username !== '' || url.password !== '') return refuse('contains a user name or a password', 'leave it out');
  if (isLoopback(url.origin)) return { url, ...lookupFor(url) };
  if (url.protocol === 'https:') verifies(url.origin, env, 'events');
  if (url.protocol === 'https:' && allowRemote) return { url };
  const found = await addressesOf(url);
  const within = (allowed: RegExp): boolean => found.every((address) => allowed.test(address));
  if (!allowRemote && (found.length === 0 || !within(HERE))) {
    return refuse('is not on this machine', 'add --allow-remote if events may leave this machine');
  }
  // A container that isn't started has no address yet.
  if (!within(NEAR)) return refuse('is not encrypted', 'use https:// for a machine outside your private network');
  return { url, lookup: lookupWithin(allowRemote ? NEAR : HERE) };
};

/** Groups repeated headers. Senders choose the names, so `constructor` must be a name like any other. */
const headersOf = (headers: Headers): Record<string, string[]> => {
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

/** Sends one POST without following redirects; rejects only where the request can't be created. */
export const post = async (
  { url, ...lookup }: ForwardTarget,
  headers: Headers,
  body: Uint8Array,
  stop: AbortSignal,
): Promise<ForwardResult> => {
  const { promise, resolve } = Promise.withResolvers<ForwardResult>();
  const { signal, done } = limited(stop);
  const failed = (thrown: unknown): void => {
    done();
    const code = (thrown as NodeJS.ErrnoException).code ?? '';
    const why = signal.aborted ? `no answer within ${LIMIT_MS / 1000} s` : reasonOf(thrown);
    resolve(stop.aborted ? { kind: 'left' } : { kind: 'failed', why, reached: !NOT_CONNECTED.has(code) });
  };
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headersOf(headers), 'content-length': String(body.byteLength) },
    signal,
    ...lookup,
  };
  // Only the status counts: a truncated body is no failure.
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

/** The backoff between two attempts to write, in milliseconds. */
const WRITE_RANGE = { base: 500, cap: 30_000 };

interface RetryDeps {
  readonly clock: Clock;
  readonly say: (text: string) => void;
}

/** Retries a write until it succeeds; resolves to false where the run ends first. */
export const retryUntilWritten = async (
  write: () => Promise<void>,
  { clock, say }: RetryDeps,
  stop: AbortSignal,
): Promise<boolean> => {
  for (let tries = 0; ; tries += 1) {
    try {
      await write();
      return true;
    } catch (thrown) {
      if (tries === 0) say(`the queue can't be written to (${reasonOf(thrown)}); this is tried again until it can`);
      if (stop.aborted) return false;
      await clock
        .sleep(
          backoff(tries, () => 1, WRITE_RANGE),
          stop,
        )
        .catch(() => undefined);
    }
  }
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

const [SECOND_MS, HOUR_MS] = [1000, 3_600_000];

/** The backoff between two attempts for one event, or two checks for an unavailable target. */
const RANGE = { base: SECOND_MS, cap: 600 * SECOND_MS };
/** The longest pause that a target may ask for. */
const LONGEST_WAIT_MS = 24 * HOUR_MS;
/**
 * An event that the target has refused for this long is given up. For a target that can't be reached, events wait
 * without a limit.
 */
const GIVE_UP_MS = 72 * HOUR_MS;
/**
 * The least number of refusals before an event is given up: the target may have been unavailable for most of that time.
 */
const GIVE_UP_TRIES = 100;
/** The number of payment requests whose events are forwarded concurrently. */
const AT_ONCE = 8;

/** Statuses of a target that is slow or unavailable as a whole; the event is not at fault. */
const SLOW = [429, 502, 503, 504];
/** The status of a target that wants no more events. */
const GONE = 410;

/** The dependencies of forwarding. */
interface ForwardDeps {
  readonly clock: Clock;
  /**
   * The time of day at the start of the run, monotonic from there. Pauses use it, so that setting the clock extends
   * none.
   */
  readonly steady: () => number;
  readonly random: () => number;
  readonly send: (event: KeptEvent) => Promise<ForwardResult>;
  /** Prints a notice; resolves when it is written. */
  readonly say: (text: string) => Promise<void>;
}

/** True where the target could not be reached, which says nothing about the event. */
const isAway = (posted: ForwardResult): boolean => posted.kind === 'failed' && !posted.reached;

const isSlow = (posted: ForwardResult): boolean => posted.kind === 'answered' && SLOW.includes(posted.status);

/** Treats an attempt that threw as failed: it is repeated after a pause. */
const thrownAs =
  (reached: boolean) =>
  (thrown: unknown): ForwardResult => ({ kind: 'failed', why: reasonOf(thrown), reached });

/** Tracks the state of the target as a whole. */
const openTarget = ({ steady, random, say }: ForwardDeps) => {
  let [failures, until, gone, why] = [0, 0, false, ''];
  /** The reasons of refusals; each is printed once until a refused event is accepted. */
  const refusals = new Set<string>();
  return {
    get gone(): boolean {
      return gone;
    },
    /** While the target is in doubt, a single event tests it. */
    get atOnce(): number {
      return failures === 0 ? AT_ONCE : 1;
    },
    get until(): number {
      return until;
    },
    heard: (posted: ForwardResult, asked: number | undefined): void => {
      const word = resultText(posted);
      if (posted.kind === 'answered' && posted.status === GONE) {
        if (!gone)
          say('the target answered 410 Gone: nothing more is forwarded until `webhook listen` is started again');
        gone = true;
      } else if (isAway(posted) || isSlow(posted)) {
        if (failures === 0 || word !== why) say(`the target can't take events now (${word}); they wait in the queue`);
        why = word;
        until = steady() + Math.max(asked ?? 0, backoff(failures, random, RANGE));
        failures += 1;
      } else if (steady() >= until) {
        // Requests from before the pause don't end it.
        if (failures > 0) say('the target takes events again');
        [failures, until] = [0, 0];
      }
    },
    refused: ({ uid }: KeptEvent, posted: ForwardResult): void => {
      const word = resultText(posted);
      if (isSlow(posted) || refusals.has(word)) return;
      refusals.add(word);
      const redirect = /^3\d\d$/.test(word) ? ', and redirects are not followed' : '';
      say(`the target refused ${uid} (${word}${redirect}); it is tried again, and the events behind it wait`);
    },
    taken: ({ uid, refusedSince }: KeptEvent, posted: ForwardResult): void => {
      if (refusedSince === undefined || refusals.size === 0) return;
      refusals.clear();
      say(`the target has taken ${uid} now (${resultText(posted)})`);
    },
  };
};

/** Sends the first event of a lane once, and stores the result. */
const forwardOne = async (
  queue: Queue,
  head: Head,
  world: ForwardDeps,
  target: ReturnType<typeof openTarget>,
  stop: AbortSignal,
): Promise<void> => {
  const event = queue.at(head.seq);
  if (event === undefined) return;
  const { clock, steady, random, send, say } = world;
  const posted = await send(event).catch(thrownAs(true));
  if (posted.kind === 'left') return;
  const at = clock.now();
  const told = posted.kind === 'answered' ? retryAfter(posted.retryAfter, at) : undefined;
  const asked = told && Math.min(told, LONGEST_WAIT_MS);
  target.heard(posted, asked);
  const answer = resultText(posted);
  // A full disk must not cause the event to be sent again.
  const note = async (write: () => Promise<void>): Promise<void> => void (await retryUntilWritten(write, world, stop));
  if (isTaken(posted)) {
    target.taken(event, posted);
    return note(() => queue.done(head, { state: 'forwarded', answer, at, due: steady() }));
  }
  if (isAway(posted) || target.gone) return;
  target.refused(event, posted);
  const refusedSince = event.refusedSince ?? at;
  if (at - refusedSince >= GIVE_UP_MS && event.attempts >= GIVE_UP_TRIES) {
    const again = shellLine(['paycli', 'webhook', 'events', 'replay', event.uid]);
    await say(`${event.uid} was refused for three days (${answer}) and is given up. Send it again: ${again}`);
    return note(() => queue.done(head, { state: 'failed', answer, at, due: steady() }));
  }
  const wait = Math.ceil(Math.max(asked ?? 0, backoff(event.attempts, random, RANGE)));
  await note(() => queue.delay(head, { answer, at, due: steady() + wait, refusedSince }));
};

/** Forwards waiting events in order per lane, until `stop`; the caller also calls `wake` then. */
export const forward = (queue: Queue, wake: Notifier, world: ForwardDeps, stop: AbortSignal) => {
  const target = openTarget(world);
  const busy = new Map<string, Promise<void>>();
  const resting = new Set<() => void>();

  const startOne = (head: Head): void => {
    const one = forwardOne(queue, head, world, target, stop)
      .catch((thrown: unknown) => target.heard(thrownAs(false)(thrown), undefined))
      .finally(() => {
        busy.delete(head.lane);
        wake.call();
      });
    busy.set(head.lane, one);
  };

  /** Starts the due lanes; returns the milliseconds until the next one is due, or undefined until something happens. */
  const step = (): number | undefined => {
    if (target.gone) return undefined;
    const now = world.steady();
    if (target.until > now) return target.until - now;
    const room = target.atOnce - busy.size;
    if (room <= 0) return undefined;
    const free = queue.heads(busy.size + room).filter(({ lane }) => !busy.has(lane));
    const due = free.filter((head) => head.due <= now).slice(0, room);
    for (const head of due) startOne(head);
    const next = free.find((head) => head.due > now);
    return next === undefined ? undefined : next.due - now;
  };

  const run = async (): Promise<void> => {
    const now = world.steady();
    await retryUntilWritten(() => queue.noLater(now + LONGEST_WAIT_MS, now), world, stop);
    while (!stop.aborted) {
      const wait = step();
      if (busy.size === 0) for (const rest of resting) rest();
      await wake.wait(wait);
    }
    await Promise.all(busy.values());
  };

  return {
    /** Resolves once it has stopped and the results of the requests in progress are stored. */
    ended: run(),
    /** Resolves when no request is in progress and none is due. */
    quiet: (): Promise<void> =>
      new Promise((resolve) => {
        resting.add(resolve);
        wake.call();
      }),
  };
};

/** Sends a stored event once, byte for byte. Returns the status of the answer, which is 2xx; throws otherwise. */
export const replay = async (
  { headers, body }: KeptEvent,
  target: ForwardTarget,
  stop: AbortSignal,
): Promise<string> => {
  const posted = await post(target, passedOn(headers), body, stop);
  const word = resultText(posted);
  if (isTaken(posted)) return word;
  if (posted.kind === 'answered') {
    throw new PayError('rejected', `${target.url.href} answered ${word}`, { hint: 'it was sent as it was kept' });
  }
  if (posted.kind === 'failed' && !posted.reached) {
    throw new PayError('not_sent', `${target.url.href} can't be reached: ${word}`, {
      hint: 'start it, then run this again',
    });
  }
  throw new PayError('read_failed', `${target.url.href} gave no answer: ${word}`, {
    hint: 'it may have got the event',
  });
};

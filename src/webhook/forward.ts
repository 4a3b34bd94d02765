import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { backoff } from '../core/async.ts';
import { PayError, reasonOf, usageError } from '../core/error.ts';
import type { Clock, Env } from '../core/io.ts';
import { isLoopback, lookupFor } from '../core/origin.ts';
import { shellLine } from '../core/shell.ts';
import { HOUR_MS, retryAfter, SECOND_MS } from '../core/time.ts';
import { verifies } from '../core/unsafe-settings.ts';
import { type Busy, consume, dueOf, retryUntilWritten, type Step } from './consumer.ts';
import { type KeptEvent, passedOn } from './event.ts';
import { type DeliveryTarget, isTaken, type PostResult, post } from './post.ts';
import type { Queue } from './queue.ts';
import type { Head } from './statements.ts';

/** The result in a word or two. */
const resultText = (posted: PostResult): string => {
  if (posted.kind === 'answered') return String(posted.status);
  if (posted.kind === 'ran') return 'exit code 0';
  return posted.kind === 'failed' ? posted.why : 'left';
};

/** The time limit for a target's answer, in milliseconds (senders use the same limit). */
const FORWARD_LIMIT_MS = 30_000;

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
): Promise<DeliveryTarget> => {
  const refuse = (what: string, hint: string): never => {
    throw usageError(`${flag}: "${text}" ${what}`, { hint });
  };
  const example = 'such as http://127.0.0.1:3000/webhooks';
  if (!URL.canParse(text)) return refuse('is not a URL', example);
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol)) return refuse('is not a URL', example);
  if (url.username !== '' || url.password !== '') return refuse('contains a user name or a password', 'leave it out');
  if (url.protocol === 'https:') verifies(url.origin, env, 'events');
  if (isLoopback(url.origin)) return { url, ...lookupFor(url) };
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

type Sent = Pick<KeptEvent, 'headers' | 'body'>;

/** Sends an event once, byte for byte as it came. */
export const forwardOnce = (target: DeliveryTarget, { headers, body }: Sent, stop: AbortSignal): Promise<PostResult> =>
  post(target, passedOn(headers), body, { stop, limitMs: FORWARD_LIMIT_MS });

/** The backoff between two attempts for one event, or two checks for an unavailable target. */
const FORWARD_BACKOFF = { base: SECOND_MS, cap: 600 * SECOND_MS };
/** The longest pause that a target may ask for. */
const LONGEST_ASKED_MS = 24 * HOUR_MS;
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
const FORWARDS_AT_ONCE = 8;

/** Statuses of a target that is slow or unavailable as a whole; the event is not at fault. */
const SLOW = [429, 502, 503, 504];
/** The status of a target that wants no more events. */
const GONE_STATUS = 410;

interface ForwardDeps {
  readonly clock: Clock;
  /**
   * The time of day at the start of the run, monotonic from there. Pauses use it, so that setting the clock extends
   * none.
   */
  readonly steady: () => number;
  readonly random: () => number;
  readonly send: (event: KeptEvent) => Promise<PostResult>;
  /** Prints a notice; resolves when it is written. */
  readonly say: (text: string) => Promise<void>;
  /** The target is a program, which runs for one event after another. */
  readonly isProgram?: true;
}

/** True if the target could not be reached, which says nothing about the event. */
const isAway = (posted: PostResult): boolean => posted.kind === 'failed' && !posted.reached;

const isSlow = (posted: PostResult): boolean => posted.kind === 'answered' && SLOW.includes(posted.status);

/** Treats an attempt that threw as failed: it is repeated after a pause. */
const failedForward =
  (reached: boolean) =>
  (thrown: unknown): PostResult => ({ kind: 'failed', why: reasonOf(thrown), reached });

/** Tracks the state of the target as a whole. */
const openTarget = ({ steady, random, say, isProgram }: ForwardDeps) => {
  let [failures, until, isClosed, why] = [0, 0, false, ''];
  /** The reasons of refusals; each is printed once until a refused event is accepted. */
  const refusals = new Set<string>();
  return {
    /** True once the target wants no more events. */
    get isClosed(): boolean {
      return isClosed;
    },
    /** While the target is in doubt, a single event tests it. */
    get atOnce(): number {
      return failures === 0 && !isProgram ? FORWARDS_AT_ONCE : 1;
    },
    get until(): number {
      return until;
    },
    /** Notes the answer to any event; the target asked for a pause of this many milliseconds. */
    note: (posted: PostResult, pause: number | undefined): void => {
      const word = resultText(posted);
      if (posted.kind === 'answered' && posted.status === GONE_STATUS) {
        if (!isClosed)
          say('the target answered 410 Gone: nothing more is forwarded until `webhook listen` is started again');
        isClosed = true;
      } else if (isAway(posted) || isSlow(posted)) {
        if (failures === 0 || word !== why) say(`the target can't take events now (${word}); they wait in the queue`);
        why = word;
        until = steady() + Math.max(pause ?? 0, backoff(failures, random, FORWARD_BACKOFF));
        failures += 1;
      } else if (steady() >= until) {
        // Requests from before the pause don't end it.
        if (failures > 0) say('the target takes events again');
        failures = 0;
      }
    },
    refused: ({ uid }: KeptEvent, posted: PostResult): void => {
      const word = resultText(posted);
      if (isSlow(posted) || refusals.has(word)) return;
      refusals.add(word);
      const redirect = /^3\d\d$/.test(word) ? ', and redirects are not followed' : '';
      say(`${uid} was refused (${word}${redirect}); it is tried again, and the events behind it wait`);
    },
    taken: ({ uid, refusedSince }: KeptEvent, posted: PostResult, took: number): void => {
      const isAccepted = refusedSince !== undefined && refusals.size > 0;
      if (!isProgram) say(`${uid} forwarded: ${resultText(posted)}, ${Math.round(took)} ms`);
      else if (isAccepted) say(`${uid} is delivered now (${resultText(posted)})`);
      if (isAccepted) refusals.clear();
    },
  };
};

/** Sends the first event of an order key once, and stores the result. */
const sendHead = async (
  queue: Queue,
  head: Head,
  deps: ForwardDeps,
  target: ReturnType<typeof openTarget>,
  stop: AbortSignal,
): Promise<void> => {
  const event = queue.at(head.seq);
  if (event === undefined) return;
  const { clock, steady, random, send, say } = deps;
  const sent = steady();
  const posted = await send(event).catch(failedForward(true));
  if (posted.kind === 'left') return;
  const at = clock.now();
  const asked = posted.kind === 'answered' ? retryAfter(posted.retryAfter, at) : undefined;
  const pause = asked && Math.min(asked, LONGEST_ASKED_MS);
  target.note(posted, pause);
  const answer = resultText(posted);
  // A full disk must not cause the event to be sent again.
  const store = async (write: () => Promise<void>): Promise<void> => void (await retryUntilWritten(write, deps, stop));
  const finish = (state: 'forwarded' | 'failed'): Promise<void> =>
    store(() => queue.done(head, { state, answer, at, due: steady() }));
  if (isTaken(posted)) {
    target.taken(event, posted, steady() - sent);
    return finish('forwarded');
  }
  if (isAway(posted) || target.isClosed) return;
  target.refused(event, posted);
  const refusedSince = event.refusedSince ?? at;
  if (at - refusedSince >= GIVE_UP_MS && event.attempts >= GIVE_UP_TRIES) {
    const again = ` Send it again: ${shellLine(['paycli', 'webhook', 'events', 'replay', event.uid])}`;
    await say(`${event.uid} was refused for three days (${answer}) and is given up.${deps.isProgram ? '' : again}`);
    return finish('failed');
  }
  const wait = Math.ceil(Math.max(pause ?? 0, backoff(event.attempts, random, FORWARD_BACKOFF)));
  await store(() => queue.delay(head, { answer, at, due: steady() + wait, refusedSince }));
};

/** Forwards waiting events in order per key, until `stop`. */
export const forward = (queue: Queue, deps: ForwardDeps, stop: AbortSignal) => {
  const target = openTarget(deps);
  const limitWaits = (): Promise<void> => queue.noLater(deps.steady() + LONGEST_ASKED_MS, deps.steady());
  const limited = retryUntilWritten(limitWaits, deps, stop);
  const next = async (busy: Busy): Promise<Step<Head>> => {
    await limited;
    const now = deps.steady();
    if (target.isClosed) return { start: [], wait: undefined };
    if (target.until > now) return { start: [], wait: target.until - now };
    const room = target.atOnce - busy.size;
    return dueOf(queue.heads(busy.size + room), busy, room, now);
  };
  const handle = (head: Head): Promise<void> =>
    sendHead(queue, head, deps, target, stop).catch((thrown: unknown) =>
      target.note(failedForward(false)(thrown), undefined),
    );
  const { notify, ended, until } = consume({ next, handle }, deps.clock, stop);
  queue.onKept(notify);
  return {
    /** Resolves once it has stopped and the results of the requests in progress are stored. */
    ended,
    /** Resolves when no request is in progress and none is due. */
    quiet: (): Promise<void> => until((busy) => busy.size === 0),
    /** Resolves when no event waits. */
    empty: (): Promise<void> => until(() => queue.waiting().count === 0),
  };
};

/** Sends an event once, byte for byte. Returns the status of the answer, which is 2xx; throws otherwise. */
export const forwardAgain = async (event: Sent, target: DeliveryTarget, stop: AbortSignal): Promise<string> => {
  const posted = await forwardOnce(target, event, stop);
  const word = resultText(posted);
  if (isTaken(posted)) return word;
  if (posted.kind === 'answered') {
    throw new PayError('rejected', `${target.url.href} answered ${word}`, { hint: 'its log may say why' });
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

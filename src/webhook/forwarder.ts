import { backoff } from '../core/backoff.ts';
import { reasonOf } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import { retryAfter } from '../core/retry-after.ts';
import { shellLine } from '../core/shell.ts';
import type { KeptEvent } from './kept.ts';
import { lasting } from './lasting.ts';
import { isTaken, type Posted, postedWord } from './post.ts';
import type { Queue } from './queue.ts';
import type { Head } from './statements.ts';
import type { Wake } from './wake.ts';

const [SECOND_MS, HOUR_MS] = [1000, 3_600_000];

/** Between two tries of one event, or two looks whether the target is there again. */
const RANGE = { base: SECOND_MS, cap: 600 * SECOND_MS };
/** A target may ask for so much patience, and no more. */
const LONGEST_WAIT_MS = 24 * HOUR_MS;
/** An event that the target has refused for so long is given up. One that can't be reached is waited for, however long. */
const GIVE_UP_MS = 72 * HOUR_MS;
/** And not before it was refused so often: for most of that time the target may have been away. */
const GIVE_UP_TRIES = 100;
/** Payment requests whose events are under way at once. */
const AT_ONCE = 8;

/** The whole target is slow or away, not one event at fault. */
const SLOW = [429, 502, 503, 504];
/** The target wants no more events. */
const GONE = 410;

/** What forwarding needs of the world. */
export interface ForwardWorld {
  readonly clock: Clock;
  /** The time of day when the run began, and monotonic from there. Pauses go by it: a clock that is set makes none longer. */
  readonly steady: () => number;
  readonly random: () => number;
  readonly send: (event: KeptEvent) => Promise<Posted>;
  /** A word for people; resolves when it is written. */
  readonly say: (text: string) => Promise<void>;
}

/** Whether nothing can be said of the event, since the target was not there. */
const isAway = (posted: Posted): boolean => posted.kind === 'failed' && !posted.reached;

const isSlow = (posted: Posted): boolean => posted.kind === 'answered' && SLOW.includes(posted.status);

/** A try that threw is one that failed: it is repeated after a pause. */
const thrownAs =
  (reached: boolean) =>
  (thrown: unknown): Posted => ({ kind: 'failed', why: reasonOf(thrown), reached });

/** How the target as a whole stands. */
const openTarget = ({ steady, random, say }: ForwardWorld) => {
  let [failures, until, gone, why] = [0, 0, false, ''];
  /** What events were refused with, each said once until such an event is taken. */
  const refusals = new Set<string>();
  return {
    get gone(): boolean {
      return gone;
    },
    /** While it is in doubt one event alone asks whether it is there again. */
    get atOnce(): number {
      return failures === 0 ? AT_ONCE : 1;
    },
    get until(): number {
      return until;
    },
    heard: (posted: Posted, asked: number | undefined): void => {
      const word = postedWord(posted);
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
        // What was under way when the pause began says nothing against it.
        if (failures > 0) say('the target takes events again');
        [failures, until] = [0, 0];
      }
    },
    refused: ({ uid }: KeptEvent, posted: Posted): void => {
      const word = postedWord(posted);
      if (isSlow(posted) || refusals.has(word)) return;
      refusals.add(word);
      const redirect = /^3\d\d$/.test(word) ? ', and redirects are not followed' : '';
      say(`the target refused ${uid} (${word}${redirect}); it is tried again, and the events behind it wait`);
    },
    taken: ({ uid, refusedSince }: KeptEvent, posted: Posted): void => {
      if (refusedSince === undefined || refusals.size === 0) return;
      refusals.clear();
      say(`the target has taken ${uid} now (${postedWord(posted)})`);
    },
  };
};

/** Sends the head of a lane once, and notes what came of it. */
const forwardOne = async (
  queue: Queue,
  head: Head,
  world: ForwardWorld,
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
  const answer = postedWord(posted);
  // It is not sent again for a disk that is full.
  const note = async (write: () => Promise<void>): Promise<void> => void (await lasting(write, world, stop));
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

/** Forwards what waits, in order per lane, until `stop`, at which `wake` is called too. */
export const forward = (queue: Queue, wake: Wake, world: ForwardWorld, stop: AbortSignal) => {
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

  /** Starts what can be, and says how long nothing more can; undefined until something happens. */
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
    await lasting(() => queue.noLater(now + LONGEST_WAIT_MS, now), world, stop);
    while (!stop.aborted) {
      const wait = step();
      if (busy.size === 0) for (const rest of resting) rest();
      await wake.wait(wait);
    }
    await Promise.all(busy.values());
  };

  return {
    /** Resolves once it has stopped, and what was under way is noted. */
    ended: run(),
    /** Resolves when nothing is under way and nothing can be tried now. */
    quiet: (): Promise<void> =>
      new Promise((resolve) => {
        resting.add(resolve);
        wake.call();
      }),
  };
};

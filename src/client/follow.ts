import type { Resource } from '../contract/proof.ts';
import { type PaymentStatus, payableUntil, paymentStatusOf, statusOf } from '../core/charge.ts';
import { PayError } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import type { ApiRecord } from '../core/record.ts';
import type { Waiting } from '../core/result.ts';
import { pause, type SendContext } from './answer.ts';

const FIRST_PAUSE_MS = 1000;
const GROWTH = 1.5;
const LONGEST_PAUSE_MS = 10_000;
/** How long a payment that was made at the last moment may take to show. */
const GRACE_MS = 15_000;
/** What the last look is given. A look that begins late, after a machine has slept, has as long. */
const LAST_LOOK_MS = 1000;
const STEADY_MS = 2000;
/** By how much a timer may be early. */
const TIMER_SLACK_MS = 10;

/** An activity to wait for. */
export interface Follow {
  readonly params: { readonly ugwoUid: string; readonly activityUid: string };
  /** What the caller has already, such as the answer to the charge: nothing is read then before the first pause. */
  readonly known?: ApiRecord<Resource>;
  /** How long to wait at most, in milliseconds. */
  readonly limit: number;
  /** Called whenever something new is known, and the wait goes on. */
  readonly tell: (waiting: Waiting) => void;
  /** Called with every new reading. */
  readonly seen?: (record: ApiRecord<Resource>) => Promise<void>;
}

/** How following an activity ended. */
export interface Followed<T = unknown> {
  /** The last reading; undefined where none succeeded and none was known before. */
  readonly record: ApiRecord<T> | undefined;
  readonly standing: PaymentStatus;
  /** How long was waited, in milliseconds. */
  readonly waited: number;
  /** It ended open, and what the customer was to do can't be done any more. */
  readonly expired: boolean;
  /** Looks were made, and none of them was answered. */
  readonly unanswered: boolean;
  /** Why the last read failed, where it did and the wait ended open. */
  readonly fault?: PayError;
  /** A signal ended the wait: what the run ends with, once the record is shown. */
  readonly interrupted?: PayError;
}

/** Reads the activity once; a read that fails throws. */
type Read = (signal: AbortSignal) => Promise<ApiRecord<Resource>>;

/** How things stand at one point of the wait. Instants are by the clock that nobody sets. */
interface Sight {
  readonly record: ApiRecord<Resource> | undefined;
  readonly standing: PaymentStatus;
  /** When the customer can no longer do what is asked of them; undefined where nothing says so. */
  readonly expiry: number | undefined;
  /** Why the last read failed, where it did. */
  readonly fault?: PayError;
  /** A look was answered. */
  readonly answered?: true;
  /** A look was made, and none was answered so far. */
  readonly unanswered?: boolean;
}

/** When the next action expires. The service says it by its own clock, ours stands in where it did not tell its time. */
const expiryOf = ({ value, servedAt }: ApiRecord<Resource>, clock: Clock): number | undefined => {
  const until = payableUntil(value);
  return until === undefined ? undefined : clock.ticks() + until - (servedAt ?? clock.now());
};

/** The clocks are compared to the second only: a smaller difference moves nothing, or a countdown would waver. */
const steady = (expiry: number | undefined, before: number | undefined): number | undefined =>
  expiry !== undefined && before !== undefined && Math.abs(expiry - before) < STEADY_MS ? before : expiry;

const UNSEEN: Sight = { record: undefined, standing: 'open', expiry: undefined };

const sightOf = (record: ApiRecord<Resource>, before: Sight, clock: Clock): Sight => ({
  record,
  standing: paymentStatusOf(statusOf(record.value)),
  expiry: steady(expiryOf(record, clock), before.expiry),
});

/** When the wait ends: at its limit, or a while after the expiry, so that at least one look falls behind it. */
const endOf = ({ expiry }: Sight, started: number, limit: number): number =>
  Math.min(started + limit, expiry === undefined ? Infinity : Math.max(expiry, started) + GRACE_MS);

const usualPause = (pauses: number, random: () => number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** pauses) * (0.9 + 0.2 * random());

/** The pause until the next look: right behind the expiry at the latest, and no look shortly before the last one. */
const pauseOf = ({ expiry }: Sight, usual: number, now: number, room: number): number => {
  const pacing = usual + FIRST_PAUSE_MS > room ? room : usual;
  return expiry !== undefined && expiry > now ? Math.min(pacing, expiry - now + TIMER_SLACK_MS) : pacing;
};

/** Pauses until the next look is due; false when the wait has ended instead. */
const nextLook = async (context: SendContext, sight: Sight, pauses: number, until: number): Promise<boolean> => {
  const now = context.clock.ticks();
  const room = until - now - LAST_LOOK_MS;
  const more = room > TIMER_SLACK_MS;
  const usual = usualPause(pauses, context.random);
  await pause(context, more ? pauseOf(sight, usual, now, room) : Math.max(0, until - now));
  return more;
};

/** One read, given up at `until`. A failure is part of the sight, unless nothing is known and it is certain to come again. */
const look = async (context: SendContext, read: Read, before: Sight, until: number): Promise<Sight> => {
  const { clock } = context;
  const cut = AbortSignal.timeout(Math.ceil(Math.max(until - clock.ticks(), LAST_LOOK_MS)));
  try {
    return { ...sightOf(await read(cut), before, clock), answered: true };
  } catch (thrown) {
    if (thrown instanceof PayError && thrown.kind === 'interrupted') throw thrown;
    // What the end of the wait has cut off has not failed.
    if (cut.aborted) return { ...before, unanswered: before.answered !== true };
    if (!(thrown instanceof PayError) || (before.record === undefined && thrown.kind !== 'read_failed')) throw thrown;
    return { ...before, fault: thrown };
  }
};

const waitingOf = ({ record, fault }: Sight, until: number): Waiting => ({
  status: record === undefined ? undefined : statusOf(record.value),
  until,
  failing: fault !== undefined,
});

/**
 * Nothing more is to be waited for: it is settled, the service takes the key no more, which waiting doesn't mend, or it asks to
 * be left alone beyond the end.
 */
const isOver = ({ standing, fault }: Sight, left: number, now: number): boolean =>
  standing !== 'open' || fault?.kind === 'auth' || (fault?.detail.retryAt ?? now) - now > left;

const followedOf = (
  { record, standing, expiry, fault, unanswered = false }: Sight,
  started: number,
  now: number,
): Followed<Resource> => ({
  record,
  standing,
  unanswered,
  waited: now - started,
  expired: standing === 'open' && expiry !== undefined && expiry <= now,
  ...(fault === undefined ? {} : { fault }),
});

/**
 * Reads an activity again and again until its status is final. Reads that fail are survived; the wait ends open at its
 * limit, or soon after the customer's time to act is over. A status that is not known here is open. Throws what the read
 * throws only where nothing is known and the service has refused it; a signal ends the wait, and is in the result.
 */
export const followActivity = async (context: SendContext, read: Read, follow: Follow): Promise<Followed<Resource>> => {
  const { clock } = context;
  const started = clock.ticks();
  let sight = follow.known === undefined ? UNSEEN : sightOf(follow.known, UNSEEN, clock);
  let looks = follow.known === undefined ? 0 : 1;
  try {
    for (;;) {
      const until = endOf(sight, started, follow.limit);
      if (isOver(sight, until - clock.ticks(), clock.now())) break;
      follow.tell(waitingOf(sight, until));
      if (looks > 0 && !(await nextLook(context, sight, looks - 1, until))) break;
      const { record } = sight;
      sight = await look(context, read, sight, until);
      looks += 1;
      if (sight.record !== undefined && sight.record !== record) await follow.seen?.(sight.record);
    }
  } catch (thrown) {
    if (!(thrown instanceof PayError) || thrown.kind !== 'interrupted') throw thrown;
    return { ...followedOf(sight, started, clock.ticks()), interrupted: thrown };
  }
  return followedOf(sight, started, clock.ticks());
};

import type { Resource } from '../contract/proof.ts';
import { pollPause } from '../core/async.ts';
import { type PaymentStatus, payableUntil, paymentStatusOf, statusOf } from '../core/charge.ts';
import { PayError } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import type { ApiRecord } from '../core/record.ts';
import type { Waiting } from '../core/result.ts';
import { pause, type SendContext } from './answer.ts';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
/** Time within which a payment of the last moment should become visible. */
const GRACE_MS = 15_000;
/** Minimum time for the last read. A read that starts late, after the machine has slept, gets as much. */
const LAST_LOOK_MS = 1000;
const STEADY_MS = 2000;
/** Time by which a timer may fire early. */
const TIMER_SLACK_MS = 10;

/** An activity to wait for. */
export interface Follow {
  readonly params: { readonly ugwoUid: string; readonly activityUid: string };
  /** A known reading, such as the answer to the charge: then nothing is read before the first pause. */
  readonly known?: ApiRecord<Resource>;
  /** Maximum duration of the wait, in milliseconds. */
  readonly limit: number;
  /** Called with every new reading. */
  readonly seen?: (record: ApiRecord<Resource>) => Promise<void>;
}

/** Result of following an activity. */
export interface Followed<T = unknown> {
  /** The last reading; undefined when none succeeded and none was known before. */
  readonly record: ApiRecord<T> | undefined;
  readonly standing: PaymentStatus;
  /** Duration of the wait, in milliseconds. */
  readonly waited: number;
  /** The wait ended open, and the customer's time to act has expired. */
  readonly expired: boolean;
  /** Reads were made, and none of them was answered. */
  readonly unanswered: boolean;
  /** Error of the last read, when it failed and the wait ended open. */
  readonly fault?: PayError;
  /** Error of the run after a signal ended the wait; thrown once the record is shown. */
  readonly interrupted?: PayError;
}

/** A wait that goes on while it is iterated. */
export type Following = AsyncGenerator<Waiting, Followed<Resource>>;

/** Reads the activity once; throws when the read fails. */
type Read = (signal: AbortSignal) => Promise<ApiRecord<Resource>>;

/** State at one point of the wait. Instants are by the monotonic clock. */
interface Sight {
  readonly record: ApiRecord<Resource> | undefined;
  readonly standing: PaymentStatus;
  /** End of the customer's time to act; undefined when unknown. */
  readonly expiry: number | undefined;
  /** Error of the last read, when it failed. */
  readonly fault?: PayError;
  /** A read was answered. */
  readonly answered?: true;
  /** A read was made, and none was answered so far. */
  readonly unanswered?: boolean;
}

/**
 * Expiry of the next action. The service states it by its own clock; this machine's clock is used if the answer has no
 * time.
 */
const expiryOf = ({ value, servedAt }: ApiRecord<Resource>, clock: Clock): number | undefined => {
  const until = payableUntil(value);
  return until === undefined ? undefined : clock.ticks() + until - (servedAt ?? clock.now());
};

/**
 * Keeps the previous expiry after a small change: the clocks are compared to the second only, and a countdown would
 * waver.
 */
const steady = (expiry: number | undefined, before: number | undefined): number | undefined =>
  expiry !== undefined && before !== undefined && Math.abs(expiry - before) < STEADY_MS ? before : expiry;

const UNSEEN: Sight = { record: undefined, standing: 'open', expiry: undefined };

const sightOf = (record: ApiRecord<Resource>, before: Sight, clock: Clock): Sight => ({
  record,
  standing: paymentStatusOf(statusOf(record.value)),
  expiry: steady(expiryOf(record, clock), before.expiry),
});

/** End of the wait: its limit, or a while after the expiry, so that at least one read falls after it. */
const endOf = ({ expiry }: Sight, started: number, limit: number): number =>
  Math.min(started + limit, expiry === undefined ? Infinity : Math.max(expiry, started) + GRACE_MS);

const usualPause = (pauses: number, random: () => number): number =>
  pollPause(pauses, FIRST_PAUSE_MS, LONGEST_PAUSE_MS) * (0.9 + 0.2 * random());

/**
 * The pause until the next read. It ends right after the expiry at the latest, and is extended if a read would come
 * shortly before the last one.
 */
const pauseOf = ({ expiry }: Sight, usual: number, now: number, room: number): number => {
  const pacing = usual + FIRST_PAUSE_MS > room ? room : usual;
  return expiry !== undefined && expiry > now ? Math.min(pacing, expiry - now + TIMER_SLACK_MS) : pacing;
};

/** Pauses until the next read is due; false when the wait has ended instead. */
const nextLook = async (context: SendContext, sight: Sight, pauses: number, until: number): Promise<boolean> => {
  const now = context.clock.ticks();
  const room = until - now - LAST_LOOK_MS;
  const more = room > TIMER_SLACK_MS;
  const usual = usualPause(pauses, context.random);
  await pause(context, more ? pauseOf(sight, usual, now, room) : Math.max(0, until - now));
  return more;
};

/**
 * One read, aborted at `until`. A failure becomes part of the state, unless nothing is known yet and the error is
 * certain to recur.
 */
const look = async (context: SendContext, read: Read, before: Sight, until: number): Promise<Sight> => {
  const { clock } = context;
  const cut = AbortSignal.timeout(Math.ceil(Math.max(until - clock.ticks(), LAST_LOOK_MS)));
  try {
    return { ...sightOf(await read(cut), before, clock), answered: true };
  } catch (thrown) {
    if (thrown instanceof PayError && thrown.kind === 'interrupted') throw thrown;
    // A read that the end of the wait has aborted did not fail.
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
 * True when waiting is pointless: the status is final, the service rejects the key, which waiting does not fix, or it
 * asks for a pause beyond the end.
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
 * Reads an activity repeatedly until its status is final. Yields each state in which the wait goes on, the first one
 * before the first read. The wait survives failed reads. It ends open at its limit,
 * or soon after the customer's time to act is over. An unrecognized status is open. Throws the error of a read only
 * when nothing is known and the service has refused it; a signal ends the wait, and is in the result.
 */
export async function* followActivity(context: SendContext, read: Read, follow: Follow): Following {
  const { clock } = context;
  const started = clock.ticks();
  let sight = follow.known === undefined ? UNSEEN : sightOf(follow.known, UNSEEN, clock);
  let looks = follow.known === undefined ? 0 : 1;
  try {
    for (;;) {
      const until = endOf(sight, started, follow.limit);
      if (isOver(sight, until - clock.ticks(), clock.now())) break;
      yield waitingOf(sight, until);
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
}

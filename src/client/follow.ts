import { activityFacts, PAYMENTS, type Payment, paymentOf } from '../charge/payment.ts';
import type { Resource } from '../contract/proof.ts';
import { pollPause } from '../core/async.ts';
import { payableUntil, statusOf } from '../core/charge.ts';
import { PayError } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import type { ApiRecord } from '../core/record.ts';
import type { Waiting } from '../core/result.ts';
import { pause, type SendContext } from './answer.ts';

/** The first pause and the longest one. */
const PAUSES_MS = [1000, 10_000] as const;
/** Time within which a payment of the last moment should become visible. */
const GRACE_MS = 15_000;
/** Minimum time for the last read. A read that starts late, after the machine has slept, gets as much. */
const LAST_READ_MS = 1000;
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
  readonly payment: Payment;
  /** Duration of the wait, in milliseconds. */
  readonly waited: number;
  /** The wait ended open, and the customer's time to act has expired. */
  readonly expired: boolean;
  /** Reads were made, and none of them was answered. */
  readonly unanswered: boolean;
  /** Error of the last read, when it failed and the wait ended open. */
  readonly fault: PayError | undefined;
  /** Error of the run after a signal ended the wait; thrown once the record is shown. */
  readonly interrupted: PayError | undefined;
}

/** A wait that goes on while it is iterated. */
export type Following = AsyncGenerator<Waiting, Followed<Resource>>;

/** Reads the activity once; throws when the read fails. */
type Read = (signal: AbortSignal) => Promise<ApiRecord<Resource>>;

/** State at one point of the wait. Instants are by the monotonic clock. */
interface State {
  readonly record: ApiRecord<Resource> | undefined;
  readonly payment: Payment;
  /** End of the customer's time to act; undefined when unknown. */
  readonly expiry: number | undefined;
  /** End of the account by the service's clock, as an answer has shown it: the last one may no longer show it. */
  readonly accountUntil?: number | undefined;
  /** Error of the last read, when it failed. */
  readonly fault?: PayError;
  /** A read was answered. */
  readonly answered?: true;
  /** A read was made, and none was answered so far. */
  readonly unanswered?: boolean;
}

/**
 * Expiry of the next action. The service states it by its own clock; this machine's clock is used if the answer has no
 * time. The previous expiry stays after a small change: the clocks are compared to the second only, and a countdown
 * would waver.
 */
const expiryOf = (
  { value, servedAt }: ApiRecord<Resource>,
  clock: Clock,
  before: number | undefined,
): number | undefined => {
  const until = payableUntil(value);
  if (until === undefined) return undefined;
  const expiry = clock.ticks() + until - (servedAt ?? clock.now());
  return before !== undefined && Math.abs(expiry - before) < STEADY_MS ? before : expiry;
};

const NOT_READ: State = { record: undefined, payment: 'open', expiry: undefined };

const stateOf = (record: ApiRecord<Resource>, before: State, clock: Clock): State => {
  const facts = activityFacts(record.value);
  const { accountUntil = before.accountUntil } = facts;
  const { payment } = paymentOf(facts, { accountUntil });
  return { record, payment, accountUntil, expiry: expiryOf(record, clock, before.expiry) };
};

/** End of the wait: its limit, or a while after the expiry, so that at least one read falls after it. */
const endOf = ({ expiry }: State, started: number, limit: number): number =>
  Math.min(started + limit, expiry === undefined ? Infinity : Math.max(expiry, started) + GRACE_MS);

/**
 * Pauses until the next read is due; false when the wait has ended instead. A read comes right after the expiry at the
 * latest, and none shortly before the last one.
 */
const nextRead = async (context: SendContext, { expiry }: State, polls: number, until: number): Promise<boolean> => {
  const now = context.clock.ticks();
  const room = until - now - LAST_READ_MS;
  if (room <= TIMER_SLACK_MS) {
    await pause(context, Math.max(0, until - now));
    return false;
  }
  const usual = pollPause(polls, ...PAUSES_MS, context.random);
  const paced = usual + PAUSES_MS[0] > room ? room : usual;
  await pause(context, expiry !== undefined && expiry > now ? Math.min(paced, expiry - now + TIMER_SLACK_MS) : paced);
  return true;
};

/**
 * One read, aborted at `until`. A failure becomes part of the state, unless nothing is known yet and the error is
 * certain to recur.
 */
const readOnce = async (context: SendContext, read: Read, before: State, until: number): Promise<State> => {
  const { clock } = context;
  const cut = AbortSignal.timeout(Math.ceil(Math.max(until - clock.ticks(), LAST_READ_MS)));
  try {
    return { ...stateOf(await read(cut), before, clock), answered: true };
  } catch (thrown) {
    if (thrown instanceof PayError && thrown.kind === 'interrupted') throw thrown;
    // A read that the end of the wait has aborted did not fail.
    if (cut.aborted) return { ...before, unanswered: before.answered !== true };
    if (!(thrown instanceof PayError) || (before.record === undefined && thrown.kind !== 'read_failed')) throw thrown;
    return { ...before, fault: thrown };
  }
};

const waitingOf = ({ record, fault }: State, until: number): Waiting => ({
  status: record === undefined ? undefined : statusOf(record.value),
  until,
  failing: fault !== undefined,
});

/**
 * True when waiting is pointless: the status is final, the service rejects the key, which waiting does not fix, or it
 * asks for a pause beyond the end.
 */
const isOver = ({ payment, fault }: State, left: number, now: number): boolean =>
  PAYMENTS[payment].final || fault?.kind === 'auth' || (fault?.detail.retryAt ?? now) - now > left;

/**
 * Reads an activity repeatedly until its status is final. Yields each state in which the wait goes on, the first one
 * before the first read. The wait survives failed reads. It ends open at its limit, or soon after the customer's time
 * to act is over. An unrecognized status is open. Throws the error of a read only when nothing is known and the service
 * has refused it; a signal ends the wait, and is in the result.
 */
export async function* followActivity(context: SendContext, read: Read, follow: Follow): Following {
  const { clock } = context;
  const started = clock.ticks();
  let state = follow.known === undefined ? NOT_READ : stateOf(follow.known, NOT_READ, clock);
  let interrupted: PayError | undefined;
  try {
    for (let polls = follow.known === undefined ? -1 : 0; ; polls += 1) {
      const until = endOf(state, started, follow.limit);
      if (isOver(state, until - clock.ticks(), clock.now())) break;
      yield waitingOf(state, until);
      if (polls >= 0 && !(await nextRead(context, state, polls, until))) break;
      const { record } = state;
      state = await readOnce(context, read, state, until);
      if (state.record !== undefined && state.record !== record) await follow.seen?.(state.record);
    }
  } catch (thrown) {
    if (!(thrown instanceof PayError) || thrown.kind !== 'interrupted') throw thrown;
    interrupted = thrown;
  }
  const { record, payment, expiry, fault, unanswered = false } = state;
  const now = clock.ticks();
  const expired = payment === 'open' && expiry !== undefined && expiry <= now;
  return { record, payment, unanswered, waited: now - started, expired, fault, interrupted };
}

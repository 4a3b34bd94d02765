import { activityFacts, PAYMENTS, type Payment, paymentOf } from '../../charge/payment.ts';
import { waitForPayments } from '../../charge/wait.ts';
import type { Client } from '../../client/client.ts';
import { payableUntil, statusOf } from '../../core/charge.ts';
import { interrupted, PayError } from '../../core/error.ts';
import type { Clock, Io } from '../../core/io.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { Waiting } from '../../core/result.ts';

/** Time within which a payment of the last moment should become visible. */
const GRACE_MS = 15_000;
/** Minimum time for the last read. A read that starts late, after the machine has slept, gets as much. */
const LAST_READ_MS = 1000;
const STEADY_POLL_MS = 2000;

/** An activity. Only `uid` is certain: the other fields may be missing or of any shape. */
export interface ActivityLike {
  readonly uid: string;
}

interface Follow {
  readonly params: { readonly ugwoUid: string; readonly activityUid: string };
  /** A known reading, such as the answer to the charge: then nothing is read before the first pause. */
  readonly known?: ApiRecord<ActivityLike>;
  /** Maximum duration of the wait, in milliseconds. */
  readonly limit: number;
}

/** Access to the activity, and to the ledger that may know it. */
interface FollowDeps {
  readonly client: Pick<Client, 'call'>;
  readonly io: Pick<Io, 'clock' | 'random' | 'signals'>;
  readonly observe: (of: 'activity', record: ApiRecord) => Promise<unknown>;
}

export interface Followed {
  /** The last reading; undefined if none succeeded and none was known before. */
  readonly record: ApiRecord<ActivityLike> | undefined;
  /** `expired`, too, if it is open some time after the customer's time to act. */
  readonly payment: Payment;
  /** Duration of the wait, in milliseconds. */
  readonly waited: number;
  /** Reads were made, and none of them was answered. */
  readonly unanswered: boolean;
  /** Error of the last read, if it failed and the wait ended open. */
  readonly fault: PayError | undefined;
  /** Error of the run after a signal ended the wait; thrown once the record is shown. */
  readonly interrupted: PayError | undefined;
}

/** State at one point of the wait. Instants are by the monotonic clock. */
interface State {
  readonly record: ApiRecord<ActivityLike> | undefined;
  readonly payment: Payment;
  /** End of the customer's time to act; undefined if unknown. */
  readonly expiry: number | undefined;
  /** End of the account by the service's clock, as an answer has shown it: the last one may no longer show it. */
  readonly accountUntil?: number | undefined;
  /** Error of the last read, if it failed. */
  readonly fault?: PayError;
  /** True if a read was answered, and the last one was not cut off by the end of the wait. */
  readonly answered?: boolean;
  /** A read was made, and none was answered so far. */
  readonly unanswered?: boolean;
}

/**
 * Expiry of the next action. The service states it by its own clock; this machine's clock is used if the answer has no
 * time. The previous expiry stays after a small change: the clocks are compared to the second only, and a countdown
 * would waver.
 */
const payableEnd = ({ value, servedAt }: ApiRecord, clock: Clock, before: number | undefined): number | undefined => {
  const until = payableUntil(value);
  if (until === undefined) return undefined;
  const expiry = clock.ticks() + until - (servedAt ?? clock.now());
  return before !== undefined && Math.abs(expiry - before) < STEADY_POLL_MS ? before : expiry;
};

const NOT_READ: State = { record: undefined, payment: 'open', expiry: undefined };

const followState = (record: ApiRecord<ActivityLike>, before: State, clock: Clock): State => {
  const facts = activityFacts(record.value);
  const { accountUntil = before.accountUntil } = facts;
  const { payment } = paymentOf(facts, { accountUntil });
  return { record, payment, accountUntil, expiry: payableEnd(record, clock, before.expiry) };
};

/**
 * Follows an activity until its payment is final. It ends open at its limit, or soon after the customer's time to act
 * is over. An unrecognized status is open. A ledger need not know the activity.
 */
export const openFollowing = ({ params, known, limit }: Follow, { client, io, observe }: FollowDeps) => {
  const { clock, signals } = io;
  const started = clock.ticks();
  let state = known === undefined ? NOT_READ : followState(known, NOT_READ, clock);

  /** End of the wait: its limit, or a while after the expiry, so that at least one read falls after it. */
  const until = (): number =>
    Math.min(started + limit, state.expiry === undefined ? Infinity : Math.max(state.expiry, started) + GRACE_MS);

  const afterFailure = (thrown: unknown, isCut: boolean): State => {
    // A read that the end of the wait has aborted did not fail.
    if (isCut) return { ...state, answered: false, unanswered: state.answered !== true };
    if (!(thrown instanceof PayError)) throw thrown;
    const mayPass = state.record !== undefined || ['read_failed', 'interrupted'].includes(thrown.kind);
    if (!mayPass) throw thrown;
    return { ...state, fault: thrown };
  };

  /** Reads the activity once. Throws only if nothing is known yet and the error is certain to recur. */
  const read = async (): Promise<PayError | undefined> => {
    const cut = AbortSignal.timeout(Math.ceil(Math.max(until() - clock.ticks(), LAST_READ_MS)));
    try {
      const record = await client.call('activity.get', { params }, cut);
      state = { ...followState(record, state, clock), answered: true };
    } catch (thrown) {
      state = afterFailure(thrown, cut.aborted);
      return state.fault;
    }
    if (state.record !== undefined) await observe('activity', state.record);
    return undefined;
  };

  const isOver = (): boolean => PAYMENTS[state.payment].final;

  /** Waits to the end, and reports each state before a pause to `tell`. */
  const end = async (tell: (waiting: Waiting) => void): Promise<Followed> => {
    await waitForPayments(io, {
      pauses: [1000, 10_000],
      lastRead: LAST_READ_MS,
      polls: 0,
      stop: signals.stop,
      read,
      isOver,
      until,
      first: { fault: state.fault },
      due: () => state.expiry,
      onPause: (until, fault) =>
        tell({ status: state.record && statusOf(state.record.value), until, failing: fault !== undefined }),
    });
    const { record, expiry = Infinity, answered, fault, unanswered = false } = state;
    const now = clock.ticks();
    const stopped = signals.stop.aborted && !isOver() ? interrupted(signals.stop.reason) : undefined;
    const isLapsed = answered && !fault && expiry + GRACE_MS - LAST_READ_MS <= now;
    const payment = isLapsed ? 'expired' : state.payment;
    return { record, payment, unanswered, waited: now - started, fault, interrupted: stopped };
  };

  return { read, record: () => state.record, end };
};

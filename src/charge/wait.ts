import type { PayError } from '../core/error.ts';
import type { Io } from '../core/io.ts';

/** Time by which a timer may fire early. */
const TIMER_SLACK_MS = 10;

/** Payments to wait for, and how they are read. Instants are by the monotonic clock. */
export interface Wait {
  /** The first pause and the longest one, in milliseconds. */
  readonly pauses: readonly [number, number];
  /** Least time from the last read to the end, in milliseconds. No other read comes as shortly before that one. */
  readonly lastRead?: number;
  /** Number of the pauses so far since something changed: the more, the longer. */
  polls: number;
  /** Ends the wait once aborted. */
  readonly stop: AbortSignal;
  /** Reads what is open once. Resolves to the error of a read that failed. Throws an error that ends the wait. */
  readonly read: () => Promise<PayError | undefined>;
  /** Set if a first read was made already, with its error: then the wait begins with a pause. */
  readonly first?: { readonly fault: PayError | undefined };
  /** True if no payment is open. */
  readonly isOver: () => boolean;
  /** End of the wait. A read may move it. */
  readonly until: () => number;
  /** Instant right after which a read is due, if that is before the next pause ends. */
  readonly due?: () => number | undefined;
  /** Called before each pause. */
  readonly onPause?: (until: number, fault: PayError | undefined) => void;
}

type WaitIo = { readonly clock: Pick<Io['clock'], 'now' | 'ticks' | 'sleep'>; readonly random: Io['random'] };

/** The pause after a number of polls, in milliseconds. It grows by half each time, and varies by a tenth. */
const pauseAfter = (polls: number, [first, longest]: Wait['pauses'], random: () => number): number =>
  Math.min(longest, first * 1.5 ** polls) * (0.9 + 0.2 * random());

/** Pauses until the next read is due. Resolves to false if the end of the wait came instead. */
const waitForNextRead = async ({ clock, random }: WaitIo, wait: Wait, until: number): Promise<boolean> => {
  const { pauses, lastRead = 0, polls, stop, due } = wait;
  const now = clock.ticks();
  const room = until - now - lastRead;
  const isLast = room <= TIMER_SLACK_MS;
  const usual = pauseAfter(polls, pauses, random);
  const paced = usual + lastRead > room ? room : usual;
  const expiry = due?.() ?? 0;
  const soon = expiry > now ? Math.min(paced, expiry - now + TIMER_SLACK_MS) : paced;
  await clock.sleep(isLast ? Math.max(0, until - now) : soon, stop).catch(() => undefined);
  return !isLast;
};

/** True if no later read can succeed in time: the key is rejected, or the service asks for a pause beyond the end. */
const isHopeless = (fault: PayError | undefined, left: number, now: number): boolean =>
  fault?.kind === 'auth' || (fault?.detail.retryAt ?? now) - now > left;

/**
 * Reads payments again and again until none is open, the time is over, or `stop` is aborted. A failed read is repeated
 * like any other. Resolves to the error of the last read, if that failed and a payment is open without a signal.
 */
export const waitForPayments = async (io: WaitIo, wait: Wait): Promise<PayError | undefined> => {
  const { clock } = io;
  const { stop, read, first } = wait;
  for (let fault = first === undefined ? await read() : first.fault; !stop.aborted; wait.polls += 1) {
    const until = wait.until();
    if (wait.isOver()) return undefined;
    if (isHopeless(fault, until - clock.ticks(), clock.now())) return fault;
    wait.onPause?.(until, fault);
    if (!(await waitForNextRead(io, wait, until))) return fault;
    if (!stop.aborted) fault = await read();
  }
  return undefined;
};

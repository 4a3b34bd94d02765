import type { JobWorld } from '../../bulk/job.ts';
import type { BulkRoom } from '../../bulk/room.ts';
import type { Client } from '../../client/client.ts';
import { formatDuration } from '../../core/duration.ts';
import { PayError } from '../../core/error.ts';
import { EXIT_CODES } from '../../core/exit.ts';
import { interrupted } from '../../core/interrupt.ts';
import { formatMoney } from '../../core/money.ts';
import type { Charge, Ledger } from '../../ledger/ledger.ts';
import type { Sum, Sums } from '../../ledger/payments.ts';
import type { LedgerRoom } from '../../ledger/room.ts';

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 15_000;
const GROWTH = 1.5;

export interface FileWait {
  readonly job: string;
  /** How long to wait at most, in milliseconds. */
  readonly limit: number;
  readonly concurrency: number;
  readonly ledger: Ledger;
  readonly protocol: LedgerRoom;
  readonly client: Client;
  readonly runRows: BulkRoom['runRows'];
  readonly world: JobWorld;
}

/** How the payments of a file ended. */
export interface FollowedFile {
  readonly sums: readonly Sum[];
  /** The exit codes that they stand for. */
  readonly codes: readonly number[];
  /** Why the last look failed. */
  readonly fault: PayError | undefined;
}

/** `12 paid (NGN 60,000.00), 3 open (NGN 15,000.00)` */
export const sumsText = (sums: readonly Sum[]): string =>
  sums
    .map(({ payment, currency, count, amount }) => {
      const money = amount === undefined ? '' : ` (${formatMoney(amount, currency ?? '')})`;
      return `${count} ${payment}${money}`;
    })
    .join(', ');

const countOf = (sums: readonly Sum[], payment: Sum['payment']): number =>
  sums.reduce((total, sum) => (sum.payment === payment ? total + sum.count : total), 0);

/** A key that is not taken any more changes nothing of what was charged, so it ends a wait as time does. */
const faultCodes = (fault: PayError | undefined): number[] => {
  if (fault === undefined) return [];
  return [fault.kind === 'ledger' ? EXIT_CODES.ledger : EXIT_CODES.pending];
};

const codesOf = (sums: readonly Sum[], stop: AbortSignal): number[] => {
  const open = countOf(sums, 'open');
  return [
    ...(countOf(sums, 'failed') + countOf(sums, 'refunded') > 0 ? [EXIT_CODES.charge_failed] : []),
    ...(open + countOf(sums, 'expired') > 0 ? [EXIT_CODES.pending] : []),
    ...(stop.aborted && open > 0 ? [interrupted(stop.reason).detail.exitCode ?? EXIT_CODES.interrupted] : []),
  ];
};

/** Looks once at every charge that is still open. What can't be read now is looked at the next time; why is given back. */
const lookAtOpen = async (wait: FileWait, sums: Sums, tell: () => void): Promise<PayError | undefined> => {
  const { ledger, protocol, client, runRows, world, job, concurrency } = wait;
  let failure: PayError | undefined;
  const work = async (charge: Charge) => {
    if (protocol.paymentOf(charge, ledger.moment()) !== 'open') return { state: 'ended' };
    try {
      await protocol.refreshCharge(ledger, charge, client);
    } catch (thrown) {
      if (!(thrown instanceof PayError) || thrown.kind === 'ledger') throw thrown;
      failure = thrown;
      return { state: 'unread', ...(thrown.kind === 'auth' ? { stops: thrown } : { slowDown: 0 }) };
    }
    const now = await ledger.get(charge.id);
    const payment = now && protocol.paymentOf(now, ledger.moment());
    if (now !== undefined && payment !== undefined) sums.move(now, 'open', payment);
    tell();
    return { state: 'looked' };
  };
  const rows = protocol.chargesOf(ledger, { job, unfinished: true });
  const ran = await runRows({ ...world, rows, concurrency, work, onSettled: () => undefined });
  if (ran.stopped !== undefined && ran.stopped !== 'signal') throw ran.stopped;
  return failure;
};

/** Looks again and again, until nothing is open, the time is over, or a signal comes. Gives what the last look failed by. */
const lookUntilEnd = async (wait: FileWait, sums: Sums): Promise<PayError | undefined> => {
  const { ledger, protocol, world, job, limit } = wait;
  const { clock, stop, progress } = world;
  for await (const charge of protocol.chargesOf(ledger, { job })) {
    const payment = protocol.paymentOf(charge, ledger.moment());
    if (payment !== undefined) sums.add(charge, payment);
  }
  const until = clock.ticks() + limit;
  const left = (): number => until - clock.ticks();
  const tell = (): void =>
    progress.following(
      () => `${sumsText(sums.all())}; ${formatDuration(Math.max(1000, left()))} left, Ctrl-C stops waiting`,
    );
  for (let pause = FIRST_PAUSE_MS; !stop.aborted; pause = Math.min(LONGEST_PAUSE_MS, pause * GROWTH)) {
    tell();
    const failure = await lookAtOpen(wait, sums, tell);
    if (countOf(sums.all(), 'open') === 0 || left() <= 0) return failure;
    await clock.sleep(Math.min(pause, left()), stop).catch(() => undefined);
  }
  return undefined;
};

/**
 * Follows every charge of a file until each is paid, failed or expired, or the time is over. What keeps it from looking is in
 * the result: the charges are made.
 */
export const followFile = async (wait: FileWait): Promise<FollowedFile> => {
  const { progress, stop } = wait.world;
  const sums = wait.protocol.openSums();
  let fault: PayError | undefined;
  try {
    fault = await lookUntilEnd(wait, sums);
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    fault = thrown;
  } finally {
    await progress.end();
  }
  return { sums: sums.all(), codes: [...codesOf(sums.all(), stop), ...faultCodes(fault)], fault };
};

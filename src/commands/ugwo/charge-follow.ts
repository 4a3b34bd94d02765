import type { Aftermath, RowDeps, RowServices } from '../../bulk/kind.ts';
import { CHARGE_EXPIRED } from '../../bulk/summary.ts';
import { endKindOf, PAYMENTS } from '../../charge/payment.ts';
import { waitForPayments } from '../../charge/wait.ts';
import { type ErrorKind, EXIT_CODES, interrupted, PayError } from '../../core/error.ts';
import { shellLine } from '../../core/shell.ts';
import { formatDuration } from '../../core/time.ts';
import type { Sum } from '../../ledger/report.ts';
import { openTail, type Tail } from '../../ledger/tail.ts';
import { sumRecord } from '../ledger/view.ts';
import { Observer } from '../observer.ts';
import { countOf, paidTwiceLines, paymentSumsText } from '../record.ts';
import type { Run } from '../run.ts';

interface FollowedJob {
  readonly job: string;
  /** Charges of its rows that another file or command has sent. */
  readonly others: readonly string[];
  /** Maximum wait, in milliseconds. */
  readonly limit: number;
  readonly progress: RowServices['progress'];
  readonly rowDeps: RowDeps;
  readonly run: Run;
}

const paymentsIn = (tail: Tail): Sum[] => tail.sums().filter((sum): sum is Sum => sum.payment in PAYMENTS);

/** Waits until no charge is open. Resolves to the error of the last check, if it failed. */
const waitForOpen = async (
  { limit, progress, rowDeps: { ledger, client }, run: { io } }: FollowedJob,
  tail: Tail,
): Promise<PayError | undefined> => {
  const { clock, signals } = io;
  const { stop } = signals;
  const end = clock.ticks() + limit;
  const observer = new Observer({ ledger, client, io, stop });
  try {
    await tail.changes();
    progress.following(
      () =>
        `${paymentSumsText(paymentsIn(tail))}; ${formatDuration(Math.max(1000, end - clock.ticks()))} left, Ctrl-C stops waiting`,
    );
    return await waitForPayments(io, {
      pauses: [2000, 15_000],
      polls: 0,
      stop,
      until: () => end,
      read: async () => {
        const fault = await observer.look(tail.open());
        await tail.changes();
        return fault;
      },
      isOver: () => tail.open().length === 0,
    });
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    return thrown;
  } finally {
    await progress.end();
  }
};

/**
 * Follows the charge of every row of a job until each is paid, failed or expired, or the time is over. Sums up the
 * outcomes. A read error goes into the result instead of being thrown, since the charges are created.
 */
export const followCharges = async (wait: FollowedJob): Promise<Aftermath> => {
  const { job, others, rowDeps, run } = wait;
  const {
    clock,
    signals: { stop },
  } = run.io;
  const tail = openTail(rowDeps.ledger, { filters: [{ job }, { ids: others }], unsettledOnly: false }, clock.now);
  const fault = await waitForOpen(wait, tail);
  const sums = paymentsIn(tail);
  const isOpen = countOf(sums, 'open') > 0;
  const kinds = sums.flatMap(({ payment, short }): ErrorKind | readonly [] => endKindOf(payment, short) ?? []);
  // A rejected key does not change what was charged, so it counts like a timeout.
  if (fault !== undefined) kinds.push(fault.kind === 'ledger' ? fault.kind : 'pending');
  const hints = [
    fault?.detail.hint,
    countOf(sums, 'expired') > 0 && CHARGE_EXPIRED,
    countOf(sums, 'underpaid') > 0 && 'charge what is missing: --remaining with the report (--report) as the file',
    (fault !== undefined || isOpen) &&
      `check again later: \`${shellLine(['paycli', 'ledger', 'sync', ...(others.length === 0 ? [job] : [])])}\``,
  ].filter(Boolean);
  const lines = [
    sums.length === 0
      ? undefined
      : `${isOpen && fault === undefined && !stop.aborted ? `after ${formatDuration(wait.limit)}: ` : ''}${paymentSumsText(sums)}`,
    fault && `the last check failed: ${fault.message}`,
  ].filter(Boolean);
  return {
    text: lines.join('\n'),
    codes: [
      ...kinds.map((kind) => EXIT_CODES[kind]),
      ...(stop.aborted && isOpen ? [interrupted(stop.reason).detail.exitCode ?? EXIT_CODES.interrupted] : []),
    ],
    notice: paidTwiceLines(tail.ended().map(({ charge }) => charge)),
    hint: hints.join('\n') || undefined,
    fields: { payments: sums.map((sum) => sumRecord(sum).value) },
  };
};

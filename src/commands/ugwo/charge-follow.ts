import type { Aftermath, RowDeps, RowServices } from '../../bulk/kind.ts';
import { endKindOf, PAYMENT_NAMES } from '../../charge/payment.ts';
import type { BulkInput } from '../../cli/bulk-options.ts';
import { pollPause } from '../../core/async.ts';
import { EXIT_CODES, interrupted, PayError } from '../../core/error.ts';
import { targetFlags } from '../../core/input.ts';
import { shellLine } from '../../core/shell.ts';
import { formatDuration } from '../../core/time.ts';
import { type Charge, isCharge } from '../../ledger/entry.ts';
import { chargesOf, refreshCharge } from '../../ledger/reconcile.ts';
import { openSums, type Sum, type Sums } from '../../ledger/report.ts';
import { paymentIn } from '../../ledger/transitions.ts';
import { checkCharges } from '../check-charges.ts';
import { countOf, sumsText } from '../record.ts';
import type { Run } from '../run.ts';

/** The first pause and the longest one. */
const PAUSES_MS = [2000, 15_000] as const;

/** A wait for the charges of a job. */
export interface FollowedJob {
  readonly job: string;
  /** Maximum wait, in milliseconds. */
  readonly limit: number;
  readonly bulk: Pick<BulkInput, 'concurrency'>;
  readonly world: RowServices;
  readonly rowDeps: RowDeps;
  readonly run: Run;
}

/** Exit code of a fault. A rejected key does not change what was charged, so it counts as `pending`, like a timeout. */
const faultCodes = (fault: PayError | undefined): number[] => {
  if (fault === undefined) return [];
  return [fault.kind === 'ledger' ? EXIT_CODES.ledger : EXIT_CODES.pending];
};

const codesOf = (sums: readonly Sum[], stop: AbortSignal): number[] => {
  const ends = sums.flatMap(({ payment, short }) => endKindOf(payment, short) ?? []);
  return [
    ...new Set(ends.map((kind) => EXIT_CODES[kind])),
    ...(stop.aborted && countOf(sums, 'open') > 0
      ? [interrupted(stop.reason).detail.exitCode ?? EXIT_CODES.interrupted]
      : []),
  ];
};

/** Charges that count as open, by id, as they were counted. */
type OpenCharges = Map<string, Charge>;

/** Drops the evidence to save memory: a file may have very many charges. */
const counted = (charge: Charge): Charge => ({ ...charge, evidence: [] });

/** Checks every open charge once. Resolves to the last error of a failed read; the next round reads it again. */
const checkOpen = async (
  { job, bulk, world, rowDeps }: FollowedJob,
  open: OpenCharges,
  sums: Sums,
  tell: () => void,
): Promise<PayError | undefined> => {
  const { ledger, client } = rowDeps;
  const count = async (before: Charge): Promise<void> => {
    const now = await ledger.get(before.id);
    const payment = now && paymentIn(now);
    if (now === undefined || payment === undefined) return;
    sums.move(now, 'open', payment, before);
    if (payment === 'open' && isCharge(now)) open.set(now.id, counted(now));
    else open.delete(now.id);
  };
  const elsewhere = new Map(open);
  const check = async (charge: Charge): Promise<void> => {
    elsewhere.delete(charge.id);
    const before = open.get(charge.id);
    if (before === undefined) return;
    await refreshCharge(ledger, charge, client);
    await count(before);
    tell();
  };
  const rows = chargesOf(ledger, { job, payments: ['open'] });
  const { failures, stopped } = await checkCharges({ ...world, ...bulk, rows, check });
  // Another process has read these, and found them no longer open.
  if (stopped === undefined) for (const charge of elsewhere.values()) await count(charge);
  // A service that asks for a pause may answer again before the wait ends.
  if (stopped instanceof PayError && stopped.detail.retryAt === undefined) throw stopped;
  return failures.at(-1);
};

/**
 * Checks repeatedly until no charge is open, the time is over, or a signal comes. Resolves to the last check's error,
 * if any.
 */
const checkUntilEnd = async (wait: FollowedJob, sums: Sums): Promise<PayError | undefined> => {
  const { world, job, limit } = wait;
  const { ledger } = wait.rowDeps;
  const { clock, stop, progress } = world;
  const open: OpenCharges = new Map();
  for await (const charge of chargesOf(ledger, { job })) {
    const payment = paymentIn(charge);
    if (payment !== undefined) sums.add(charge, payment);
    if (payment === 'open') open.set(charge.id, counted(charge));
  }
  const until = clock.ticks() + limit;
  const left = (): number => until - clock.ticks();
  const tell = (): void =>
    progress.following(
      () => `${sumsText(sums.all())}; ${formatDuration(Math.max(1000, left()))} left, Ctrl-C stops waiting`,
    );
  for (let polls = 0; !stop.aborted; polls += 1) {
    tell();
    const failure = await checkOpen(wait, open, sums, tell);
    const isTooLong = (failure?.detail.retryAt ?? 0) - wait.run.io.clock.now() > left();
    if (countOf(sums.all(), 'open') === 0 || left() <= 0 || isTooLong) return failure;
    await clock.sleep(Math.min(pollPause(polls, ...PAUSES_MS), left()), stop).catch(() => undefined);
  }
  return undefined;
};

/**
 * Follows every charge of a job until each is paid, failed or expired, or the time is over. Sums up the outcomes. A
 * read error goes into the result instead of being thrown, since the charges are created.
 */
export const followCharges = async (wait: FollowedJob): Promise<Aftermath> => {
  const { progress, stop } = wait.world;
  const open = openSums(PAYMENT_NAMES);
  let fault: PayError | undefined;
  try {
    fault = await checkUntilEnd(wait, open);
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    fault = thrown;
  } finally {
    await progress.end();
  }
  const sums = open.all();
  const codes = [...codesOf(sums, stop), ...faultCodes(fault)];
  const sync = shellLine(['paycli', 'ledger', 'sync', wait.job, ...targetFlags(wait.run.globals)]);
  const hints = [
    fault?.detail.hint,
    codes.includes(EXIT_CODES.pending) ? `check again later: \`${sync}\`` : undefined,
  ].filter((line) => line !== undefined);
  const lines = [
    sums.length === 0 ? undefined : sumsText(sums),
    fault === undefined ? undefined : `the last check failed: ${fault.message}`,
  ].filter((line) => line !== undefined);
  return {
    text: lines.join('\n'),
    codes,
    hint: hints.length === 0 ? undefined : hints.join('\n'),
    fields: {
      payments: sums.map(({ payment, currency, count, amount, received }) => ({
        payment,
        currency: currency ?? null,
        count,
        amount: amount === undefined ? null : Number(amount),
        received: received === undefined ? null : Number(received),
      })),
    },
  };
};

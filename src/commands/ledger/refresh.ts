import { interrupted, PayError, usageError } from '../../core/error.ts';
import { targetFlags } from '../../core/input.ts';
import type { Result } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { type Charge, isCharge, isIn } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { chargesOf, refreshCharge } from '../../ledger/reconcile.ts';
import { openSums, PAYMENTS, paymentOf } from '../../ledger/report.ts';
import { checkCharges } from '../check-charges.ts';
import type { Deps } from '../deps.ts';
import { pageOf } from '../list.ts';
import { find, findJob, namesJob } from './entries.ts';
import type { RefreshInput } from './spec.ts';
import { paymentsView, sumRecord } from './view.ts';

const AT_ONCE = 8;

/** Yields the named charges. For a job, all its charges that count. */
async function* named(ledger: Ledger, ids: readonly string[]): AsyncGenerator<Charge> {
  for (const id of new Set(ids)) {
    if (namesJob(id)) yield* chargesOf(ledger, { job: (await findJob(ledger, id)).id });
    else {
      const entry = await find(ledger, id);
      if (!isCharge(entry)) throw usageError(`${id} is not a charge; only charges are paid`);
      yield entry;
    }
  }
}

/** Error for all failed reads: the first one stands for the rest. */
const failedBy = (failure: PayError, count: number): PayError =>
  count === 1 || failure.kind === 'interrupted'
    ? failure
    : new PayError(
        failure.kind === 'auth' ? 'auth' : 'read_failed',
        `couldn't check ${count} charges: ${failure.message}`,
        {
          ...failure.detail,
          hint: 'the others are recorded; run the same command again',
        },
      );

/** Counts of charges that were not checked, by reason. */
interface Unseen {
  elsewhere: number;
  /** The service does not show them. */
  hidden: number;
  /** Not created, as far as is known. */
  unmade: number;
}

const charges = (count: number): string => (count === 1 ? '1 charge' : `${count} charges`);

const unseenText = ({ elsewhere, hidden, unmade }: Unseen, globals: Deps['globals']): string[] => [
  ...(elsewhere > 0 ? [`${charges(elsewhere)} of another service or workspace: not checked.`] : []),
  ...(hidden > 0 ? [`${charges(hidden)} not shown by the service: counted as last seen.`] : []),
  ...(unmade > 0
    ? [
        `${charges(unmade)} not made, or unknown: not counted. See \`${shellLine(['paycli', 'ledger', 'list', ...targetFlags(globals)])}\`.`,
      ]
    : []),
];

/** Finds out who has paid: checks open charges in parallel, and sums up all of them. */
export const run = async ({ ids }: RefreshInput, deps: Deps): Promise<Result> => {
  const [ledger, { service, workspace }] = [await deps.ledger(), await deps.place()];
  const here = { service, workspace };
  const rows = ids.length > 0 ? named(ledger, ids) : chargesOf(ledger, { ...here, unfinished: true });
  const client = await deps.client('read');
  const { progress, ...world } = await deps.jobWorld();
  const sums = openSums(PAYMENTS);
  const unseen: Unseen = { elsewhere: 0, hidden: 0, unmade: 0 };
  let done = 0;

  // Banks may be late, so a named charge is checked even if it has expired.
  const wanted = ids.length > 0 ? ['open', 'expired'] : ['open'];

  const check = async (charge: Charge): Promise<void> => {
    if (!wanted.includes(paymentOf(charge, ledger.moment()) ?? '')) return;
    if (!isIn(here)(charge)) unseen.elsewhere += 1;
    else if (!(await refreshCharge(ledger, charge, client))) unseen.hidden += 1;
  };
  const checked = async ({ id }: Charge): Promise<void> => {
    const now = await ledger.get(id);
    const payment = now && paymentOf(now, ledger.moment());
    if (now !== undefined && payment !== undefined) sums.add(now, payment);
    else unseen.unmade += 1;
    done += 1;
    progress.reading(done);
  };
  let failures: PayError[] = [];
  try {
    const ran = await checkCharges({ ...world, rows, concurrency: AT_ONCE, check, checked });
    failures = ran.failures;
    // A signal also interrupts a running read.
    if (ran.stopped === 'signal' || failures.some(({ kind }) => kind === 'interrupted')) {
      failures.unshift(interrupted(world.stop.reason, done === 0 ? undefined : 'the results so far are in the ledger'));
    }
  } finally {
    await progress.end();
  }
  for (const text of unseenText(unseen, deps.globals)) await deps.notice(text);
  if (done === 0) await deps.notice('No charge is open.');
  const [failure] = failures;
  return {
    kind: 'list',
    pages: pageOf(sums.all().map(sumRecord)),
    view: paymentsView,
    ...(failure === undefined ? {} : { failure: failedBy(failure, failures.length) }),
  };
};

import type { Deps } from '../../cli/deps.ts';
import type { Client } from '../../client/client.ts';
import { PayError } from '../../core/error.ts';
import { interrupted } from '../../core/interrupt.ts';
import type { Charge, Ledger, ListFilter } from '../../ledger/ledger.ts';
import type { Reads } from '../../ledger/refresh.ts';
import type { LedgerRoom } from '../../ledger/room.ts';
import type { Result } from '../../output/view.ts';
import { find, findJob, namesJob } from './find.ts';
import { onePage } from './pages.ts';
import type { RefreshInput } from './spec.ts';
import { paymentsView, sumRecord } from './view.ts';

const AT_ONCE = 8;

const filterOfAll = (service: string): Omit<ListFilter, 'limit'> => ({ unfinished: true, service });

/** What was charged one by one, and the last file. */
async function* latest(ledger: Ledger, service: string, { chargesOf }: LedgerRoom): AsyncGenerator<Charge> {
  const [job] = await ledger.jobs.list({ limit: 1 });
  for await (const charge of chargesOf(ledger, filterOfAll(service))) {
    if (charge.job === undefined || charge.job === job?.id) yield charge;
  }
}

/** The charges that were named: of a job all that count. */
async function* named(ledger: Ledger, ids: readonly string[], { chargesOf }: LedgerRoom): AsyncGenerator<Charge> {
  for (const id of new Set(ids)) {
    if (namesJob(id)) yield* chargesOf(ledger, { job: (await findJob(ledger, id)).id });
    else yield await find(ledger, id);
  }
}

const chosen = (
  { ids, all }: RefreshInput,
  ledger: Ledger,
  service: string,
  protocol: LedgerRoom,
): AsyncGenerator<Charge> => {
  if (ids.length > 0) return named(ledger, ids, protocol);
  return all ? protocol.chargesOf(ledger, filterOfAll(service)) : latest(ledger, service, protocol);
};

const readsOf = (client: Client): Reads => ({
  ugwo: (uid) => client.look('ugwo.get', { params: { uid } }),
  activity: (ugwoUid, activityUid) => client.look('activity.get', { params: { ugwoUid, activityUid } }),
});

/** The first failure stands for all. */
const failedBy = (failure: PayError, count: number): PayError =>
  count === 1 || failure.kind === 'interrupted'
    ? failure
    : new PayError(
        failure.kind === 'auth' ? 'auth' : 'read_failed',
        `${count} charges could not be looked at: ${failure.message}`,
        {
          ...failure.detail,
          hint: 'the others are recorded; run the same command again',
        },
      );

/** Finds out who has paid: looks at open charges, side by side, and adds up what all of them have come to. */
export const run = async (input: RefreshInput, deps: Deps): Promise<Result> => {
  const [ledger, protocol, place] = [await deps.ledger(), await deps.protocol(), await deps.place()];
  const client = await deps.client('read');
  const { runRows } = await deps.bulk();
  const { progress, ...world } = await deps.jobWorld();
  const sums = protocol.openSums();
  const failures: PayError[] = [];
  let [done, elsewhere] = [0, 0];

  const look = async (charge: Charge): Promise<void> => {
    const isOpen = protocol.paymentOf(charge, ledger.moment()) === 'open';
    if (isOpen && charge.service !== place.service) elsewhere += 1;
    else if (isOpen) await protocol.refreshCharge(ledger, charge, readsOf(client));
  };
  const work = async (charge: Charge) => {
    try {
      await look(charge);
      return { state: 'looked' };
    } catch (thrown) {
      if (!(thrown instanceof PayError) || thrown.kind === 'ledger') throw thrown;
      failures.push(thrown);
      return { state: 'failed', ...(thrown.kind === 'auth' ? { stops: thrown } : { slowDown: 0 }) };
    }
  };
  try {
    const ran = await runRows({
      ...world,
      rows: chosen(input, ledger, place.service, protocol),
      concurrency: AT_ONCE,
      work,
      onSettled: async ({ id }) => {
        const now = await ledger.get(id);
        const payment = now && protocol.paymentOf(now, ledger.moment());
        if (now !== undefined && payment !== undefined) sums.add(now, payment);
        done += 1;
        progress.reading(done);
      },
    });
    if (ran.stopped === 'signal') failures.unshift(interrupted(world.stop.reason));
  } finally {
    await progress.end();
  }
  if (elsewhere > 0) await deps.notice(`${elsewhere} of them belong to another service and were not looked at.`);
  if (done === 0) await deps.notice('No charge is open.');
  const [failure] = failures;
  return {
    kind: 'list',
    pages: onePage(sums.all().map(sumRecord)),
    view: paymentsView,
    ...(failure === undefined ? {} : { failure: failedBy(failure, failures.length) }),
  };
};

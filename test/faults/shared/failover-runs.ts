import { hasReplayed } from '../../support/postgres/standby.ts';
import type { ChargeEnd } from '../charger.ts';
import { check } from '../judge.ts';
import type { PartResult } from '../part.ts';
import {
  type FailoverBench,
  type FailoverOptions,
  openFailover,
  ugwosFrom,
  until,
  waitingCommits,
} from './failover-bench.ts';

export interface RunOptions extends Omit<FailoverOptions, 'synchronous'> {
  /** The number of charges per machine before the failover, and again while the replication is stopped. */
  readonly each: number;
}

const NEW = 90_000;

const halves = <T>(all: readonly T[]): [T[], T[]] => [all.slice(0, all.length / 2), all.slice(all.length / 2)];

/** Half of them on each machine, all at once. */
const chargeAll = async ({ machines }: FailoverBench, ugwos: readonly string[]): Promise<ChargeEnd[]> => {
  const ends = halves(ugwos).map((some, index) => some.map((ugwo) => machines[index as 0 | 1].charge(ugwo)));
  return Promise.all(ends.flat());
};

const endedAs = (what: string, ends: readonly ChargeEnd[], kind: string, exitCode: number): string[] =>
  ends
    .filter((end) => end.kind !== kind || end.exitCode !== exitCode)
    .map((end) => `${what}: ${end.kind}, exit ${end.exitCode} (${end.message}), not ${kind}`);

const onceEach = ({ service }: FailoverBench, ugwos: readonly string[]): string[] =>
  ugwos.flatMap((ugwo) => check(service.executed(ugwo) === 1, `${ugwo} was charged ${service.executed(ugwo)} times`));

const countIn = async (bench: FailoverBench, condition: string): Promise<number> => {
  const statement = `SELECT count(*)::int AS count FROM paycli.charge WHERE ${condition}`;
  const [row] = await bench.standby.sql<{ count: number }>(statement, [], bench.database);
  return row?.count ?? 0;
};

const inBench = async (
  options: FailoverOptions,
  work: (bench: FailoverBench) => Promise<PartResult>,
): Promise<PartResult> => {
  const bench = await openFailover(options);
  try {
    return await work(bench);
  } finally {
    await bench.close();
  }
};

/** Resolves each unknown charge by what the service has, as `ledger sync` does. */
const reconcile = async ({ machines: [machine], service }: FailoverBench): Promise<string[]> => {
  const ledger = await machine.ledger();
  const unknown = await ledger.unknown();
  for (const { id, about } of unknown) {
    const uid = service.made(about)[0]?.uid ?? '';
    const evidence = { kind: 'look', at: new Date().toISOString() };
    await ledger.resolve(id, {
      state: 'accepted',
      activity: { uid, status: 'successful', nextAction: undefined, createdAt: undefined },
      evidence,
    });
  }
  return unknown.map(({ about }) => about);
};

/**
 * A lagging standby takes over: its missing intents are detected, and nothing is charged until an operator has
 * checked.
 */
export const asynchronous = (options: RunOptions): Promise<PartResult> =>
  inBench({ ...options, synchronous: false }, async (bench) => {
    const { each } = options;
    const [kept, lost] = halves(ugwosFrom(0, 4 * each));
    const before = await chargeAll(bench, kept);
    await until(() => hasReplayed(bench.primary, bench.standby));
    bench.stall();
    before.push(...(await chargeAll(bench, lost)));
    await bench.failOver();
    // One continues with its broken connection, the other is a new process.
    await bench.machines[1].restart();
    for (const machine of bench.machines) await (await machine.ledger()).unknown();
    const missing = await countIn(bench, 'put_back');
    const others = await chargeAll(bench, ugwosFrom(NEW, 2));
    const again = await chargeAll(bench, [...kept, ...lost]);
    const newcomer = await bench.newMachine().charge(ugwosFrom(NEW + 2, 1)[0] as string);
    const unknown = await reconcile(bench);
    const after = await chargeAll(bench, ugwosFrom(NEW, 2));
    const secondTime = await chargeAll(bench, [...kept, ...lost]);
    return {
      figures: [
        { name: 'failover, asynchronous: charges', value: before.length },
        { name: 'failover, asynchronous: lost, and put back', value: missing },
      ],
      failures: [
        ...endedAs('before', before, 'accepted', 0),
        ...check(missing === lost.length, `${missing} were put back, not ${lost.length}`),
        ...check(unknown.toSorted().join() === lost.toSorted().join(), `unknown are ${unknown.join(', ')}`),
        ...endedAs('not reconciled', [...others, ...again, newcomer], 'ledger', 10),
        ...endedAs('reconciled', after, 'accepted', 0),
        ...endedAs('again', secondTime, 'refused', 9),
        ...onceEach(bench, [...kept, ...lost, ...ugwosFrom(NEW, 2)]),
      ],
    };
  });

/** A synchronous standby takes over while commits wait for it: no intent of a sent charge is lost. */
export const synchronous = (options: RunOptions): Promise<PartResult> =>
  inBench({ ...options, synchronous: true }, async (bench) => {
    const [kept, held] = halves(ugwosFrom(0, 4 * options.each));
    const before = await chargeAll(bench, kept);
    bench.stall();
    let ended = false;
    const during = chargeAll(bench, held).finally(() => {
      ended = true;
    });
    await until(async () => ended || (await waitingCommits(bench)) === 2);
    await bench.failOver();
    const after = await during;
    const missing = await countIn(bench, 'put_back');
    const accepted = await countIn(bench, "state = 'accepted'");
    return {
      figures: [
        { name: 'failover, synchronous: charges', value: before.length + after.length },
        { name: 'failover, synchronous: lost', value: missing },
      ],
      failures: [
        ...endedAs('before', before, 'accepted', 0),
        ...endedAs('during', after, 'accepted', 0),
        ...check(missing === 0, `${missing} were lost`),
        ...check(accepted === 4 * options.each, `the ledger knows of ${accepted}`),
        ...endedAs('again', await chargeAll(bench, [...kept, ...held]), 'refused', 9),
        ...onceEach(bench, [...kept, ...held]),
      ],
    };
  });

/** Cancels the wait for the standby, as an administrator can: the server then reports COMMIT with a warning. */
const cancelWait = async (bench: FailoverBench): Promise<void> => {
  await until(async () => (await waitingCommits(bench)) === 1);
  await bench.primary.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
};

/** The standby is gone and the wait for it is cancelled: that is no commit, and nothing is sent without one. */
export const cancelled = (options: RunOptions): Promise<PartResult> =>
  inBench({ ...options, synchronous: true }, async (bench) => {
    const { machines, service, standby } = bench;
    const [first, second] = ugwosFrom(0, 2) as [string, string];
    await machines[0].ledger();
    await machines[1].ledger();
    await standby.stop();
    const patient = machines[0].charge(first);
    await cancelWait(bench);
    // It waits again, behind the lock.
    await until(async () => service.posts.length > 0 || (await waitingCommits(bench)) === 1);
    const early = service.posts.length;
    await standby.start();
    if (early > 0) return { figures: [], failures: ['it was sent while no standby had it'] };
    const firstEnd = await patient;
    await standby.stop();
    const impatient = machines[1].charge(second);
    await until(async () => (await waitingCommits(bench)) === 1);
    machines[1].giveUp();
    await cancelWait(bench);
    const secondEnd = await impatient;
    const sent = service.executed(second);
    await standby.start();
    const other = await machines[0].charge(second);
    return {
      figures: [{ name: 'failover: commits cancelled', value: 2 }],
      failures: [
        ...endedAs('waited', [firstEnd], 'accepted', 0),
        ...endedAs('gave up', [secondEnd], 'ledger', 10),
        ...check(sent === 0, 'it was sent by who gave up'),
        ...endedAs('after who gave up', [other], 'refused', 9),
        ...onceEach(bench, [first]),
      ],
    };
  });

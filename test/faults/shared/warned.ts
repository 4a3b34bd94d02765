import { setTimeout as wait } from 'node:timers/promises';
import { ugwoOf } from '../counting.ts';
import type { Part } from '../part.ts';
import type { Bench } from './bench.ts';
import { openBench } from './bench.ts';
import { charge, PATIENT } from './machine.ts';

/** Each commit waits for a standby that never comes; what the tests themselves write does not. */
const SETTINGS = { synchronous_standby_names: 'nobody', synchronous_commit: 'local' };

const WAITING = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/** Cancels each wait for the standby, until it is aborted; gives how many there were. */
const cancelling = async ({ cluster }: Bench, until: AbortSignal): Promise<number> => {
  let count = 0;
  while (!until.aborted) {
    count += (await cluster.sql(WAITING)).length;
    await wait(5);
  }
  return count;
};

/** The server commits without the standby that must have it, and says so in a warning: nothing is sent after that. */
export const warned: Part = async ({ folder }) => {
  const bench = await openBench(folder, { settings: SETTINGS });
  const over = new AbortController();
  try {
    const cancelled = cancelling(bench, over.signal);
    const process = { url: bench.url(), folder: bench.newMachine(), limits: { ...PATIENT, patience: 1000 } };
    const ends = [];
    for (const _time of [1, 2]) ends.push(await charge(process, bench.service.origin, ugwoOf(0)));
    over.abort();
    const waits = await cancelled;
    const failures = [
      ...ends.flatMap(({ kind, message }) =>
        kind === 'ledger' ? [] : [`a charge that nobody else has was ${kind} ${message}`],
      ),
      ...(bench.posts(ugwoOf(0)) === 0 ? [] : ['it came to the service']),
      ...(waits > 0 ? [] : ['no wait for a standby was cancelled']),
      ...(await bench.faults()),
    ];
    return { figures: [{ name: 'commits with a warning', value: waits }], failures };
  } finally {
    over.abort();
    await bench.close();
  }
};

import { setTimeout as wait } from 'node:timers/promises';
import { type ChargeEnd, chargeAt } from '../charger.ts';
import { ugwoOf } from '../counting.ts';
import type { Part, PartResult } from '../part.ts';
import { openPostgresRelay, type Passing } from '../postgres-relay.ts';
import { type Bench, openBench } from './bench.ts';
import { asProcess, charge, PATIENT } from './machine.ts';

/** Each commit waits for a missing standby, except the tests' own writes. */
const SETTINGS = { synchronous_standby_names: 'nobody', synchronous_commit: 'local' };

/** One payment request on such a server; `use` returns faults besides those of the history. */
const withoutStandby =
  (figure: string, use: (bench: Bench) => Promise<{ readonly count: number; readonly failures: string[] }>): Part =>
  async ({ folder }): Promise<PartResult> => {
    const bench = await openBench(folder, { settings: SETTINGS });
    try {
      const { count, failures } = await use(bench);
      const none = count > 0 ? [] : [`${figure}: none`];
      return { figures: [{ name: figure, value: count }], failures: [...failures, ...none, ...(await bench.faults())] };
    } finally {
      await bench.close();
    }
  };

const [UGWO, OTHER] = [ugwoOf(0), ugwoOf(1)];

const unlike = (ends: readonly ChargeEnd[], kind: string): string[] =>
  ends.filter((end) => end.kind !== kind).map((end) => `a charge was ${end.kind} ${end.message}, not ${kind}`);

const WAITING = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/** Cancels each wait for the standby until aborted; returns the count. */
const cancelling = async ({ cluster }: Bench, until: AbortSignal): Promise<number> => {
  let count = 0;
  while (!until.aborted) {
    count += (await cluster.sql(WAITING)).length;
    await wait(5);
  }
  return count;
};

/** The server commits without the required standby, with a warning: nothing is sent after that. */
export const warned: Part = withoutStandby('commits with a warning', async (bench) => {
  const over = new AbortController();
  const cancelled = cancelling(bench, over.signal);
  const where = { url: bench.url(), folder: bench.newMachine(), limits: { ...PATIENT, patience: 1000 } };
  const ends: ChargeEnd[] = [];
  try {
    for (const _time of [1, 2]) ends.push(await charge(where, bench.service.origin, UGWO));
  } finally {
    over.abort();
  }
  const came = bench.posts(UGWO) === 0 ? [] : ['it came to the service'];
  // The first one has left no local copy of what it has not sent: to the next process it may belong to a cloned
  // machine, until its time is over.
  const failures = [...unlike(ends.slice(0, 1), 'ledger'), ...unlike(ends.slice(1), 'refused'), ...came];
  return { count: await cancelled, failures };
});

/** Stops waiting for a standby. */
const letCommit = async ({ cluster }: Bench): Promise<void> => {
  await cluster.sql("ALTER SYSTEM SET synchronous_standby_names = ''");
  await cluster.sql('SELECT pg_reload_conf()');
};

/** How often the client reconnects before the commit is done. */
const TIMES = 4;

/**
 * A commit is invisible until it is done, long after the client has given up: the client asks behind it, and
 * continues.
 */
export const held: Part = withoutStandby('times that a held commit was asked about', async (bench) => {
  const relay = await openPostgresRelay(bench.cluster.port);
  const times = (): number => relay.messages.filter(({ text }) => text.includes('\nBEGIN')).length;
  const limits = { ...PATIENT, answer: 300, lock: 100 };
  relay.use(async ({ text }) => {
    if (text.includes('\nBEGIN') && times() === TIMES) {
      void wait(limits.lock / 2).then(() => letCommit(bench));
    }
    return undefined;
  });
  try {
    const where = { url: bench.url(relay.port), folder: bench.newMachine(), limits };
    const end = await charge(where, bench.service.origin, UGWO);
    return { count: times() < TIMES ? 0 : TIMES, failures: unlike([end], 'accepted') };
  } finally {
    await relay.close();
  }
});

const HASTY = { ...PATIENT, answer: 1000, lock: 100, patience: 1300 };

/** Two charges in one commit, which is held until each is asked about: both were begun, and are sent. */
export const heldTogether: Part = withoutStandby('charges in a held commit', async (bench) => {
  const relay = await openPostgresRelay(bench.cluster.port);
  const isOfOne = ({ text }: Passing): boolean => text.includes('\nBEGIN') && /ARRAY\[[^,\]]+\]/.test(text);
  let isHeld = true;
  relay.use(async (message) => {
    if (isHeld && isOfOne(message)) {
      isHeld = false;
      await letCommit(bench);
    }
    return undefined;
  });
  const { origin } = bench.service;
  try {
    const where = { url: bench.url(relay.port), folder: bench.newMachine(), limits: HASTY };
    const ends = await asProcess(where, (ledger) =>
      Promise.all([UGWO, OTHER].map((ugwo) => chargeAt(origin, ledger, ugwo, { look: undefined, charge: 20_000 }))),
    );
    return { count: isHeld ? 0 : ends.length, failures: unlike(ends, 'accepted') };
  } finally {
    await relay.close();
  }
});

import { readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from './bulk-bench.ts';
import { faultsOf, openBench, summaryOf, wrong } from './bulk-bench.ts';
import { readReport, writeRows } from './bulk-file.ts';
import type { Counting, Fate, Post } from './counting.ts';
import { serveCounting } from './counting.ts';
import type { PartOptions, PartResult } from './part.ts';
import type { Traced } from './strace.ts';
import { chance, drawn, seed } from './torture.ts';

/*
 * Processes that share a file's rows and are killed again and again, each in the place of the last one. In the end somebody
 * clears up as an operator would: `ledger reconcile`, a word on what the service does not have, the same command once more.
 */

export interface Size {
  readonly rows: number;
  readonly kills: number;
  readonly processes: number;
  readonly concurrency: number;
  /** An answer takes up to so many milliseconds. */
  readonly latency: number;
  /** Charges what can still be paid, too: then only its row keeps a row from being charged twice. */
  readonly again: boolean;
}

/** Kills fall before this share of the rows has been sent, so that there is one left to be killed. */
const LAST_KILL = 0.95;
/** When a POST has come, when an activity was made of it, when it was answered. */
const MOMENTS = 3;

/** What ends a process before its time, and says whether there was one. */
type Strike = (draw: number) => boolean;

/** A service whose POSTs now and then set off a kill. */
const serveKilling = (size: Size, strike: Strike): Promise<Counting> => {
  const share = size.rows * LAST_KILL;
  const due = Array.from({ length: size.kills }, (_, number) => Math.ceil(share * chance(`kill ${number}`))).sort(
    (a, b) => a - b,
  );
  let posts = 0;
  const kill = (): void => {
    // All of them may have been killed a moment ago: then a later POST does it.
    if (!strike(drawn(`victim ${due.length}`))) due.unshift(posts);
  };
  const decide = ({ ugwo, nth }: Post): Fate => {
    posts += 1;
    const moment = (due[0] ?? Number.POSITIVE_INFINITY) <= posts ? drawn(`moment ${due.length}`) % MOMENTS : undefined;
    if (moment !== undefined) due.shift();
    if (moment === 0) kill();
    const before = wait(size.latency * chance(`latency ${ugwo} ${nth}`)).then(() => {
      if (moment === 1) kill();
      if (moment === 2) setImmediate(kill);
    });
    return { makes: true, answer: { status: 200 }, before };
  };
  return serveCounting(decide);
};

/** A place for one process at a time. */
interface Slot {
  life: AbortController | undefined;
  kills: number;
}

const killOne = (slots: readonly Slot[], draw: number): boolean => {
  const alive = slots.filter(({ life }) => life?.signal.aborted === false);
  const victim = alive[draw % alive.length];
  victim?.life?.abort();
  return victim !== undefined;
};

/** Starts a process in the place of each that was killed, until one comes to its own end. */
const keepRunning = async (slot: Slot, start: (kill: AbortSignal) => Promise<Traced>): Promise<Traced> => {
  for (;;) {
    const life = new AbortController();
    slot.life = life;
    const ended = await start(life.signal);
    slot.life = undefined;
    if (ended.signal !== 'SIGKILL' || !life.signal.aborted) return ended;
    slot.kills += 1;
  }
};

/** What the processes may end with: done, or with rows that a killed one has left unknown. */
const ENDS = [0, 6];

/** A process that came to its own end has waited for every row, those of the others included. */
const endFaults = (ended: Traced, rows: number): string[] => {
  const { code, signal, stderr } = ended;
  if (code === null || !ENDS.includes(code)) return [`a process ended with ${code ?? signal}: ${stderr}`];
  const { accepted, unknown } = summaryOf(ended);
  return Number(accepted) + Number(unknown) === rows ? [] : [`a process left rows to others: ${ended.stdout}`];
};

/** What a person does about the rows that the service does not show: looks there, and says so. */
const resolveRest = async (bench: Bench, service: Counting): Promise<{ faults: string[]; resolved: number }> => {
  const left = await bench.unknown();
  const made = left.filter(({ ugwo }) => service.executed(ugwo) > 0).map(({ ugwo }) => ugwo);
  const faults = wrong('are unknown, though the service shows them', made);
  const unmade = left.filter(({ ugwo }) => service.executed(ugwo) === 0);
  for (const { id } of unmade) {
    const reason = ['--reason', 'the service has none', '--yes'];
    const { code, stderr } = await bench.run(['ledger', 'resolve', id, '--as', 'not-created', ...reason]);
    if (code !== 0) faults.push(`${id} could not be resolved: ${stderr}`);
  }
  return { faults, resolved: unmade.length };
};

/** What is wrong with the number of charges that the service got. */
const countFaults = (service: Counting, rows: number): string[] => [
  ...(service.posts.length === rows ? [] : [`${service.posts.length} POSTs came for ${rows} rows`]),
  ...wrong(
    'were sent more than once',
    service.posts.filter(({ nth }) => nth > 1).map(({ ugwo }) => ugwo),
  ),
];

export const kills = async (size: Size, { folder, say }: Omit<PartOptions, 'short'>): Promise<PartResult> => {
  const slots: Slot[] = Array.from({ length: size.processes }, () => ({ life: undefined, kills: 0 }));
  const service = await serveKilling(size, (draw) => killOne(slots, draw));
  const bench = openBench(folder, service);
  writeRows(bench.rows, size.rows);
  const options = ['--concurrency', String(size.concurrency), ...(size.again ? ['--again'] : [])];
  const shared = ['--report', bench.path('shared.csv')];
  const title = size.again ? 'bulk, kills with --again' : 'bulk, kills';
  const started = performance.now();
  try {
    const ends = await Promise.all(
      // The same command for all of them, its report included.
      slots.map((slot) => keepRunning(slot, (kill) => bench.charge([...options, ...shared], { kill }))),
    );
    await service.idle();
    const seconds = (performance.now() - started) / 1000;
    const reported = new Set(readReport(bench.path('shared.csv')).map(({ row }) => row)).size;
    const killed = slots.reduce((sum, slot) => sum + slot.kills, 0);
    const sent = service.posts.length;
    say(`${title}: ${sent} of ${size.rows} rows sent, ${killed} kills, ${Math.round(seconds)} s`);
    const reconciled = await bench.run(['ledger', 'reconcile', '-o', 'json']);
    const { faults, resolved } = await resolveRest(bench, service);
    const last = await bench.charge([...options, '--retry-failed', '--report', bench.path('report.csv')]);
    const summary = summaryOf(last);
    const entries = await bench.exported(summary.job);
    const orphans = entries.filter(({ evidence }) => evidence.some(({ kind }) => kind === 'process_gone')).length;
    return {
      figures: [
        { name: `${title}: rows`, value: size.rows },
        { name: `${title}: kills`, value: killed },
        { name: `${title}: processes at once`, value: size.processes },
        { name: `${title}: POSTs by the service`, value: service.posts.length },
        { name: `${title}: rows that a kill left unknown`, value: orphans },
        { name: `${title}: of those never sent`, value: resolved },
        { name: `${title}: until the last process ended`, value: Math.round(seconds), unit: 's' },
      ],
      failures: [
        ...(killed === size.kills ? [] : [`${killed} kills, not ${size.kills}`]),
        ...(orphans > 0 ? [] : ['no kill left a row unknown: nothing was tried']),
        ...ends.flatMap((ended) => endFaults(ended, size.rows)),
        ...(reported === size.rows ? [] : [`the report that all of them wrote has ${reported} rows`]),
        ...(ENDS.includes(reconciled.code ?? -1) ? [] : [`reconcile: exit ${reconciled.code}: ${reconciled.stderr}`]),
        ...faults,
        ...countFaults(service, size.rows),
        ...wrong(
          'files were left behind by those that were killed',
          readdirSync(bench.home).filter((name) => name.includes('-emergency-')),
        ),
        ...(last.code === 0 ? [] : [`the last run ended with ${last.code}: ${last.stderr}`]),
        ...(summary['accepted'] === size.rows ? [] : [`the last run says ${last.stdout}`]),
        ...(await faultsOf(bench, service, summary, 'report.csv')),
      ].map((failure) => `${title}, seed ${seed}: ${failure}`),
    };
  } finally {
    service.close();
  }
};

import { readdirSync } from 'node:fs';
import { type Bench, faultsOf, openBench, summaryOf, wrong } from './bulk-bench.ts';
import { readReport, writeRows } from './bulk-file.ts';
import { keepRunning, killOne, type Size, type Slot, serveKilling } from './bulk-strikes.ts';
import type { Counting } from './counting.ts';
import type { PartOptions, PartResult } from './part.ts';
import type { Traced } from './strace.ts';
import { seed } from './torture.ts';

/*
 * Processes that share a file's rows and are killed repeatedly; each is replaced. At the end an operator cleans up:
 * `ledger sync`, `ledger resolve` for what the service does not have, and the same command again.
 */

/** Machines that share a ledger, one per slot. */
export interface Team {
  /** The variables that select the ledger. */
  readonly env: Readonly<Record<string, string>>;
  /** Called at each kill. */
  readonly killed: () => void;
  /** Checks the history of the ledger against the received charges. */
  readonly faults: (posts: Counting['posts']) => Promise<readonly string[]>;
}

/** The exit codes of the processes: success, or rows left unknown by a killed one. */
const ENDS = [0, 6];
/** With this many kills at least one leaves a row unknown. */
const ENOUGH = 10;

/** A process that exits on its own has waited for every row, including those of other processes. */
const endFaults = (ended: Traced, rows: number): string[] => {
  const { code, signal, stderr } = ended;
  if (code === null || !ENDS.includes(code)) return [`a process ended with ${code ?? signal}: ${stderr}`];
  const { accepted, unknown } = summaryOf(ended);
  return Number(accepted) + Number(unknown) === rows ? [] : [`a process left rows to others: ${ended.stdout}`];
};

/** The operator's part for rows that the service does not show: checks the service and resolves them. */
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

/** Checks the number of charges that the service received. */
const countFaults = (service: Counting, rows: number): string[] => [
  ...(service.posts.length === rows ? [] : [`${service.posts.length} POSTs came for ${rows} rows`]),
  ...wrong(
    'were sent more than once',
    service.posts.filter(({ nth }) => nth > 1).map(({ ugwo }) => ugwo),
  ),
];

const titleOf = ({ again }: Size, team: Team | undefined): string =>
  `${team === undefined ? 'bulk, kills' : 'kills'}${again ? ' with --again' : ''}`;

/** One machine, or one for each slot of a team. */
const benchesOf = (folder: string, service: Counting, slots: readonly Slot[], team: Team | undefined): Bench[] =>
  team === undefined
    ? [openBench(folder, service)]
    : slots.map((_, slot) => openBench(folder, service, { name: `home-${slot}`, env: team.env }));

export const kills = async (
  size: Size,
  { folder, say }: Omit<PartOptions, 'short'>,
  team?: Team,
): Promise<PartResult> => {
  const slots: Slot[] = Array.from({ length: size.processes }, () => ({ life: undefined, kills: 0 }));
  const service = await serveKilling(size, (draw) => {
    team?.killed();
    return killOne(slots, draw);
  });
  const benches = benchesOf(folder, service, slots, team);
  const benchOf = (slot: number): Bench => benches[slot % benches.length] as Bench;
  const bench = benchOf(0);
  writeRows(bench.rows, size.rows);
  const options = ['--concurrency', String(size.concurrency), ...(size.again ? ['--again'] : [])];
  /** Shared by all processes on one machine. */
  const reports = benches.map((_, machine) => bench.path(`shared-${machine}.csv`));
  const reportOf = (slot: number): string[] => ['--report', reports[slot % reports.length] as string];
  const title = titleOf(size, team);
  const started = performance.now();
  try {
    const ends = await Promise.all(
      slots.map((slot, number) =>
        keepRunning(slot, (kill) => benchOf(number).charge([...options, ...reportOf(number)], { kill })),
      ),
    );
    await service.idle();
    const seconds = (performance.now() - started) / 1000;
    const reported = reports.map((report) => new Set(readReport(report).map(({ row }) => row)).size);
    const killed = slots.reduce((sum, slot) => sum + slot.kills, 0);
    const sent = service.posts.length;
    say(`${title}: ${sent} of ${size.rows} rows sent, ${killed} kills, ${Math.round(seconds)} s`);
    const reconciled = await bench.run(['ledger', 'sync', '-o', 'json']);
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
        // A kill may come after the last row, when its process has just ended.
        ...(killed > 0 && killed <= size.kills ? [] : [`${killed} kills, not up to ${size.kills}`]),
        // A few kills may all hit moments that leave nothing unknown.
        ...(orphans > 0 || size.kills < ENOUGH ? [] : ['no kill left a row unknown: nothing was tried']),
        ...ends.flatMap((ended) => endFaults(ended, size.rows)),
        ...(reported.every((rows) => rows === size.rows) ? [] : [`the reports have ${reported.join(', ')} rows`]),
        ...(ENDS.includes(reconciled.code ?? -1) ? [] : [`reconcile: exit ${reconciled.code}: ${reconciled.stderr}`]),
        ...faults,
        ...countFaults(service, size.rows),
        ...wrong(
          'files were left behind by those that were killed',
          benches.flatMap(({ home }) => readdirSync(home)).filter((name) => name.includes('-emergency-')),
        ),
        ...((await team?.faults(service.posts)) ?? []),
        ...(last.code === 0 ? [] : [`the last run ended with ${last.code}: ${last.stderr}`]),
        ...(summary['accepted'] === size.rows ? [] : [`the last run says ${last.stdout}`]),
        ...(await faultsOf(bench, service, summary, 'report.csv')),
      ].map((failure) => `${title}, seed ${seed}: ${failure}`),
    };
  } finally {
    service.close();
  }
};

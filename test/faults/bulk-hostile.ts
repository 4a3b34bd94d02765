import { faultsOf, openBench, summaryOf, wrong } from './bulk-bench.ts';
import { countBy, type Line, readReport, writeRows } from './bulk-file.ts';
import { type Shares, saysNothing, serveFaults } from './bulk-service.ts';
import type { Counting, Fate } from './counting.ts';
import type { PartOptions, PartResult } from './part.ts';
import { seed } from './torture.ts';

/*
 * A bulk charge against a service with faults. The test knows what the service did with each row, and each reported
 * state must be true; then `ledger sync` finds what the service shows.
 */

const SHARES: Shares = { lost: 0.02, broken: 0.02, slowDown: 0.05, hung: 0.01, dropped: 0.02, refused: 0.01 };
const LATENCY_MS = 20;

/** What happened to the last POST of each payment request. */
const lastFates = (service: Counting): Map<string, Fate> =>
  new Map(service.posts.flatMap(({ ugwo, fate }) => (fate === undefined ? [] : [[ugwo, fate]])));

const isStatus = ({ answer }: Fate, status: number): boolean => typeof answer === 'object' && answer.status === status;

/** The fates that are possible for a row in each final state. */
const TRUE: Readonly<Record<string, (fate: Fate) => boolean>> = {
  // A charge with a lost answer is checked once.
  accepted: (fate) => fate.makes && (isStatus(fate, 200) || saysNothing(fate.answer)),
  rejected: (fate) => !fate.makes && isStatus(fate, 422),
  not_sent: (fate) => !fate.makes && isStatus(fate, 429),
  unknown: ({ answer }) => saysNothing(answer),
};

const isTrue =
  (fates: ReadonlyMap<string, Fate>) =>
  ({ ugwo = '', state = '' }: Line): boolean => {
    const fate = fates.get(ugwo);
    return fate !== undefined && TRUE[state]?.(fate) === true;
  };

export const hostile = async (rows: number, { folder, say }: Omit<PartOptions, 'short'>): Promise<PartResult> => {
  const service = await serveFaults({ shares: SHARES, latency: LATENCY_MS });
  const bench = openBench(folder, service);
  writeRows(bench.rows, rows);
  const started = performance.now();
  const options = ['--concurrency', '16', '--timeout', '3s', '--continue-on-unknown'];
  try {
    const ended = await bench.charge([...options, '--report', bench.path('report.csv')]);
    const seconds = Math.round((performance.now() - started) / 1000);
    await service.idle();
    const lines = readReport(bench.path('report.csv'));
    const fates = lastFates(service);
    const states = countBy(lines.map(({ state = '' }) => state));
    say(`bulk, hostile: ${rows} rows in ${seconds} s: ${JSON.stringify(states)}`);
    const summary = summaryOf(ended);
    const agreed = await faultsOf(bench, service, summary, 'report.csv');
    const unknown = lines.filter(({ state }) => state === 'unknown').map(({ ugwo = '' }) => ugwo);
    const posts = service.posts.length;

    const reconciled = await bench.run(['ledger', 'sync', '-o', 'json']);
    const after = new Map((await bench.exported(summary.job)).map((entry) => [entry.ugwo, entry]));
    const settled = lines.filter(({ ugwo = '', state }) => {
      const fate = fates.get(ugwo);
      return state === 'accepted' && fate !== undefined && saysNothing(fate.answer);
    });
    const shown = unknown.filter((ugwo) => service.executed(ugwo) > 0);
    const isFound = (ugwo: string): boolean =>
      after.get(ugwo)?.state === 'accepted' && after.get(ugwo)?.activity === service.made(ugwo)[0]?.uid;
    const unshown = unknown.filter((ugwo) => service.executed(ugwo) === 0);

    return {
      figures: [
        { name: 'bulk, hostile: rows', value: rows },
        { name: 'bulk, hostile: POSTs by the service', value: posts },
        ...Object.entries(states).map(([state, value]) => ({ name: `bulk, hostile: ${state}`, value })),
        { name: 'bulk, hostile: answers lost, and found out by a look', value: settled.length },
        { name: 'bulk, hostile: seconds', value: seconds, unit: 's' },
      ],
      failures: [
        ...(ended.code === 6 ? [] : [`exit ${ended.code}: ${ended.stderr}`]),
        ...(lines.length === rows ? [] : [`${lines.length} of ${rows} rows are in the report`]),
        ...(settled.length > 0 ? [] : ['no answer was lost that a look found out: nothing was tried']),
        ...wrong(
          'are not what they are said to be',
          lines.filter((line) => !isTrue(fates)(line)).map(({ ugwo, state }) => `${ugwo} ${state}`),
        ),
        ...agreed,
        // Charges that the service does not show stay unknown for 15 minutes.
        ...(reconciled.code === (unshown.length > 0 ? 6 : 0)
          ? []
          : [`reconcile: exit ${reconciled.code}: ${reconciled.stderr}`]),
        ...wrong(
          'were not found by reconcile, or not the right ones',
          shown.filter((ugwo) => !isFound(ugwo)),
        ),
        ...wrong(
          'were resolved without anything to be seen',
          unshown.filter((ugwo) => after.get(ugwo)?.state !== 'unknown'),
        ),
        ...(service.posts.length === posts ? [] : ['reconcile sent a charge']),
      ].map((failure) => `bulk, hostile, seed ${seed}: ${failure}`),
    };
  } finally {
    service.close();
  }
};

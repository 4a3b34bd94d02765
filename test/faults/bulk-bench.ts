import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM } from '../support/built.ts';
import { countBy, type Line, noteOf, readReport } from './bulk-file.ts';
import { accountOf, type Counting, ugwoOf } from './counting.ts';
import { runToEnd, type Traced } from './strace.ts';
import { environmentOf } from './surroundings.ts';

/** Longer than any run that does not hang. */
const LIMIT_MS = 30 * 60_000;

/** A charge as `ledger list` prints it. */
export interface Entry {
  readonly id: string;
  readonly state: string;
  readonly ugwo: string;
  readonly activity: string | null;
  readonly row: number | null;
  readonly next_action: { readonly headers: { readonly account_number: string } } | null;
  readonly evidence: readonly { readonly kind: string }[];
}

/** The counts of a run, by name. */
export type Summary = Readonly<Record<string, unknown>> & { readonly job: string };

/** Faults for a run. */
export interface Hardship {
  readonly kill?: AbortSignal;
  /** The largest file size in KiB: simulates a full disk. */
  readonly fileLimit?: number;
}

/** One ledger with its runs. */
export interface Bench {
  readonly home: string;
  /** The input file. */
  readonly rows: string;
  /** A file in the bench's folder. */
  path(name: string): string;
  run(args: readonly string[], hardship?: Hardship): Promise<Traced>;
  /** Charges the rows. */
  charge(args: readonly string[], hardship?: Hardship): Promise<Traced>;
  /** The charges of a job in the ledger, oldest first. */
  exported(job: string): Promise<readonly Entry[]>;
  unknown(): Promise<readonly Entry[]>;
}

const parsed = (text: string): Entry[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);

/** The command prefix that limits file sizes to this many KiB. */
const limited = (kib: number | undefined): string[] =>
  kib === undefined ? [] : ['bash', '-c', `ulimit -f ${kib}; exec "$@"`, 'bash'];

/** A machine's folder within the bench's, and its environment. */
interface Machine {
  readonly name?: string;
  /** Runs what no fault hits, in place of a process. */
  readonly here?: (args: readonly string[], options: { readonly home: string }) => Promise<Traced>;
  readonly env?: Readonly<Record<string, string>>;
}

export const openBench = (
  folder: string,
  service: Counting,
  { name = 'home', env: more, here }: Machine = {},
): Bench => {
  const home = join(folder, name);
  const rows = join(folder, 'rows.csv');
  mkdirSync(home, { recursive: true });
  const env = { ...environmentOf({ home, folder, origin: service.origin }), ...more };
  const run = (args: readonly string[], hardship?: Hardship): Promise<Traced> => {
    if (here !== undefined && hardship === undefined) return here(args, { home });
    return runToEnd([...limited(hardship?.fileLimit), ...PROGRAM, ...args], env, LIMIT_MS, hardship?.kill);
  };
  const good = async (args: readonly string[]): Promise<Traced> => {
    const ended = await run(args);
    if (ended.code !== 0) throw new Error(`${args.join(' ')} ended with ${ended.code}: ${ended.stderr}`);
    return ended;
  };
  return {
    home,
    rows,
    path: (name) => join(folder, name),
    run,
    charge: (args, hardship) => run(['ugwo', 'charge', '--from', rows, '--yes', '-o', 'json', ...args], hardship),
    exported: async (job) => parsed((await good(['ledger', 'list', '--job', job, '-o', 'ndjson'])).stdout).toReversed(),
    unknown: async () => parsed((await good(['ledger', 'list', '--state', 'unknown', '-o', 'ndjson'])).stdout),
  };
};

export const summaryOf = ({ code, stdout, stderr }: Traced): Summary => {
  try {
    return JSON.parse(stdout) as Summary;
  } catch {
    throw new Error(`no summary, exit ${code}: ${stdout}${stderr}`);
  }
};

const short = (what: readonly string[]): string =>
  what.length <= 3 ? what.join(', ') : `${what.slice(0, 3).join(', ')} and ${what.length - 3} more`;

/** A failure that names the first wrong items; empty if there are none. */
export const wrong = (what: string, which: readonly string[]): string[] =>
  which.length === 0 ? [] : [`${which.length} ${what}: ${short(which)}`];

const named = (some: readonly Line[]): string[] => some.map(({ ugwo = '' }) => ugwo);

/** The duplicates. */
const repeated = (names: readonly string[]): string[] =>
  Object.entries(countBy(names)).flatMap(([name, count]) => (count > 1 ? [name] : []));

const isMade = ({ state }: Line): boolean => state === 'accepted' || state === 'failed';

/** Whether a line describes the service's only activity for the payment request. */
const tellsOf =
  (service: Counting) =>
  ({ ugwo = '', activity, account_number }: Line): boolean => {
    const [only, ...more] = service.made(ugwo);
    return only?.uid === activity && more.length === 0 && account_number === accountOf(ugwo);
  };

const isRow = ({ ugwo, row, note }: Line): boolean =>
  ugwo === ugwoOf(Number(row) - 1) && note === noteOf(Number(row) - 1);

const agreesWith =
  (ledger: ReadonlyMap<string, Entry>) =>
  ({ ugwo = '', state, activity }: Line): boolean => {
    const entry = ledger.get(ugwo);
    return entry?.state === state && (entry?.activity ?? '') === activity;
  };

/**
 * Compares a job's report, ledger and summary with the service: each charge recorded as created is the service's
 * activity, nothing was created twice, and the three agree on every row.
 */
export const faultsOf = async (
  bench: Bench,
  service: Counting,
  summary: Summary,
  report: string,
): Promise<string[]> => {
  const lines = readReport(bench.path(report));
  // The last charge of a row is its result.
  const ledger = new Map((await bench.exported(summary.job)).map((entry) => [entry.ugwo, entry]));
  const reported = new Set(named(lines));
  const not = (is: (line: Line) => boolean, among: readonly Line[] = lines): string[] =>
    named(among.filter((line) => !is(line)));
  const counts = Object.entries(countBy(lines.map(({ state = '' }) => state)));
  const charged = [...new Set(service.posts.map(({ ugwo }) => ugwo))];
  return [
    ...wrong(
      'were made more than once',
      charged.filter((ugwo) => service.executed(ugwo) > 1),
    ),
    ...wrong('are more than once in the report', repeated(named(lines))),
    ...wrong('lines are of another row', not(isRow)),
    ...wrong('are not as the service made them', not(tellsOf(service), lines.filter(isMade))),
    ...wrong('are otherwise in the ledger', not(agreesWith(ledger))),
    ...wrong(
      'are in the ledger and not in the report',
      [...ledger.keys()].filter((ugwo) => !reported.has(ugwo)),
    ),
    ...counts
      .filter(([state, count]) => summary[state] !== count)
      .map(([state, count]) => `${count} are ${state} in the report, and ${String(summary[state])} in the summary`),
  ];
};

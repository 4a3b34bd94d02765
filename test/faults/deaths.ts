import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PROGRAM } from '../support/built.ts';
import type { ChargeEnd } from './charger.ts';
import { activityOf, type Counting, serveCounting, ugwoOf } from './counting.ts';
import { asksInTurn } from './hand-over.ts';
import { check, endOfRun, faultsOfStruck, KILLED, type Row, rowsFrom } from './judge.ts';
import { inLanes, type Part, type PartOptions, spread } from './part.ts';
import { type Point, pointsOf } from './points.ts';
import { type Call, callsOf, runToEnd, strangersIn, streamsOf, type Traced, targetOf, trace } from './strace.ts';
import { environmentOf } from './surroundings.ts';

/*
 * Every death. One charge is traced, and then repeated once for each system call on its ledger and its socket, with
 * that call failing or the process killed at it; then it is run again, without a check. The service's count decides.
 */

/** An initial folder, and what must be known of it at the end. */
interface Scenario {
  readonly name: string;
  /** Copied for each run; undefined for a first use. */
  readonly template: string | undefined;
  /** A charge in the template whose outcome is in an emergency file only. */
  readonly owed: string | undefined;
}

/** The calls of an undisturbed charge. */
interface Reference {
  readonly points: readonly Point[];
  /** The first call after the activity was printed. */
  readonly afterwards: number;
}

/** One fault at one call. */
interface Case {
  readonly scenario: Scenario;
  readonly reference: readonly Point[];
  /** Whether everything is recorded and printed by then. */
  readonly isAfterwards: boolean;
  readonly index: number;
  /** In strace's syntax, without `when`. */
  readonly fault: string;
}

interface World {
  readonly folder: string;
  readonly service: Counting;
  readonly next: () => number;
}

/** Node maps memory at random, so that a mapping of the ledger is hit only sometimes. */
const ATTEMPTS = 50;
const KILL = 'signal=SIGKILL';

const FILE_WRITES = new Set(['pwrite64', 'write', 'ftruncate', 'mkdir', 'link', 'rename', 'fsync', 'fdatasync']);
const PRINTS = new Set(['write', 'writev', 'sendto', 'sendmsg', 'pwritev2']);
const SOCKET_TALK = new Set(['connect', 'write', 'writev', 'sendto', 'read', 'recvfrom', 'getsockopt', 'shutdown']);

const environment = (home: string, { folder, service }: World): Record<string, string> =>
  environmentOf({ home, folder, origin: service.origin });

const command = (ugwo: string, ...options: readonly string[]): string[] => [
  ...PROGRAM,
  ...['ugwo', 'charge', ugwo, '--medium', 'ussd', '--provider', 'gtb', '--json', ...options],
];

/** The same charge again without the check, which would find the activity: only the ledger prevents it. */
const again = (ugwo: string): string[] => command(ugwo, '--no-preflight');

const newRun = (world: World, scenario: Scenario) => {
  const number = world.next();
  const folder = join(world.folder, `run-${number}`);
  const home = join(folder, 'home');
  mkdirSync(folder, { recursive: true });
  if (scenario.template !== undefined) cpSync(scenario.template, home, { recursive: true });
  return { folder, home, prefix: join(folder, 'trace'), ugwo: ugwoOf(number) };
};
type Run = ReturnType<typeof newRun>;

const traced = (run: Run, world: World, inject?: string): Promise<Traced> =>
  trace(command(run.ugwo), {
    env: environment(run.home, world),
    prefix: run.prefix,
    ...(inject === undefined ? {} : { inject }),
  });

/** The faults for one call: all of them, or a sample. */
const faultsOf = ({ call: { name, args }, on }: Point): string[] => {
  const creates = name === 'openat' && args.join().includes('O_CREAT');
  return [
    'error=EIO',
    KILL,
    ...(on === 'file' && (FILE_WRITES.has(name) || creates) ? ['error=ENOSPC'] : []),
    ...(on === 'file' && name === 'pwrite64' ? ['retval=0'] : []),
    ...(on === 'file' && name === 'openat' ? ['error=EMFILE'] : []),
    ...(on === 'socket' && SOCKET_TALK.has(name) ? ['error=ECONNRESET'] : []),
  ];
};

const isOften = ({ call: { name, args }, on }: Point): boolean =>
  !(
    on === 'socket' ||
    ['fsync', 'fdatasync', 'link', 'rename', 'mkdir'].includes(name) ||
    (name === 'openat' && args.join().includes('O_CREAT'))
  ) || name === 'setsockopt';

/** How many of the frequent calls a short run tests per scenario. */
const SAMPLE = 16;

const indexesOf = (reference: readonly Point[], short: boolean): number[] => {
  const all = [...reference.keys()];
  if (!short) return all;
  const often = all.filter((index) => isOften(reference[index] as Point));
  const taken = new Set(spread(often, SAMPLE));
  return all.filter((index) => !isOften(reference[index] as Point) || taken.has(index));
};

/** In a short run each call gets one fault, different from call to call. */
const casesOf = (scenario: Scenario, { points: reference, afterwards }: Reference, short: boolean): Case[] =>
  indexesOf(reference, short).flatMap((index, turn) => {
    const faults = faultsOf(reference[index] as Point);
    const chosen = short ? [faults[turn % faults.length] as string] : faults;
    return chosen.map((fault) => ({ scenario, reference, index, fault, isAfterwards: index >= afterwards }));
  });

/** Where the fault struck, or why it did not strike as intended. */
const struck = (points: readonly Point[], { reference, index, fault }: Case): string | undefined => {
  const isSame = ({ what }: Point, at: number): boolean =>
    what === reference[at]?.what || (fault === KILL && at === index && reference[at]?.what.startsWith(what) === true);
  const wrong = points.slice(0, index + 1).findIndex((point, at) => !isSame(point, at));
  if (wrong !== -1) return `call ${wrong} was ${points[wrong]?.what}, not ${reference[wrong]?.what}`;
  const point = points[index];
  if (point === undefined) return `it made only ${points.length} calls`;
  if (fault === KILL) return points.length === index + 1 ? undefined : 'it was not killed there';
  const others = points.filter((other) => other !== point && other.call.injected).length;
  if (!point.call.injected || others > 0) return 'another call was struck';
  return undefined;
};

/** How many more calls of that name than in the reference the runtime made for itself, by the last call in common. */
const shiftOf = (points: readonly Point[], { reference, index }: Case): number | undefined => {
  const wanted = reference[index]?.call.name;
  const isCommon = (point: Point, at: number): boolean =>
    at <= index && point.call.name === wanted && point.what === reference[at]?.what;
  const at = points.findLastIndex(isCommon);
  return at === -1 ? undefined : (points[at] as Point).call.nth - (reference[at] as Point).call.nth;
};

/** If the shift is unknown, or did not lead there: 1, -1, 2, -2, … */
const guessed = (attempt: number): number => (attempt % 2 === 0 ? 1 : -1) * (Math.floor(attempt / 2) + 1);

interface First {
  readonly run: Run;
  readonly ended: Traced;
}

/** The first run: repeated with a corrected count until the fault strikes the intended call. */
const firstRun = async (one: Case, world: World): Promise<First> => {
  const { call } = one.reference[one.index] as Point;
  let nth = call.nth;
  let why: string | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const run = newRun(world, one.scenario);
    const ended = await traced(run, world, `${call.name}:${one.fault}:when=${nth}`);
    const calls = callsOf(run.prefix);
    const points = pointsOf(calls, run.home);
    why = struck(points, one);
    if (why === undefined) return { run, ended };
    const likely = call.nth + (shiftOf(points, one) ?? 0);
    nth = likely === nth ? likely + guessed(Math.floor(attempt / 2)) : likely;
    rmSync(run.folder, { recursive: true, force: true });
  }
  throw new Error(`the call could not be struck: ${why}`);
};

/** Compares what the first run printed with its end. */
const judgeOutput = ({ fault, isAfterwards }: Case, { ended, run }: First): string[] => {
  if (fault === KILL) return [];
  const { code, stdout, stderr } = ended;
  const isDone = code === 0 || code === 7;
  return [
    ...check(!isAfterwards || code === 0, `exit ${code}, when all was noted and printed`),
    ...check(!isDone || stdout.includes(activityOf(run.ugwo)), 'the activity was not printed'),
    ...check(code !== 7 || stderr.includes('ledger_id'), 'exit 7 without the emergency line'),
  ];
};

/** The ledger's charges of a payment request, if it is intact. */
const rowsOf = (home: string, ugwo: string): Row[] => {
  const db = new DatabaseSync(join(home, 'ledger.sqlite'));
  try {
    const integrity = Object.values(db.prepare('PRAGMA integrity_check').get() ?? {})[0];
    if (integrity !== 'ok') throw new Error(`integrity_check: ${String(integrity)}`);
    const rows = db.prepare(rowsFrom('charge')).all() as unknown as (Row & { readonly ugwo: string })[];
    return rows.filter((row) => row.ugwo === ugwo);
  } finally {
    db.close();
  }
};

const endOf = ({ code, signal, stderr }: Traced): ChargeEnd => endOfRun(code, signal, stderr.trim());

/** An earlier charge, whose outcome is in an emergency file until the next run. */
const judgeOwed = (home: string, { owed: ugwo }: Scenario): string[] =>
  ugwo === undefined
    ? []
    : faultsOfStruck({ ugwo, first: endOfRun(7, null, ''), executed: 1, rows: rowsOf(home, ugwo) });

interface Seen {
  readonly faults: readonly string[];
  readonly first: Traced;
  readonly executed: number;
}

const runCase = async (one: Case, world: World): Promise<Seen> => {
  const { run, ended } = await firstRun(one, world);
  const executed = world.service.executed(run.ugwo);
  const second = await runToEnd(again(run.ugwo), environment(run.home, world));
  const faults = [
    ...judgeOutput(one, { ended, run }),
    ...faultsOfStruck({
      ugwo: run.ugwo,
      first: one.fault === KILL ? KILLED : endOf(ended),
      executed,
      second: { end: endOf(second), executed: world.service.executed(run.ugwo) },
      rows: rowsOf(run.home, run.ugwo),
    }),
    ...judgeOwed(run.home, one.scenario),
  ];
  const said = [ended.stderr, second.stderr].map((text) => text.trim()).join(' | ');
  rmSync(run.folder, { recursive: true, force: true });
  return { faults: faults.map((fault) => `${fault} (${said})`), first: ended, executed };
};

/** The first call that writes to stdout. */
const printedAt = (calls: readonly Call[]): number => {
  const stdout = streamsOf(calls, [1]);
  return calls.findIndex(({ name, args }) => PRINTS.has(name) && stdout.has(targetOf(args[0] ?? '') ?? ''));
};

/** Traces an undisturbed charge. */
const referenceOf = async (scenario: Scenario, world: World): Promise<Reference> => {
  const run = newRun(world, scenario);
  const ended = await traced(run, world);
  if (ended.code !== 0) throw new Error(`an undisturbed charge ended with ${ended.code}: ${ended.stderr}`);
  const strangers = strangersIn(run.prefix, run.home);
  if (strangers > 0) throw new Error('a thread other than the main one touches the folder: its calls would be missed');
  const calls = callsOf(run.prefix);
  const points = pointsOf(calls, run.home);
  if (asksInTurn(calls, points) === false)
    throw new Error('a charge was handed over, and whether it was overdue had been asked in an earlier turn');
  const printed = printedAt(calls);
  const afterwards = points.findIndex(({ call }) => calls.indexOf(call) > printed);
  if (printed === -1 || afterwards === -1) throw new Error('it was not seen to print, or to do anything afterwards');
  rmSync(run.folder, { recursive: true, force: true });
  return { points, afterwards };
};

const FIRST_USE: Scenario = { name: 'first use', template: undefined, owed: undefined };

/** A folder with one successful charge. */
const existing = async (world: World): Promise<Scenario> => {
  const run = newRun(world, FIRST_USE);
  const { code, stderr } = await runToEnd(command(run.ugwo), environment(run.home, world));
  if (code !== 0) throw new Error(`an undisturbed charge ended with ${code}: ${stderr}`);
  return { name: 'a ledger that is there', template: run.home, owed: undefined };
};

/** The same without a WAL, as for a SQLite version that must not use one. */
const withoutLog = ({ template = '', owed }: Scenario, world: World): Scenario => {
  const copy = join(world.folder, 'without-log');
  cpSync(template, copy, { recursive: true });
  const db = new DatabaseSync(join(copy, 'ledger.sqlite'));
  db.exec('PRAGMA journal_mode = TRUNCATE');
  db.close();
  return { name: 'a ledger without a log', template: copy, owed };
};

/** A folder in which the disk failed when an outcome was recorded: it is in the emergency file only. */
const afterDeath = async (world: World): Promise<Scenario> => {
  const { points: reference } = await referenceOf(FIRST_USE, world);
  const answered = reference.findLastIndex(({ what }) => /^(read|recvfrom) socket/.test(what));
  const index = reference.findIndex(({ call }, at) => at > answered && call.name === 'pwrite64');
  const { run, ended } = await firstRun(
    { scenario: FIRST_USE, reference, index, fault: 'error=EIO', isAfterwards: false },
    world,
  );
  const left = readdirSync(run.home).filter((name) => name.includes('-emergency-')).length;
  if (ended.code !== 7 || left !== 1) throw new Error(`exit ${ended.code}, ${left} emergency files: ${ended.stderr}`);
  return { name: 'after a failed disk', template: run.home, owed: run.ugwo };
};

const outcomeOf = ({ first, executed }: Seen, fault: string): string =>
  `${fault === KILL ? 'killed' : `exit ${first.code}`}, ${executed === 0 ? 'not charged' : 'charged'}`;

/** Tests each scenario. */
export const deaths: Part = async ({ short, folder, say }: PartOptions) => {
  let number = 0;
  const service = await serveCounting();
  const world: World = { folder, service, next: () => ++number };
  const failures: string[] = [];
  const outcomes = new Map<string, number>();
  const figures: { name: string; value: number }[] = [];
  try {
    // The first run fills the compile cache, and is not traced.
    const there = await existing(world);
    for (const scenario of [FIRST_USE, there, withoutLog(there, world), await afterDeath(world)]) {
      const reference = await referenceOf(scenario, world);
      const cases = casesOf(scenario, reference, short);
      say(`deaths, ${scenario.name}: ${reference.points.length} calls, ${cases.length} runs`);
      const fail = (failure: string): void => {
        say(`FAILED  ${failure}`);
        failures.push(failure);
      };
      await inLanes(cases, async (one) => {
        const name = `deaths, ${scenario.name}, ${one.fault} at call ${one.index}, ${one.reference[one.index]?.what}`;
        try {
          const seen = await runCase(one, world);
          const outcome = outcomeOf(seen, one.fault);
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          for (const fault of seen.faults) fail(`${name}: ${fault}`);
        } catch (thrown) {
          fail(`${name}: ${String(thrown)}`);
        }
      });
      figures.push(
        { name: `deaths, ${scenario.name}: system calls`, value: reference.points.length },
        { name: `deaths, ${scenario.name}: runs with a fault`, value: cases.length },
      );
    }
  } finally {
    service.close();
  }
  const ends = [...outcomes].sort().map(([outcome, count]) => ({ name: `deaths: ${outcome}`, value: count }));
  return { figures: [...figures, ...ends, { name: 'deaths: failures', value: failures.length }], failures };
};

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fromNpm } from '../../scripts/from-npm.ts';
import { bunHere } from '../../scripts/pinned.ts';
import { PROGRAM, RUNTIME } from '../support/built.ts';
import { CANARY } from '../support/canary.ts';
import { foldersGoTo } from '../support/memory.ts';
import { type Counting, serveCounting, ugwoOf } from './counting.ts';
import { type Figure, type Part, type PartOptions, spread } from './part.ts';
import { type Recorded, Recorder } from './recording.ts';
import {
  bundleDriver,
  EMERGENCY_UNSYNCED,
  FOLDER_UNSYNCED,
  NORMAL,
  OFF,
  type Sabotage,
  SENT_FIRST,
} from './sabotage.ts';
import { type Finding, inspectLedger, type Journal, type Replayed, replay } from './states.ts';
import { type Call, callsOf, strangersIn, targetOf, trace } from './strace.ts';

/*
 * Power loss. strace records what the program writes, syncs, names and sends; a model of a disk (disk.ts) replays it.
 * At each moment the power is lost in many ways, and the real ledger is opened on the remaining files.
 */

interface Recording {
  readonly recorded: readonly Recorded[];
  /** The positions of writes to the database itself, not its journal. */
  readonly onDatabase: readonly number[];
}

interface World {
  readonly folder: string;
  /** The runtime of the driver: Node, or Bun for the standalone program. */
  readonly runtime: string;
  readonly service: Counting;
  readonly next: () => number;
}

interface Scenario {
  readonly name: string;
  readonly journal: Journal;
  readonly record: (world: World, sabotage?: Sabotage) => Promise<Recording>;
  /** How many moments are tested; by default all. */
  readonly most?: number;
}

const LEDGER = 'home/ledger.sqlite';

/** Runs commands in sequence in one new folder; each gets the ledger's path. */
const record = async (
  world: World,
  commands: readonly ((root: string) => readonly string[])[],
  inject?: string,
): Promise<{ recording: Recording; calls: Call[] }> => {
  const root = mkdtempSync(join(world.folder, 'root-'));
  const traces = mkdtempSync(join(world.folder, 'traces-'));
  const recorder = new Recorder(root);
  let calls: Call[] = [];
  for (const [index, command] of commands.entries()) {
    const prefix = join(traces, `${index}`);
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: world.folder,
      PAYCLI_HOME: join(root, 'home'),
      PAYCLI_BASE_URL: world.service.origin,
      PAYCLI_SECRET_KEY: CANARY,
    };
    const ended = await trace(command(root), { env, prefix, texts: true, ...(inject === undefined ? {} : { inject }) });
    if (ended.code !== 0 && inject === undefined) throw new Error(`ended with ${ended.code}: ${ended.stderr}`);
    if (strangersIn(prefix, root) > 0) throw new Error('a thread other than the main one touches the ledger');
    calls = callsOf(prefix);
    recorder.take(calls);
  }
  const { recorded } = recorder;
  const database = recorder.inodeOf(join(root, LEDGER));
  const onDatabase = [...recorded.keys()].filter((at) => {
    const one = recorded[at];
    return one?.kind === 'disk' && one.event.kind === 'write' && one.event.inode === database;
  });
  rmSync(traces, { recursive: true, force: true });
  rmSync(root, { recursive: true, force: true });
  return { recording: { recorded, onDatabase }, calls };
};

const ugwosOf = (world: World, count: number): string[] => Array.from({ length: count }, () => ugwoOf(world.next()));

const bundle = async (world: World, sabotage: Sabotage | undefined): Promise<string> => {
  const file = join(world.folder, `driver-${world.next()}.mjs`);
  await bundleDriver(file, sabotage);
  return file;
};

interface DriverRun {
  readonly journal: Journal;
  readonly charges: number;
  readonly lanes: number;
  /** Whether it leaves the ledger open at its end, like a killed process. */
  readonly leaves?: boolean;
}

const drive =
  (file: string, world: World, { journal, charges, lanes, leaves = false }: DriverRun) =>
  (root: string): string[] => [
    ...[world.runtime, file, join(root, LEDGER), world.service.origin, journal, String(lanes)],
    ...[leaves ? 'leave' : 'close', ...ugwosOf(world, charges)],
  ];

/** Whether a checkpoint happens while charges are being sent. */
const takesLogIn = ({ recorded, onDatabase }: Recording): boolean => {
  const sends = [...recorded.keys()].filter((at) => recorded[at]?.kind === 'sent');
  return onDatabase.some((at) => at > (sends[0] ?? 0) && at < (sends.at(-1) ?? 0));
};

/** Several charges in one process. */
const inOneProcess = (run: DriverRun, most?: number): Scenario => ({
  name: `${run.charges} charges in one process, ${run.journal}`,
  journal: run.journal,
  ...(most === undefined ? {} : { most }),
  record: async (world, sabotage) => {
    const file = await bundle(world, sabotage);
    const { recording } = await record(world, [drive(file, world, run)]);
    if (most !== undefined && !takesLogIn(recording))
      throw new Error('the run was too short for the log to be taken in');
    return recording;
  },
});

/**
 * A process ends without closing its ledger; the next one checkpoints the log, and may change the file's journal
 * mode.
 */
const afterAnother = (journal: Journal): Scenario => ({
  name: `a log left behind, then ${journal}`,
  journal,
  record: async (world, sabotage) => {
    const file = await bundle(world, sabotage);
    const first = drive(file, world, { journal: 'wal', charges: 2, lanes: 1, leaves: true });
    const second = drive(file, world, { journal, charges: 2, lanes: 1 });
    return (await record(world, [first, second])).recording;
  },
});

/** The built program, run for each charge in turn; the first run creates the folder and the file. */
const inSeparateRuns = (charges: number): Scenario => ({
  name: `${charges} runs of the built program`,
  journal: 'wal',
  record: async (world) => {
    const words = ['--medium', 'ussd', '--provider', 'gtb', '--json'];
    const program = [...PROGRAM, 'ugwo', 'charge'];
    const commands = ugwosOf(world, charges).map((ugwo) => () => [...program, ugwo, ...words]);
    return (await record(world, commands)).recording;
  },
});

/** The disk fails when the outcome is recorded, so that it goes to the emergency file; then the power is lost. */
const throughEmergency = (journal: Journal): Scenario => ({
  name: `an outcome in the emergency file, ${journal}`,
  journal,
  record: async (world, sabotage) => {
    const file = await bundle(world, sabotage);
    const command = drive(file, world, { journal, charges: 1, lanes: 1 });
    const { calls } = await record(world, [command]);
    const answered = calls.findLastIndex(
      ({ name, args }) => /^(read|recvfrom)$/.test(name) && targetOf(args[0] ?? '')?.startsWith('socket:') === true,
    );
    const write = calls.find(({ name }, at) => at > answered && name === 'pwrite64');
    if (write === undefined) throw new Error('no write after the answer');
    return (await record(world, [command], `pwrite64:error=EIO:when=${write.nth}`)).recording;
  },
});

const NEAR = 2;

/** Every moment; for a long recording those around each write to the database, and a sample of the others. */
const pointsOf = ({ recorded, onDatabase }: Recording, most = Number.POSITIVE_INFINITY): number[] => {
  const all = [...recorded.keys()];
  if (all.length <= most) return all;
  const near = onDatabase.flatMap((at) => all.slice(Math.max(0, at - NEAR), at + NEAR + 1));
  return [...new Set([...near, ...spread(all, most)])].sort((a, b) => a - b);
};

const total = ({ found }: Replayed): number => Math.max(0, ...found.values());

const described = ({ states, found, examples }: Replayed): string => {
  const kinds = [...found].map(([kind, count]) => `${kind} in ${count}`).join(', ');
  return `${kinds || 'nothing found'} of ${states} states${examples.length === 0 ? '' : ` (${examples.join('; ')})`}`;
};

const seed = Number(process.env['PAYCLI_TORTURE_SEED'] ?? Date.now() % 2 ** 31);

/** There are many states, and only their content matters. */
const statesFolder = (): string => mkdtempSync(join(foldersGoTo(), 'paycli-states-'));

interface Replaying {
  readonly scenario: Scenario;
  readonly world: World;
  readonly random: number;
  readonly sabotage?: Sabotage;
}

const replayed = async ({ scenario, world, random, sabotage }: Replaying): Promise<Replayed> => {
  const recording = await scenario.record(world, sabotage);
  const sends = recording.recorded.filter(({ kind }) => kind === 'sent').length;
  const said = recording.recorded.filter(({ kind }) => kind === 'said').length;
  if (sends === 0 || said === 0) throw new Error(`the recording shows ${sends} sends and ${said} outcomes`);
  const folder = statesFolder();
  const { recorded } = recording;
  const points = pointsOf(recording, scenario.most);
  try {
    const inspect = inspectLedger(scenario.journal);
    return await replay({ recorded, points, random, seed, file: LEDGER, inspect, folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const scenariosOf = (short: boolean): readonly Scenario[] => {
  const charges = short ? 4 : 12;
  const both: readonly Journal[] = ['wal', 'truncate'];
  return [
    ...both.map((journal) => inOneProcess({ journal, charges, lanes: 2 })),
    ...both.map(afterAnother),
    inSeparateRuns(short ? 2 : 4),
    ...both.map(throughEmergency),
    // Long enough for a checkpoint and a restart of the log.
    ...(short ? [] : [inOneProcess({ journal: 'wal', charges: 640, lanes: 4 }, 500)]),
  ];
};

interface Proof {
  readonly sabotage: Sabotage;
  readonly scenario: Scenario;
  /** The finding that must occur. */
  readonly finding: Finding['kind'];
}

/** Each sabotage with the scenario that must detect it. */
const proofs = (): readonly Proof[] => {
  const both: readonly Journal[] = ['wal', 'truncate'];
  // Without any sync the result is more often no database than one without the row.
  const synced = [
    { sabotage: NORMAL, finding: 'lost intent' },
    { sabotage: OFF, finding: 'unusable' },
    { sabotage: SENT_FIRST, finding: 'lost intent' },
  ] as const;
  const intents = synced.flatMap((proof) =>
    both.map((journal): Proof => ({ ...proof, scenario: inOneProcess({ journal, charges: 4, lanes: 1 }) })),
  );
  const first = { journal: 'wal', charges: 1, lanes: 1 } as const;
  const folder: Proof = { sabotage: FOLDER_UNSYNCED, scenario: inOneProcess(first), finding: 'lost intent' };
  const outcome: Proof = { sabotage: EMERGENCY_UNSYNCED, scenario: throughEmergency('wal'), finding: 'lost outcome' };
  return [...intents, folder, outcome];
};

const SABOTAGE_RANDOM = 1;

/** Replays each scenario, which must find nothing, and each sabotage, which must find something. */
export const powerLoss: Part = async ({ short, folder, say }: PartOptions) => {
  mkdirSync(folder, { recursive: true });
  let number = 0;
  const service = await serveCounting();
  const runtime = RUNTIME === 'node' ? process.execPath : await fromNpm(bunHere());
  const world: World = { folder, runtime, service, next: () => ++number };
  const [figures, failures]: [Figure[], string[]] = [[{ name: 'power loss: seed', value: seed }], []];
  const note = (name: string, result: Replayed, isFailure: boolean): void => {
    say(`power loss, ${name}: ${described(result)}`);
    figures.push(
      { name: `power loss, ${name}: states`, value: result.states },
      { name: `power loss, ${name}: states with a loss`, value: total(result) },
    );
    if (isFailure) failures.push(`power loss, ${name}, seed ${seed}: ${described(result)}`);
  };
  let states = 0;
  try {
    for (const scenario of scenariosOf(short)) {
      const result = await replayed({ scenario, world, random: short ? 2 : 10 });
      states += result.states;
      note(scenario.name, result, total(result) > 0);
    }
    for (const { sabotage, scenario, finding } of proofs()) {
      const result = await replayed({ scenario, world, random: SABOTAGE_RANDOM, sabotage });
      note(`sabotaged (${sabotage.name}), ${scenario.name}`, result, !result.found.has(finding));
    }
  } finally {
    service.close();
  }
  return { figures: [...figures, { name: 'power loss: states of the real program', value: states }], failures };
};

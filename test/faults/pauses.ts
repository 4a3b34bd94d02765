import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PROGRAM, RUNTIME } from '../support/built.ts';
import { PASSING_CLOCK } from '../support/pause.ts';
import { type Counting, serveCounting, ugwoOf } from './counting.ts';
import { isClock, isGiven } from './hand-over.ts';
import { inLanes, type Part, type PartOptions } from './part.ts';
import { type Point, pointsOf } from './points.ts';
import { ASKED_ONCE, bundleDriver } from './sabotage.ts';
import { bytesOf, type Call, callsOf, isWholeText, stopIn, type Traced, trace } from './strace.ts';
import { environmentOf, type Surroundings } from './surroundings.ts';

/*
 * Every pause. A charge is stopped (SIGSTOP) at each system call from the check's connection to its end. It resumes
 * when its time is over. Then the program checks and sends anew, once; a driver that can't do that sends nothing, unless
 * the last check of its clock has passed. The service's count decides.
 */

const LOOK_MS = 10;

/** The program that charges. */
interface Charger {
  readonly command: (home: string, origin: string, ugwo: string) => readonly string[];
  readonly runtime: 'node' | 'bun';
  /** When it is too late to send, it checks and sends anew. Else it ends with 1. */
  readonly sendsAnew: boolean;
}

interface World {
  readonly folder: string;
  readonly service: Counting;
  readonly next: () => number;
}

/** How far a charge had come. `asked`: the last check of the deadline had passed. */
type Stage = 'begun' | 'looked' | 'connected' | 'asked' | 'sent';

interface Paused {
  readonly ended: Traced;
  /** The calls up to the stop, or up to the end. */
  readonly points: readonly Point[];
  /** Where it was stopped, if it was. */
  readonly stage: Stage | undefined;
  readonly executed: number;
}

const BUILT: Charger = {
  command: (_home, _origin, ugwo) => [
    ...PROGRAM,
    ...['ugwo', 'charge', ugwo, '--medium', 'ussd', '--provider', 'gtb', '--json'],
  ],
  runtime: RUNTIME,
  sendsAnew: true,
};

const driverIn = (file: string): Charger => ({
  command: (home, origin, ugwo) => [
    ...[process.execPath, file],
    ...[join(home, 'ledger.sqlite'), origin, 'wal', '1', 'close', ugwo],
  ],
  runtime: 'node',
  sendsAnew: false,
});

/** Resumes a stopped program after its clock has advanced by an hour, as often as a thread of it is stopped. */
const goOn = async (prefix: string, passed: string, over: AbortSignal): Promise<void> => {
  for (;;) {
    // Only strace's file shows a stop.
    await wait(LOOK_MS, undefined, { signal: over });
    const { pid } = stopIn(prefix);
    if (pid === undefined) continue;
    writeFileSync(passed, '');
    process.kill(pid, 'SIGCONT');
  }
};

/** The environment of the program, with the clock that advances. */
const surroundings = ({ runtime }: Charger, where: Surroundings, passed: string): Record<string, string> => {
  const clock = join(where.folder, 'clock.mjs');
  writeFileSync(clock, PASSING_CLOCK);
  const first = runtime === 'node' ? { NODE_OPTIONS: `--import=${clock}` } : { BUN_OPTIONS: `--preload=${clock}` };
  return { ...environmentOf(where), ...first, CLOCK_PASSED: passed };
};

/** A connection to the service: the name of the user is asked of a local socket. */
const isConnect = ({ call: { name, args }, on }: Point): boolean =>
  on === 'socket' && name === 'connect' && args.some((arg) => arg.includes('AF_INET'));

/**
 * How far a charge with these calls had come; its check has a connection of its own. `passed`: the file of its wall
 * clock.
 */
const stageOf = (calls: readonly Call[], points: readonly Point[], passed: string): Stage => {
  const [, connect] = points.filter(isConnect);
  if (connect === undefined) return points.some(isConnect) ? 'looked' : 'begun';
  if (points.slice(points.indexOf(connect)).some(isGiven)) return 'sent';
  // The wall clock is read just before the monotonic clock.
  const atClock = calls.at(-1)?.args.some((arg) => isWholeText(arg) && bytesOf(arg).toString() === passed) === true;
  return atClock || calls.slice(calls.indexOf(connect.call)).some(isClock) ? 'asked' : 'connected';
};

/** One charge, stopped where strace says. */
const charge = async ({ folder, service, next }: World, charger: Charger, inject?: string): Promise<Paused> => {
  const number = next();
  const { origin } = service;
  const [run, ugwo] = [join(folder, `run-${number}`), ugwoOf(number)];
  const [home, prefix, passed] = [join(run, 'home'), join(run, 'trace'), join(run, 'passed')];
  mkdirSync(run);
  const over = new AbortController();
  const going = goOn(prefix, passed, over.signal).catch(() => undefined);
  const env = surroundings(charger, { home, folder, origin }, passed);
  const stop = inject === undefined ? {} : { inject };
  try {
    const ended = await trace(charger.command(home, origin, ugwo), { env, prefix, stops: true, ...stop });
    const calls = callsOf(prefix, 'stop');
    const points = pointsOf(calls, home);
    const stage = stopIn(prefix).was ? stageOf(calls, points, passed) : undefined;
    return { ended, points, stage, executed: service.executed(ugwo) };
  } finally {
    over.abort();
    await going;
    rmSync(run, { recursive: true, force: true });
  }
};

/** What is wrong with the end of a charge that was stopped there. */
const faultOf = ({ ended, stage, executed }: Paused, { sendsAnew }: Charger): string | undefined => {
  const isSent = sendsAnew || stage === 'sent' || (stage !== 'connected' && executed > 0);
  if (ended.code === (isSent ? 0 : 1) && executed === (isSent ? 1 : 0)) return undefined;
  return `exit ${ended.code}, charged ${executed} times: ${ended.stderr.trim()}`;
};

/** Stops a charge at each call of these kinds; counts the stages, and returns the faults. */
const stopAll = async (world: World, charger: Charger, kinds: readonly Point['on'][]) => {
  const { points } = await charge(world, charger);
  const chosen = points.slice(points.findIndex(isConnect)).filter(({ on }) => kinds.includes(on));
  const stages = { begun: 0, looked: 0, connected: 0, asked: 0, sent: 0 };
  const faults: string[] = [];
  await inLanes(chosen, async ({ call: { name, nth }, what }) => {
    const paused = await charge(world, charger, `${name}:signal=SIGSTOP:when=${nth}`);
    const { stage } = paused;
    if (stage === undefined) return;
    stages[stage] += 1;
    const fault = faultOf(paused, charger);
    if (fault !== undefined) faults.push(`${stage}, at ${what}: ${fault}`);
  });
  const missed = (['looked', 'connected', 'sent'] as const).filter((stage) => stages[stage] === 0);
  return { stages, faults: [...faults, ...missed.map((stage) => `${stage}: it was stopped nowhere`)] };
};

/** Whether a driver that checks the deadline only once is detected; returns the faults of an unchanged one. */
const prove = async (world: World): Promise<string[]> => {
  const [whole, broken] = [join(world.folder, 'driver.mjs'), join(world.folder, 'broken.mjs')];
  await bundleDriver(whole);
  await bundleDriver(broken, ASKED_ONCE);
  const { faults } = await stopAll(world, driverIn(whole), ['socket']);
  const caught = (await stopAll(world, driverIn(broken), ['socket'])).faults;
  const isCaught = caught.some((fault) => /^connected, .* charged 1 times/.test(fault));
  return [...faults.map((fault) => `driver, ${fault}`), ...(isCaught ? [] : [`${ASKED_ONCE.name}: not noticed`])];
};

/** Stops charges of the built program, and of a sabotaged one. */
export const pauses: Part = async ({ short, folder, say }: PartOptions) => {
  let number = 0;
  const service = await serveCounting();
  const world: World = { folder, service, next: () => ++number };
  try {
    // Fills the compile cache.
    await charge(world, BUILT);
    const { stages, faults } = await stopAll(world, BUILT, short ? ['socket'] : ['socket', 'file']);
    const failures = [...faults, ...(await prove(world))].map((fault) => `pauses, ${fault}`);
    for (const failure of failures) say(`FAILED  ${failure}`);
    const figures = [
      { name: 'pauses: before the connection', value: stages.looked },
      { name: 'pauses: between the connection and the last question', value: stages.connected },
      { name: 'pauses: between the last question and the send', value: stages.asked },
      { name: 'pauses: at the send or behind it', value: stages.sent },
      { name: 'pauses: failures', value: failures.length },
    ];
    return { figures, failures };
  } finally {
    service.close();
  }
};

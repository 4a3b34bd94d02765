import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PROGRAM, RUNTIME } from '../support/built.ts';
import { PASSING_CLOCK } from '../support/pause.ts';
import type { Counting } from './counting.ts';
import { serveCounting, ugwoOf } from './counting.ts';
import { isGiven } from './hand-over.ts';
import type { Part, PartOptions } from './part.ts';
import { inLanes } from './part.ts';
import type { Point } from './points.ts';
import { pointsOf } from './points.ts';
import type { Traced } from './strace.ts';
import { callsOf, stoppedIn, trace } from './strace.ts';
import { environmentOf } from './surroundings.ts';

/*
 * Every pause. A charge is stopped (SIGSTOP) at each system call from the look's connection to its end, goes on when its time
 * is over, and may be sent no more: what the service counted decides.
 */

const LOOK_MS = 10;

interface World {
  readonly folder: string;
  readonly service: Counting;
  readonly next: () => number;
}

interface Paused {
  readonly ended: Traced;
  /** The calls before the stop, that one included; without a stop, all. */
  readonly points: readonly Point[];
  readonly isStopped: boolean;
  readonly executed: number;
}

/** Lets a program go on that was stopped, when an hour has passed for it. */
const goOn = async (prefix: string, passed: string, over: AbortSignal): Promise<void> => {
  for (;;) {
    // strace tells nobody of a stop but its file.
    await wait(LOOK_MS, undefined, { signal: over });
    const pid = stoppedIn(prefix);
    if (pid === undefined) continue;
    writeFileSync(passed, '');
    process.kill(pid, 'SIGCONT');
    return;
  }
};

/** One charge, stopped at the nth call of a name. */
const charge = async ({ folder, service, next }: World, stop?: string): Promise<Paused> => {
  const number = next();
  const [run, ugwo] = [join(folder, `run-${number}`), ugwoOf(number)];
  const [home, prefix, passed] = [join(run, 'home'), join(run, 'trace'), join(run, 'passed')];
  mkdirSync(run);
  const before = join(folder, 'before.mjs');
  const preload = RUNTIME === 'node' ? { NODE_OPTIONS: `--import=${before}` } : { BUN_OPTIONS: `--preload=${before}` };
  const env = { ...environmentOf({ home, folder, origin: service.origin }), ...preload, CLOCK_PASSED: passed };
  const over = new AbortController();
  const going = goOn(prefix, passed, over.signal).catch(() => undefined);
  const command = [...PROGRAM, 'ugwo', 'charge', ugwo, '--medium', 'ussd', '--provider', 'gtb', '--json'];
  const inject = stop === undefined ? {} : { inject: `${stop.replace(' ', ':signal=SIGSTOP:when=')}` };
  try {
    const ended = await trace(command, { env, prefix, stops: true, ...inject });
    const points = pointsOf(callsOf(prefix, 'stop'), home);
    return { ended, points, isStopped: stoppedIn(prefix) !== undefined, executed: service.executed(ugwo) };
  } finally {
    over.abort();
    await going;
    rmSync(run, { recursive: true, force: true });
  }
};

const isConnect = ({ call: { name }, on }: Point): boolean => on === 'socket' && name === 'connect';

/** How far a charge was: the look has a connection of its own. */
const stageOf = (points: readonly Point[]): 'before' | 'look' | 'connection' | 'sent' => {
  const connects = points.filter(isConnect).length;
  if (connects < 2) return connects === 0 ? 'before' : 'look';
  return points.slice(points.findLastIndex(isConnect)).some(isGiven) ? 'sent' : 'connection';
};

/** What is wrong with the end of a charge that was stopped there for too long. */
const faultOf = ({ ended, points, executed }: Paused): string | undefined => {
  const isSent = ['before', 'sent'].includes(stageOf(points));
  const [code, count] = isSent ? [0, 1] : [5, 0];
  if (ended.code === code && executed === count) return undefined;
  return `exit ${ended.code}, charged ${executed} times: ${ended.stderr.trim()}`;
};

/** Stops a charge at each of these calls in turn. */
export const pauses: Part = async ({ short, folder, say }: PartOptions) => {
  let number = 0;
  const service = await serveCounting();
  const world: World = { folder, service, next: () => ++number };
  const failures: string[] = [];
  const stages = { before: 0, look: 0, connection: 0, sent: 0 };
  writeFileSync(join(folder, 'before.mjs'), PASSING_CLOCK);
  try {
    // The first one fills the compile cache.
    await charge(world);
    const { points } = await charge(world);
    const from = points.findIndex(isConnect);
    const chosen = points.slice(from).filter(({ on }) => !short || on === 'socket');
    say(`pauses: ${chosen.length} calls`);
    await inLanes(chosen, async ({ call: { name, nth }, what }) => {
      const paused = await charge(world, `${name} ${nth}`);
      if (!paused.isStopped) return;
      stages[stageOf(paused.points)] += 1;
      const fault = faultOf(paused);
      if (fault === undefined) return;
      failures.push(`pauses, at ${what}, call ${paused.points.length}: ${fault}`);
      say(`FAILED  ${failures.at(-1)}`);
    });
  } finally {
    service.close();
  }
  for (const stage of ['look', 'connection', 'sent'] as const)
    if (stages[stage] === 0) failures.push(`pauses: no stop came at the stage "${stage}"`);
  return {
    figures: [
      { name: 'pauses: between the look and the connection, not charged', value: stages.look },
      { name: 'pauses: between the connection and the send, not charged', value: stages.connection },
      { name: 'pauses: at the send or behind it, charged', value: stages.sent },
      { name: 'pauses: failures', value: failures.length },
    ],
    failures,
  };
};

import type { ChargeEnd } from '../charger.ts';
import { MADE, type Post, ugwoOf } from '../counting.ts';
import { check } from '../judge.ts';
import type { Part, PartOptions, PartResult } from '../part.ts';
import { faultsOfRace, LOST } from '../race.ts';
import { type Member, startMember } from '../team.ts';
import { chance, drawn, seed } from '../torture.ts';
import { type Bench, openBench } from './bench.ts';

export interface Size {
  readonly processes: number;
  readonly ugwos: number;
  /** One in this many answers is lost; 0: none. */
  readonly lostOf: number;
}

const FULL: Size = { processes: 8, ugwos: 2000, lostOf: 0 };
const SHORT: Size = { processes: 3, ugwos: 24, lostOf: 0 };
const [LOST_OF, SHORT_LOST_OF] = [20, 4];

/** No checks, which would show the activities of others: only the ledger prevents second charges. */
const LIMITS = { look: undefined, charge: 20_000 };

/** All charge the same few at a time, each in its own order. */
const AT_ONCE = 4;
const shuffled = (ugwos: readonly string[], racer: number): string[] => {
  const places = new Map(ugwos.map((ugwo, at) => [ugwo, Math.floor(at / AT_ONCE) + chance(`${racer} ${ugwo}`)]));
  return [...ugwos].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
};

/** Every second process shares its machine with the one before it. */
const runAll = async (bench: Bench, racers: readonly Member[], ugwos: readonly string[]): Promise<ChargeEnd[]> => {
  const machines = racers.map((_, racer) => Math.floor(racer / 2));
  const folders = [...new Set(machines)].map(() => bench.newMachine());
  const all = racers.map(async (member, racer) => {
    const machine = machines[racer] as number;
    const order = { url: bench.url(), origin: bench.service.origin, limits: LIMITS };
    const own = { machine: `machine-${machine}`, folder: folders[machine] as string, ugwos: shuffled(ugwos, racer) };
    return (await member.charge({ ...order, ...own })) ?? [];
  });
  return (await Promise.all(all)).flat();
};

const race = async ({ processes, ugwos: count, lostOf }: Size, { folder }: PartOptions): Promise<PartResult> => {
  const isLost = (ugwo: string): boolean => lostOf > 0 && drawn(ugwo) % lostOf === 0;
  const bench = await openBench(folder, {}, ({ ugwo }: Post) => (isLost(ugwo) ? LOST : MADE));
  const racers = await Promise.all(Array.from({ length: processes }, () => startMember()));
  try {
    const ugwos = Array.from({ length: count }, (_, number) => ugwoOf(number));
    const started = performance.now();
    const ends = await runAll(bench, racers, ugwos);
    const seconds = (performance.now() - started) / 1000;
    const lost = ugwos.filter(isLost).length;
    const { posts } = bench.service;
    const changes = await bench.changes();
    const begun = changes.filter(({ state }) => state === 'sending').length;
    const outcomes = changes.filter(({ state }) => state !== 'sending');
    const name = lostOf === 0 ? 'races' : 'races, answers lost';
    return {
      figures: [
        { name: `${name}: processes`, value: processes },
        { name: `${name}: payment requests`, value: count },
        { name: `${name}: POSTs by the service`, value: posts.length },
        { name: `${name}: refused`, value: ends.filter(({ kind }) => kind === 'refused').length },
        { name: `${name}: lost answers`, value: lost },
        { name: `${name}: charges a second`, value: Math.round(count / seconds) },
      ],
      failures: [
        ...faultsOfRace({ processes, ugwos, isLost, ends, came: posts.map(({ ugwo }) => ugwo), outcomes }),
        ...check(begun === outcomes.length, `${begun} were begun, and ${outcomes.length} have ended`),
        ...(await bench.faults()),
      ].map((failure) => `${name}, seed ${seed}: ${failure.slice(0, 2000)}`),
    };
  } finally {
    for (const racer of racers) racer.kill();
    await bench.close();
  }
};

/** Processes, two on each machine, that race for the same payment requests; and the same with lost answers. */
export const races: Part = async (options) => {
  const size = options.short ? SHORT : FULL;
  const all = [
    await race(size, options),
    await race({ ...size, lostOf: options.short ? SHORT_LOST_OF : LOST_OF }, options),
  ];
  return { figures: all.flatMap(({ figures }) => figures), failures: all.flatMap(({ failures }) => failures) };
};

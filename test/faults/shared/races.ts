import { countBy } from '../bulk-file.ts';
import type { ChargeEnd } from '../charger.ts';
import { type Fate, MADE, type Post, ugwoOf } from '../counting.ts';
import type { Part, PartOptions, PartResult } from '../part.ts';
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
const LOST: Fate = { makes: true, answer: 'reset' };

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

const differs = (what: string, seen: unknown, expected: unknown): string[] => {
  const [one, other] = [seen, expected].map((value) => JSON.stringify(value));
  return one === other ? [] : [`${what}: ${one}, not ${other}`];
};

const sorted = (counts: Readonly<Record<string, number>>): [string, number][] =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort();

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
    const came = bench.service.posts.length;
    const states = (await bench.changes()).map(({ state }) => state);
    const expected = { accepted: count - lost, refused: count * (processes - 1), unknown: lost };
    const name = lostOf === 0 ? 'races' : 'races, answers lost';
    return {
      figures: [
        { name: `${name}: processes`, value: processes },
        { name: `${name}: payment requests`, value: count },
        { name: `${name}: POSTs by the service`, value: came },
        { name: `${name}: refused`, value: ends.filter(({ kind }) => kind === 'refused').length },
        { name: `${name}: lost answers`, value: lost },
        { name: `${name}: charges a second`, value: Math.round(count / seconds) },
      ],
      failures: [
        ...differs('POSTs', came, count),
        ...differs('ends', sorted(countBy(ends.map(({ kind }) => kind))), sorted(expected)),
        ...differs(
          'states',
          sorted(countBy(states)),
          sorted({ sending: count, accepted: count - lost, unknown: lost }),
        ),
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

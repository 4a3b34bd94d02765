import { type Compared, type Line, median } from './line.ts';

/** How long one run takes, in milliseconds; or what is missing for it. */
export type Contender = (() => number | Promise<number>) | { readonly missing: string };

/** How a time is shown: as it is, or as a rate. */
export interface Unit {
  readonly name: string;
  readonly of: (ms: number) => number;
}

const MILLISECONDS: Unit = { name: 'ms', of: (ms) => ms };

/** A line whose value is the first one's time divided by the second one's. */
export interface Comparison extends Compared {
  readonly ratio: readonly [first: string, second: string];
  readonly unit?: Unit;
}

export interface Race {
  readonly rounds: number;
  /** A first round that does not count; not for those that take minutes. */
  readonly warmUp: boolean;
  readonly contenders: Readonly<Record<string, Contender>>;
  readonly comparisons: readonly Comparison[];
}

type Times = Readonly<Record<string, readonly number[]>>;

/** Everybody's times, round by round. Whoever comes first meets another machine than the next, so that they take turns. */
export const takeTurns = async (
  rounds: number,
  contenders: Readonly<Record<string, () => number | Promise<number>>>,
): Promise<Times> => {
  const all = Object.entries(contenders);
  const times = Object.fromEntries(all.map(([name]): [string, number[]] => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % all.length;
    for (const [name, run] of [...all.slice(first), ...all.slice(0, first)]) times[name]?.push(await run());
  }
  return times;
};

const lineOf = ({ ratio, unit = MILLISECONDS, ...compared }: Comparison, times: Times): Line => {
  const [firsts = [], seconds = []] = ratio.map((name) => times[name]);
  const seen = ratio.map((name): [string, number] => [name, unit.of(median(times[name] ?? []))]);
  return {
    ...compared,
    value: median(firsts.map((ms, round) => ms / (seconds[round] ?? Number.NaN))),
    seen: Object.fromEntries(seen),
    seenIn: unit.name,
  };
};

/** Lets those who can run in turns, and compares them; a line says what is missing where one cannot. */
export const race = async ({ rounds, warmUp, contenders, comparisons }: Race): Promise<Line[]> => {
  const missing = new Map<string, string>();
  const ready: Record<string, () => number | Promise<number>> = {};
  for (const [name, contender] of Object.entries(contenders)) {
    if (typeof contender === 'function') ready[name] = contender;
    else missing.set(name, contender.missing);
  }
  if (warmUp) await takeTurns(1, ready);
  const times = await takeTurns(rounds, ready);
  return comparisons.map((comparison): Line => {
    const reasons = [...new Set(comparison.ratio.flatMap((name) => missing.get(name) ?? []))];
    if (reasons.length === 0) return lineOf(comparison, times);
    const { ratio, unit, ...compared } = comparison;
    return { ...compared, missing: reasons.join('; ') };
  });
};

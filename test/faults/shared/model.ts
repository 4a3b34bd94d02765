import fc from 'fast-check';
import type { Figure, Part } from '../part.ts';
import { drawn, seed } from '../torture.ts';
import { openBench } from './bench.ts';
import { FAULTS, type Fault, MACHINES, openWorld, type Round, type Task, UGWOS } from './model-world.ts';

const RUNS = { short: 3, full: 300 };
/** A connection and its start-up need about 30 messages, a charge 40 more, and concurrent charges more than that. */
const at = fc.oneof({ weight: 1, arbitrary: fc.nat(30) }, { weight: 4, arbitrary: fc.integer({ min: 30, max: 90 }) });

const fault: fc.Arbitrary<Fault | undefined> = fc.option(fc.record({ kind: fc.constantFrom(...FAULTS), at }), {
  nil: undefined,
  freq: 2,
});

const task: fc.Arbitrary<Task> = fc.record({
  machine: fc.nat(MACHINES - 1),
  ugwos: fc.uniqueArray(fc.nat(UGWOS - 1), { minLength: 1, maxLength: UGWOS }),
  fault,
});

const round: fc.Arbitrary<Round> = fc.record({
  tasks: fc.array(task, { minLength: 2, maxLength: 4 }),
  /** Afterwards an operator resolves a payment request. */
  resolved: fc.option(fc.record({ machine: fc.nat(MACHINES - 1), ugwo: fc.nat(UGWOS - 1) }), { nil: undefined }),
});

const rounds = fc.array(round, { minLength: 1, maxLength: 5 });

/** Several machines charge few payment requests at once, with random faults in random order. */
export const model: Part = async ({ short, folder }) => {
  const bench = await openBench(folder);
  const ends: Record<string, number> = {};
  const failures: string[] = [];
  const property = fc.asyncProperty(rounds, async (all) => {
    const world = openWorld(bench);
    for (const one of all) for (const { kind } of await world.play(one)) ends[kind] = (ends[kind] ?? 0) + 1;
    const faults = await world.faults();
    if (faults.length > 0) throw new Error(faults.join('\n'));
  });
  const numRuns = short ? RUNS.short : RUNS.full;
  try {
    // The order of events is not reproducible: a smaller case would often be a different one.
    await fc.assert(property, { numRuns, seed: drawn('shared model') % 2 ** 31, endOnFailure: true });
  } catch (thrown) {
    failures.push(
      `PAYCLI_TORTURE_SEED=${seed}: ${(thrown as Error).message}\n${String((thrown as Error).cause ?? '')}`,
    );
  } finally {
    await bench.close();
  }
  const figures: Figure[] = Object.entries(ends).map(([kind, value]) => ({
    name: `shared model: ended as ${kind}`,
    value,
  }));
  return { figures: [{ name: 'shared model: runs', value: numRuns }, ...figures], failures };
};

import fc from 'fast-check';

/** How far a target is run. */
export interface Extent {
  readonly seed: number;
  readonly runs: number;
  /** In milliseconds: no run is begun later. */
  readonly limit?: number;
  /** Where a find was made: that run alone is made again. */
  readonly path?: string;
}

/** What came of it. */
export interface Fuzzed {
  readonly runs: number;
  /** Seed, path and the smallest value, as they are needed to make it again, and what was wrong. */
  readonly find: string | undefined;
}

/** Something that takes what others wrote, and what must hold of it whatever that is. */
export interface Target {
  readonly name: string;
  readonly run: (extent: Extent) => Promise<Fuzzed>;
}

/** Characters of one find that are printed. */
const MOST = 6000;

/** A target of one kind of input, which is made when it is run; `holds` throws where its property is broken. */
export const target = <T>(
  name: string,
  input: () => fc.Arbitrary<T>,
  holds: (value: T) => Promise<void> | void,
): Target => ({
  name,
  run: async ({ seed, runs, limit, path }) => {
    const property = fc.asyncProperty(input(), async (value) => holds(value));
    const details = await fc.check(property, {
      seed,
      numRuns: runs,
      ...(path === undefined ? {} : { path }),
      ...(limit === undefined ? {} : { interruptAfterTimeLimit: limit, markInterruptAsFailure: false }),
    });
    return { runs: details.numRuns, find: details.failed ? `${name}: ${findOf(details)}` : undefined };
  },
});

const findOf = <T>(details: fc.RunDetails<T>): string => {
  const { errorInstance: thrown } = details;
  const why = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return `${(fc.defaultReportMessage(details) ?? '').slice(0, MOST)}\n${why.slice(0, MOST)}`;
};

/** Throws where a property does not hold. */
export const must = (holds: boolean, what: () => string): void => {
  if (!holds) throw new Error(what());
};

/** The same text, or a message that shows where they differ. */
export const mustEqual = (found: string, wanted: string, what: string): void => {
  must(found === wanted, () => `${what}: ${JSON.stringify(found)}, and ${JSON.stringify(wanted)} was expected`);
};

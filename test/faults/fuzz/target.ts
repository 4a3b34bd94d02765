import fc from 'fast-check';

/** How far a target is run. */
export interface Extent {
  readonly seed: number;
  readonly runs: number;
  /** In milliseconds: no run begins later. */
  readonly limit?: number;
  /** The path of a finding: only that run is repeated. */
  readonly path?: string;
}

/** The result. */
export interface Fuzzed {
  readonly runs: number;
  /** Seed, path and smallest value of a finding, for reproduction, and the error. */
  readonly find: string | undefined;
}

/** A parser of foreign input, and its property. */
export interface Target {
  readonly name: string;
  readonly run: (extent: Extent) => Promise<Fuzzed>;
}

/** The maximum length of a printed finding. */
const MOST = 6000;

/** A target with one kind of input, which is generated when it runs; `holds` throws if the property is violated. */
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

/** Throws if a property is violated. */
export const must = (holds: boolean, what: () => string): void => {
  if (!holds) throw new Error(what());
};

/** Throws a message that shows the difference unless the texts are equal. */
export const mustEqual = (found: string, wanted: string, what: string): void => {
  must(found === wanted, () => `${what}: ${JSON.stringify(found)}, and ${JSON.stringify(wanted)} was expected`);
};

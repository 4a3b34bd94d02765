/** One row of the table that the torture prints. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit?: string;
}

/** The options of a part of the torture. */
export interface PartOptions {
  /** An evenly spread sample in place of everything. */
  readonly short: boolean;
  /** A folder of its own, which is removed afterwards. */
  readonly folder: string;
  readonly say: (line: string) => void;
}

/** The result. A failure says what was done and what was seen. */
export interface PartResult {
  readonly figures: readonly Figure[];
  readonly failures: readonly string[];
}

export type Part = (options: PartOptions) => Promise<PartResult>;

const LANES = 2;

/** Processes a list with limited concurrency. */
export const inLanes = async <T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
  lanes = LANES,
): Promise<void> => {
  const entries = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of entries) await work(item, index);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
};

/** An evenly spread sample of a list. */
export const spread = <T>(items: readonly T[], most: number): T[] =>
  items.length <= most
    ? [...items]
    : Array.from({ length: most }, (_, n) => items[Math.floor((n * items.length) / most)] as T);

/** A bound that the measured value should keep. */
export interface Goal {
  readonly bound: '≤' | '≥';
  readonly value: number;
}

/** What is compared with what: a row of design/performance.md, which may have several lines. */
export interface Compared {
  readonly row: number;
  /** A few words for the chart. */
  readonly name: string;
  readonly work: string;
  /** Empty for what is measured for itself. */
  readonly against: string;
  /** Lines without one are only shown. */
  readonly goal?: Goal;
}

export interface Measured extends Compared {
  /** A ratio taken side by side, the median of the pairs; or a measure in `unit`. */
  readonly value: number;
  readonly unit?: 'MB' | 's' | 'round trips';
  /** What was seen of both, by name, in `seenIn`. */
  readonly seen: Readonly<Record<string, number>>;
  readonly seenIn: string;
}

export interface Unmeasured extends Compared {
  /** What it would take, in the user's words. */
  readonly missing: string;
}

export type Line = Measured | Unmeasured;

export const keeps = (value: number, { bound, value: limit }: Goal): boolean =>
  bound === '≤' ? value <= limit : value >= limit;

/** How much of what the goal allows was taken: 1 is the goal itself, less is better. */
export const shareOf = (value: number, { bound, value: limit }: Goal): number =>
  bound === '≤' ? value / limit : limit / value;

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? Number.NaN) + (sorted[Math.floor(half)] ?? Number.NaN)) / 2;
};

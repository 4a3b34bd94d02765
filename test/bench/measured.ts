/** One line of the table in design/performance.md, as it was measured here. */
export interface Measured {
  readonly row: string;
  readonly work: string;
  readonly against: string;
  /** Taken side by side; the median of the pairs. */
  readonly ratio: number;
  readonly goal: string;
  readonly holds: boolean;
  /** What was seen beside it, by name. */
  readonly seen: Readonly<Record<string, number>>;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const rounded = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2));

const lineOf = ({ row, work, against, ratio, goal, holds, seen }: Measured): string => {
  const beside = Object.entries(seen).map(([name, value]) => `${name} ${rounded(value)}`);
  return `| ${row} | ${work} | ${against} | ${rounded(ratio)} | ${goal} | ${holds ? 'yes' : 'no'} | ${beside.join(', ')} |\n`;
};

export const tableOf = (all: readonly Measured[]): string =>
  `| # | work | against | ratio | goal | holds | seen |\n|---|---|---|---|---|---|---|\n${all.map(lineOf).join('')}`;

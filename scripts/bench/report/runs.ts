import type { Line } from '../run/line.ts';

/** One run of the benches, and what it ran on. */
export interface BenchRun {
  readonly date: string;
  readonly command: string;
  readonly commit: string;
  readonly machine: string;
  /** Versions by name. */
  readonly programs: Readonly<Record<string, string>>;
  readonly lines: readonly Line[];
}

/** The runs that the table is made of, after one more: its rows take the place of what earlier runs had of them. */
export const withRun = (runs: readonly BenchRun[], newest: BenchRun): BenchRun[] => {
  const measured = new Set(newest.lines.map(({ row }) => row));
  const kept = runs.map((run) => ({ ...run, lines: run.lines.filter(({ row }) => !measured.has(row)) }));
  return [...kept.filter(({ lines }) => lines.length > 0), newest];
};

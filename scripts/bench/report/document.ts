import type { BenchRun } from './runs.ts';
import { tableOf } from './table.ts';

const [BEGIN, END] = ['<!-- bench -->', '<!-- /bench -->'];
const CHART = '![What each measure takes of what its goal allows: less is better](performance.svg)';

const rowsOf = ({ lines }: BenchRun): string => {
  const rows = [...new Set(lines.map(({ row }) => row))].toSorted((a, b) => a - b);
  return `${rows.length === 1 ? 'Row' : 'Rows'} ${rows.join(', ')}`;
};

const noteOf = (run: BenchRun): string => {
  const programs = Object.entries(run.programs).map((program) => program.join(' '));
  return `${rowsOf(run)}: \`${run.command}\` on ${run.date} at commit ${run.commit}; ${run.machine}; ${programs.join(', ')}.\n`;
};

/** What stands between the marks: the table, the chart, and what the figures come from. */
export const sectionOf = (runs: readonly BenchRun[]): string =>
  [tableOf(runs.flatMap(({ lines }) => lines)), `${CHART}\n`, ...runs.map(noteOf)].join('\n');

/** The document with another section between its marks; all that is written by hand stays. */
export const withSection = (document: string, section: string): string => {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`the document has no ${BEGIN} … ${END} to write between`);
  return `${document.slice(0, begin)}${BEGIN}\n\n${section}\n${document.slice(end)}`;
};

import { keeps, type Line } from '../run/line.ts';
import { shown, shownGoal, shownValue } from './numbers.ts';

const HEAD = '| # | work | against | measured | goal | kept | seen |\n|---|---|---|---:|---:|---|---|\n';

const cellsOf = (line: Line): readonly string[] => {
  if ('missing' in line) {
    return ['not measured', line.goal === undefined ? '' : shownGoal(line.goal), '', line.missing];
  }
  const { value, goal, unit, seen, seenIn } = line;
  return [
    shownValue(line),
    goal === undefined ? '' : shownGoal(goal, unit),
    goal === undefined ? '' : keeps(value, goal) ? 'yes' : '**no**',
    Object.entries(seen)
      .map(([name, number]) => `${name} ${shown(number)} ${seenIn}`)
      .join(', '),
  ];
};

const rowOf = (line: Line): string => {
  const cells = [String(line.row), line.work, line.against, ...cellsOf(line)];
  // A bar inside of a cell would end it.
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
};

/** The lines as a table of Markdown, in the order of their rows. */
export const tableOf = (lines: readonly Line[]): string =>
  HEAD +
  lines
    .toSorted((a, b) => a.row - b.row)
    .map(rowOf)
    .join('');

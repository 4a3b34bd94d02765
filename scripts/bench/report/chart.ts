import { type Goal, keeps, type Line, type Measured, shareOf } from '../run/line.ts';
import { shownGoal, shownValue } from './numbers.ts';

const WIDTH = 770;
const LABELS = 266;
const BARS = 330;
const ROW = 22;
const BAR = 12;
const HEAD = 34;
const FOOT = 12;
/** The bars' place ends at so many times the goal; a longer bar is cut there, and its value still says what it is. */
const REACH = 1.5;

type Bounded = Measured & { readonly goal: Goal };

// An image follows the reader's system and not the page that it is on: so it brings a ground of its own.
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .ground { fill: #ffffff; stroke: #d1d9e0 }
  .kept { fill: #2f74c0 }
  .over { fill: #c2410c }
  .goal { stroke: #1f2328; stroke-dasharray: 3 2 }
  .value { font-size: 11px }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .ground { fill: #161b22; stroke: #3d444d }
    .kept { fill: #58a6ff }
    .over { fill: #fb923c }
    .goal { stroke: #e6edf3 }
  }
`;

const isBounded = (line: Line): line is Bounded => !('missing' in line) && line.goal !== undefined;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const xOf = (share: number): number => LABELS + Math.round((Math.min(share, REACH) / REACH) * BARS);

const barOf = (line: Bounded, index: number): string => {
  const { row, name, value, unit, goal } = line;
  const top = HEAD + index * ROW;
  const kept = keeps(value, goal);
  const length = Math.max(1, xOf(shareOf(value, goal)) - LABELS);
  const said = `${shownValue(line)} (goal ${shownGoal(goal, unit)})${kept ? '' : ' ✗'}`;
  return [
    `<text x="${LABELS - 10}" y="${top + 15}" text-anchor="end">${escaped(`${row} · ${name}`)}</text>`,
    `<rect class="${kept ? 'kept' : 'over'}" x="${LABELS}" y="${top + 5}" width="${length}" height="${BAR}" rx="2"/>`,
    `<text class="value" x="${LABELS + BARS + 10}" y="${top + 15}">${escaped(said)}</text>`,
  ].join('\n');
};

/** Bars for the lines that have a goal: how much of what it allows each takes. The goal is one line through all of them. */
export const chartOf = (lines: readonly Line[]): string => {
  const bounded = lines.filter(isBounded).toSorted((a, b) => a.row - b.row);
  const height = HEAD + bounded.length * ROW + FOOT;
  const goal = xOf(1);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    '<title>What each measure takes of what its goal allows</title>',
    `<style>${STYLE}</style>`,
    `<rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>`,
    `<text x="${goal}" y="20" text-anchor="middle">goal</text>`,
    ...bounded.map(barOf),
    `<line class="goal" x1="${goal}" y1="26" x2="${goal}" y2="${height - FOOT}"/>`,
    '</svg>\n',
  ].join('\n');
};

import type { Paint } from '../../output/style.ts';

/** How help is laid out: to so many columns, its headings painted. */
export interface Layout {
  readonly width: number;
  readonly heading: Paint;
}

/** Narrower than this nothing is wrapped any more. */
const NARROWEST = 20;
/** A longer term stands on a line of its own. */
const LONGEST_TERM = 30;
const INDENT = '  ';
const GAP = 2;

/** Every character of ours takes a column: to measure others would cost a start more than all the rest. */
const wrapped = (line: string, width: number): string[] => {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length > width && current !== '') lines.push(current);
    current = longer.length > width ? word : longer;
  }
  return [...lines, current];
};

/** Text in lines, broken between words. */
export const prose = (text: string, width: number): string[] =>
  text.split('\n').flatMap((line) => wrapped(line, Math.max(NARROWEST, width)));

/** Terms, and beside each what it means. */
export const entries = (rows: readonly (readonly [term: string, meaning: string])[], width: number): string[] => {
  const most = Math.min(LONGEST_TERM, Math.floor(width / 2));
  const terms = rows.map(([term]) => term.length).filter((length) => length <= most);
  const column = Math.max(0, ...terms) + GAP;
  return rows.flatMap(([term, meaning]) => {
    const lines = prose(meaning, width - column);
    const beside = term.length + GAP <= column;
    const first = (beside ? term.padEnd(column) : ' '.repeat(column)) + (lines[0] ?? '');
    return [
      ...(beside ? [] : prose(term, width)),
      first,
      ...lines.slice(1).map((line) => ' '.repeat(column) + line),
    ].map((line) => line.trimEnd());
  });
};

/** A heading and lines that are set in below it; nothing where there are none. */
export const section = (title: string, lines: (width: number) => readonly string[], layout: Layout): string[] => {
  const inside = lines(layout.width - INDENT.length);
  if (inside.length === 0) return [];
  return ['', layout.heading(`${title}:`), ...inside.map((line) => (line === '' ? '' : INDENT + line))];
};

/** The line that says how something is called; what is behind it is set in. */
export const usageLines = (usage: string, { width, heading }: Layout): string[] =>
  prose(`Usage: ${usage}`, width - INDENT.length).map((line, index) => heading(index === 0 ? line : INDENT + line));

import type { Column } from './view.ts';

/** Narrower than this, a shortened text says nothing any more. */
const NARROWEST = 8;
/** Widths that leave room for the pages still to come, where there is room. */
const ROOM_FOR_MONEY = 'NGN 10,000,000.00'.length;
const ROOM_FOR_STATE = 'requires_action'.length;
const ROOM_FOR_TEXT = 20;

/** A bar and two blanks for each column, and the last bar. */
const frameOf = (columns: number): number => 3 * columns + 1;

const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0);

const widestFlexible = (widths: readonly number[], columns: readonly Column[]): number => {
  let widest = -1;
  widths.forEach((width, index) => {
    if (columns[index]?.flexible !== true || width <= NARROWEST) return;
    if (widest === -1 || width > (widths[widest] ?? 0)) widest = index;
  });
  return widest;
};

/**
 * Column widths that fit a table into `total` terminal columns: flexible columns give way, the widest first.
 * Undefined where even that is not enough.
 */
export const fitWidths = (
  natural: readonly number[],
  columns: readonly Column[],
  total: number,
): number[] | undefined => {
  const widths = natural.map((width, index) => (columns[index]?.flexible === true ? Math.min(width, total) : width));
  for (let excess = sum(widths) + frameOf(widths.length) - total; excess > 0; excess -= 1) {
    const index = widestFlexible(widths, columns);
    if (index === -1) return undefined;
    widths[index] = (widths[index] ?? 0) - 1;
  }
  return widths;
};

const wantedWidth = (column: Column | undefined): number => {
  if (column?.kind === 'money') return ROOM_FOR_MONEY;
  if (column?.kind === 'state') return ROOM_FOR_STATE;
  return column?.flexible === true ? ROOM_FOR_TEXT : 0;
};

/** The same widths with what is left of `total` given to the columns whose later values are likely to be longer. */
export const widen = (widths: readonly number[], columns: readonly Column[], total: number): number[] => {
  let left = total - frameOf(widths.length) - sum(widths);
  return widths.map((width, index) => {
    const more = Math.max(0, Math.min(left, wantedWidth(columns[index]) - width));
    left -= more;
    return width + more;
  });
};

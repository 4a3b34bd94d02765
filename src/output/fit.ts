import type { Column } from '../core/result.ts';

/** Narrower than this, a shortened text says nothing any more. */
const NARROWEST = 8;
/** Where columns can be left out instead, none is made narrower than this. */
const READABLE = 12;
/** Widths that leave room for the pages still to come, where there is room. */
const ROOM_FOR_MONEY = 'NGN 10,000,000.00'.length;
const ROOM_FOR_STATE = 'requires_action'.length;
const ROOM_FOR_TEXT = 20;

/** What stands between two columns. */
export const GAP = '  ';

const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0);

const widthOfTable = (widths: readonly number[]): number => sum(widths) + GAP.length * (widths.length - 1);

export const mayBeCut = ({ flexible, least }: Column): boolean => flexible === true || least !== undefined;

/** The width down to which a column of this natural width gives way. */
const floorOf = (column: Column | undefined, natural: number, tight: boolean): number => {
  if (column === undefined || !mayBeCut(column)) return natural;
  if (tight) return Math.min(natural, column.least ?? NARROWEST);
  return column.flexible === true ? Math.min(natural, READABLE) : natural;
};

/** The column that is farthest above its floor; -1 where none is above it. */
const withMostToGive = (widths: readonly number[], floors: readonly number[]): number => {
  const slack = widths.map((width, index) => width - (floors[index] ?? width));
  const most = Math.max(...slack);
  return most > 0 ? slack.indexOf(most) : -1;
};

/**
 * Column widths that fit a table into `total` terminal columns: whoever has most to give gives way first; as far as it
 * can be read, or `tight`, as far as it says anything. Undefined where even that is not enough.
 */
export const fitWidths = (
  natural: readonly number[],
  columns: readonly Column[],
  total: number,
  tight: boolean,
): number[] | undefined => {
  const floors = natural.map((width, index) => floorOf(columns[index], width, tight));
  const widths = natural.map((width, index) => Math.max(floors[index] ?? 0, Math.min(width, total)));
  for (let excess = widthOfTable(widths) - total; excess > 0; excess -= 1) {
    const index = withMostToGive(widths, floors);
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
  let left = total - widthOfTable(widths);
  return widths.map((width, index) => {
    const more = Math.max(0, Math.min(left, wantedWidth(columns[index]) - width));
    left -= more;
    return width + more;
  });
};

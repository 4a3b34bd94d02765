import type { Cell } from './cell.ts';
import type { Styles } from './style.ts';
import { pad, widthOf, wrap } from './width.ts';

/** One labelled value of a card. */
export interface Field {
  readonly label: string;
  readonly cell: Cell;
}

/** With less room than this beside the labels, values go under them. */
const LEAST_ROOM = 12;

const narrowLines = ({ label, cell }: Field, width: number, styles: Styles): string[] => [
  ...wrap(label, width).map(styles.dim),
  ...wrap(cell.text, Math.max(1, width - 2)).map((line) => `  ${cell.paint(line)}`),
];

/** The width that the labels of `fields` ask for. */
export const labelWidth = (labels: readonly string[]): number =>
  labels.reduce((widest, label) => Math.max(widest, widthOf(label)), 0);

/** A word too long for the room beside the label, but not for a line of its own: whole, so that it can be copied. */
const standsAlone = ({ text }: Cell, room: number, width: number): boolean =>
  !text.includes(' ') && widthOf(text) > room && widthOf(text) <= width - 2;

/**
 * Lines `label  value` with the values aligned behind `labels` columns (by default the widest label); long values go on
 * under their column. At most `width` wide.
 */
export const fieldLines = (
  fields: readonly Field[],
  width: number,
  styles: Styles,
  labels = labelWidth(fields.map(({ label }) => label)),
): string[] => {
  const room = width - labels - 2;
  return fields.flatMap((field) => {
    const { label, cell } = field;
    if (room < LEAST_ROOM || standsAlone(cell, room, width)) return narrowLines(field, width, styles);
    return wrap(cell.text, room).map((line, index) => {
      const lead = index === 0 ? styles.dim(pad(label, labels)) : ' '.repeat(labels);
      return `${lead}  ${cell.paint(line)}`;
    });
  });
};

import { stripVTControlCharacters } from 'node:util';
import type { Output } from '../core/io.ts';
import { widthOf } from './width.ts';

const LINE = '\r\u001b[2K';
const REST = '\r\u001b[0J';

/** A few lines of a terminal that are drawn over again and again; the cursor stays below them, and visible. */
export interface Frame {
  show(lines: readonly string[]): Promise<void>;
  /** Takes them away, before something else is written. */
  clear(): Promise<void>;
  /** Leaves them as they are, and takes away what was typed below. */
  leave(): Promise<void>;
}

/** The one that a terminal shows. */
const frames = new WeakMap<Output, Frame>();

/** How many rows of the screen lines take that are this wide: those that were drawn before the window became narrower are broken. */
const heightOf = (widths: readonly number[], columns: number): number =>
  widths.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / Math.max(1, columns))), 0);

export const openFrame = (output: Output): Frame => {
  let widths: readonly number[] = [];
  let shown = '';
  const back = (): string => {
    const rows = heightOf(widths, output.columns);
    return rows === 0 ? '' : `\r\u001b[${rows}A`;
  };
  const erase = (): string => {
    const erased = widths.length === 0 ? '' : `${back()}${REST}`;
    [widths, shown] = [[], ''];
    return erased;
  };
  const frame: Frame = {
    show: async (lines) => {
      const text = lines.map((line) => `${LINE}${line}\n`).join('');
      if (text === shown) return;
      const start = back();
      [shown, widths] = [text, lines.map((line) => widthOf(stripVTControlCharacters(line)))];
      output.drawn(erase);
      await output.write(`${start}${text}${REST}`);
    },
    clear: async () => {
      const erased = erase();
      if (erased !== '') await output.write(erased);
    },
    leave: async () => {
      output.drawn(undefined);
      frames.delete(output);
      await output.write(LINE);
    },
  };
  frames.set(output, frame);
  return frame;
};

/** Makes room on a terminal for what is said beside a frame, which is drawn again below. */
export const clearFrame = async (output: Output): Promise<void> => frames.get(output)?.clear();

import { canDraw, type Output } from '../core/io.ts';
import { visible } from '../core/text.ts';
import type { Styles } from './style.ts';
import { type MessageIo, shorten, widthOf } from './text.ts';

/** Room for the `^C` that a terminal writes after the line. */
const ROOM_FOR_INTERRUPT = 3;
const ERASE = '\r\u001b[2K';
const UP = '\u001b[1A\u001b[2K';

/** Erases a line of `width` columns, which takes several rows on a terminal that has become narrower. */
const eraseLine = (width: number, columns: number): string =>
  ERASE + UP.repeat(Math.max(0, Math.ceil(width / Math.max(1, columns)) - 1));

/** The progress of a long operation, on stderr beside the data. */
export interface StatusLine {
  /** True if one line is rewritten on a terminal; false if each text is a new line. */
  readonly rewrites: boolean;
  /** The width to fit the text into; Infinity in a pipe. */
  readonly width: number;
  show(text: string): Promise<void>;
  /** Erases the line on a terminal, before other output. */
  clear(): Promise<void>;
}

const SILENT_LINE: StatusLine = {
  rewrites: false,
  width: Infinity,
  show: async () => undefined,
  clear: async () => undefined,
};

/** The one active line of a terminal: the last one that was opened. */
const newest = new WeakMap<Output, StatusLine>();

export const openStatusLine = ({ stderr, env, redactor }: MessageIo, styles: Styles, quiet: boolean): StatusLine => {
  if (quiet) return SILENT_LINE;
  const rewrites = canDraw(stderr, env);
  // The width of the current text.
  let shown = 0;
  const erase = (): string => {
    const erased = shown === 0 ? ERASE : eraseLine(shown, stderr.columns);
    shown = 0;
    return erased;
  };
  const line: StatusLine = {
    rewrites,
    get width() {
      return rewrites ? Math.max(1, stderr.columns - ROOM_FOR_INTERRUPT) : Number.POSITIVE_INFINITY;
    },
    show: async (text) => {
      if (newest.get(stderr) !== line) return;
      const safe = visible(redactor.cleanAll(text));
      if (!rewrites) return stderr.write(`${safe}\n`);
      const before = erase();
      const short = shorten(safe, Math.max(1, stderr.columns - ROOM_FOR_INTERRUPT), styles.ellipsis);
      shown = widthOf(short);
      stderr.drawn(erase);
      await stderr.write(`${before}${styles.dim(short)}`);
    },
    clear: async () => {
      if (shown === 0 || newest.get(stderr) !== line) return;
      stderr.drawn(undefined);
      await stderr.write(erase());
    },
  };
  newest.set(stderr, line);
  return line;
};

const ERASE_BELOW = '\r\u001b[0J';

/** A block of lines that is redrawn again and again; the cursor stays below it, and visible. */
export interface Frame {
  show(lines: readonly string[]): Promise<void>;
  /** Erases the lines, before other output. */
  clear(): Promise<void>;
  /** Leaves the lines, and erases the user's typing below them. */
  leave(): Promise<void>;
}

const frames = new WeakMap<Output, Frame>();

/** The screen rows that lines of these widths take: a line drawn before the window became narrower is broken. */
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
    const erased = widths.length === 0 ? '' : `${back()}${ERASE_BELOW}`;
    [widths, shown] = [[], ''];
    return erased;
  };
  const frame: Frame = {
    show: async (lines) => {
      const text = lines.map((line) => `${ERASE}${line}\n`).join('');
      if (text === shown) return;
      const start = back();
      [shown, widths] = [text, lines.map((line) => widthOf(line))];
      output.drawn(erase);
      await output.write(`${start}${text}${ERASE_BELOW}`);
    },
    clear: async () => {
      const erased = erase();
      if (erased !== '') await output.write(erased);
    },
    leave: async () => {
      output.drawn(undefined);
      frames.delete(output);
      await output.write(ERASE);
    },
  };
  frames.set(output, frame);
  return frame;
};

/** Erases a frame for other output; the frame is drawn again below it. */
export const clearFrame = async (output: Output): Promise<void> => frames.get(output)?.clear();

import { type Env, speaksUtf8 } from '../core/io.ts';
import { STATUSES, type Tone } from '../core/status.ts';

/** Puts colour around a text that is already padded and free of control characters. */
export type Paint = (text: string) => string;

interface DrawingCharacters {
  /** The line below the head of a table. */
  readonly rule: string;
  /** Replaces the omitted part of a text. */
  readonly ellipsis: string;
  /** Precedes the next step. */
  readonly arrow: string;
}

export interface Styles extends DrawingCharacters {
  readonly dim: Paint;
  readonly bold: Paint;
  readonly heading: Paint;
  readonly alarm: Paint;
  /** The colour of a state by its machine value; new states have none. */
  readonly state: (value: string) => Paint;
}

export const unpainted: Paint = (text) => text;

const UNICODE: DrawingCharacters = { rule: '─', ellipsis: '…', arrow: '→' };
const ASCII_DRAWING: DrawingCharacters = { rule: '-', ellipsis: '...', arrow: '->' };

/** Replaces the characters of our own texts that the locale can't show. */
export const forLocale = (text: string, env: Env): string =>
  speaksUtf8(env) ? text : text.replaceAll(UNICODE.ellipsis, ASCII_DRAWING.ellipsis);

const PLAIN_STYLES: Omit<Styles, keyof DrawingCharacters> = {
  dim: unpainted,
  bold: unpainted,
  heading: unpainted,
  alarm: unpainted,
  state: () => unpainted,
};

const TONE_COLORS = {
  good: 'green',
  open: 'yellow',
  busy: 'cyan',
  bad: 'red',
  off: 'magenta',
  alarm: 'bgRed',
} as const satisfies Record<Tone, string>;

/** chalk joins all its arguments, and `lines.map(paint)` passes three. */
const ofOne =
  (paint: Paint): Paint =>
  (text) =>
    paint(text);

/**
 * The styles of this run. The caller decides on colour; it is never detected here. The sixteen basic colours follow the
 * user's own palette. chalk is loaded only for colour. Without `unicode`, only ASCII is drawn.
 */
export const stylesFor = async (color: boolean, unicode = true): Promise<Styles> => {
  const signs = unicode ? UNICODE : ASCII_DRAWING;
  if (!color) return { ...PLAIN_STYLES, ...signs };
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return {
    ...signs,
    dim: ofOne(chalk.dim),
    bold: ofOne(chalk.bold),
    heading: ofOne(chalk.bold),
    alarm: ofOne(chalk.red),
    state: (value) => {
      const tone = STATUSES.get(value)?.[1];
      return tone === undefined ? unpainted : ofOne(chalk[TONE_COLORS[tone]]);
    },
  };
};

/** The surface that the formats for people are drawn on. */
export interface Surface {
  /** Columns to fit into; Infinity in a pipe, where nothing is fitted. */
  readonly width: number;
  readonly styles: Styles;
  /** Milliseconds since the epoch: the reference for "in 12 min". */
  readonly now: number;
}

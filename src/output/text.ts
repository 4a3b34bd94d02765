import stringWidth from 'string-width';
import { memo } from '../core/async.ts';
import type { Io, Output } from '../core/io.ts';
import { visible } from '../core/text.ts';
import { forLocale, type Styles } from './style.ts';

const ASCII = /^[ -~]*$/;

const segmenter = memo(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));

/** Splits a text into graphemes, which a reader sees as single characters; a line is never broken inside one. */
const graphemesOf = (text: string): string[] => {
  if (ASCII.test(text)) return text.split('');
  return Array.from(segmenter().segment(text), ({ segment }) => segment);
};

/** The columns that `text` takes, by the measure of cli-table3; escapes for colour take none. */
export const widthOf = (text: string): number => (ASCII.test(text) ? text.length : stringWidth(text));

/** The leading graphemes that fit into `width` columns. */
const headOf = (graphemes: readonly string[], width: number): string[] => {
  let used = 0;
  const end = graphemes.findIndex((grapheme) => {
    used += widthOf(grapheme);
    return used > width;
  });
  return end === -1 ? [...graphemes] : graphemes.slice(0, end);
};

/** Shortens `text` to `width` columns; `ellipsis` (one column a character) replaces the omitted end. */
export const shorten = (text: string, width: number, ellipsis = '…'): string => {
  if (widthOf(text) <= width) return text;
  return headOf(graphemesOf(text), width - ellipsis.length).join('') + ellipsis.slice(0, width);
};

/** Same as `shorten`, but omits the start. */
export const shortenStart = (text: string, width: number, ellipsis = '…'): string => {
  if (widthOf(text) <= width) return text;
  const kept = headOf(graphemesOf(text).toReversed(), width - ellipsis.length).toReversed();
  return ellipsis.slice(0, width) + kept.join('');
};

/** Pads `text` with blanks to `width` columns; longer text stays as it is. */
export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

const wrapLine = (line: string, width: number, mayBreak: boolean): string[] => {
  if (widthOf(line) <= width) return [line];
  const lines: string[] = [];
  let [current, used] = ['', 0];
  // Blanks at the end of a line take no room. Each piece is measured only once: otherwise long lines would take very
  // long.
  const fits = (bare: number): boolean => bare === 0 || used + bare <= width;
  const close = (): void => {
    if (current !== '') lines.push(current.trimEnd());
    [current, used] = ['', 0];
  };
  const add = (piece: string, bare: number): void => {
    if (!fits(bare)) close();
    current += piece;
    used += bare + piece.length - piece.trimEnd().length;
  };
  for (const word of line.split(/(?<= )(?! )/)) {
    const bare = widthOf(word.trimEnd());
    if (!fits(bare)) close();
    if (fits(bare) || !mayBreak) add(word, bare);
    else for (const one of graphemesOf(word)) add(one, one === ' ' ? 0 : widthOf(one));
  }
  close();
  return lines;
};

/** Wraps `text` to `width` columns between words; breaks a word only when it is wider than a line. */
export const wrap = (text: string, width: number): string[] =>
  text.split('\n').flatMap((line) => wrapLine(line, width, true));

/** The destination of messages: stderr, and the locale that limits its characters. */
export type MessageIo = Pick<Io, 'stderr' | 'env' | 'redactor'>;

/** The least width for a layout; on a narrower terminal, the terminal breaks the lines. */
const NARROWEST_TERMINAL = 20;

/** The columns to fit into; Infinity in a pipe, where nothing is fitted. */
export const roomOn = ({ isTerminal, columns }: Output): number =>
  isTerminal ? Math.max(NARROWEST_TERMINAL, columns) : Number.POSITIVE_INFINITY;

/**
 * A line to copy: a command in backquotes, a command after a colon except a remark in brackets at the end, or what a
 * shell reads, after a colon or alone.
 */
const COMMAND =
  /`(paycli [^`]+)`|(?<=: )(paycli .+?)(?= \([^()']*\)$|$)|(?<=: |^)(export \w+=.+|source .+|autoload .+|fpath=.+)/g;

/** Splits one line into wrapped words and commands; each command is alone on its line, indented, and never broken. */
const breakLine = (line: string, width: number): string[] => {
  const lines: string[] = [];
  let from = 0;
  // The line break replaces the punctuation between a command and the next words.
  const words = (text: string): void => {
    const said = text.replace(/^[,;.](?: |$)/, '').trim();
    // A longer word stays whole, so that it can be copied.
    if (said !== '') lines.push(...wrapLine(said, width, false));
  };
  for (const { 0: all, 1: quoted, 2: last, 3: shell, index } of line.matchAll(COMMAND)) {
    words(line.slice(from, index));
    lines.push(`  ${quoted ?? last ?? shell ?? ''}`);
    from = index + all.length;
  }
  words(line.slice(from));
  return lines.length === 0 ? [''] : lines;
};

/**
 * Renders a message for people, without secrets; its hidden characters were made visible before. On a terminal it is
 * wrapped at words to `width` columns, and a command to copy is on a line of its own. In a pipe (`width` is Infinity)
 * it is not wrapped.
 */
export const proseLines = (text: string, width: number, { env, redactor }: Omit<MessageIo, 'stderr'>): string[] => {
  const lines = forLocale(redactor.cleanAll(text), env).split('\n');
  return Number.isFinite(width) ? lines.flatMap((line) => breakLine(line, width)) : lines;
};

/** Renders one or more notices for stderr: dim with `styles`, otherwise plain. */
export const notice = (said: string | readonly string[], io: MessageIo, styles?: Pick<Styles, 'dim'>): string => {
  const room = roomOn(io.stderr);
  const safe = [said]
    .flat()
    .flatMap((text) => proseLines(visible(text), room, io))
    .join('\n');
  return `${styles === undefined ? safe : styles.dim(safe)}\n`;
};

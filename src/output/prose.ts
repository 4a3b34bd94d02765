import type { Io, Output } from '../core/io.ts';
import { forLocale } from './style.ts';
import { wrapWords } from './width.ts';

/** Where messages go: stderr, and what its locale can show. */
export type Beside = Pick<Io, 'stderr' | 'env' | 'redactor'>;

/** Below this nothing is laid out any more; the terminal breaks the lines. */
const NARROWEST_TERMINAL = 20;

/** The columns to lay out for; Infinity in a pipe, where nothing is fitted. */
export const roomOn = ({ isTerminal, columns }: Output): number =>
  isTerminal ? Math.max(NARROWEST_TERMINAL, columns) : Number.POSITIVE_INFINITY;

/** A command to copy: in backquotes, or all that follows a colon, but for a remark in brackets. */
const COMMAND = /`(paycli [^`]+)`|(?<=: )(paycli .+?)(?= \([^()']*\)$|$)/g;

/** The lines of one line: words, wrapped, and commands, each alone, set in, and never broken. */
const linesOf = (line: string, width: number): string[] => {
  const lines: string[] = [];
  let from = 0;
  // A line's end says what the mark between a command and the words behind it said.
  const words = (text: string): void => {
    const said = text.replace(/^[,;.](?: |$)/, '').trim();
    if (said !== '') lines.push(...wrapWords(said, width));
  };
  for (const { 0: all, 1: quoted, 2: last, index } of line.matchAll(COMMAND)) {
    words(line.slice(from, index));
    lines.push(`  ${quoted ?? last ?? ''}`);
    from = index + all.length;
  }
  words(line.slice(from));
  return lines;
};

/**
 * A message as lines for people, without secrets; its hidden characters were made visible before. On a terminal it is wrapped
 * at words to `width` columns, and a command to copy stands on a line of its own; in a pipe (`width` is Infinity) it stays as
 * it is.
 */
export const proseLines = (text: string, width: number, { env, redactor }: Omit<Beside, 'stderr'>): string[] => {
  const lines = forLocale(redactor.cleanAll(text), env).split('\n');
  return Number.isFinite(width) ? lines.flatMap((line) => linesOf(line, width)) : lines;
};

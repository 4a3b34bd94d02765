import type { Io, Output } from '../core/io.ts';
import { visible } from '../core/sanitize.ts';
import type { Beside } from './prose.ts';
import type { Styles } from './style.ts';
import { shorten, widthOf } from './width.ts';

/** Room for the `^C` that a terminal writes behind the line. */
const KEPT_FREE = 3;
const ERASE = '\r\u001b[2K';
const UP = '\u001b[1A\u001b[2K';

/** Takes away a line of so many columns, which a terminal that has become narrower shows on several rows. */
const eraseLine = (width: number, columns: number): string =>
  ERASE + UP.repeat(Math.max(0, Math.ceil(width / Math.max(1, columns)) - 1));

/** How far something long is, told on stderr beside the data. */
export interface StatusLine {
  /** One line that is written over on a terminal; where none can be, a line each time. */
  readonly rewrites: boolean;
  /** The columns that the text should keep to; Infinity in a pipe. */
  readonly width: number;
  show(text: string): Promise<void>;
  /** Takes the line away from a terminal, before something else is written. */
  clear(): Promise<void>;
}

const SILENT: StatusLine = {
  rewrites: false,
  width: Infinity,
  show: async () => undefined,
  clear: async () => undefined,
};

/** A terminal has one such line: the one that was opened last. */
const newest = new WeakMap<Output, StatusLine>();

/** People who hear what is written, and terminals that can't go back, get a line each time. */
export const canRewrite = ({ isTerminal }: Output, env: Io['env']): boolean =>
  isTerminal && env['TERM'] !== 'dumb' && (env['ACCESSIBLE'] ?? '') === '';

export const openStatusLine = ({ stderr, env, redactor }: Beside, styles: Styles, quiet: boolean): StatusLine => {
  if (quiet) return SILENT;
  const rewrites = canRewrite(stderr, env);
  // Columns of what is shown.
  let shown = 0;
  const erase = (): string => {
    const erased = shown === 0 ? ERASE : eraseLine(shown, stderr.columns);
    shown = 0;
    return erased;
  };
  const line: StatusLine = {
    rewrites,
    get width() {
      return rewrites ? Math.max(1, stderr.columns - KEPT_FREE) : Number.POSITIVE_INFINITY;
    },
    show: async (text) => {
      if (newest.get(stderr) !== line) return;
      const safe = visible(redactor.cleanAll(text));
      if (!rewrites) return stderr.write(`${safe}\n`);
      const before = erase();
      const short = shorten(safe, Math.max(1, stderr.columns - KEPT_FREE), styles.ellipsis);
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

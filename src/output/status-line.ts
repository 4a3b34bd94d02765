import type { Io } from '../cli/io.ts';
import { visible } from './sanitize.ts';
import type { Styles } from './style.ts';
import { shorten } from './width.ts';

/** Room for the `^C` that a terminal writes behind the line. */
const KEPT_FREE = 3;
const ERASE = '\r\u001b[2K';

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

export const openStatusLine = (
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
  styles: Styles,
  quiet: boolean,
): StatusLine => {
  if (quiet) return SILENT;
  const rewrites = stderr.isTerminal && env['TERM'] !== 'dumb';
  let shown = false;
  return {
    rewrites,
    get width() {
      return rewrites ? Math.max(1, stderr.columns - KEPT_FREE) : Number.POSITIVE_INFINITY;
    },
    show: async (text) => {
      if (!rewrites) return stderr.write(`${visible(text)}\n`);
      shown = true;
      const line = shorten(visible(text), Math.max(1, stderr.columns - KEPT_FREE), styles.ellipsis);
      await stderr.write(`${ERASE}${styles.dim(line)}`);
    },
    clear: async () => {
      if (shown) await stderr.write(ERASE);
      shown = false;
    },
  };
};

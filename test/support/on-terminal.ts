import { IS_HERE } from './built.ts';
import { here } from './in-process.ts';
import type { RunOptions } from './program.ts';
import { openTerminal } from './terminal.ts';

/** A line that a person types once the terminal shows `after`. */
export interface Typed {
  readonly after: RegExp;
  /** Happens before the line is typed. */
  readonly first?: () => void;
  readonly line: string;
}

/** All output of a terminal, escapes included, with plain line ends. */
export interface Shown {
  readonly code: number | null;
  readonly raw: string;
}

/** Returns what is typed at each prompt, in turn. */
const typist =
  (lines: Typed[]) =>
  (shown: string): string => {
    const next = lines.shift();
    if (next?.after.test(shown) !== true) throw new Error(`nobody types after this: ${shown}`);
    next.first?.();
    return next.line;
  };

/**
 * A run on a terminal on which nothing but whole lines is typed, in this process for a tenth of the cost. Tests of a
 * real terminal, its keys, its signals, its screen, its time zone, its clipboard or a pager need `openTerminal`.
 */
export const onTerminal = async (
  args: readonly string[],
  { columns = 100, ...options }: RunOptions & { readonly columns?: number } = {},
  ...lines: Typed[]
): Promise<Shown> => {
  if (IS_HERE) {
    const env = { TERM: 'xterm-256color', ...options.env };
    const { code, stdout } = await here(args, { ...options, env }, { columns, typed: typist(lines) });
    if (lines.length > 0) throw new Error(`it never asked after ${lines[0]?.after}: ${stdout}`);
    return { code, raw: stdout };
  }
  const terminal = openTerminal(args, { ...options, columns });
  for (const { after, first, line } of lines) {
    await terminal.saw(after);
    first?.();
    terminal.type(`${line}\r`);
  }
  const { code } = await terminal.ended;
  return { code, raw: terminal.raw().replaceAll('\r\n', '\n') };
};

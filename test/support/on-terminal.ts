import { IS_HERE } from './built.ts';
import { here } from './in-process.ts';
import type { RunOptions } from './program.ts';
import { openTerminal } from './terminal.ts';

/** What a terminal showed: all output, escapes included, with plain line ends. */
export interface Shown {
  readonly code: number | null;
  readonly raw: string;
}

/**
 * A run on a terminal on which nobody types, in this process for a tenth of the cost. Tests of a real terminal, its
 * keys, its screen, its time zone, its clipboard or a pager need `openTerminal`.
 */
export const onTerminal = async (
  args: readonly string[],
  { columns = 100, ...options }: RunOptions & { readonly columns?: number } = {},
): Promise<Shown> => {
  if (IS_HERE) {
    const { code, stdout } = await here(
      args,
      { ...options, env: { TERM: 'xterm-256color', ...options.env } },
      { columns },
    );
    return { code, raw: stdout };
  }
  const terminal = openTerminal(args, { ...options, columns });
  const { code } = await terminal.ended;
  return { code, raw: terminal.raw().replaceAll('\r\n', '\n') };
};

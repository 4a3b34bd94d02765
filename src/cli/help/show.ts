import type { Io } from '../../core/io.ts';
import { forLocale, stylesFor } from '../../output/style.ts';
import { usesColor } from '../color.ts';
import type { CommandSpec } from '../define.ts';
import type { Globals } from '../globals.ts';
import type { Noun } from '../program.ts';
import { commandTree } from '../tree.ts';
import { helpPage } from './help.ts';
import type { HelpWanted } from './names.ts';

interface Commands {
  readonly specs: readonly CommandSpec[];
  readonly nouns: Readonly<Record<string, Noun>>;
}

/** Prints the help that is asked for. */
export const showHelp = async (
  wanted: HelpWanted,
  { color }: Pick<Globals, 'color'>,
  { stdout, env }: Pick<Io, 'stdout' | 'env'>,
  { specs, nouns }: Commands,
): Promise<void> => {
  const { heading } = await stylesFor(usesColor(color, env, stdout.isTerminal));
  const lines = await helpPage(commandTree(specs, nouns), wanted, { width: stdout.columns, heading });
  await stdout.write(forLocale(`${lines.join('\n')}\n`, env));
};

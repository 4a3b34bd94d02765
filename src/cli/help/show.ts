import type { Env, Io } from '../../core/io.ts';
import { speaksUtf8 } from '../../core/locale.ts';
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

const asItIs = (text: string): string => text;

/** What needs no styles waits for none. */
const PLAIN = { heading: asItIs, shown: asItIs };

const styled = async (color: boolean, env: Env): Promise<typeof PLAIN> => {
  const { forLocale, stylesFor } = await import('../../output/style.ts');
  const { heading } = await stylesFor(color);
  return { heading, shown: (text) => forLocale(text, env) };
};

/** Prints the help that is asked for. */
export const showHelp = async (
  wanted: HelpWanted,
  { color }: Pick<Globals, 'color'>,
  { stdout, env }: Pick<Io, 'stdout' | 'env'>,
  { specs, nouns }: Commands,
): Promise<void> => {
  const painted = usesColor(color, env, stdout.isTerminal);
  const { heading, shown } = painted || !speaksUtf8(env) ? await styled(painted, env) : PLAIN;
  const lines = await helpPage(commandTree(specs, nouns), wanted, { width: stdout.columns, heading });
  await stdout.write(shown(`${lines.join('\n')}\n`));
};

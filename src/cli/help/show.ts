import overview from '#overview' with { type: 'json' };
import { usageError } from '../../core/error.ts';
import type { Env, Io } from '../../core/io.ts';
import { speaksUtf8 } from '../../core/locale.ts';
import { usesColor } from '../color.ts';
import type { CommandSpec } from '../define.ts';
import type { Globals } from '../globals.ts';
import type { Noun } from '../program.ts';
import { commandTree, globalOptions, type Tree } from '../tree.ts';
import { helpPage, nodeAt } from './help.ts';
import type { Layout } from './layout.ts';
import { type HelpWanted, TOPICS } from './names.ts';
import { rootPage } from './overview.ts';

interface Commands {
  readonly allSpecs: () => Promise<readonly CommandSpec[]>;
  readonly specsFor: (argv: readonly string[]) => Promise<readonly CommandSpec[]>;
  readonly nouns: Readonly<Record<string, Noun>>;
  readonly version: string;
  /** Shows a manual page on the terminal; false where nothing here can. */
  readonly showManual: (page: string, env: Env) => Promise<boolean>;
}

type World = Pick<Io, 'stdout' | 'env'>;

const asItIs = (text: string): string => text;

/** What needs no styles waits for none. */
const PLAIN = { heading: asItIs, shown: asItIs };

const styled = async (color: boolean, env: Env): Promise<typeof PLAIN> => {
  const { forLocale, stylesFor } = await import('../../output/style.ts');
  const { heading } = await stylesFor(color);
  return { heading, shown: (text) => forLocale(text, env) };
};

type Page = (layout: Layout) => Promise<readonly string[]>;

const print = async (page: Page, color: Globals['color'], { stdout, env }: World) => {
  const painted = usesColor(color, env, stdout.isTerminal);
  const { heading, shown } = painted || !speaksUtf8(env) ? await styled(painted, env) : PLAIN;
  const lines = await page({ width: stdout.columns, heading });
  await stdout.write(shown(`${lines.join('\n')}\n`));
};

const manualFor = async ({ words }: HelpWanted, tree: Tree, version: string): Promise<string> => {
  const name = words.join(' ');
  const isTopic = words.length === 1 && TOPICS.some((topic) => topic === name);
  const node = isTopic ? undefined : nodeAt(tree, words);
  if (node === undefined || ('kind' in node && node.kind === 'noun')) {
    throw usageError(`${name} has no manual page of its own`, { hint: `see: paycli help ${name}` });
  }
  return (await import('./manual.ts')).manualOf(node, version);
};

/** Shows a manual page where there is a `man`; in a pipe its source, and on a terminal without a `man` the page of help. */
const showManualPage = async (
  wanted: HelpWanted,
  color: Globals['color'],
  io: World,
  tree: Tree,
  { version, showManual }: Pick<Commands, 'version' | 'showManual'>,
) => {
  const page = await manualFor(wanted, tree, version);
  if (!io.stdout.isTerminal) return await io.stdout.write(page);
  if (await showManual(page, io.env)) return;
  await print((layout) => helpPage(tree, { ...wanted, all: true }, layout), color, io);
};

/** Asked for more often than any other, and made without the declarations of the commands, each a file to load. */
const firstPage =
  (all: boolean): Page =>
  async (layout) =>
    rootPage(overview, globalOptions(), all, layout);

/** Prints the help that is asked for. */
export const showHelp = async (
  wanted: HelpWanted,
  { color }: Pick<Globals, 'color'>,
  io: World,
  { allSpecs, specsFor, nouns, ...program }: Commands,
): Promise<void> => {
  if (wanted.words.length === 0 && !wanted.man) return await print(firstPage(wanted.all), color, io);
  const few = await specsFor(wanted.words.slice(0, 1));
  const tree = commandTree(few.length > 0 ? few : await allSpecs(), nouns);
  if (wanted.man) await showManualPage(wanted, color, io, tree, program);
  else await print((layout) => helpPage(tree, wanted, layout), color, io);
};

import overview from '#overview' with { type: 'json' };
import { usageError } from '../../core/error.ts';
import { type Env, type Io, speaksUtf8 } from '../../core/io.ts';
import { didYouMean } from '../../core/text.ts';
import type { CommandSpec } from '../define.ts';
import { type Globals, usesColor } from '../globals.ts';
import { type HelpWanted, meantByVerb, type Noun, TOPICS } from '../program.ts';
import {
  type CommandNode,
  calledBy,
  childrenOf,
  commandsOf,
  commandTree,
  globalOptions,
  type NounNode,
  type Tree,
} from '../tree.ts';
import { commandPage, type HelpLayout } from './layout.ts';
import { nounPage, overviewOf, rootPage } from './overview.ts';

type Node = CommandNode | NounNode | Tree;

const below = (node: Node): readonly (CommandNode | NounNode)[] => {
  if (!('kind' in node)) return node.commands;
  return node.kind === 'noun' ? childrenOf(node) : [];
};

const unknownIn = (at: Node, tree: Tree, word: string): Error => {
  const known = [...below(at).map(({ name }) => name), ...(at === tree ? TOPICS.filter((name) => name !== word) : [])];
  const meant = didYouMean(word, known);
  const verb = at === tree ? meantByVerb(word, commandsOf(tree)) : '';
  const guess = meant === undefined ? verb : ` (Did you mean ${meant}?)`;
  return usageError(`unknown command '${word}'${guess}`, { hint: 'see: paycli --help' });
};

/** The forms of a word in the singular and the plural: both lead to one page. */
const formsOf = (word: string): readonly string[] => [word, word.replace(/ies$/, 'y').replace(/s$/, ''), `${word}s`];

const topicNamed = (word: string): string | undefined => TOPICS.find((topic) => formsOf(word).includes(topic));

const nodeNamed = (at: Node, word: string) =>
  formsOf(word)
    .map((form) => calledBy(at, form))
    .find(Boolean);

/** Finds the command, noun or root that the words name. Throws a usage error if there is none. */
const nodeAt = (tree: Tree, words: readonly string[]): Node => {
  let at: Node = tree;
  for (const word of words) {
    const next = nodeNamed(at, word);
    if (next === undefined) throw unknownIn(at, tree, word);
    at = next;
  }
  return at;
};

const helpPageOf = (node: Node, all: boolean, layout: HelpLayout): string[] => {
  if (!('kind' in node)) return rootPage(overviewOf(node), node.options, all, layout);
  return node.kind === 'noun' ? nounPage(node, layout) : commandPage(node, all, layout);
};

/** Renders the topic of a word, or the list of all. Throws a usage error if there is none. */
const docsPage = async (word: string | undefined, layout: HelpLayout): Promise<string[]> => {
  const { topicPage, topicsPage } = await import('./topic.ts');
  if (word === undefined) return topicsPage(layout);
  const topic = topicNamed(word);
  if (topic === undefined) {
    const meant = didYouMean(word, TOPICS);
    const guess = meant === undefined ? '' : ` (Did you mean ${meant}?)`;
    throw usageError(`no page of the help is "${word}"${guess}`, { hint: 'see: paycli help docs' });
  }
  return topicPage(topic, layout);
};

/** Renders a page of help as lines. A command comes before a topic of its name. Throws a usage error if there is none. */
const helpPage = async (tree: Tree, { words, all, search }: HelpWanted, layout: HelpLayout): Promise<string[]> => {
  if (search !== undefined) {
    const found = (await import('./topic.ts')).linesWith(search, tree, layout);
    if (found.length > 0) return found;
    throw usageError(`no page of the help has "${search}"`, { hint: 'see: paycli help docs' });
  }
  const [first = '', second] = words;
  if (first === 'docs') return docsPage(second, layout);
  const topic = second === undefined ? topicNamed(first) : undefined;
  if (topic !== undefined && nodeNamed(tree, first) === undefined) return docsPage(topic, layout);
  const page = helpPageOf(nodeAt(tree, words), all, layout);
  return topic === undefined ? page : [...page, `More: paycli help docs ${topic}`];
};

interface Commands {
  readonly allSpecs: () => Promise<readonly CommandSpec[]>;
  readonly specsFor: (argv: readonly string[]) => Promise<readonly CommandSpec[]>;
  readonly nouns: Readonly<Record<string, Noun>>;
}

type PrintStreams = Pick<Io, 'stdout' | 'env'>;

const asItIs = (text: string): string => text;

/** Plain text, for which the style module isn't loaded. */
const PLAIN_TEXT = { heading: asItIs, shown: asItIs };

const styled = async (color: boolean, env: Env): Promise<typeof PLAIN_TEXT> => {
  const { forLocale, stylesFor } = await import('../../output/style.ts');
  const { heading } = await stylesFor(color);
  return { heading, shown: (text) => forLocale(text, env) };
};

type Page = (layout: HelpLayout) => Promise<readonly string[]>;

const print = async (page: Page, color: Globals['color'], { stdout, env }: PrintStreams) => {
  const painted = usesColor(color, env, stdout.isTerminal);
  const { heading, shown } = painted || !speaksUtf8(env) ? await styled(painted, env) : PLAIN_TEXT;
  const lines = await page({ width: stdout.columns, heading });
  await stdout.write(shown(`${lines.join('\n')}\n`));
};

/** The most requested page. Doesn't load the command declarations, each of which is a separate file. */
const firstPage =
  (all: boolean): Page =>
  async (layout) =>
    rootPage(overview, globalOptions(), all, layout);

export const showHelp = async (
  wanted: HelpWanted,
  { color }: Pick<Globals, 'color'>,
  io: PrintStreams,
  { allSpecs, specsFor, nouns }: Commands,
): Promise<void> => {
  if (wanted.words.length === 0 && wanted.search === undefined) return await print(firstPage(wanted.all), color, io);
  const few = await specsFor(wanted.words.slice(0, 1));
  const tree = commandTree(few.length > 0 ? few : await allSpecs(), nouns);
  await print((layout) => helpPage(tree, wanted, layout), color, io);
};

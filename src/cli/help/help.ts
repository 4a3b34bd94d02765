import { usageError } from '../../core/error.ts';
import { didYouMean } from '../../core/suggest.ts';
import { meantByVerb } from '../meant.ts';
import { type CommandNode, childrenOf, commandsOf, type NounNode, type Tree } from '../tree.ts';
import { commandPage } from './command.ts';
import type { Layout } from './layout.ts';
import { type HelpWanted, TOPICS } from './names.ts';
import { nounPage, overviewOf, rootPage } from './overview.ts';

type Node = CommandNode | NounNode | Tree;

const below = (node: Node): readonly (CommandNode | NounNode)[] => {
  if (!('kind' in node)) return node.commands;
  return node.kind === 'noun' ? childrenOf(node) : [];
};

const calledBy = (node: Node, word: string): CommandNode | NounNode | undefined =>
  below(node).find(({ name, aliases }) => name === word || aliases.includes(word));

const unknownIn = (at: Node, tree: Tree, word: string): Error => {
  const known = [...below(at).map(({ name }) => name), ...(at === tree ? TOPICS : [])];
  const meant = didYouMean(word, known);
  const verb = at === tree ? meantByVerb(word, commandsOf(tree)) : '';
  const guess = meant === undefined ? verb : ` (Did you mean ${meant}?)`;
  return usageError(`unknown command '${word}'${guess}`, { hint: 'see: paycli --help' });
};

/** What words name; throws a usage error where it is nothing. */
export const nodeAt = (tree: Tree, words: readonly string[]): Node => {
  let at: Node = tree;
  for (const word of words) {
    const next = calledBy(at, word);
    if (next === undefined) throw unknownIn(at, tree, word);
    at = next;
  }
  return at;
};

const pageOf = (node: Node, all: boolean, layout: Layout): string[] => {
  if (!('kind' in node)) return rootPage(overviewOf(node), node.options, all, layout);
  return node.kind === 'noun' ? nounPage(node, layout) : commandPage(node, all, layout);
};

/** A page of help, as lines. Throws a usage error where nothing has that name. */
export const helpPage = async (tree: Tree, { words, all }: HelpWanted, layout: Layout): Promise<string[]> => {
  const topic = words.length === 1 ? TOPICS.find((name) => name === words[0]) : undefined;
  if (topic !== undefined) return await (await import('./topic.ts')).topicPage(topic, layout);
  return pageOf(nodeAt(tree, words), all, layout);
};

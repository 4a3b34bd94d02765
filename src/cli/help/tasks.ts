import { type CommandNode, childrenOf, commandsOf, type NounNode, type Tree } from '../tree.ts';

/** A command, or the verbs of a noun that serve one task. `about` replaces the description of the noun. */
type Entry = readonly [name: string, verbs?: string, about?: string];

/** Every command by task, in the order of help. A test fails for a command that is missing or has two tasks. */
const TASKS: readonly (readonly [task: string, ...Entry[]])[] = [
  [
    'Payments',
    ['ugwo', 'charge list create get cancel'],
    ['onye', 'update list create get delete'],
    ['activity', 'get wait'],
    ['refund', 'create list get'],
    ['checkout', 'list get providers'],
  ],
  ['Follow up', ['status'], ['find'], ['watch'], ['ledger', 'list show sync resolve report match jobs', 'charges']],
  [
    'Setup',
    ['login'],
    ['doctor'],
    ['version'],
    ['profile', 'list show use rename remove'],
    ['config', 'list get set unset'],
    ['completion'],
  ],
  ['Practice', ['emulator', 'start seed settle clock faults webhook reset', '']],
  [
    'Team and maintenance',
    ['approve'],
    ['policy', 'list show set remove'],
    ['ledger', 'use init migrate push status verify backup prune', ''],
  ],
  ['For programs', ['api'], ['mcp'], ['schema'], ['webhook', 'listen verify trigger events prune', 'events']],
];

/** One entry of help: a command, or those verbs of a noun that serve the task. */
export interface TaskCommands {
  readonly task: string;
  readonly node: CommandNode | NounNode;
  readonly about: string;
  readonly verbs: readonly (CommandNode | NounNode)[];
}

const verbsOf = (node: CommandNode | NounNode, names: string): TaskCommands['verbs'] => {
  const children = node.kind === 'noun' ? childrenOf(node) : [];
  return names.split(' ').flatMap((name) => children.find((child) => child.name === name) ?? []);
};

/** Lists the parts of these commands and nouns by task, in the order of help. */
export const tasksOf = (nodes: Tree['commands']): readonly TaskCommands[] =>
  TASKS.flatMap(([task, ...entries]) =>
    entries.flatMap(([name, verbs = '', about]) => {
      const node = nodes.find((one) => one.name === name);
      return node === undefined ? [] : [{ task, node, about: about ?? node.summary, verbs: verbsOf(node, verbs) }];
    }),
  );

/** Lists the commands of a part. */
export const commandsIn = ({ node, verbs }: TaskCommands): readonly CommandNode[] =>
  node.kind === 'command' ? [node] : commandsOf({ commands: verbs });

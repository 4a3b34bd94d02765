import type { CommandNode, OptionNode, Tree } from '../../cli/tree.ts';
import { usageError } from '../../core/error.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Tool } from '../../mcp/server.ts';

/** A command as a tool: the options that it offers, and those that every call needs. */
interface ToolCommand {
  readonly command: string;
  /** In place of the command's summary. */
  readonly description?: string;
  readonly options?: readonly string[];
  readonly required?: readonly string[];
  /** Offered only with --allow money. */
  readonly money?: true;
}

const PLAN =
  'Check a charge and show who would be charged, how much, and whether it is refused. Charges nothing. Where charging ' +
  'is allowed, returns a token for charge_confirm, valid for ten minutes and once.';

/** The tools that are commands. No other option can be reached. */
export const TOOLS = {
  find_customers: { command: 'onye list', options: ['email', 'ref', 'since', 'until', 'max', 'cursor'] },
  get_customer: { command: 'onye get' },
  find_payment_requests: {
    command: 'ugwo list',
    options: ['status', 'since', 'until', 'ref', 'email', 'customer', 'amount', 'max', 'cursor'],
  },
  get_payment_request: { command: 'ugwo get' },
  list_charges: {
    command: 'ledger list',
    options: ['payment', 'state', 'since', 'until', 'ref', 'customer', 'ugwo', 'max', 'cursor'],
  },
  sync: { command: 'ledger sync' },
  charge_plan: {
    command: 'ugwo charge',
    description: PLAN,
    options: ['medium', 'provider', 'phone', 'expires-in'],
    required: ['medium'],
  },
  update_customer: {
    command: 'onye update',
    description: 'update a customer; fields that you leave out stay as they are',
    options: ['email', 'ref', 'first-name', 'last-name', 'merge-meta', 'unset-meta'],
    money: true,
  },
} as const satisfies Readonly<Record<string, ToolCommand>>;

export type ToolName = keyof typeof TOOLS;

export const isTool = (name: string): name is ToolName => Object.hasOwn(TOOLS, name);

/** Records in one answer, at most and by default: an agent pays for each by its length. */
const MOST_RECORDS = 100;
const DEFAULT_RECORDS = 20;

/** An argument of a tool: an argument or an option of its command. */
interface Parameter {
  readonly name: string;
  /** The option; undefined for an argument. */
  readonly flag?: string;
  readonly about: string;
  readonly type: 'text' | 'texts' | 'list' | 'count';
  readonly isRequired: boolean;
}

const typeOf = ({ repeats, list, type }: Pick<OptionNode, 'repeats' | 'list' | 'type'>): Parameter['type'] => {
  if (list === true) return 'list';
  return repeats ? 'texts' : type === 'integer' ? 'count' : 'text';
};

/** The parameters of a tool, from the declaration of its command. */
const parametersOf = (node: CommandNode, { options = [], required = [] }: ToolCommand): readonly Parameter[] => [
  ...node.args.map((arg) => ({
    name: arg.name,
    about: arg.about.replace(/; or --from$/, ''),
    type: typeOf(arg),
    isRequired: !arg.repeats,
  })),
  ...options.map((name) => {
    const option = node.options.find((one) => one.name === `--${name}`);
    if (option === undefined) throw new Error(`${node.path.join(' ')} has no --${name}`);
    const { about } = option;
    const parameter = { name: name.replaceAll('-', '_'), flag: option.name, about, type: typeOf(option) };
    return { ...parameter, isRequired: required.includes(name) };
  }),
];

const SCHEMAS = {
  text: { type: 'string' },
  texts: { type: 'array', items: { type: 'string' } },
  list: { type: 'array', items: { type: 'string' } },
  count: { type: 'integer', minimum: 1, maximum: MOST_RECORDS, default: DEFAULT_RECORDS },
} as const;

const toolOf = (name: string, node: CommandNode, command: ToolCommand): Tool => {
  const parameters = parametersOf(node, command);
  return {
    name,
    description: command.description ?? node.summary,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        parameters.map(({ name: parameter, about, type }) => [parameter, { ...SCHEMAS[type], description: about }]),
      ),
      required: parameters.filter(({ isRequired }) => isRequired).map((one) => one.name),
      additionalProperties: false,
    },
    annotations: { readOnlyHint: command.money !== true, destructiveHint: command.money === true },
  };
};

const nodeOf = ({ commands }: Tree, { command }: ToolCommand): CommandNode => {
  const all = commands.flatMap((node) => (node.kind === 'command' ? [node] : node.commands));
  const found = all.find(({ path }) => path.join(' ') === command);
  if (found === undefined) throw new Error(`there is no command ${command}`);
  return found;
};

/** The tools that are commands, with or without those that change something. */
export const commandTools = (tree: Tree, money: boolean): readonly Tool[] =>
  Object.entries<ToolCommand>(TOOLS)
    .filter(([, command]) => money || command.money !== true)
    .map(([name, command]) => toolOf(name, nodeOf(tree, command), command));

const textsOf = (value: unknown, { name, type }: Parameter): readonly string[] => {
  const isMany = type === 'texts' || type === 'list';
  const values: readonly unknown[] = isMany && Array.isArray(value) ? value : [value];
  if (type === 'count' && !(Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_RECORDS))
    throw usageError(`${name} must be a whole number from 1 to ${MOST_RECORDS}`);
  const texts = values.filter((one) => typeof one === 'string' || (type === 'count' && typeof one === 'number'));
  if (texts.length < values.length) throw usageError(`${name} must be ${isMany ? 'a list of texts' : 'a text'}`);
  return type === 'list' ? [texts.join(',')] : texts.map(String);
};

/** The command line of a call. Throws a usage error for arguments that the tool doesn't have. */
export const argvOf = (tree: Tree, name: ToolName, given: unknown): readonly string[] => {
  const command: ToolCommand = TOOLS[name];
  const node = nodeOf(tree, command);
  const parameters = parametersOf(node, command);
  const values: Readonly<Record<string, unknown>> = {
    ...(command.options?.includes('max') === true ? { max: DEFAULT_RECORDS } : {}),
    ...(isJsonObject(given) ? given : {}),
  };
  const unknown = Object.keys(values).find((key) => !parameters.some((one) => one.name === key));
  if (unknown !== undefined) throw usageError(`${name} has no argument "${unknown}"`);
  const missing = parameters.find((one) => one.isRequired && values[one.name] === undefined);
  if (missing !== undefined) throw usageError(`${name} needs ${missing.name}: ${missing.about}`);
  const set = parameters.filter((one) => values[one.name] !== undefined);
  const words = (one: Parameter): readonly string[] => textsOf(values[one.name], one);
  // Pages of the wanted size: the rest of a larger page could only be had by reading it again from its start.
  const isWhole =
    node.options.some(({ name: option }) => option === '--limit') &&
    set.every(({ name: parameter }) => ['max', 'cursor'].includes(parameter));
  return [
    ...node.path,
    ...set.flatMap((one) => (one.flag === undefined ? [] : words(one).map((word) => `${one.flag}=${word}`))),
    ...(isWhole ? [`--limit=${String(values['max'])}`] : []),
    // Whatever follows is no option.
    '--',
    ...set.flatMap((one) => (one.flag === undefined ? words(one) : [])),
  ];
};

import { MEDIUM_FIELDS } from '../../charge/mediums.ts';
import type { CommandNode, OptionNode, Tree } from '../../cli/tree.ts';
import { textAt } from '../../core/charge.ts';
import { usageError } from '../../core/error.ts';
import { canBeName } from '../../core/ids.ts';
import { isJsonObject, parseIfJson } from '../../core/json.ts';
import { visibleJson } from '../../core/text.ts';
import type { Tool, ToolAnswer } from '../../mcp/server.ts';
import type { Inner } from '../run.ts';

/** A command as a tool: the options that it offers, and those that every call needs. */
interface ToolCommand {
  readonly command: string;
  /** In place of the command's summary. */
  readonly description?: string;
  readonly options?: readonly string[];
  readonly required?: readonly string[];
  /** Takes the token of a plan, too: its description. */
  readonly token?: string;
  /** Offered only with --allow money. */
  readonly money?: true;
}

/** The tools that are commands. No other option can be reached. */
const TOOLS = {
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
    description:
      'Check a charge and show who would be charged, how much, and whether it is refused. Charges nothing. Where charging ' +
      'is allowed, returns a token for charge_confirm, valid for ten minutes and once.',
    options: [
      'medium',
      ...MEDIUM_FIELDS.flatMap(({ name, form }) => (form === 'time' ? [] : [name.replaceAll('_', '-')])),
    ],
    required: ['medium'],
  },
  update_customer: {
    command: 'onye update',
    description:
      'Update a customer; fields that you leave out stay as they are. At a live service this returns a token and a command: ' +
      'once a person has typed the command, call again with the same arguments and the token.',
    token: 'at a live service: the token of the first call',
    options: ['email', 'ref', 'first-name', 'last-name', 'merge-meta', 'unset-meta'],
    money: true,
  },
} as const satisfies Readonly<Record<string, ToolCommand>>;

type ToolName = keyof typeof TOOLS;

export const isTool = (name: string): name is ToolName => Object.hasOwn(TOOLS, name);

/** Records in one answer, at most and by default: an agent pays for each by its length. */
const MOST_RECORDS_READ = 100;
const DEFAULT_RECORDS = 20;

/** An argument of a tool: an argument or an option of its command. */
interface Parameter {
  readonly name: string;
  /** The option; undefined for an argument. */
  readonly flag?: string;
  readonly about: string;
  readonly type: 'text' | 'texts' | 'list' | 'count';
  /** No value has a comma. */
  readonly splits: boolean;
  readonly isRequired: boolean;
}

const typeOf = ({ repeats, list, type }: Pick<OptionNode, 'repeats' | 'list' | 'type'>): Parameter['type'] => {
  if (list === true) return 'list';
  return repeats ? 'texts' : type === 'integer' ? 'count' : 'text';
};

const parametersOf = (node: CommandNode, { options = [], required = [] }: ToolCommand): readonly Parameter[] => [
  ...node.args.map((arg) => ({
    name: arg.name,
    about: arg.about.replace(/; or --from$/, ''),
    type: typeOf(arg),
    splits: true,
    isRequired: !arg.repeats,
  })),
  ...options.map((name) => {
    const option = node.options.find((one) => one.name === `--${name}`);
    if (option === undefined) throw new Error(`${node.path.join(' ')} has no --${name}`);
    const { about, choices } = option;
    const parameter = { name: name.replaceAll('-', '_'), flag: option.name, about, type: typeOf(option) };
    return { ...parameter, splits: choices !== undefined, isRequired: required.includes(name) };
  }),
];

const SCHEMAS = {
  text: { type: 'string' },
  texts: { type: 'array', items: { type: 'string' } },
  list: { type: 'array', items: { type: 'string' } },
  count: { type: 'integer', minimum: 1, maximum: MOST_RECORDS_READ, default: DEFAULT_RECORDS },
} as const;

const toolOf = (name: string, node: CommandNode, command: ToolCommand): Tool => {
  const parameters = parametersOf(node, command);
  return {
    name,
    description: command.description ?? node.summary,
    inputSchema: {
      type: 'object',
      properties: {
        ...Object.fromEntries(
          parameters.map(({ name: parameter, about, type }) => [parameter, { ...SCHEMAS[type], description: about }]),
        ),
        ...(command.token === undefined ? {} : { token: { type: 'string', description: command.token } }),
      },
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

/** Many clients send null, an empty text or an empty list for an argument that is left out. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.every(isEmpty));

/** A list may come as one text: as JSON, or with commas where no value has any. */
const readListValue = (value: unknown, { splits }: Parameter): readonly unknown[] => {
  if (typeof value !== 'string') return Array.isArray(value) ? value : [value];
  const list = parseIfJson(value);
  if (Array.isArray(list)) return list;
  return splits ? value.split(',').map((one) => one.trim()) : [value];
};

const textsOf = (value: unknown, parameter: Parameter): readonly string[] => {
  const { name, type } = parameter;
  const isMany = type === 'texts' || type === 'list';
  const values = (isMany ? readListValue(value, parameter) : [value]).filter((one) => !isEmpty(one));
  if (values.some((one) => typeof one !== 'string' && typeof one !== 'number'))
    throw usageError(`${name} must be ${isMany ? 'a list of texts' : 'a text'}`);
  const texts = values.map(String);
  const count = Number(texts[0]);
  if (type === 'count' && !(Number.isInteger(count) && count >= 1 && count <= MOST_RECORDS_READ))
    throw usageError(`${name} must be a whole number from 1 to ${MOST_RECORDS_READ}`);
  if (type === 'count') return [String(count)];
  return type === 'list' ? [texts.join(',')] : texts;
};

/** Texts of the arguments of a call. Throws a usage error for arguments that the tool doesn't have. */
const readArguments = (tree: Tree, name: ToolName, given: unknown) => {
  const command: ToolCommand = TOOLS[name];
  const node = nodeOf(tree, command);
  const parameters = parametersOf(node, command);
  const values: Readonly<Record<string, unknown>> = {
    ...(command.options?.includes('max') === true ? { max: DEFAULT_RECORDS } : {}),
    ...Object.fromEntries(Object.entries(isJsonObject(given) ? given : {}).filter(([, value]) => !isEmpty(value))),
  };
  const unknown = Object.keys(values).find((key) => !parameters.some((one) => one.name === key));
  if (unknown !== undefined) throw usageError(`${name} has no argument "${unknown}"`);
  const missing = parameters.find((one) => one.isRequired && values[one.name] === undefined);
  if (missing !== undefined) throw usageError(`${name} needs ${missing.name}: ${missing.about}`);
  const set = parameters
    .filter((one) => values[one.name] !== undefined)
    .map((one) => ({ ...one, texts: textsOf(values[one.name], one) }));
  return { node, parameters, set };
};

export const argumentTexts = (tree: Tree, name: ToolName, given: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(readArguments(tree, name, given).set.map((one) => [one.name, one.texts.join()]));

/** The command line of a call. Throws a usage error for arguments that the tool doesn't have. */
export const argvOf = (tree: Tree, name: ToolName, given: unknown): readonly string[] => {
  const { node, set } = readArguments(tree, name, given);
  const max = set.find((one) => one.name === 'max')?.texts[0];
  // Pages of the wanted size: the rest of a larger page could only be had by reading it again from its start.
  const isWhole =
    node.options.some(({ name: option }) => option === '--limit') &&
    set.every((one) => ['max', 'cursor'].includes(one.name));
  return [
    ...node.path,
    ...set.flatMap(({ flag, texts }) => (flag === undefined ? [] : texts.map((text) => `${flag}=${text}`))),
    ...(isWhole ? [`--limit=${max}`] : []),
    // Whatever follows is no option.
    '--',
    ...set.flatMap(({ flag, texts }) => (flag === undefined ? texts : [])),
  ];
};

/** Options that an agent doesn't have. */
const FOR_PEOPLE = /--(?:again|remaining|reuse|no-preflight|help)\b/;

/** The error of a command, in the words of its tool: arguments in place of options, and no advice for people. */
export const toolErrorOf = (
  tree: Tree,
  name: ToolName,
  given: unknown,
  stderr: string,
): Readonly<Record<string, unknown>> => {
  const { parameters, set } = readArguments(tree, name, given);
  const words = stderr.replaceAll(
    /--[a-z][a-z-]*/g,
    (word) => parameters.find(({ flag }) => flag === word)?.name ?? word,
  );
  const document = parseIfJson(words);
  const error = isJsonObject(document) ? document['error'] : undefined;
  if (!isJsonObject(error)) return { message: words };
  const { hint, message, ...rest } = error;
  // An argument has no flag that the message could name.
  const isNamed = words !== stderr || error['kind'] !== 'usage';
  const about = set.find(
    ({ texts }) => !isNamed && texts.some((text) => String(message).includes(JSON.stringify(text))),
  );
  return {
    ...rest,
    message: about === undefined ? message : `${about.name}: ${String(message)}`,
    ...(typeof hint === 'string' && !FOR_PEOPLE.test(hint) ? { hint } : {}),
  };
};

/** Prefix of the ids of a record that can be named, by the noun that reads it. */
const ID_PREFIXES = { ugwo: 'ugw', onye: 'ony' } as const;

/** A command of a tool that has ended. */
export type InnerEnd = Awaited<ReturnType<Inner>>;

/**
 * The id of the record that a ref or an e-mail address names now: a plan is about that record, even if another one gets
 * the name. `failed` is the ended read if there is no such record.
 */
export const idNamed = async (
  noun: keyof typeof ID_PREFIXES,
  name: string,
  signal: AbortSignal,
  inner: Inner,
): Promise<{ readonly id: string; readonly failed?: InnerEnd }> => {
  if (!canBeName(ID_PREFIXES[noun], name)) return { id: name };
  const read = await inner([noun, 'get', '--', name], signal);
  return read.code === 0 ? { id: textAt(parseIfJson(read.stdout), 'uid') } : { id: name, failed: read };
};

/** The output of a tool's command as an answer. */
export const toolAnswerOf = (
  tree: Tree,
  name: ToolName,
  given: unknown,
  { code, stdout, stderr }: InnerEnd,
): ToolAnswer => {
  const error = code === 0 ? '' : visibleJson(JSON.stringify({ error: toolErrorOf(tree, name, given, stderr) }));
  return { text: [stdout.trim(), error].filter(Boolean).join('\n'), isError: code !== 0 };
};

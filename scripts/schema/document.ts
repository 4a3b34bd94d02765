/** The output of `paycli schema`, generated from the command table and the contract. */
import {
  ALL_EXITS,
  type ArgumentNode,
  type CommandNode,
  commandsOf,
  commandTree,
  type ExitNode,
  type OptionNode,
} from '../../src/cli/tree.ts';
import { allSpecs, NOUNS } from '../../src/commands/all.ts';
import { neededDefs } from '../../src/commands/schema/print.ts';
import { componentsOf, type JsonSchema } from '../json-schema.ts';
import { NAMED } from '../openapi.ts';
import { OUTPUTS, type Output } from './outputs.ts';
import { anyOf, listOf, OWN, ref } from './own.ts';

/** Path of references between schemas in the OpenAPI document. */
const ELSEWHERE = '#/components/schemas/';

const contractDefs = (): Readonly<Record<string, JsonSchema>> =>
  JSON.parse(JSON.stringify(componentsOf(NAMED)).replaceAll(ELSEWHERE, '#/$defs/')) as Record<string, JsonSchema>;

const takenBy = ({ type, choices, completes, list, default: fallback }: OptionNode | ArgumentNode) => ({
  type: type ?? 'text',
  ...(choices === undefined ? {} : { choices }),
  ...(completes === undefined ? {} : { names: completes }),
  ...(list === undefined ? {} : { list }),
  ...(fallback === undefined ? {} : { default: fallback }),
});

const optionOf = (option: OptionNode) => ({
  name: option.name,
  ...(option.short === undefined ? {} : { aliases: [option.short] }),
  description: option.about,
  ...(option.value === undefined ? {} : { value: { name: option.value, ...takenBy(option) } }),
  repeats: option.repeats,
});

const argumentOf = (argument: ArgumentNode) => ({
  name: argument.name,
  description: argument.about,
  required: argument.required,
  repeats: argument.repeats,
  value: takenBy(argument),
});

const exitOf = ({ code, kind, meaning, again }: ExitNode) => ({
  code,
  kind,
  description: meaning,
  ...(again === undefined ? {} : { run_again: again }),
});

const page = (record: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { data: listOf(record), next_cursor: { type: ['string', 'null'] } },
  required: ['data', 'next_cursor'],
  additionalProperties: false,
});

const PREVIEW: Output = { record: ref('Request'), list: false, columns: [] };

const outputOf = ({ path, output, format, previews }: CommandNode) => {
  const printed = OUTPUTS[path.join(' ')] ?? [];
  const all = previews ? [...printed, PREVIEW] : printed;
  return {
    description: output,
    ...(format === undefined ? {} : { format }),
    columns: [...new Set(printed.flatMap(({ columns }) => columns))],
    json: anyOf(all.map(({ record, list }) => (list ? page(record) : record))),
    ndjson_line: anyOf(all.map(({ record }) => record)),
  };
};

const commandOf = (node: CommandNode, aliases: readonly string[]) => ({
  name: node.path.join(' '),
  ...(aliases.length === 0 ? {} : { aliases }),
  summary: node.summary,
  ...(node.description === undefined ? {} : { description: node.description }),
  danger: node.danger,
  previews: node.previews,
  arguments: node.args.map(argumentOf),
  options: node.options.map(optionOf),
  exit_codes: node.exits.map(({ code, kind }) => ({ code, kind })),
  output: outputOf(node),
  examples: node.examples.map(({ about, line }) => ({ description: about, line })),
});

const tree = commandTree(await allSpecs(), NOUNS);

/** The whole document. */
export const schemaDocument = () => {
  const nouns = new Map(tree.commands.map((node) => [node.path.join(' '), node.kind === 'noun' ? node.aliases : []]));
  const called = ({ path: [first = '', ...rest], aliases }: CommandNode): string[] => [
    ...(nouns.get(first) ?? []).map((alias) => [alias, ...rest].join(' ')),
    ...aliases,
  ];
  const body = {
    name: 'paycli',
    summary: 'Operate a payments service from a terminal, a script or a CI job.',
    dangers: {
      read: 'changes nothing, but for what paycli records of what it has seen',
      write: 'changes something at the service or on this machine',
      money: 'charges, pays back, or decides whether that may be done',
    },
    exit_codes: ALL_EXITS.map(exitOf),
    error: ref('Error'),
    options: tree.options.map(optionOf),
    commands: commandsOf(tree).map((node) => commandOf(node, called(node))),
  };
  const defs = { ...contractDefs(), ...OWN };
  return { ...body, $defs: neededDefs(body, defs) };
};

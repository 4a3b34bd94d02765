/** Figures that the text and the syntax of the files give. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { SyntaxKind } from 'typescript/unstable/ast';
import { createScanner } from 'typescript/unstable/ast/scanner';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** A name that a file declares at its top level or exports. */
interface Declared {
  readonly name: string;
  readonly file: string;
  readonly type: string;
  readonly isExported: boolean;
}

interface Source {
  readonly text: string;
  readonly nodes: readonly Node[];
  readonly declared: readonly Declared[];
}

/** Names that count against a figure. */
export type Names = Readonly<Record<string, readonly string[]>>;

const FUNCTIONS = ['ArrowFunctionExpression', 'FunctionDeclaration', 'FunctionExpression'];
/** A function of as many lines has no outline. */
const LONG = 60;
const TYPES = ['TSInterfaceDeclaration', 'TSTypeAliasDeclaration'];
const QUESTION_WORD = /^\s*(?:\/\*\*|\*|\/\/)\s*(?:What|How|Whether)\b/gm;

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|js|css|html)$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name));

const linesOf = (text: string): number => text.split('\n').length - 1;
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

const nodesBelow = (node: Node, found: Node[] = []): Node[] => {
  found.push(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) nodesBelow(child, found);
  }
  return found;
};

/** Leaves of TypeScript's syntax tree: names, words, literals, operators and brackets; comments are none. */
const tokensOf = ({ text, nodes }: Source): number => {
  if (nodes.length === 0) return 0;
  const expressions = new Set(nodes.filter(({ regex }) => regex !== undefined).map(({ start }) => start));
  const templates = new Set(nodes.filter(({ type }) => type === 'TemplateElement').map(({ start }) => start));
  const scanner = createScanner(true, undefined, text);
  let tokens = 0;
  while (scanner.scan() !== SyntaxKind.EndOfFile) {
    const start = scanner.getTokenStart();
    if (expressions.has(start)) scanner.reScanSlashToken();
    else if (scanner.getToken() === SyntaxKind.CloseBraceToken && templates.has(start))
      scanner.reScanTemplateToken(false);
    tokens += 1;
  }
  return tokens;
};

const isSpreadLiteral = ({ type, argument }: Node): boolean =>
  type === 'SpreadElement' && isNode(argument) && argument.type === 'ObjectExpression';

const nameOf = (node: unknown): string => (node as { readonly name: string }).name;

/** Constants, functions, classes and types of one statement. Constants taken out of an object or array don't count. */
const declaredBy = (statement: Node, file: string): Declared[] => {
  const isExported = statement.type === 'ExportNamedDeclaration';
  if (isExported && !isNode(statement['declaration'])) {
    const specifiers = statement['specifiers'] as readonly Node[];
    return specifiers.map(({ exported }) => ({ name: nameOf(exported), file, type: 'ExportSpecifier', isExported }));
  }
  const { type, id, declarations } = (isExported ? statement['declaration'] : statement) as Node;
  const ids = type === 'VariableDeclaration' ? (declarations as readonly Node[]).map((one) => one['id']) : [id];
  return ids
    .filter(isNode)
    .filter((one) => one.type === 'Identifier')
    .map((one) => ({ name: nameOf(one), file, type, isExported }));
};

const sourceOf = (file: string): Source => {
  const text = readFileSync(file, 'utf8');
  if (!/\.[jt]s$/.test(file)) return { text, nodes: [], declared: [] };
  const program = parseSync(file, text, { lang: 'ts' }).program as unknown as Node;
  const declared = (program['body'] as readonly Node[]).flatMap((statement) => declaredBy(statement, file));
  return { text, nodes: nodesBelow(program), declared };
};

const sourcesIn = (folder: string): Map<string, Source> =>
  new Map(filesIn(folder).map((file) => [file, sourceOf(file)]));

/** Imports of a file, as `file name`. A whole module, as `import()` gives it, counts for every name in the text. */
const importsOf = ([file, { nodes }]: readonly [string, Source]): string[] => {
  const words = new Set(nodes.filter(({ type }) => type === 'Identifier').map(nameOf));
  return nodes
    .filter(({ source }) => isNode(source) && String(source['value']).startsWith('.'))
    .flatMap(({ source, specifiers }) => {
      const from = join(dirname(file), String((source as Node)['value']));
      const names = ((specifiers as readonly Node[] | undefined) ?? []).map(({ imported, local, type }) =>
        type === 'ImportNamespaceSpecifier' ? undefined : nameOf(imported ?? local),
      );
      const isWhole = names.length === 0 || names.includes(undefined);
      return [...(isWhole ? words : names)].map((name) => `${from} ${name}`);
    });
};

/** Exports that a test imports and no file of src/ or scripts/ does. `run` is a handler, which its command loads. */
const testOnly = (src: Map<string, Source>, test: Map<string, Source>): string[] => {
  const used = new Set([...src, ...sourcesIn('scripts')].flatMap(importsOf));
  const tested = new Set([...test].flatMap(importsOf));
  return [...src.values()]
    .flatMap(({ declared }) => declared)
    .filter(({ isExported, name }) => isExported && name !== 'run')
    .map(({ file, name }) => `${file} ${name}`)
    .filter((one) => tested.has(one) && !used.has(one));
};

const filesByName = (declared: readonly Declared[]): Map<string, Set<string>> => {
  const found = new Map<string, Set<string>>();
  for (const { name, file } of declared) found.set(name, (found.get(name) ?? new Set()).add(file));
  return found;
};

const inSeveralFiles = (declared: readonly Declared[]): string[] =>
  [...filesByName(declared)].filter(([, files]) => files.size > 1).map(([name]) => name);

const membersOf = (file: string, name: string): string[] => {
  const { nodes } = sourceOf(file);
  const found = nodes.find(({ type, id }) => type === 'TSInterfaceDeclaration' && nameOf(id) === name) as Node;
  return ((found['body'] as Node)['body'] as readonly Node[]).map(({ key }) => nameOf(key));
};

const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? 0;

export const measureSource = (): { readonly figures: Record<string, number>; readonly names: Names } => {
  const [src, test] = [sourcesIn('src'), sourcesIn('test')];
  const sources = [...src.values()];
  const texts = sources.map(({ text }) => text);
  const declared = sources.flatMap((source) => source.declared).filter(({ type }) => type !== 'ExportSpecifier');
  const types = declared.filter(({ type }) => TYPES.includes(type));
  const values = declared.filter(({ type }) => !TYPES.includes(type));
  const functions = [...src].flatMap(([file, { text, nodes }]) =>
    nodes
      .filter(({ type }) => FUNCTIONS.includes(type))
      .map(({ start, end }) => ({
        place: `${file}:${linesOf(text.slice(0, start)) + 1}`,
        length: linesOf(text.slice(start, end)) + 1,
      })),
  );
  const lengths = functions.map(({ length }) => length).filter((length) => length > 1);
  const names = {
    'exported types with several definitions': inSeveralFiles(types.filter(({ isExported }) => isExported)),
    'exported values with several definitions': inSeveralFiles(values.filter(({ isExported }) => isExported)),
    'names of values in several files': inSeveralFiles(values),
    'exports that only tests import': testOnly(src, test),
    [`functions of ${LONG} lines or more`]: functions.filter(({ length }) => length >= LONG).map(({ place }) => place),
    'literals that are spread into a literal': [...src].flatMap(([file, { text, nodes }]) =>
      nodes.filter(isSpreadLiteral).map(({ start }) => `${file}:${linesOf(text.slice(0, start)) + 1}`),
    ),
    'members of Run': membersOf('src/commands/run.ts', 'Run'),
  };
  const figures = {
    'tokens in src': sumOf(sources.map(tokensOf)),
    'files in src': sources.length,
    'lines in src': sumOf(texts.map(linesOf)),
    'lines in test': sumOf([...test.values()].map(({ text }) => linesOf(text))),
    'lines of a function of several lines, median': quantile(lengths, 0.5),
    'lines of a function of several lines, 90th percentile': quantile(lengths, 0.9),
    'comments that begin with What, How or Whether': sumOf(texts.map((text) => text.match(QUESTION_WORD)?.length ?? 0)),
    // Constants and functions; neither types nor classes.
    'top-level names': values.filter(({ type }) => type !== 'ClassDeclaration').length,
    ...Object.fromEntries(Object.entries(names).map(([what, found]) => [what, found.length])),
  };
  return { figures, names };
};

/**
 * Prints size figures: files, lines, function lengths, type names with several meanings, comments that begin with a
 * question word, and the files in which common commands execute a function. `-- --names` lists the type names.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { SEEDED } from '../src/core/data-files.ts';

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|js|css|html)$/.test(name))
    .map((name) => join(folder, name));

const textOf = (file: string): string => readFileSync(file, 'utf8');
const linesOf = (text: string): number => text.split('\n').length - 1;
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

const nodesBelow = (node: Node): Node[] => [node, ...Object.values(node).flat().filter(isNode).flatMap(nodesBelow)];

const FUNCTIONS = ['ArrowFunctionExpression', 'FunctionDeclaration', 'FunctionExpression'];
const TYPES = ['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'ClassDeclaration'];

/** Lines of each function, and the names of exported types. */
const shapeOf = (file: string): { readonly lengths: number[]; readonly types: string[] } => {
  const source = textOf(file);
  const nodes = nodesBelow(parseSync(file, source, { lang: 'ts' }).program as unknown as Node);
  const lengths = nodes
    .filter(({ type }) => FUNCTIONS.includes(type))
    .map(({ start, end }) => source.slice(start, end).split('\n').length)
    .filter((length) => length > 1);
  const types = nodes
    .filter(({ type }) => type === 'ExportNamedDeclaration')
    .map(({ declaration }) => declaration)
    .filter(isNode)
    .filter(({ type }) => TYPES.includes(type))
    .map(({ id }) => (id as { readonly name: string }).name);
  return { lengths, types };
};

const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? 0;

const QUESTION_WORD = /^\s*(?:\/\*\*|\*|\/\/)\s*(?:What|How|Whether)\b/gm;

const work = mkdtempSync(join(tmpdir(), 'paycli-measure-'));
const NODE = process.execPath;
const MAIN = `import(${JSON.stringify(pathToFileURL(resolve('src/main.ts')).href)}).then((program) => program.main())`;
const environment = { ...process.env, PAYCLI_HOME: join(work, 'home'), NODE_NO_WARNINGS: '1' };

const covered = (folder: string): number => {
  const files = readdirSync(folder)
    .flatMap((name) => JSON.parse(textOf(join(folder, name))).result)
    .filter(({ url }) => url.includes('/src/') && !url.includes('node_modules'))
    // Skip the first function: it is the module itself.
    .filter(({ functions }) =>
      functions.slice(1).some(({ ranges }: { ranges: { count: number }[] }) => (ranges[0]?.count ?? 0) > 0),
    )
    .map(({ url }) => url);
  return new Set(files).size;
};

/** Runs the source itself, and counts the files of which a function was executed. `begun` is called when it first prints. */
const executed = async (name: string, args: readonly string[], env: NodeJS.ProcessEnv, begun = () => {}) => {
  const folder = join(work, `coverage-${name}`);
  mkdirSync(folder);
  const child = spawn(NODE, ['-e', MAIN, 'paycli', ...args], {
    env: { ...environment, ...env, NODE_V8_COVERAGE: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [ended, printed, said] = [once(child, 'close'), text(child.stdout), text(child.stderr)];
  child.stderr.once('data', begun);
  const [status] = await ended;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${await said}`);
  return { files: covered(folder), printed: await printed };
};

const onEmulator = { ...environment, PAYCLI_HOME: join(work, 'service') };

const emulator = (...args: string[]): string => {
  const done = spawnSync(NODE, ['bin/paycli.js', ...args], { env: onEmulator, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
};

const startEmulator = async () => {
  const child = spawn(NODE, ['bin/paycli.js', 'emulator', 'start', '-o', 'ndjson'], {
    env: onEmulator,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { origin, key } = JSON.parse(line) as { readonly origin: string; readonly key: string };
  return { child, env: { PAYCLI_BASE_URL: origin, PAYCLI_SECRET_KEY: key } };
};

const freePort = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return String(port);
};

/** A listener that receives an event about the charge `activity`. */
const executedByDelivery = async (activity: string, env: NodeJS.ProcessEnv) => {
  const [secret, port] = [join(work, 'secret'), await freePort()];
  emulator(
    'emulator',
    'webhook',
    'add',
    `http://127.0.0.1:${port}/`,
    '--event',
    'ugwo.activity.*',
    '--secret-out',
    secret,
  );
  const args = ['webhook', 'listen', '--port', port, '--secret-file', secret, '--until', '1'];
  return executed('delivery', args, env, () => emulator('emulator', 'settle', activity, '--as', 'successful'));
};

const measureRuns = async (): Promise<Record<string, number>> => {
  const { child, env } = await startEmulator();
  const [one = '', , another = ''] = emulator(
    'ugwo',
    'list',
    '--local',
    '--status',
    'requires_ugwo',
    '-o',
    'tsv',
    '--columns',
    'uid',
  ).split('\n');
  try {
    const rows = join(work, 'rows.csv');
    writeFileSync(rows, `ugwo,medium\n${another},bank_transfer\n`);
    const charge = await executed('charge', ['ugwo', 'charge', one, '--medium', 'bank_transfer', '--json'], env);
    const file = await executed('file', ['ugwo', 'charge', '--from', rows, '--yes'], env);
    const list = await executed('list', ['ugwo', 'list', '--all', '--json'], env);
    const get = await executed('get', ['onye', 'get', SEEDED.onye], env);
    const delivery = await executedByDelivery(JSON.parse(charge.printed).uid, env);
    return {
      'one charge': charge.files,
      'a file of one row': file.files,
      'ugwo list --all --json': list.files,
      'onye get': get.files,
      'a webhook delivery about a charge': delivery.files,
    };
  } finally {
    child.kill();
    rmSync(work, { recursive: true, force: true });
  }
};

const sources = filesIn('src');
const texts = sources.map(textOf);
const shapes = sources.filter((file) => /(?<!\.d)\.ts$|\.js$/.test(file)).map(shapeOf);
const lengths = shapes.flatMap((shape) => shape.lengths);
const tests = filesIn('test');
const meanings = Map.groupBy(
  shapes.flatMap(({ types }) => types),
  (name) => name,
);
const ambiguous = [...meanings].filter(([, found]) => found.length > 1).map(([name]) => name);

const rows: Record<string, number | string> = {
  'files in src': sources.length,
  'lines in src': sumOf(texts.map(linesOf)),
  'lines in test': sumOf(tests.map(textOf).map(linesOf)),
  'functions of several lines, median and p90': `${quantile(lengths, 0.5)}, ${quantile(lengths, 0.9)}`,
  'type names with several meanings': ambiguous.length,
  'comments that begin with What, How or Whether': sumOf(
    texts.map((source) => source.match(QUESTION_WORD)?.length ?? 0),
  ),
};
for (const [what, count] of Object.entries(rows)) process.stdout.write(`${String(count).padStart(8)}  ${what}\n`);
if (process.argv.includes('--names')) process.stdout.write(`${ambiguous.sort().join(' ')}\n`);
for (const [what, count] of Object.entries(await measureRuns())) {
  process.stdout.write(`${String(count).padStart(8)}  files executed by ${what}\n`);
}

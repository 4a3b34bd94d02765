/** Functions and files that common commands execute, from V8's coverage of the source itself. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SEEDED } from '../../src/core/data-files.ts';

interface Covered {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
  }[];
}

interface Executed {
  readonly files: number;
  readonly functions: number;
  readonly lines: number;
  readonly printed: string;
}

const NODE = process.execPath;
const MAIN = `import(${JSON.stringify(pathToFileURL(resolve('src/main.ts')).href)}).then((program) => program.main())`;

const work = mkdtempSync(join(tmpdir(), 'paycli-measure-'));

/** A run depends on nothing of the caller's environment but where programs and temporary files are. */
const environmentOf = (home: string): NodeJS.ProcessEnv => {
  const { PATH, TMPDIR, SystemRoot } = process.env;
  return { PATH, TMPDIR, SystemRoot, HOME: work, PAYCLI_HOME: join(work, home), NODE_NO_WARNINGS: '1' };
};

/** Executed functions of each file, as `start end`. The first function that V8 lists is the module itself. */
const executedIn = (folder: string): Map<string, Set<string>> => {
  const found = new Map<string, Set<string>>();
  const results = readdirSync(folder).flatMap(
    (name): Covered[] => JSON.parse(readFileSync(join(folder, name), 'utf8')).result,
  );
  for (const { url, functions } of results) {
    if (!url.includes('/src/') || url.includes('node_modules')) continue;
    const ranges = functions.slice(1).flatMap((one) => one.ranges.slice(0, 1));
    const executed = ranges.filter(({ count }) => count > 0).map((one) => `${one.startOffset} ${one.endOffset}`);
    if (executed.length > 0) found.set(url, new Set([...(found.get(url) ?? []), ...executed]));
  }
  return found;
};

/** Lines of a file that executed functions cover; a line counts once. */
const linesOf = (url: string, functions: Iterable<string>): number => {
  const source = readFileSync(fileURLToPath(url), 'utf8');
  const lineAt = (offset: number): number => source.slice(0, offset).split('\n').length;
  const lines = new Set<number>();
  for (const one of functions) {
    const [start = 0, end = 0] = one.split(' ').map(Number);
    for (let line = lineAt(start); line <= lineAt(end); line += 1) lines.add(line);
  }
  return lines.size;
};

/** Runs the source itself. `begun` is called when it first prints on stderr. */
const execute = async (
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  begun = () => {},
): Promise<Executed> => {
  const folder = join(work, `coverage-${name}`);
  mkdirSync(folder);
  const child = spawn(NODE, ['-e', MAIN, 'paycli', ...args], {
    env: { ...environmentOf('home'), ...env, NODE_V8_COVERAGE: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [ended, printed, said] = [once(child, 'close'), text(child.stdout), text(child.stderr)];
  child.stderr.once('data', begun);
  const [status] = await ended;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${await said}`);
  const found = executedIn(folder);
  const functions = [...found.values()].reduce((sum, one) => sum + one.size, 0);
  const lines = [...found].reduce((sum, [url, one]) => sum + linesOf(url, one), 0);
  return { files: found.size, functions, lines, printed: await printed };
};

const emulator = (...args: string[]): string => {
  const done = spawnSync(NODE, ['bin/paycli.js', ...args], { env: environmentOf('service'), encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
};

const startEmulator = async () => {
  const child = spawn(NODE, ['bin/paycli.js', 'emulator', 'start', '-o', 'ndjson'], {
    env: environmentOf('service'),
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
const executeDelivery = async (activity: string, env: NodeJS.ProcessEnv): Promise<Executed> => {
  const [secret, port] = [join(work, 'secret'), await freePort()];
  const hook = ['emulator', 'webhook', 'add', `http://127.0.0.1:${port}/`];
  emulator(...hook, '--event', 'ugwo.activity.*', '--secret-out', secret);
  const args = ['webhook', 'listen', '--port', port, '--secret-file', secret, '--until', '1'];
  return execute('delivery', args, env, () => emulator('emulator', 'settle', activity, '--as', 'successful'));
};

export const measureRuns = async (): Promise<Record<string, number>> => {
  const { child, env } = await startEmulator();
  const open = ['ugwo', 'list', '--local', '--status', 'requires_ugwo', '-o', 'tsv', '--columns', 'uid'];
  const [one = '', , another = ''] = emulator(...open).split('\n');
  try {
    const rows = join(work, 'rows.csv');
    writeFileSync(rows, `ugwo,medium\n${another},bank_transfer\n`);
    const charge = await execute('charge', ['ugwo', 'charge', one, '--medium', 'bank_transfer', '--json'], env);
    const file = await execute('file', ['ugwo', 'charge', '--from', rows, '--yes'], env);
    const list = await execute('list', ['ugwo', 'list', '--all', '--json'], env);
    const get = await execute('get', ['onye', 'get', SEEDED.onye], env);
    const delivery = await executeDelivery(JSON.parse(charge.printed).uid, env);
    return {
      'functions executed by one charge': charge.functions,
      'lines of the functions executed by one charge': charge.lines,
      'files executed by one charge': charge.files,
      'files executed by a file of one row': file.files,
      'files executed by ugwo list --all --json': list.files,
      'functions executed by ugwo list --all --json': list.functions,
      'files executed by onye get': get.files,
      'files executed by a webhook delivery about a charge': delivery.files,
    };
  } finally {
    child.kill();
    rmSync(work, { recursive: true, force: true });
  }
};

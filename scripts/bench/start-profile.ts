/**
 * Where the time of a start goes: the npm build under Node's own profiler, each sample counted for the part of the program that
 * it was taken in. Prints a table, medians of many runs: `npm run bench:start`. Being watched takes time too, so the shares
 * are what counts.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ugwoId } from './run/charge-file.ts';
import { median } from './run/line.ts';
import { environment, run } from './run/programs.ts';
import { during, startCharges, startList } from './run/services.ts';

interface Frame {
  readonly functionName: string;
  readonly url: string;
}

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: Frame;
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const ROUNDS = 15;
const RECORDS = 100;
/** Less is not shown. */
const LEAST_MS = 0.05;
const SELF = new Map([
  ['(idle)', 'waiting for the service'],
  ['(garbage collector)', 'garbage collection'],
]);
const RUNTIME = 'Node itself';
const LOADING = 'finding and loading files';
const WHOLE = 'the whole run';

/** The chunk of a file of ours, without the hash in its name. */
const chunkOf = ({ url }: Frame): string | undefined =>
  /\/(bin|dist)\//.test(url) ? basename(url, '.js').replace(/-[\w-]{8}$/, '') : undefined;

const NAMES: Readonly<Record<string, string>> = {
  paycli: 'bin/paycli.js',
  main: 'arguments, commander, the frame (main)',
  client: 'HTTP, undici (client)',
  contract: 'the contract, zod',
  'profile-file': 'the contract, zod',
  config: 'profiles, conf (config)',
  output: 'printing (output)',
  ledger: 'the ledger, SQLite',
  database: 'the ledger, SQLite',
};

/** The part that a sample counts for, given its frames from the outermost on. */
const partOf = (frames: readonly Frame[]): string => {
  const self = SELF.get(frames.at(-1)?.functionName ?? '');
  if (self !== undefined) return self;
  const inner = frames.findLastIndex((frame) => chunkOf(frame) !== undefined);
  const below = frames.slice(inner + 1);
  const isLoading = below.some(({ url }) => url.startsWith('node:internal/modules/esm'));
  if (inner === -1) return frames.some(({ url }) => url.startsWith('node:internal/modules/esm')) ? LOADING : RUNTIME;
  if (below.some(({ functionName }) => functionName === 'compileForInternalLoader')) return "Node's own modules";
  const chunk = chunkOf(frames[inner] as Frame) ?? '';
  return isLoading ? LOADING : (NAMES[chunk] ?? 'other');
};

/** Milliseconds of each part. */
const partsOf = ({ nodes, samples, timeDeltas }: Profile): ReadonlyMap<string, number> => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const part = new Map<number, string>();
  const visit = (id: number, above: readonly Frame[]): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const frames = [...above, node.callFrame];
    part.set(id, partOf(frames));
    for (const child of node.children ?? []) visit(child, frames);
  };
  visit(nodes[0]?.id ?? 0, []);
  const parts = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const ms = (timeDeltas[index] ?? 0) / 1000;
    for (const name of [part.get(id) ?? RUNTIME, WHOLE]) parts.set(name, (parts.get(name) ?? 0) + ms);
  }
  return parts;
};

const folder = mkdtempSync(join(tmpdir(), 'paycli-bench-'));

const profile = (args: readonly string[], origin: string, round: number): ReadonlyMap<string, number> => {
  const out = join(folder, `profile-${args.join('-').replaceAll(/\W+/g, '-')}-${round}`);
  const watched = ['--cpu-prof', '--cpu-prof-interval', '100', '--cpu-prof-dir', out] as const;
  const env = { ...environment(folder), PAYCLI_BASE_URL: origin };
  run([process.execPath, ...watched, 'bin/paycli.js', ...args], env);
  const [file = ''] = readdirSync(out);
  return partsOf(JSON.parse(readFileSync(join(out, file), 'utf8')) as Profile);
};

const medians = (argsOf: (round: number) => readonly string[], origin: string): ReadonlyMap<string, number> => {
  const rounds = Array.from({ length: ROUNDS + 1 }, (_, round) => profile(argsOf(round), origin, round)).slice(1);
  const names = new Set(rounds.flatMap((parts) => [...parts.keys()]));
  return new Map([...names].map((name) => [name, median(rounds.map((parts) => parts.get(name) ?? 0))]));
};

const charge = (round: number): string[] => [
  'ugwo',
  'charge',
  ugwoId(round + 1),
  '--medium',
  'bank_transfer',
  '--json',
];

try {
  const [version, list] = await during(startList(RECORDS), async (origin) => [
    medians(() => ['--version'], origin),
    medians(() => ['ugwo', 'list', '--limit', '10', '-o', 'json'], origin),
  ]);
  const charged = await during(startCharges(), async (origin) => medians(charge, origin));
  const runs = [version, list, charged].map((parts) => parts ?? new Map<string, number>());
  const most = (name: string): number => Math.max(...runs.map((parts) => parts.get(name) ?? 0));
  const all = [...new Set(runs.flatMap((parts) => [...parts.keys()]))];
  const names = all.filter((name) => name !== WHOLE && most(name) >= LEAST_MS);
  const cell = (ms: number | undefined): string => (ms === undefined || ms < LEAST_MS ? '' : ms.toFixed(1));
  process.stdout.write('| in ms, being watched | `--version` | `ugwo list` | `ugwo charge` |\n|---|---:|---:|---:|\n');
  for (const name of [...names.sort((a, b) => most(b) - most(a)), WHOLE]) {
    process.stdout.write(`| ${name} | ${runs.map((parts) => cell(parts.get(name))).join(' | ')} |\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

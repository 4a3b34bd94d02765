import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KEY } from './rows.ts';

const here = import.meta.dirname;
const PAYCLI = join(here, '../../bin/paycli.js');
/** Writes down the most memory that a program ever had, in KiB, where PEAK_FILE says. */
const PEAK = `import { writeFileSync } from 'node:fs';
  process.on('exit', () => writeFileSync(process.env.PEAK_FILE, String(process.resourceUsage().maxRSS)));`;

/** What one run of a program cost. */
export interface Cost {
  readonly ms: number;
  readonly peakMb: number;
  readonly stdout: string;
}

/** Runs a script to its end, which must be a good one. `folder` takes what it leaves. */
const run = async (script: string, args: readonly string[], folder: string, env: object = {}): Promise<Cost> => {
  const peakFile = join(folder, 'peak');
  const started = performance.now();
  const child = spawn(process.execPath, [script, ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PEAK)}`,
      PEAK_FILE: peakFile,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: [out: string[], err: string[]] = [[], []];
  child.stdout.setEncoding('utf8').on('data', (text: string) => said[0].push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => said[1].push(text));
  const code = await new Promise((resolve) => child.on('close', resolve));
  const ms = performance.now() - started;
  if (code !== 0) throw new Error(`${script} ${args.join(' ')} ended with ${code}: ${said[1].join('')}`);
  return { ms, peakMb: Number(readFileSync(peakFile, 'utf8')) / 1024, stdout: said[0].join('') };
};

/** The built program against a service; `folder` is its home. */
export const runPaycli = (args: readonly string[], folder: string, origin: string): Promise<Cost> =>
  run(PAYCLI, args, folder, { PAYCLI_HOME: folder, PAYCLI_BASE_URL: origin, PAYCLI_SECRET_KEY: KEY });

/** The loop that it is compared with. */
export const runBareLoop = (origin: string, count: number, concurrency: number, folder: string): Promise<Cost> =>
  run(join(here, 'bare-loop.ts'), [origin, String(count), String(concurrency)], folder);

/** Starts the service that answers; it ends with `close`. */
export const startStub = async (): Promise<{ readonly origin: string; readonly close: () => void }> => {
  const child = spawn(process.execPath, [join(here, 'stub.ts')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
    child.once('exit', (code) => reject(new Error(`the stub ended with ${code}`)));
  });
  return { origin, close: () => child.stdin.end() };
};

import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PROGRAM_HERE } from '../../pinned.ts';
import { KEY } from './charge-file.ts';

export type Environment = Readonly<Record<string, string>>;

/** The words that start a program. */
export type Command = readonly [file: string, ...args: string[]];

const here = (file: string): string => join(import.meta.dirname, '..', file);

export const NPM_BUILD: Command = [process.execPath, resolve('bin/paycli.js')];
export const STANDALONE: Command = [resolve(PROGRAM_HERE)];
/** The loops that paycli is compared with. */
export const BARE_WALK: Command = [process.execPath, here('bare-walk.ts')];
export const CURL_WALK: Command = ['sh', here('curl-walk.sh')];

/**
 * The environment of a run: nothing of the machine's own but where programs are. `home` takes what it leaves, the caches
 * lie in `folder` and are for all, or every start would compile the program anew.
 */
export const environment = (folder: string, home = folder): Environment => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  PAYCLI_HOME: home,
  PAYCLI_SECRET_KEY: KEY,
  XDG_CACHE_HOME: join(folder, 'cache'),
  // What others would fetch or report beside their work.
  DO_NOT_TRACK: '1',
  STRIPE_CLI_TELEMETRY_OPTOUT: '1',
  RESEND_NO_UPDATE_NOTIFIER: '1',
});

/** The same for a bare loop, which Node compiles anew at each start unless it is told to keep what it compiled. */
export const loopEnvironment = (folder: string): Environment => ({
  ...environment(folder),
  NODE_COMPILE_CACHE: join(folder, 'cache', 'loops'),
});

export const newHome = (folder: string): string => mkdtempSync(join(folder, 'home-'));

export interface Run {
  readonly ms: number;
  /** What it printed, where that was not sent elsewhere. */
  readonly stdout: string;
}

const checked = (command: Command, { status, stderr, error }: SpawnSyncReturns<string>): void => {
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`);
};

/** Runs a program to its end, which must be a good one. `out` takes what it prints: a file that is open. */
export const run = (command: Command, env: Environment, out: number | 'pipe' = 'pipe'): Run => {
  const [file, ...args] = command;
  const started = performance.now();
  const ended = spawnSync(file, args, { env, stdio: ['ignore', out, 'pipe'], encoding: 'utf8', maxBuffer: Infinity });
  const ms = performance.now() - started;
  checked(command, ended);
  return { ms, stdout: ended.stdout };
};

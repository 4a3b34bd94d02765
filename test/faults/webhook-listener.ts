import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM } from '../support/built.ts';
import { secretFile } from '../support/webhooks.ts';

/** A `webhook listen` that is restarted after each kill; the output of each process is kept separately. */
export interface KeptListener {
  readonly home: string;
  readonly pid: () => number | undefined;
  readonly kills: () => number;
  /** Kills the current process, and starts another. */
  kill(): Promise<void>;
  /** Asks it to exit, and returns its exit code. */
  end(): Promise<number | null>;
  /** The stdout and stderr of each process. */
  printed(): readonly string[];
  said(): readonly string[];
}

const textsIn = (folder: string, ending: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(folder, name), 'utf8'));

export const keepListening = (
  folder: string,
  { port, args }: { readonly port: number; readonly args: readonly string[] },
): KeptListener => {
  const [home, said] = [join(folder, 'home'), join(folder, 'said')];
  for (const made of [home, said]) mkdirSync(made, { recursive: true, mode: 0o700 });
  const words = ['webhook', 'listen', '--port', String(port), '--secret-file', secretFile(home), ...args];
  let [number, child] = [0, undefined as ChildProcess | undefined];
  const start = (): void => {
    const [file, ...first] = PROGRAM;
    const files = ['out', 'err'].map((ending) =>
      openSync(join(said, `${String(number).padStart(4, '0')}.${ending}`), 'w'),
    );
    number += 1;
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      PAYCLI_HOME: home,
      // Shared by the tests of one run. A listener that is killed writes none.
      XDG_CACHE_HOME: join(process.env['PAYCLI_TEST_RUN'] ?? folder, 'cache'),
    };
    child = spawn(file, [...first, ...words], { env, stdio: ['ignore', ...files] });
  };
  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    const ended = child;
    if (ended === undefined || ended.exitCode !== null || ended.signalCode !== null) return ended?.exitCode ?? null;
    const closed = once(ended, 'close');
    ended.kill(signal);
    await closed;
    return ended.exitCode;
  };
  start();
  return {
    home,
    pid: () => child?.pid,
    kills: () => number - 1,
    kill: async () => {
      await stop('SIGKILL');
      start();
    },
    end: () => stop('SIGINT'),
    printed: () => textsIn(said, '.out'),
    said: () => textsIn(said, '.err'),
  };
};

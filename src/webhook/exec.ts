import { type ChildProcess, spawn } from 'node:child_process';
import { reasonOf } from '../core/error.ts';
import type { Env } from '../core/io.ts';
import type { KeptEvent } from './kept.ts';

/** A command that is run for each event. */
export interface Exec {
  readonly words: readonly string[];
  /** Without any secret. */
  readonly env: Env;
  /** What it prints, on whichever stream. */
  readonly print: (text: string) => Promise<void>;
  readonly say: (text: string) => Promise<void>;
}

const start = ({ words, env }: Exec): ChildProcess => {
  const [program = '', ...args] = words;
  return spawn(program, args, { env: env as NodeJS.ProcessEnv, shell: false, windowsHide: true, stdio: 'pipe' });
};

/** Runs the command with the event's body on its standard input, until what it printed is passed on; ends it at `stop`. Never rejects. */
export const execute = async (exec: Exec, { uid, body }: KeptEvent, stop: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let child: ChildProcess;
  try {
    child = start(exec);
  } catch (thrown) {
    return await exec.say(`--exec couldn't be started for ${uid}: ${reasonOf(thrown)}`);
  }
  const end = (): void => void child.kill('SIGTERM');
  stop.addEventListener('abort', end);
  child.on('error', (thrown) => resolve(`couldn't be started for ${uid}: ${reasonOf(thrown)}`));
  child.on('close', (code, signal) => {
    resolve(code === 0 ? undefined : `failed for ${uid}: ${signal ?? `exit code ${code}`}`);
  });
  let printed = Promise.resolve();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed = printed.then(() => exec.print(text));
    });
  }
  // One that reads nothing, or has ended, is no fault.
  child.stdin?.on('error', () => undefined).end(body);
  const failed = await promise;
  stop.removeEventListener('abort', end);
  await printed;
  if (failed !== undefined) await exec.say(`--exec ${failed}`);
};

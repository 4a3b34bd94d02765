import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { RUN_FOLDER } from '../canary.ts';
import { serverUser } from './programs.ts';

/** Runs a program to its end as the server's user; throws its stderr if it fails. */
export const runAsServer = async (file: string, args: readonly string[]): Promise<void> => {
  const child = spawn(file, args, { ...serverUser(), cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  const said: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${Buffer.concat(said).toString('utf8')}`);
};

/** A running server. */
export interface Server {
  readonly pid: number;
  /** Resolves when the postmaster has ended. */
  readonly ended: Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Its log so far. */
  log(): string;
  unref(): void;
}

/** The final search for the secret key includes the servers' logs. */
const keepLog = (log: string): void => {
  if (existsSync(RUN_FOLDER)) appendFileSync(join(RUN_FOLDER, `servers-${process.pid}.log`), log);
};

/**
 * Starts a server that logs to stderr; resolves when its log matches `ready`, and throws the log if it ends first.
 */
export const startServer = async (
  [file, ...args]: readonly [file: string, ...args: string[]],
  ready: RegExp,
  env: Readonly<Record<string, string>> = {},
): Promise<Server> => {
  const child = spawn(file, args, {
    ...serverUser(),
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    // The terminal's signals are for the tests only.
    detached: true,
  });
  let log = '';
  const ended = once(child, 'exit').then(() => keepLog(log));
  await new Promise<void>((done, fail) => {
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString('utf8');
      if (ready.test(log)) done();
    });
    child.on('close', () => fail(new Error(`${file} did not start: ${log}`)));
    ended.catch(fail);
  });
  return {
    pid: child.pid as number,
    ended,
    kill: (signal) => void child.kill(signal),
    log: () => log,
    unref: () => {
      child.unref();
      (child.stderr as Socket).unref();
    },
  };
};

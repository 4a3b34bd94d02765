import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { unlinkSync } from 'node:fs';
import { type FileHandle, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { attempt, isDoneInTime } from './async.ts';
import { reasonOf, usageError } from './error.ts';
import { makeNameless } from './files.ts';
import { type Clock, type Env, type Io, withTimeout } from './io.ts';
import { MINUTE_MS } from './time.ts';

/**
 * Starts a program, without a window. No shell sees its words. A batch file is the exception: only the shell of Windows
 * runs it, and that takes each character between quotes as it is, except %.
 */
export const startProgram = (words: readonly string[], options: SpawnOptions): ChildProcess => {
  const isBatch = platform() === 'win32' && /\.(?:bat|cmd)$/i.test(words[0] ?? '');
  const line = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' ');
  const [file = '', ...args] = isBatch ? [line] : words;
  // Loaded on demand: few commands start a program.
  return process
    .getBuiltinModule('node:child_process')
    .spawn(file, args, { windowsHide: true, shell: isBatch, ...options });
};

/** Variables that a program needs: paths, user, language, time zone and terminal. Windows needs more of them. */
const PASSED = new RegExp(
  `^(?:${[
    ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'TMPDIR', 'XDG_\\w+'],
    ...['LANG', 'LANGUAGE', 'LC_\\w+', 'TZ', 'TERM', 'COLORTERM', 'NO_COLOR'],
    ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'USERNAME', 'USERPROFILE'],
    ...['HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES'],
  ].join('|')})$`,
  'i',
);

/** A value, and what its words are in base64 and in hexadecimal digits. */
const formsIn = (value = ''): readonly string[] => [
  value,
  ...(value.match(/[\w+/-]+/g) ?? []).flatMap((word) => [
    Buffer.from(word, 'base64').toString('latin1'),
    Buffer.from(word, 'hex').toString('latin1'),
  ]),
];

/**
 * Builds the environment of a program that a person named: the variables that any program needs, and those named by --exec-env.
 * Any other variable may hold a secret, whatever its name and value look like.
 */
export const environmentFor = (named: readonly string[], given: Env, { env, redactor }: Io): Env => {
  for (const name of named) {
    const value = env[name];
    const fail = (what: string, hint: string): never => {
      throw usageError(`--exec-env: ${JSON.stringify(name.split('=')[0])} ${what}`, { hint });
    };
    if (value === undefined) fail('is not set', 'give the name alone; the value comes from the environment');
    else if (formsIn(value).some((form) => redactor.cleanAll(form) !== form))
      fail('contains a secret of paycli', "programs can't have it; leave it out");
  }
  return Object.fromEntries(Object.entries(given).filter(([name]) => PASSED.test(name) || named.includes(name)));
};

/** A program that a person named, with what it may know and where its output goes. */
export interface Exec {
  /** The program's path and its arguments. */
  readonly words: readonly string[];
  /** The environment, without any secret. */
  readonly env: Env;
  /** Opens the printer of one of its streams, which gets the text in pieces, and at the end none. */
  readonly openPrint: () => (text?: string) => Promise<void>;
  /** Sends a signal to a process group; undefined on a system without groups. */
  readonly signalGroup: ((pid: number, name: NodeJS.Signals) => void) | undefined;
}

interface ExecDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Aborted by the first and the second signal. */
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
}

/** The time limit of a program, and its limit once the run is to end, in milliseconds. */
const [LIMIT_MS, STOP_MS] = [5 * MINUTE_MS, 3000];
/** Milliseconds between SIGTERM and SIGKILL. */
const KILL_MS = 2000;

const signalTo = (child: ChildProcess, { signalGroup }: Exec, name: NodeJS.Signals): void => {
  const { pid } = child;
  if (pid === undefined || signalGroup === undefined) child.kill(name);
  else attempt(() => signalGroup(pid, name));
};

/** Resolves when the program has ended, or must be ended. */
const untilOver = async (ended: Promise<unknown>, { clock, stop, leave }: ExecDeps): Promise<void> => {
  const over = new AbortController();
  const aborted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { signal: over.signal });
    });
  await withTimeout(Promise.race([ended, aborted(stop)]), LIMIT_MS, clock);
  if (stop.aborted) await withTimeout(Promise.race([ended, aborted(leave)]), STOP_MS, clock);
  over.abort();
};

/** Milliseconds that the stream of a command that has exited may be silent: a child of it may hold it open. */
const SILENT_MS = 1000;

/**
 * Passes on a stream. Reads more only when what came is printed, so that a command can't fill the memory; after the
 * second signal, waits for nobody. Closes it if it is silent once the command has `exited`. Ends the last line, so that
 * the next message begins one.
 */
const passStream = async (
  stream: Readable,
  { openPrint }: Exec,
  deps: ExecDeps,
  exited: Promise<void>,
): Promise<void> => {
  const { clock, leave } = deps;
  const print = openPrint();
  let last = '\n';
  const pieces: AsyncIterator<string> = stream.setEncoding('utf8')[Symbol.asyncIterator]();
  try {
    for (let isDone = false; !isDone; ) {
      const read = new AbortController();
      const silent = exited.then(() => clock.sleep(SILENT_MS, read.signal, 'limit'));
      const piece = await Promise.race([pieces.next(), silent]);
      read.abort();
      isDone = !piece || piece.done === true;
      if (piece && !isDone) last = piece.value.at(-1) ?? last;
      if (piece && !isDone && !(await isDoneInTime(print(piece.value), leave))) return void stream.destroy();
    }
  } catch {
    // It was destroyed with its command.
  }
  stream.destroy();
  if (last !== '\n') await isDoneInTime(print('\n'), leave);
  await isDoneInTime(print(), leave);
};

/** Ends the program with SIGTERM, and with SIGKILL if it does not exit. */
const endProgram = async (
  child: ChildProcess,
  ended: Promise<unknown>,
  exec: Exec,
  { clock }: ExecDeps,
): Promise<void> => {
  signalTo(child, exec, 'SIGTERM');
  await withTimeout(ended, KILL_MS, clock);
  signalTo(child, exec, 'SIGKILL');
  // A child that left the group may still hold the streams open.
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
};

/** Failure of a command. `isKilled`: it may have done its work before it was ended. */
export interface ExecFailure {
  readonly why: string;
  readonly isKilled?: boolean;
}

/**
 * Opens the input of a command: a nameless file with the body, which the command reads whole or does not start, also if
 * paycli is killed now. `folder` is one that the run writes to anyhow.
 */
export const openProgramInput = async (folder: string, body: Uint8Array): Promise<FileHandle> => {
  const file = await makeNameless(folder);
  try {
    const { bytesWritten } = await file.write(body, 0, body.length, 0);
    if (bytesWritten !== body.length) throw new Error(`no space left in ${folder}`);
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
};

/**
 * Claims the start of a program. `claim` gets the path of a file that is removed just before the start: while it
 * exists, the program was certainly not started.
 */
export const claimStart = async (folder: string, claim: (unstarted: string) => Promise<boolean>): Promise<boolean> => {
  const unstarted = join(folder, `unstarted-${crypto.randomUUID()}`);
  await writeFile(unstarted, '', { mode: 0o600 });
  const isClaimed = await claim(unstarted);
  unlinkSync(unstarted);
  return isClaimed;
};

/**
 * Runs the command with the input, which it closes, until its output is passed on. Ends it at the time limit, and soon
 * after the first signal. Resolves to the reason of a failure. Never rejects.
 */
export const execute = async (exec: Exec, input: FileHandle, deps: ExecDeps): Promise<ExecFailure | undefined> => {
  const { promise: ended, resolve } = Promise.withResolvers<ExecFailure | undefined>();
  const notStarted = (thrown: unknown) => {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    const what = 'the program, or the interpreter that its first line names, is missing';
    return { why: `couldn't be started: ${isMissing ? what : reasonOf(thrown)}` };
  };
  let child: ChildProcess;
  try {
    const stdio = [input.fd, 'pipe' as const, 'pipe' as const];
    const env = exec.env as NodeJS.ProcessEnv;
    // It leads a process group of its own, so that its children end with it.
    child = startProgram(exec.words, { env, detached: exec.signalGroup !== undefined, stdio });
  } catch (thrown) {
    return notStarted(thrown);
  } finally {
    // Not awaited: the command may end before.
    void input.close();
  }
  let isOver = false;
  const over = (failed: ExecFailure | undefined): void => {
    isOver = true;
    resolve(failed);
  };
  child.on('error', (thrown) => over(notStarted(thrown)));
  child.on('close', (code, signal) =>
    over(code === 0 ? undefined : { why: signal ?? `exit code ${code}`, isKilled: signal !== null }),
  );
  const exited = new Promise<void>((done) => void child.once('exit', () => done()));
  const printed = [child.stdout, child.stderr].map((stream) => stream && passStream(stream, exec, deps, exited));
  await untilOver(ended, deps);
  // A program that has exited said its own code; a child of it may hold the streams open.
  const isKilled = !isOver && child.exitCode === null;
  const isLate = isKilled && !deps.stop.aborted;
  if (!isOver) await endProgram(child, ended, exec, deps);
  const failed = await ended;
  await Promise.all(printed);
  if (isLate) return { why: `took longer than ${LIMIT_MS / MINUTE_MS} minutes and was ended`, isKilled };
  return failed && { ...failed, isKilled: failed.isKilled || isKilled };
};

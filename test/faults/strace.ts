import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A run that takes longer hangs. */
const LIMIT_MS = 90_000;
/** Longer than any text that our programs write at once. */
const WHOLE_TEXT = 1 << 20;

/** One system call of a program's main thread, in order. */
export interface Call {
  readonly name: string;
  /** In strace's format: quoted texts, and each descriptor with its target in angle brackets. */
  readonly args: readonly string[];
  readonly result: string;
  /** Its number among the calls of this name, from 1. */
  readonly nth: number;
  readonly injected: boolean;
}

export interface Traced {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TraceOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Where strace writes: one file per thread, each beginning with this. */
  readonly prefix: string;
  /** The fault for one call, in strace's syntax: `fsync:error=EIO:when=3`. */
  readonly inject?: string;
  /** Whether to record written bytes; paths are always recorded. */
  readonly texts?: boolean;
  /** Whether to record stops of the program (SIGSTOP). */
  readonly stops?: boolean;
}

export const hasStrace = (): boolean => spawnSync('strace', ['--version']).status === 0;

const running = new Set<number>();

/** Kills what has not ended, so that a test that timed out leaves no process. */
export const endRunning = (): void => {
  for (const pid of running) process.kill(-pid, 'SIGKILL');
};

/** Runs a command to its end, or until `kill`; one that hangs is killed with its children, and reported. */
export const runToEnd = (
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  limit = LIMIT_MS,
  kill?: AbortSignal,
): Promise<Traced> => {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  kill?.addEventListener('abort', () => child.kill('SIGKILL'));
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
      reject(new Error(`hung for ${limit / 1000} s: ${args.join(' ')}`));
    }, limit);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (pid !== undefined) running.delete(pid);
      resolve({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
    });
  });
};

/** Runs a command under strace. */
export const trace = (command: readonly string[], options: TraceOptions): Promise<Traced> => {
  const { env, prefix, inject, texts = false, stops = false } = options;
  const filter = ['-e', 'trace=file,desc,network,mmap', '-e', `signal=${stops ? 'SIGSTOP' : 'none'}`];
  const how = ['-ff', '-y', '-xx', '-s', texts ? String(WHOLE_TEXT) : '0', '-o', prefix];
  const fault = inject === undefined ? [] : ['-e', `inject=${inject}`];
  return runToEnd(['strace', ...how, ...filter, ...fault, ...command], env);
};

const unhex = (text: string): string =>
  text.replaceAll(/\\x([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Whether an argument is a text that was recorded completely. */
export const isWholeText = (arg: string): boolean => /^"(?:\\x[0-9a-f]{2})*"$/.test(arg);

/** The bytes of a text argument. */
export const bytesOf = (arg: string): Buffer => {
  const [, text] = /^"(.*)"$/s.exec(arg) ?? [];
  if (text === undefined) throw new Error(`not a whole text: ${arg.slice(0, 80)}`);
  return Buffer.from(unhex(text), 'latin1');
};

/** The target of a descriptor: a path, or `socket:[…]`. */
export const targetOf = (arg: string): string | undefined => {
  const [, target] = /^(?:-?\d+|AT_FDCWD)<([^>]*)>/.exec(arg) ?? [];
  return target === undefined ? undefined : unhex(target);
};

/** The targets of standard streams, by number: Bun writes to duplicates of them, which have other numbers. */
export const streamsOf = (calls: readonly Call[], numbers: readonly number[]): ReadonlySet<string> => {
  const named = calls.flatMap(({ args }) =>
    args.filter((arg) => numbers.some((number) => arg.startsWith(`${number}<`))),
  );
  return new Set(named.map(targetOf).filter((target) => target !== undefined));
};

/** All texts in an argument, concatenated: those of `writev` are in a list. */
export const textsIn = (arg: string): string =>
  [...arg.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text]) => unhex(text ?? '')).join('');

/** Splits at the commas outside of brackets. Texts are in hex, so they contain no comma. */
const argsOf = (text: string): string[] => {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...parts, text.slice(from).trim()];
};

/** In a call in which the process died. */
const UNFINISHED = / <unfinished \.\.\.>(?=\) = \?)/;
const LINE = /^(\w+)\((.*?)(?:\)\s+= (.*)| <unfinished \.\.\.>)$/s;

const startsProgram = (file: string): boolean => {
  const start = Buffer.alloc('execve('.length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, start);
    return start.toString() === 'execve(';
  } finally {
    closeSync(descriptor);
  }
};

/**
 * The main thread's number, which need not be the lowest because numbers wrap around. Undefined while strace has
 * written nothing.
 */
const mainThread = (prefix: string): number | undefined =>
  readdirSync(dirname(prefix))
    .filter((name) => name.startsWith(`${basename(prefix)}.`) && startsProgram(join(dirname(prefix), name)))
    .map((name) => Number(name.slice(basename(prefix).length + 1)))[0];

const mainFile = (prefix: string): string => {
  const thread = mainThread(prefix);
  if (thread === undefined) throw new Error('strace wrote nothing; may this user trace processes?');
  return `${prefix}.${thread}`;
};

const STOPPED = '--- stopped by SIGSTOP ---';

/** Whether the program was stopped (SIGSTOP), and its number while it is, as far as recorded. */
export const stopIn = (prefix: string): { readonly was: boolean; readonly pid: number | undefined } => {
  const thread = mainThread(prefix);
  const text = thread === undefined ? '' : readFileSync(mainFile(prefix), 'latin1').trimEnd();
  return { was: text.includes(STOPPED), pid: text.endsWith(STOPPED) ? thread : undefined };
};

/** The calls of the main thread, which does all I/O of the ledger and of the socket; up to its stop, if any. */
export const callsOf = (prefix: string, end: 'end' | 'stop' = 'end'): Call[] => {
  const counts = new Map<string, number>();
  const text = readFileSync(mainFile(prefix), 'latin1');
  return (end === 'end' ? text : (text.split(STOPPED)[0] ?? '')).split('\n').flatMap((line) => {
    const [, name, args = '', result = '?'] = LINE.exec(line.replace(UNFINISHED, '')) ?? [];
    if (name === undefined) return [];
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    return [{ name, args: argsOf(args), result, nth, injected: result.includes('INJECTED') }];
  });
};

/** How many lines of other threads mention a folder: any would mean missed calls. */
export const strangersIn = (prefix: string, folder: string): number => {
  const hex = [...Buffer.from(folder)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  const main = basename(mainFile(prefix));
  return readdirSync(dirname(prefix))
    .filter((name) => name.startsWith(`${basename(prefix)}.`) && name !== main)
    .filter((name) => readFileSync(join(dirname(prefix), name), 'latin1').includes(hex)).length;
};

/** Whether a call succeeded from the program's view. */
export const worked = ({ result }: Call): boolean => !result.startsWith('-1') && !result.startsWith('?');

import type { ChildProcess } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, extname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { attempt } from '../core/async.ts';
import { interrupted, PayError } from '../core/error.ts';
import { homeFolder } from '../core/files.ts';
import type { Env, Io } from '../core/io.ts';
import { startProgram } from '../core/program.ts';
import { keyProblem, LONGEST_SECRET_LINE } from '../core/secret.ts';
import { refuseStreamLog } from '../core/unsafe-settings.ts';
import { type Machine, realMachine } from './machine.ts';

const isProgram = (path: string): boolean =>
  attempt(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  }) === true;

/** Endings of what Windows can start: it looks at nothing else, such as the first line of a script. */
const WINDOWS_ENDINGS = ['.com', '.exe', '.bat', '.cmd'];

const realPath = (path: string): string | undefined => attempt(() => realpathSync(path));

const isInFolder = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

/**
 * The folders of PATH without those that the working folder may control: relative ones, the working folder itself, and
 * folders inside it. In the home folder, and above it, the person's own programs would be inside, so only relative
 * ones are left out.
 */
const trustedFolders = (env: Env, machine: Machine): string[] => {
  const cwd = machine.cwd();
  const home = attempt(() => realpathSync(homeFolder(env['HOME']))) ?? sep;
  const places = cwd === undefined ? [] : [resolve(cwd), realPath(cwd) ?? resolve(cwd)];
  const closed = places.some((place) => isInFolder(place, home)) ? [] : places;
  return (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((entry) => {
    const real = isAbsolute(entry) ? realPath(entry) : undefined;
    if (real === undefined) return false;
    return !closed.some((place) => isInFolder(place, resolve(entry)) || isInFolder(place, real));
  });
};

/**
 * The environment of a program that paycli starts. Its PATH has trusted folders only, so that its interpreter comes
 * from one. It gets no key: the one in the environment was given for this call.
 */
export const childEnv = (env: Env, machine: Machine = realMachine): Env => {
  const others = Object.entries(env).filter(([name]) => !/^(?:PAYCLI_SECRET_KEY|PATH)$/i.test(name));
  const folders = trustedFolders(env, machine);
  return { ...Object.fromEntries(others), PATH: (folders.length > 0 ? folders : ['/usr/bin', '/bin']).join(delimiter) };
};

/** The absolute path of a program, given so or found on PATH; undefined if it is missing or not trusted. */
export const findProgram = (word: string, env: Env, machine: Machine = realMachine): string | undefined => {
  if (word === '' || (!isAbsolute(word) && basename(word) !== word)) return undefined;
  const hasEnding = machine.platform !== 'win32' || WINDOWS_ENDINGS.includes(extname(word).toLowerCase());
  const folders = isAbsolute(word) ? [''] : trustedFolders(env, machine);
  return folders
    .flatMap((folder) =>
      (hasEnding ? [''] : WINDOWS_ENDINGS).map((ending) => (folder === '' ? word : join(folder, word)) + ending),
    )
    .find(isProgram);
};

/** Expected output of a command. */
export interface Printed {
  /** For example `the key command`. */
  readonly command: string;
  /** For example `key`. */
  readonly what: string;
  /** In characters, including the end of its line. */
  readonly longest: number;
  /** Problem with a secret; undefined for a valid one. */
  readonly problemOf: (secret: string) => string | undefined;
}

const failureOf = ({ command, what: secret }: Printed, program: string, what: string): PayError =>
  new PayError('auth', `${command} ${JSON.stringify(program)} ${what}`, {
    hint: `it must print the ${secret} on one line and exit with 0; it runs without a shell, in the root folder`,
  });

interface CommandRun {
  /** The program's path and its arguments. */
  readonly words: readonly string[];
  readonly io: Io;
  readonly machine: Machine;
  readonly printed: Pick<Printed, 'what' | 'longest'>;
  /** Text for its standard input; undefined for none. */
  readonly input?: string;
  readonly fail: (what: string) => PayError;
}

/** Kills a program and its process group. */
const endCommand = (child: ChildProcess, { machine: { killGroup } }: CommandRun): void => {
  const { pid } = child;
  if (killGroup === undefined || pid === undefined) child.kill('SIGKILL');
  // Fails if all processes have already ended.
  else attempt(() => killGroup(pid));
};

/** Output of the program. After any failure it is killed and its output is dropped. */
const readOutput = async (run: CommandRun): Promise<string> => {
  const { words, io, machine, input } = run;
  const { stop } = io.signals;
  if (stop.aborted) throw interrupted(stop.reason);
  refuseStreamLog(`the ${run.printed.what}`);
  const child = attempt(() =>
    startProgram(words, {
      // In the root folder: version managers and helpers read settings from the working folder.
      cwd: parse(words[0] ?? '').root,
      env: childEnv(io.env, machine) as NodeJS.ProcessEnv,
      detached: machine.killGroup !== undefined,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'],
    }),
  );
  if (child === undefined) throw run.fail('could not be started');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // A program that ends without reading its input reports that by its exit code.
  child.stdin?.on('error', () => undefined).end(input);
  const giveUp = (error: PayError): void => {
    endCommand(child, run);
    child.stdout?.destroy();
    reject(error);
  };
  const onStop = (): void => giveUp(interrupted(stop.reason));
  const { keyCommandLimit: limit } = machine;
  const timer = setTimeout(() => giveUp(run.fail(`did not finish within ${limit / 1000} s`)), limit);
  stop.addEventListener('abort', onStop);
  let output = '';
  // One character per byte, so that non-ASCII output is detected.
  child.stdout?.setEncoding('latin1').on('data', (chunk: string) => {
    output += chunk;
    if (output.length > run.printed.longest) giveUp(run.fail(`printed more than a ${run.printed.what}`));
  });
  child.on('error', () => giveUp(run.fail('could not be started')));
  child.on('close', (code, signal) => {
    if (code === 0) resolve(output);
    else reject(run.fail(code === null ? `was killed by ${signal}` : `ended with exit code ${code}`));
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', onStop);
  }
};

/**
 * Runs a command that prints a secret (docs/security.md, The key) and returns the secret, checked and registered with
 * the redactor. Every failure is a PayError of kind `auth` that names the program and contains none of its output.
 */
export const runSecretCommand = async (
  command: readonly string[],
  printed: Printed,
  io: Io,
  machine: Machine,
): Promise<string> => {
  const [program = '', ...args] = command;
  const fail = (what: string): PayError => failureOf(printed, program, what);
  const file = findProgram(program, io.env, machine);
  if (file === undefined) {
    throw fail('was not found').with({
      hint: 'give its absolute path; relative paths, and folders of PATH inside the working folder, are not searched',
    });
  }
  const output = await readOutput({ words: [file, ...args], io, machine, printed, fail });
  const key = output.replace(/\r?\n$/, '');
  io.redactor.add(key);
  if (key === '') throw fail('printed nothing');
  const problem = printed.problemOf(key);
  if (problem !== undefined) throw fail(`printed something that ${problem}`);
  return key;
};

const ANYTHING = { what: 'page of text', longest: 64 * 1024 };

/** Runs a program with `input` on its standard input and drops its output; throws unless it ends with 0. */
export const feedCommand = async (words: readonly string[], input: string, io: Io, machine: Machine): Promise<void> => {
  const fail = (what: string): PayError => {
    const locked = what.startsWith('did not finish') ? ': the keychain may be locked; unlock it, then try again' : '';
    return new PayError('auth', `${basename(words[0] ?? '')} ${what}${locked}`);
  };
  await readOutput({ words, io, machine, printed: ANYTHING, input, fail });
};

/** Output of a program that prints no secret; undefined if it is missing, not trusted, or fails. */
export const printedBy = async (
  program: string,
  args: readonly string[],
  io: Io,
  machine: Machine = realMachine,
): Promise<string | undefined> => {
  const file = findProgram(program, io.env, machine);
  if (file === undefined) return undefined;
  const fail = (what: string): PayError => new PayError('usage', `${program} ${what}`);
  return readOutput({ words: [file, ...args], io, machine, printed: ANYTHING, fail }).catch((thrown: unknown) => {
    if (thrown instanceof PayError && thrown.kind === 'interrupted') throw thrown;
    return undefined;
  });
};

/** Like `runSecretCommand`, for a key of the service. */
export const runKeyCommand = (command: readonly string[], io: Io, machine: Machine): Promise<string> =>
  runSecretCommand(
    command,
    { command: 'the key command', what: 'key', longest: LONGEST_SECRET_LINE, problemOf: keyProblem },
    io,
    machine,
  );

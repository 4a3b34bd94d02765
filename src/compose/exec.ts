import { basename, resolve } from 'node:path';
import { usageError } from '../core/error.ts';
import { checkPath } from '../core/files.ts';
import type { Env, Io } from '../core/io.ts';
import type { Exec } from '../core/program.ts';
import { splitCommand } from '../core/shell.ts';
import { colouredText } from '../core/text.ts';

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
 * Builds the environment of the --exec program: the variables that any program needs, and those named by --exec-env.
 * Any other variable may hold a secret, whatever its name and value look like.
 */
const environmentFor = (named: readonly string[], given: Env, { env, redactor }: Io): Env => {
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

/** On a terminal, the program's output keeps its colours but can't move the cursor. */
const printFrom = async ({ stdout, stderr }: Io, text: string): Promise<void> => {
  if (text === '') return;
  const { clearFrame } = await import('../output/status-line.ts');
  await clearFrame(stdout);
  await stderr.write(stderr.isTerminal ? colouredText(text) : text);
};

/**
 * Resolves the program of an option to its path before anything else runs. Searches the working folder only if the word is
 * a path. Call the returned function once paycli's secrets are known: the environment that it builds has none of them.
 */
export const execOf = async (text: string, io: Io, flag = '--exec'): Promise<(named: readonly string[]) => Exec> => {
  const { childEnv, findProgram } = await import('../config/key-command.ts');
  const { realMachine } = await import('../config/machine.ts');
  const [word = '', ...args] = splitCommand(text, flag);
  const isPath = basename(word) !== word;
  const file = findProgram(isPath ? resolve(word) : word, io.env);
  if (file === undefined) {
    throw usageError(`${flag}: the program ${JSON.stringify(word)} was not found, or is not executable`, {
      hint: isPath
        ? 'check the path; a script needs chmod +x, or on Windows its interpreter, such as "node send.js"'
        : 'give its path; folders of PATH that are relative, or inside the working folder, are not searched',
    });
  }
  if (isPath) checkPath(realMachine.uid)(file);
  const given = childEnv(io.env);
  return (named) => ({
    words: [file, ...args],
    env: environmentFor(named, given, io),
    openPrint: () => {
      const pieces = io.redactor.openPieces();
      return (text) => printFrom(io, pieces(text));
    },
    signalGroup: realMachine.killGroup,
  });
};

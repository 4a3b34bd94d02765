import { basename, resolve } from 'node:path';
import { usageError } from '../core/error.ts';
import { checkPath } from '../core/files.ts';
import type { Io } from '../core/io.ts';
import { type Exec, environmentFor } from '../core/program.ts';
import { splitCommand } from '../core/shell.ts';
import { colouredText } from '../core/text.ts';

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

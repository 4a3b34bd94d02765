import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { splitCommand } from '../../core/command-words.ts';
import { reasonOf, usageError } from '../../core/error.ts';
import type { Deps } from '../deps.ts';

const editorOf = ({ VISUAL, EDITOR }: Deps['io']['env']): string => [VISUAL, EDITOR].find((text) => text) ?? 'vi';

const openIn = async (words: readonly string[], file: string, { findProgram }: Deps): Promise<void> => {
  const [word = '', ...args] = words;
  const program = await findProgram(word);
  if (program === undefined) {
    throw usageError(`the editor ${word} was not found; nothing was sent`, {
      hint: 'set EDITOR to its absolute path; relative paths, and folders of PATH inside the working folder, are not searched',
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  spawn(program, [...args, file], { stdio: 'inherit', shell: false })
    .on('error', reject)
    .on('close', resolve);
  const code = await promise.catch((thrown: unknown) => {
    throw usageError(`the editor ${program} couldn't be started: ${reasonOf(thrown)}`, { hint: 'set EDITOR' });
  });
  if (code !== 0) throw usageError(`the editor ${program} ended with ${code ?? 'a signal'}; nothing was sent`);
};

/** What a person makes of a body, in the editor of their choice. */
export const edit = async (body: Uint8Array, deps: Deps): Promise<Uint8Array> => {
  const { env, stdin } = deps.io;
  if (!stdin.isTerminal) throw usageError('--edit needs a terminal', { hint: 'leave it out; nothing was sent' });
  const folder = mkdtempSync(join(tmpdir(), 'paycli-event-'));
  try {
    const file = join(folder, 'body.json');
    writeFileSync(file, body, { mode: 0o600 });
    await openIn(splitCommand(editorOf(env), 'EDITOR'), file, deps);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

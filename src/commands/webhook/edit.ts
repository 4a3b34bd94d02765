import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { splitCommand } from '../../core/command-words.ts';
import { reasonOf, usageError } from '../../core/error.ts';
import type { Io } from '../../core/io.ts';

const editorOf = ({ VISUAL, EDITOR }: Io['env']): string => [VISUAL, EDITOR].find((text) => text) ?? 'vi';

const openIn = async (words: readonly string[], file: string): Promise<void> => {
  const [program = '', ...args] = words;
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
export const edit = async (body: Uint8Array, { env, stdin }: Pick<Io, 'env' | 'stdin'>): Promise<Uint8Array> => {
  if (!stdin.isTerminal) throw usageError('--edit needs a terminal', { hint: 'leave it out; nothing was sent' });
  const folder = mkdtempSync(join(tmpdir(), 'paycli-event-'));
  try {
    const file = join(folder, 'body.json');
    writeFileSync(file, body, { mode: 0o600 });
    await openIn(splitCommand(editorOf(env), 'EDITOR'), file);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

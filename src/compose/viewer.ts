import { spawn } from 'node:child_process';
import type { Env } from '../core/io.ts';
import { findProgram } from './find-program.ts';

/** Programs that show a manual page from standard input: `man` on Linux, and the macOS equivalent. */
const VIEWERS: readonly (readonly [program: string, ...args: string[]])[] = [
  ['man', '-l', '-'],
  ['mandoc', '-a'],
];

/** Shows a page with one program; false where it can't. */
const shownBy = (program: string, args: readonly string[], page: string): Promise<boolean> =>
  new Promise((done) => {
    // A complaint about its options is not shown: the next program is tried.
    const child = spawn(program, args, { stdio: ['pipe', 'inherit', 'ignore'] });
    child.on('error', () => done(false));
    child.on('close', (code) => done(code === 0));
    child.stdin.on('error', () => undefined);
    child.stdin.end(page);
  });

/** Shows a manual page on the terminal, as `man` does; false where nothing here can. */
export const showManual = async (page: string, env: Env): Promise<boolean> => {
  for (const [program, ...args] of VIEWERS) {
    const file = await findProgram(program, env);
    if (file !== undefined && (await shownBy(file, args, page))) return true;
  }
  return false;
};

import { spawn } from '@lydell/node-pty';
import { default as headless } from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { PROGRAM } from './built.ts';
import { environment, keep, newFolder, type RunOptions } from './program.ts';

export interface TerminalSession {
  /** All output, escapes included. */
  raw(): string;
  /** The lines on the screen, without trailing spaces. */
  screen(): Promise<string>;
  type(text: string): void;
  /** Resolves when the output so far, from an optional position, matches. */
  saw(pattern: RegExp, from?: number): Promise<void>;
  readonly ended: Promise<{ readonly code: number }>;
}

type TerminalOptions = RunOptions & { readonly columns?: number; readonly rows?: number };

/** Starts the built program on a real pseudo-terminal. */
export const openTerminal = (args: readonly string[], options: TerminalOptions = {}): TerminalSession =>
  openOn([...PROGRAM, ...args], options);

/**
 * The same through another program, such as `sh -c '… "$@"' sh`, followed by the built program and these arguments.
 */
export const openThrough = (
  program: readonly string[],
  args: readonly string[],
  options: TerminalOptions = {},
): TerminalSession => openOn([...program, ...PROGRAM, ...args], options);

/** A bash on a pseudo-terminal, with the prompt `ready$ `. */
export const openShell = (options: TerminalOptions = {}): TerminalSession =>
  openOn(['bash', '--norc', '--noprofile', '-i'], { ...options, env: { ...options.env, PS1: 'ready$ ' } });

/** Starts a program on a pseudo-terminal. */
export const openOn = ([file = '', ...args]: readonly string[], options: TerminalOptions): TerminalSession => {
  const [columns, rows] = [options.columns ?? 100, options.rows ?? 60];
  const pty = spawn(file, args, {
    cols: columns,
    rows,
    cwd: options.cwd ?? newFolder('cwd'),
    env: { TERM: 'xterm-256color', ...environment(options) },
  });
  const screen = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: false });
  const waiting = new Set<() => void>();
  let raw = '';
  let over = false;
  pty.onData((data) => {
    raw += data;
    screen.write(data);
    for (const check of [...waiting]) check();
  });
  const ended = new Promise<{ code: number }>((done) => {
    pty.onExit(({ exitCode }) => {
      over = true;
      keep(raw);
      done({ code: exitCode });
    });
  });
  onTestFinished(() => {
    if (!over) pty.kill('SIGKILL');
  });
  return {
    ended,
    raw: () => raw,
    type: (text) => pty.write(text),
    screen: () =>
      new Promise((done) => {
        screen.write('', () => {
          const { active } = screen.buffer;
          const lines = Array.from(
            { length: active.length },
            (_, row) => active.getLine(row)?.translateToString(true) ?? '',
          );
          done(lines.join('\n').trimEnd());
        });
      }),
    saw: (pattern, from = 0) =>
      new Promise((done, fail) => {
        const check = (): void => {
          if (!pattern.test(raw.slice(from))) return;
          waiting.delete(check);
          done();
        };
        waiting.add(check);
        check();
        void ended.then(({ code }) => {
          check();
          fail(new Error(`ended with ${code} before ${pattern}: ${raw}`));
        });
      }),
  };
};

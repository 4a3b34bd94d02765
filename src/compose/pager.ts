import type { Pager } from '../cli/run.ts';
import type { Env } from '../core/io.ts';
import { startProgram } from '../core/program.ts';
import { splitCommand } from '../core/shell.ts';
import { forTerminal } from '../core/text.ts';
import type { RunContext, WantedPager } from './run.ts';

/** Options of less, as others start it: it leaves at once what fits, and shows colour. A person's own come after colour. */
const lessOf = ({ LESS }: Env): string => (LESS === undefined ? 'FRX' : `-R ${LESS}`);

/**
 * Starts the wanted pager. It reads the output, cleaned as for a terminal. Undefined if the program is not found. The
 * person may quit it early.
 */
export const openPager = async (
  { io, say, state: { status } }: RunContext,
  { variable, line }: WantedPager,
): Promise<Pager | undefined> => {
  const { stdout, stderr, env, redactor } = io;
  const [program = '', ...args] = splitCommand(line, variable);
  const { childEnv, findProgram } = await import('../config/key-command.ts');
  const file = findProgram(program, env);
  if (file === undefined) {
    await say(`${variable} names ${program}, which was not found. Printed without it.`);
    return undefined;
  }
  const child = startProgram([file, ...args], {
    env: { ...childEnv(env), LESS: lessOf(env) },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  let closed = false;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()));
  void ended.then(() => {
    closed = true;
  });
  child.stdin?.on('error', () => {
    closed = true;
  });
  const write = (text: string): Promise<void> =>
    Promise.race([
      ended,
      new Promise<void>((resolve) => {
        child.stdin?.write(forTerminal(redactor.clean(text)), () => resolve());
      }),
    ]);
  const said: (string | Uint8Array)[] = [];
  status.hold = (text) => void said.push(text);
  return {
    io: {
      ...io,
      stdout: {
        ...stdout,
        isTerminal: true,
        columns: stdout.columns,
        get closed() {
          return closed;
        },
        write: async (data) => {
          if (!closed) await write(typeof data === 'string' ? data : new TextDecoder().decode(data));
        },
      },
      stderr: { ...stderr, columns: stderr.columns, write: async (text) => void said.push(text) },
    },
    end: async () => {
      child.stdin?.end();
      await ended;
      status.hold = undefined;
      for (const text of said) await stderr.write(text);
    },
  };
};

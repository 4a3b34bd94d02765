import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { interrupted } from '../core/interrupt.ts';
import type { Output } from '../core/io.ts';

interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  /** Takes what is written in the turn in which it is, as the terminal itself would. */
  readonly stderr: Output;
  readonly stop: AbortSignal;
}

/** One line typed on the terminal; undefined at the end of input. A signal, and Ctrl-C, end it as `interrupted`. */
export const askLine = async (
  { stdin, stderr, stop }: Terminal,
  prompt: string,
  hidden: boolean,
): Promise<string | undefined> => {
  if (stop.aborted) throw interrupted(stop.reason);
  const echo = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      if (!hidden) void stderr.write(chunk);
      done();
    },
  });
  // What readline draws anew, with what was typed, once that is edited.
  const last = prompt.split('\n').at(-1) ?? '';
  const reader = createInterface({ input: stdin, output: echo, prompt: last, terminal: true, historySize: 0 });
  // Only now does the terminal no longer echo: a key that is pasted at the sight of the prompt stays unseen.
  void stderr.write(prompt);
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  let typed = false;
  const onStop = (): void => reject(interrupted(stop.reason));
  stop.addEventListener('abort', onStop);
  // readline takes Ctrl-C from the terminal, so it never becomes a signal.
  reader.once('SIGINT', () => reject(interrupted('SIGINT')));
  reader.once('close', () => resolve(undefined));
  reader.once('line', (line) => {
    typed = true;
    resolve(line);
  });
  try {
    return await promise;
  } finally {
    stop.removeEventListener('abort', onStop);
    reader.close();
    // What comes next must not stand behind the question.
    if (hidden || !typed) await stderr.write('\n');
  }
};

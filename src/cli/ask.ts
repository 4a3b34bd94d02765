import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { declined, interrupted } from '../core/error.ts';
import { ask, canAsk } from '../core/input.ts';
import type { Env, Input, Io, Output } from '../core/io.ts';
import { visible } from '../core/text.ts';
import type { CommandSpec, Question } from './define.ts';
import type { Parsed } from './program.ts';

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

/** What is chosen from. */
export interface Choices {
  /** What is asked, in a line. */
  readonly title: string;
  readonly choices: readonly string[];
  /** Something else may be meant than what is listed. */
  readonly open?: boolean;
}

interface Choosing {
  /** What the numbers mean. */
  readonly shown: readonly string[];
  /** What Enter takes. */
  readonly offered?: string;
}

type Step =
  | { readonly chosen: string }
  | (Choosing & {
      /** What is said before it is asked again. */
      readonly said: string;
      readonly lists: boolean;
    });

/** What comes of an answer: a number, a name, or a part of some. */
export const choosing = ({ choices, open = false }: Omit<Choices, 'title'>, at: Choosing, answer: string): Step => {
  if (answer === '' && at.offered !== undefined) return { chosen: at.offered };
  const named = choices.find((choice) => choice.toLowerCase() === answer.toLowerCase());
  if (named !== undefined) return { chosen: named };
  if (/^\d+$/.test(answer)) {
    const chosen = at.shown[Number(answer) - 1];
    return chosen === undefined ? { ...at, said: `There is no number ${answer}.`, lists: false } : { chosen };
  }
  const found = choices.filter((choice) => choice.toLowerCase().includes(answer.toLowerCase()));
  const [only] = found;
  if (found.length === 1 && only !== undefined) {
    return { shown: found, offered: only, said: '', lists: false };
  }
  if (found.length > 1) return { shown: found, said: '', lists: true };
  // It is not repeated: it may be a key that was pasted at the wrong place.
  return open
    ? { shown: choices, offered: answer, said: 'Not on the list.', lists: false }
    : { shown: at.shown, said: 'No such choice.', lists: false };
};

const GAP = 3;

/** Numbered, as many beside each other as there is room for, and read line by line. */
export const numbered = (choices: readonly string[], columns: number): readonly string[] => {
  const digits = String(choices.length).length;
  const cells = choices.map((choice, index) => `${String(index + 1).padStart(digits)}  ${visible(choice)}`);
  const width = Math.max(...cells.map((cell) => cell.length)) + GAP;
  const across = choices.length < 10 ? 1 : Math.max(1, Math.floor((columns - 2 + GAP) / width));
  const lines = Array.from({ length: Math.ceil(cells.length / across) }, (_none, row) =>
    cells.slice(row * across, (row + 1) * across),
  );
  return lines.map(
    (line) =>
      `  ${line
        .map((cell) => cell.padEnd(width))
        .join('')
        .trimEnd()}`,
  );
};

interface Chooser {
  readonly stdin: Pick<Input, 'line'>;
  readonly stderr: Pick<Output, 'columns'>;
  readonly env: Env;
}

const PROMPT = 'Number, name or part of it: ';

const promptAt = ({ shown, offered }: Choosing): string => {
  if (offered === undefined) return PROMPT;
  return shown.includes(offered)
    ? `Enter for ${visible(offered)}, or another: `
    : 'Enter to use it all the same, or another: ';
};

/**
 * Lets a person choose: numbered lines, and whatever part of a name is typed shows those that have it. Nothing is ever drawn
 * over, so that a screen reader says each line once. Throws `interrupted` where nothing is chosen.
 */
export const choose = async ({ stdin, stderr, env }: Chooser, { title, ...from }: Choices): Promise<string> => {
  // One a line is read out better.
  const columns = (env['ACCESSIBLE'] ?? '') === '' ? stderr.columns : 0;
  let at: Choosing = { shown: from.choices };
  let before = [visible(title), ...numbered(at.shown, columns)];
  for (;;) {
    const answer = await stdin.line([...before, promptAt(at)].join('\n'), { hidden: false });
    if (answer === undefined || (answer.trim() === '' && at.offered === undefined)) throw declined();
    const step = choosing(from, at, answer.trim());
    if ('chosen' in step) return step.chosen;
    at = step.offered === undefined ? { shown: step.shown } : { shown: step.shown, offered: step.offered };
    before = [...(step.said === '' ? [] : [step.said]), ...(step.lists ? numbered(step.shown, columns) : [])];
  }
};

const answerTo = async ({ title, choices, open = false }: Question, io: Io): Promise<string> =>
  choices === undefined
    ? ask(io.stdin, `${title}: `)
    : choose(io, { title: `${title}?`, choices: await choices(), open });

/** Asks a person for what was left out, one after the other; what nobody can be asked for stays the fault that it is. */
export const askMissing = async <S extends CommandSpec>(parsed: Parsed<S>, io: Io): Promise<Parsed<S>> => {
  let now = parsed;
  while (now.kind === 'error' && now.missing !== undefined && canAsk(io, now.globals)) {
    now = now.missing.with(await answerTo(now.missing.question, io));
  }
  return now;
};

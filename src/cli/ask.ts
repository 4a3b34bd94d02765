import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { declinedError, interrupted } from '../core/error.ts';
import { askText, canAsk } from '../core/input.ts';
import type { Env, Input, Io, Output } from '../core/io.ts';
import { visible } from '../core/text.ts';
import type { CommandSpec, Question } from './define.ts';
import type { Globals } from './globals.ts';
import type { Parsed } from './program.ts';

interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  /** Writes within the same turn of the event loop, as the terminal itself would. */
  readonly stderr: Output;
  readonly stop: AbortSignal;
}

/** Reads one line typed on the terminal; undefined at the end of input. Throws `interrupted` on a signal or Ctrl-C. */
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
  // readline redraws this line, with the typed text, after an edit.
  const last = prompt.split('\n').at(-1) ?? '';
  const reader = createInterface({ input: stdin, output: echo, prompt: last, terminal: true, historySize: 0 });
  // Prints the prompt only after echo is off, so that a key pasted right away isn't shown.
  void stderr.write(prompt);
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  let typed = false;
  const onStop = (): void => reject(interrupted(stop.reason));
  stop.addEventListener('abort', onStop);
  // readline takes Ctrl-C from the terminal, so it never becomes a signal.
  reader.once('SIGINT', () => reject(interrupted('SIGINT')));
  // After Ctrl-Z and `fg`, readline leaves its input paused. It turns echo off and redraws the line next, but a hidden
  // line isn't drawn.
  reader.on('SIGCONT', () => {
    reader.resume();
    if (hidden) queueMicrotask(() => void stderr.write(last));
  });
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
    // The next output must start on a new line.
    if (hidden || !typed) await stderr.write('\n');
  }
};

interface Choices {
  /** The question, in one line. */
  readonly title: string;
  readonly choices: readonly string[];
  /** Accepts values that are not on the list. */
  readonly open?: boolean;
}

interface Choosing {
  /** Choices that the numbers refer to. */
  readonly shown: readonly string[];
  /** The choice that Enter accepts. */
  readonly offered?: string;
}

/** Result of an answer: the choice, or the next question. */
type Step =
  | { readonly chosen: string }
  | (Choosing & {
      /** Message shown before the question is repeated. */
      readonly said: string;
      /** Shows the numbered choices again. */
      readonly lists: boolean;
    });

/** Judges an answer: a number, a name, or a part of names. */
const choiceFrom = ({ choices, open = false }: Omit<Choices, 'title'>, at: Choosing, answer: string): Step => {
  const named = choices.find((choice) => choice.toLowerCase() === answer.toLowerCase());
  if (named !== undefined) return { chosen: named };
  if (/^(?:y(?:es)?)?$/i.test(answer) && at.offered !== undefined) return { chosen: at.offered };
  if (/^\d+$/.test(answer)) {
    const chosen = at.shown[Number(answer) - 1];
    return chosen === undefined ? { ...at, said: `There is no number ${answer}.`, lists: false } : { chosen };
  }
  const found = choices.filter((choice) => choice.toLowerCase().includes(answer.toLowerCase()));
  const [only, ...others] = found;
  if (others.length > 0) return { shown: found, said: '', lists: true };
  if (only !== undefined) return { shown: found, offered: only, said: '', lists: false };
  // Doesn't repeat the answer, which may be a key pasted in the wrong place.
  return open
    ? { shown: choices, offered: answer, said: 'Not on the list.', lists: false }
    : { shown: at.shown, said: 'No such choice.', lists: false };
};

const CHOICE_GAP = 3;

/** Numbers the choices and arranges them in as many columns as fit, in row order. */
const numbered = (choices: readonly string[], columns: number): readonly string[] => {
  const digits = String(choices.length).length;
  const cells = choices.map((choice, index) => `${String(index + 1).padStart(digits)}  ${visible(choice)}`);
  const width = Math.max(...cells.map((cell) => cell.length)) + CHOICE_GAP;
  const across = choices.length < 10 ? 1 : Math.max(1, Math.floor((columns - 2 + CHOICE_GAP) / width));
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

const promptAt = ({ shown, offered }: Choosing): string => {
  if (offered === undefined) return 'Number, name or part of it: ';
  return shown.includes(offered)
    ? `Enter for ${visible(offered).replaceAll(/ +/g, ' ')}, or another: `
    : 'Enter to use it all the same, or another: ';
};

/**
 * Lets a person choose from numbered lines; typing part of a name lists the names that contain it. Never draws over
 * printed lines, so that a screen reader says each line once. Throws `interrupted` if nothing is chosen.
 */
export const askChoice = async ({ stdin, stderr, env }: Chooser, { title, ...from }: Choices): Promise<string> => {
  // Screen readers read one choice per line better.
  const columns = (env['ACCESSIBLE'] ?? '') === '' ? stderr.columns : 0;
  let at: Choosing = { shown: from.choices };
  let before = [visible(title), ...numbered(at.shown, columns)];
  for (;;) {
    const answer = await stdin.line([...before, promptAt(at)].join('\n'), { hidden: false });
    if (answer === undefined || (answer.trim() === '' && at.offered === undefined)) throw declinedError();
    const step = choiceFrom(from, at, answer.trim());
    if ('chosen' in step) return step.chosen;
    at = step;
    before = [...(step.said === '' ? [] : [step.said]), ...(step.lists ? numbered(step.shown, columns) : [])];
  }
};

/** True if a person has started the command by hand: nothing is read for a question that nobody expects. */
const isByHand = ({ stdout, env }: Io, { yes, quiet, asCurl }: Globals): boolean =>
  stdout.isTerminal && !yes && !quiet && !asCurl && ['', 'false', '0'].includes(env['CI'] ?? '');

/** Dependencies for a question, and the function that releases them. */
type Open<D> = (globals: Globals, words: string) => { readonly run: D; close(): Promise<void> };

/** The choices that the service has for a question; none where nobody expects a request for it. */
const readChoices = async <D>({ choices, records, title }: Question, globals: Globals, io: Io, open: Open<D>) => {
  const isExpected = choices === undefined ? isByHand(io, globals) : !globals.asCurl;
  if (records === undefined || !isExpected) return [];
  const read = await records();
  const { run, close } = open(globals, title);
  return read(run as never).finally(close);
};

const askQuestion = async <D>(
  question: Question,
  globals: Globals,
  io: Io,
  open: Open<D>,
): Promise<string | undefined> => {
  const { title, choices, records, open: isOpen = false } = question;
  const found = await readChoices(question, globals, io, open);
  if (found.length > 0) {
    const chosen = await askChoice(io, { title: `${title}?`, choices: found.map(({ label }) => label), open: isOpen });
    return found.find(({ label }) => label === chosen)?.value ?? chosen;
  }
  if (choices !== undefined) return askChoice(io, { title: `${title}?`, choices: await choices(), open: isOpen });
  return records === undefined ? askText(io.stdin, `${title}: `) : undefined;
};

/**
 * Asks a person for the missing values, one after the other. Returns the error unchanged if nobody can be asked, or if
 * there is nothing to choose from.
 */
export const askMissing = async <D, S extends CommandSpec<D>>(
  parsed: Parsed<S>,
  io: Io,
  open: Open<D>,
): Promise<Parsed<S>> => {
  let now = parsed;
  while (now.kind === 'error' && now.missing !== undefined && canAsk(io, now.globals)) {
    const answer = await askQuestion(now.missing.question, now.globals, io, open);
    if (answer === undefined) break;
    now = now.missing.with(answer);
  }
  return now;
};

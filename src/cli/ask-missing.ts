import { canAsk } from '../core/asking.ts';
import { usageError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { choose } from './choose.ts';
import type { CommandSpec, Question } from './define.ts';
import type { Parsed } from './program.ts';

/** One typed line. A question ends where its answer begins. */
const lineFor = async ({ stdin }: Io, title: string): Promise<string> => {
  const answer = (await stdin.line(`${title}: `, { hidden: false }))?.trim() ?? '';
  if (answer === '') throw usageError('nothing was typed, and nothing was sent');
  return answer;
};

const answerTo = async ({ title, choices, open = false }: Question, io: Io): Promise<string> =>
  choices === undefined ? lineFor(io, title) : choose(io, { title: `${title}?`, choices: await choices(), open });

/** Asks a person for what was left out, one after the other; what nobody can be asked for stays the fault that it is. */
export const askMissing = async <S extends CommandSpec>(parsed: Parsed<S>, io: Io): Promise<Parsed<S>> => {
  let now = parsed;
  while (now.kind === 'error' && now.missing !== undefined && canAsk(io, now.globals)) {
    now = now.missing.with(await answerTo(now.missing.question, io));
  }
  return now;
};

import { ask, canAsk } from '../core/asking.ts';
import type { Io } from '../core/io.ts';
import { choose } from './choose.ts';
import type { CommandSpec, Question } from './define.ts';
import type { Parsed } from './program.ts';

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

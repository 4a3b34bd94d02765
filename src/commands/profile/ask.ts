import type { Deps } from '../../cli/deps.ts';
import type { ProfileSummary } from '../../config/profiles.ts';
import { usageError } from '../../core/error.ts';

/** Somebody is there to answer: a terminal, and no --no-input. */
export const canAsk = ({ io, globals }: Deps): boolean => io.stdin.isTerminal && globals.input;

/** One typed line without the blanks around it; a usage error when there is none. */
export const ask = async ({ io }: Deps, question: string): Promise<string> => {
  const line = await io.stdin.line(question, { hidden: false });
  if (line === undefined) throw usageError('the question got no answer; nothing was changed');
  return line.trim();
};

/**
 * Asks on a terminal before something stored is lost. A script is not asked: without a terminal it goes ahead, but with
 * --no-input on a terminal the missing answer is an error.
 */
export const confirm = async (deps: Deps, question: string): Promise<void> => {
  if (deps.globals.yes || !deps.io.stdin.isTerminal) return;
  if (!deps.globals.input) throw usageError(`no answer to: ${question}`, { hint: 'say yes with --yes' });
  const answer = await ask(deps, `${question} [y/N] `);
  if (!/^y(?:es)?$/i.test(answer)) throw usageError('not confirmed; nothing was changed');
};

/** How a question or a notice names a profile. */
export const described = ({ name, environment, key }: ProfileSummary): string =>
  `"${name}" (${environment}, key ${key})`;

/** Nothing is sent to the service by what changes profiles, so options about sending would be a promise not kept. */
export const refuseSendingOptions = ({ globals }: Deps): void => {
  if (globals.dryRun) {
    throw usageError('--dry-run and --as-curl show a request, and this command is not one', {
      hint: 'leave them out; nothing was changed',
    });
  }
};

/** Says that the environment wins over what is stored. */
export const noticeOverride = async ({ io, notice }: Deps): Promise<void> => {
  if (io.env['PAYCLI_SECRET_KEY'] === undefined) return;
  await notice('PAYCLI_SECRET_KEY is set: its key is used instead of the stored one');
};

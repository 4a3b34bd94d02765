import type { ProfileSummary } from '../../config/profiles.ts';
import { usageError } from '../../core/error.ts';
import type { Deps } from '../deps.ts';

type Needs = Pick<Deps, 'io' | 'globals' | 'notice'>;

/** Somebody is there to answer: a terminal, and no --no-input. */
export const canAsk = ({ io, globals }: Needs): boolean => io.stdin.isTerminal && globals.input;

/** One typed line without the blanks around it; a usage error when there is none. */
export const ask = async ({ io }: Needs, question: string): Promise<string> => {
  const line = await io.stdin.line(question, { hidden: false });
  if (line === undefined) throw usageError('no answer given; nothing was changed');
  return line.trim();
};

/** How a question or a notice names a profile. */
export const described = ({ name, environment, key }: ProfileSummary): string =>
  `"${name}" (${environment}, key ${key})`;

/** Says that the environment wins over what is stored. */
export const noticeOverride = async ({ io, notice }: Needs): Promise<void> => {
  if (io.env['PAYCLI_SECRET_KEY'] === undefined) return;
  await notice('PAYCLI_SECRET_KEY is set: it is used instead of the stored key');
};

/** Takes a key out of the keychain; where that fails, somebody has to. */
export const released = async (
  release: () => Promise<string | undefined>,
  { notice }: Pick<Needs, 'notice'>,
): Promise<void> => {
  const why = await release();
  if (why !== undefined) await notice(`The old key is still in the keychain (${why}); remove "paycli" there yourself.`);
};

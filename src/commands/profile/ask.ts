import type { ProfileSummary } from '../../config/profiles.ts';
import type { Deps } from '../deps.ts';

/** Names a profile in a question or a notice. */
export const described = ({ name, environment, key }: ProfileSummary): string =>
  `"${name}" (${environment}, key ${key})`;

/** Says that the environment wins over what is stored. */
export const noticeOverride = async ({ io, notice }: Deps): Promise<void> => {
  if (io.env['PAYCLI_SECRET_KEY'] === undefined) return;
  await notice('PAYCLI_SECRET_KEY is set: it is used instead of the stored key');
};

/** Takes a key out of the keychain; where that fails, somebody has to. */
export const releaseKey = async (release: () => Promise<string | undefined>, { notice }: Deps): Promise<void> => {
  const why = await release();
  if (why !== undefined) await notice(`The old key is still in the keychain (${why}); remove "paycli" there yourself.`);
};

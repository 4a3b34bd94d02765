import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { onePage } from '../one-page.ts';
import { profileView } from './view.ts';

const NONE = 'No profiles yet. Run `paycli login`, or use --local, which needs none.';

/** Every profile, as one page. */
export const run = async (_input: unknown, deps: Deps): Promise<Result> => {
  const profiles = (await deps.profiles()).list();
  if (profiles.length === 0) await deps.notice(NONE);
  return { kind: 'list', pages: onePage(profiles), view: profileView, toldEmpty: true };
};

import type { Deps } from '../../cli/deps.ts';
import type { Result } from '../../output/view.ts';
import { pagesOf } from './pages.ts';
import { exportView } from './view.ts';

/** Every row, oldest first. */
export const run = async (_input: unknown, deps: Deps): Promise<Result> => ({
  kind: 'list',
  pages: pagesOf(await deps.ledger(), { oldestFirst: true }, {}),
  view: exportView,
});

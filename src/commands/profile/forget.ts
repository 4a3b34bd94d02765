import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { forgottenView } from './view.ts';

export const view = forgottenView;

/** Removes what is remembered of searches. */
export const run = async (_input: unknown, deps: Deps): Promise<Result> => ({
  kind: 'record',
  record: madeHere(await deps.forgetSeen()),
  view,
});

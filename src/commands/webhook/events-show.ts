import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { findEvent, withQueue } from './find.ts';
import { eventRecord, eventView } from './view.ts';

/** One event with all that came with it. */
export const run = async ({ uid }: { readonly uid: string }, deps: Deps): Promise<Result> => ({
  kind: 'record',
  record: eventRecord(await withQueue(deps, (queue) => findEvent(queue, uid))),
  view: eventView,
});

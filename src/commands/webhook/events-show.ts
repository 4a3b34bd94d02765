import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import type { ShowInput } from './events-spec.ts';
import { findEvent, withQueue } from './find.ts';
import { eventRecord, eventView } from './view.ts';

/** One event with all that came with it. */
export const run = async ({ uid }: ShowInput, deps: Deps): Promise<Result> => ({
  kind: 'record',
  record: eventRecord(await withQueue(deps, (queue) => findEvent(queue, uid))),
  view: eventView,
});

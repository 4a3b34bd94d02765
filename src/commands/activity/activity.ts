import type { Resource } from '../../contract/proof.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { checkShare, previewCall } from '../record.ts';
import { followedToEnd, waitedOf } from './followed-shared.ts';
import type { ShowInput, WaitInput } from './spec.ts';
import { activityView } from './view.ts';

/** Reads one activity (public-facts.md, Activities). */
export const get = async ({ passOn, ...params }: ShowInput, deps: Deps): Promise<Result> => {
  checkShare(passOn, deps.globals);
  const call = { params };
  if (deps.globals.dryRun) return previewCall('activity.get', call, deps);
  const record = await (await deps.client('read')).call('activity.get', call);
  await deps.observe([record.value], record);
  return { kind: 'record', record, view: activityView, passOn };
};

export const view = activityView;

/** Waits for an activity to reach a final status. Only reads. Shows the first answer at once. */
export const wait = async ({ ugwoUid, activityUid, limit }: WaitInput, deps: Deps): Promise<Result> => {
  const client = await deps.client('read');
  let first: ApiRecord<Resource> | undefined;
  const seen = async (record: ApiRecord<Resource>): Promise<void> => {
    first ??= record;
    await deps.observe([record.value], record);
  };
  const following = client.follow({ params: { ugwoUid, activityUid }, limit, seen });
  // There is no progress to report before the first read.
  await following.next();
  const afterFirst = await following.next();
  return {
    kind: 'wait',
    record: first,
    view,
    wait: async (tell) =>
      waitedOf(await followedToEnd(following, tell, afterFirst), { ugwoUid, limit, place: deps.globals }),
  };
};

import type { Client } from '../../client/client.ts';
import type { Follow, Followed } from '../../client/follow.ts';
import type { Resource } from '../../contract/proof.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { Result, Waiting } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { checkShare, previewCall } from '../record.ts';
import { waitedOf } from './followed-shared.ts';
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

/** A running wait. */
interface Begun {
  /** Answer of the first read; undefined if it failed. */
  readonly first: ApiRecord<Resource> | undefined;
  /** Reports progress to `tell` from now on. Resolves to the outcome. */
  readonly watch: (tell: Follow['tell']) => Promise<Followed<Resource>>;
}

/** Starts to wait and resolves after the first read. */
const begin = async (client: Client, follow: Omit<Follow, 'tell'>): Promise<Begun> => {
  const looked = Promise.withResolvers<void>();
  let first: ApiRecord<Resource> | undefined;
  let begun = false;
  let latest: Waiting | undefined;
  let tell: Follow['tell'] = () => undefined;
  const followed = client.follow({
    ...follow,
    seen: async (record) => {
      first ??= record;
      await follow.seen?.(record);
    },
    tell: (waiting) => {
      // The first call comes before the first read, so there is no progress yet.
      if (begun) {
        latest = waiting;
        looked.resolve();
      }
      begun = true;
      tell(waiting);
    },
  });
  await Promise.race([looked.promise, followed]);
  return {
    first,
    watch: (watcher) => {
      tell = watcher;
      if (latest !== undefined) tell(latest);
      return followed;
    },
  };
};

/** Waits for an activity to reach a final status. Only reads. Shows the first answer at once. */
export const wait = async ({ ugwoUid, activityUid, limit }: WaitInput, deps: Deps): Promise<Result> => {
  const client = await deps.client('read');
  const params = { ugwoUid, activityUid };
  const seen = (record: ApiRecord<Resource>): Promise<void> => deps.observe([record.value], record);
  const { first, watch } = await begin(client, { params, limit, seen });
  return {
    kind: 'wait',
    record: first,
    view,
    wait: async (tell) => waitedOf(await watch(tell), { ugwoUid, limit, place: deps.globals }),
  };
};

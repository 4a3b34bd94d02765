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

/** A wait that is under way. */
interface Begun {
  /** What the first look has shown; undefined where it failed. */
  readonly first: ApiRecord<Resource> | undefined;
  /** Tells from now on how it stands, and gives how it ends. */
  readonly watch: (tell: Follow['tell']) => Promise<Followed<Resource>>;
}

/** Begins to wait, and comes back after the first look. */
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
      // The first time is before the first look, when there is nothing to say yet.
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

/** Waits for an activity to come to its end; reads, and nothing else. What the first look shows is shown at once. */
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

import type { Deps } from '../../cli/deps.ts';
import { waitedOf } from '../../core/followed.ts';
import type { Result } from '../../output/view.ts';
import type { WaitInput } from './spec.ts';
import { activityView } from './view.ts';

export const view = activityView;

/** Waits for an activity to come to its end; reads, and nothing else. */
export const run = async ({ ugwoUid, activityUid, limit }: WaitInput, deps: Deps): Promise<Result> => {
  const client = await deps.client('read');
  return {
    kind: 'wait',
    record: undefined,
    view,
    wait: async (tell) => {
      const params = { ugwoUid, activityUid };
      const followed = await client.follow({
        params,
        limit,
        tell,
        seen: ({ value, servedAt }) => deps.observe(value, servedAt),
      });
      return waitedOf(followed, { ugwoUid, limit, place: deps.globals });
    },
  };
};

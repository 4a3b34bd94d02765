import type { Deps } from '../../cli/deps.ts';
import type { Result } from '../../output/view.ts';
import type { GetInput } from './spec.ts';
import { activityView } from './view.ts';

export const view = activityView;

/** Reads one activity (public-facts.md, Activities). */
export const run = async (input: GetInput, deps: Deps): Promise<Result> => {
  const call = { params: { ...input } };
  if (deps.globals.dryRun) return deps.preview((await deps.client('preview')).preview('activity.get', call));
  const record = await (await deps.client('read')).call('activity.get', call);
  await deps.observe([record.value], record.servedAt);
  return { kind: 'record', record, view };
};

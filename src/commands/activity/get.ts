import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { previewCall } from '../preview.ts';
import type { GetInput } from './spec.ts';
import { activityView } from './view.ts';

type Needs = Pick<Deps, 'globals' | 'client' | 'observe' | 'preview'>;

export const view = activityView;

/** Reads one activity (public-facts.md, Activities). */
export const run = async (input: GetInput, deps: Needs): Promise<Result> => {
  const call = { params: { ...input } };
  if (deps.globals.dryRun) return previewCall('activity.get', call, deps);
  const record = await (await deps.client('read')).call('activity.get', call);
  await deps.observe([record.value], record.servedAt);
  return { kind: 'record', record, view };
};

import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import type { GetInput } from './spec.ts';
import { activityView } from './view.ts';

type Needs = Pick<Deps, 'globals' | 'client' | 'observe' | 'preview'>;

export const view = activityView;

/** Reads one activity (public-facts.md, Activities). */
export const run = async (input: GetInput, deps: Needs): Promise<Result> => {
  const call = { params: { ...input } };
  if (deps.globals.dryRun) return deps.preview((await deps.client('preview')).preview('activity.get', call));
  const record = await (await deps.client('read')).call('activity.get', call);
  await deps.observe([record.value], record.servedAt);
  return { kind: 'record', record, view };
};

import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { checkPassOn } from '../pass-on.ts';
import { previewCall } from '../preview.ts';
import type { ShowInput } from './spec.ts';
import { activityView } from './view.ts';

/** Reads one activity (public-facts.md, Activities). */
export const run = async ({ passOn, ...params }: ShowInput, deps: Deps): Promise<Result> => {
  checkPassOn(passOn, deps.globals);
  const call = { params };
  if (deps.globals.dryRun) return previewCall('activity.get', call, deps);
  const record = await (await deps.client('read')).call('activity.get', call);
  await deps.observe([record.value], record);
  return { kind: 'record', record, view: activityView, passOn };
};

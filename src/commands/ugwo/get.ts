import { activitiesOf } from '../../core/charge.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { previewCall } from '../preview.ts';
import { wholeUgwoView } from './view.ts';

/** Reads one payment request with its activities (public-facts.md, Payment requests). */
export const run = async ({ uid }: { readonly uid: string }, deps: Deps): Promise<Result> => {
  const call = { params: { uid } };
  if (deps.globals.dryRun) return previewCall('ugwo.get', call, deps);
  const record = await (await deps.client('read')).call('ugwo.get', call);
  await deps.observe(activitiesOf(record.value) ?? [], record);
  return { kind: 'record', record, view: wholeUgwoView };
};

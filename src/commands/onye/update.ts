import { usageError } from '../../core/error.ts';
import { pairsToObject } from '../../core/pairs.ts';
import type { Result, View } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import type { Fields } from './fields.ts';
import { readFields } from './fields.ts';
import type { MetaChange } from './meta.ts';
import { updateOne } from './update-one.ts';
import type { Changes, UpdateInput } from './update-spec.ts';
import { onyeView, updatesView } from './view.ts';

/** What the options change of the metadata key by key; `fields` are what they give besides. */
const readMerge = ({ meta }: Changes, fields: Fields): MetaChange | undefined => {
  if (meta?.kind !== 'merge') return undefined;
  if (fields.has('meta'))
    throw usageError('--data sets "meta", so it can\'t be used with --merge-meta or --unset-meta');
  return { set: pairsToObject(meta.set, '--merge-meta'), unset: meta.unset };
};

export const view = ({ kind }: UpdateInput): View => (kind === 'one' ? onyeView : updatesView);

export const run = async (input: UpdateInput, deps: Deps): Promise<Result> => {
  const { meta } = input.changes;
  const fields = await readFields({ ...input.changes, meta: meta?.kind === 'merge' ? undefined : meta }, deps);
  const given = { fields, change: readMerge(input.changes, fields) };
  if (input.kind === 'one') return updateOne(input.uid, given, deps);
  const [{ updateKind }, { runFile }] = [await import('./update-kind.ts'), await deps.bulk()];
  return runFile({ bulk: input.bulk, kindOf: (client) => updateKind(given, client), view: updatesView }, deps);
};

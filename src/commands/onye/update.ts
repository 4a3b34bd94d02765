import { usageError } from '../../core/error.ts';
import { pairsToObject } from '../../core/pairs.ts';
import type { Result, View } from '../../core/result.ts';
import { readJsonObject } from '../../core/source.ts';
import type { Deps } from '../deps.ts';
import type { MetaChange } from './meta.ts';
import type { Field } from './update-one.ts';
import { updateOne } from './update-one.ts';
import type { Changes, MetaInput, UpdateInput } from './update-spec.ts';
import { onyeView, updatesView } from './view.ts';

type Whole = Exclude<MetaInput, { readonly kind: 'merge' }>;

const readMeta = async (meta: Whole, deps: Deps): Promise<Field> => {
  switch (meta.kind) {
    case 'pairs':
      return { value: pairsToObject(meta.pairs, '--meta'), flag: '--meta' };
    case 'json':
      return { value: await readJsonObject(deps.source, meta.source, '--meta-json'), flag: '--meta-json' };
    case 'clear':
      return { value: {}, flag: '--clear-meta' };
  }
};

/** What the options change of the metadata key by key; `fields` are what they give besides. */
const readMerge = ({ meta }: Changes, fields: ReadonlyMap<string, Field>): MetaChange | undefined => {
  if (meta?.kind !== 'merge') return undefined;
  if (fields.has('meta'))
    throw usageError('--data sets "meta", so it can\'t be used with --merge-meta or --unset-meta');
  return { set: pairsToObject(meta.set, '--merge-meta'), unset: meta.unset };
};

/** Every field that the options give with the flag behind it; flags win over --data. */
const readFields = async (input: Changes, deps: Deps): Promise<Map<string, Field>> => {
  const fields = new Map<string, Field>();
  if (input.data !== undefined) {
    const data = await readJsonObject(deps.source, input.data, '--data');
    for (const [name, value] of Object.entries(data)) fields.set(name, { value, flag: '--data' });
  }
  for (const [name, value] of Object.entries(input.fields)) {
    fields.set(name, { value, flag: `--${name.replaceAll('_', '-')}` });
  }
  if (input.billingAddress !== undefined) {
    const value = await readJsonObject(deps.source, input.billingAddress, '--billing-address');
    fields.set('billing_address', { value, flag: '--billing-address' });
  }
  if (input.meta !== undefined && input.meta.kind !== 'merge') fields.set('meta', await readMeta(input.meta, deps));
  return fields;
};

export const view = ({ kind }: UpdateInput): View => (kind === 'one' ? onyeView : updatesView);

export const run = async (input: UpdateInput, deps: Deps): Promise<Result> => {
  const fields = await readFields(input.changes, deps);
  const given = { fields, change: readMerge(input.changes, fields) };
  if (input.kind === 'one') return updateOne(input.uid, given, deps);
  const [{ updateKind }, { runFile }] = [await import('./update-kind.ts'), await deps.bulk()];
  return runFile({ bulk: input.bulk, kindOf: (client) => updateKind(given, client), view: updatesView }, deps);
};

import type { Deps } from '../../cli/deps.ts';
import { usageError } from '../../core/error.ts';
import { namingFlags } from '../../core/flags.ts';
import { pairsToObject } from '../../core/pairs.ts';
import { readJsonObject } from '../../core/source.ts';
import type { Result, View } from '../../output/view.ts';
import type { Changes, MetaInput, UpdateInput } from './spec.ts';
import { onyeView, updatesView } from './view.ts';

export interface Field {
  readonly value: unknown;
  /** The flag that the value came from: what an error names. */
  readonly flag: string;
}

const readMeta = async (meta: MetaInput, deps: Deps): Promise<Field> => {
  switch (meta.kind) {
    case 'pairs':
      return { value: pairsToObject(meta.pairs, '--meta'), flag: '--meta' };
    case 'json':
      return { value: await readJsonObject(deps.source, meta.source, '--meta-json'), flag: '--meta-json' };
    case 'clear':
      return { value: {}, flag: '--clear-meta' };
  }
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
  if (input.meta !== undefined) fields.set('meta', await readMeta(input.meta, deps));
  return fields;
};

type OneUpdate = Extract<UpdateInput, { readonly kind: 'one' }>;

/** Updates a customer (interface.md 4.1): sends the fields that were given and nothing else. */
const updateOne = async (input: OneUpdate, fields: ReadonlyMap<string, Field>, deps: Deps): Promise<Result> => {
  if (fields.size === 0) throw usageError('--data: the object is empty, so there is nothing to change');
  const body = Object.fromEntries([...fields].map(([name, { value }]) => [name, value]));
  const call = { params: { uid: input.uid }, body };
  try {
    if (deps.globals.dryRun) return deps.preview((await deps.client('preview')).preview('onye.update', call));
    const client = await deps.client('write');
    const record = await client.call('onye.update', call);
    const result = { kind: 'record', record, view: onyeView, wrote: true } as const;
    return fields.has('meta') ? { ...result, notice: 'the metadata was replaced as a whole, not merged' } : result;
  } catch (thrown) {
    throw namingFlags(thrown, (path) => fields.get(path.split('.')[0] ?? path)?.flag);
  }
};

export const view = ({ kind }: UpdateInput): View => (kind === 'one' ? onyeView : updatesView);

export const run = async (input: UpdateInput, deps: Deps): Promise<Result> => {
  const fields = await readFields(input.changes, deps);
  if (input.kind === 'one') return updateOne(input, fields, deps);
  return (await import('./update-file.ts')).updateFile(input, fields, deps);
};

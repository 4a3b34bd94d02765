import { pairsToObject } from '../../core/pairs.ts';
import { namesAlong } from '../../core/property-path.ts';
import { readJsonObject } from '../../core/source.ts';
import type { Deps } from '../deps.ts';
import type { FieldInput, GivenAddress, WholeMeta } from './fields-spec.ts';

/** A field of a customer that an option gives. */
export interface Field {
  readonly value: unknown;
  /** The flag that the value came from: what an error names. */
  readonly flag: string;
}

/** Fields by their names in the body. */
export type Fields = ReadonlyMap<string, Field>;

const readMeta = async (meta: WholeMeta, { source }: Deps): Promise<Field> => {
  switch (meta.kind) {
    case 'pairs':
      return { value: pairsToObject(meta.pairs, '--meta'), flag: '--meta' };
    case 'json':
      return { value: await readJsonObject(source, meta.source, '--meta-json'), flag: '--meta-json' };
    case 'clear':
      return { value: {}, flag: '--clear-meta' };
  }
};

/** An address by its parts is named by the flag that was given first. */
const readAddress = async (given: GivenAddress, { source }: Deps): Promise<Field> => {
  if ('parts' in given) return { value: given.parts, flag: `--${Object.keys(given.parts)[0]}` };
  const flag = '--billing-address';
  return { value: await readJsonObject(source, given.source, flag), flag };
};

/** Every field that the options give with the flag behind it; flags win over --data. */
export const readFields = async (
  { texts, cleared, billingAddress, meta, data }: FieldInput,
  deps: Deps,
): Promise<Map<string, Field>> => {
  const own = data === undefined ? {} : await readJsonObject(deps.source, data, '--data');
  return new Map([
    ...Object.entries(own).map(([name, value]) => [name, { value, flag: '--data' }] as const),
    ...Object.entries(texts).map(([name, value]) => [name, { value, flag: `--${name.replaceAll('_', '-')}` }] as const),
    ...cleared.map((name) => [name, { value: '', flag: `--clear ${name}` }] as const),
    ...(billingAddress === undefined ? [] : [['billing_address', await readAddress(billingAddress, deps)] as const]),
    ...(meta === undefined ? [] : [['meta', await readMeta(meta, deps)] as const]),
  ]);
};

export const bodyOf = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries([...fields].map(([name, { value }]) => [name, value]));

/** The flag behind a property of the body; of an address that was given by parts, the part's own. */
export const flagOf =
  (fields: Fields) =>
  (propertyPath: string): string | undefined => {
    const [name = propertyPath, part] = namesAlong(propertyPath, [...fields.keys()]);
    const flag = fields.get(name)?.flag;
    const isByParts = name === 'billing_address' && flag !== '--billing-address' && flag !== '--data';
    return isByParts && flag !== undefined && part !== undefined ? `--${part}` : flag;
  };

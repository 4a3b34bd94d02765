import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../contract/operations.ts';
import { PayError } from '../../core/error.ts';
import { pairsToObject, readJsonObject } from '../../core/input.ts';
import { isJsonObject, namesAlong, parseExact } from '../../core/json.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { Deps } from '../deps.ts';
import { isMerged } from './update-seen.ts';
import type { FieldInput, GivenAddress, WholeMeta } from './update-spec.ts';

/** A field of a customer that an option gives. */
interface OnyeField {
  readonly value: unknown;
  /** The flag that the value came from: what an error names. */
  readonly flag: string;
}

/** Fields by their names in the body. */
export type OnyeFields = ReadonlyMap<string, OnyeField>;

const readMeta = async (meta: WholeMeta, { source }: Deps): Promise<OnyeField> => {
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
const readAddress = async (given: GivenAddress, { source }: Deps): Promise<OnyeField> => {
  if ('parts' in given) return { value: given.parts, flag: `--${Object.keys(given.parts)[0]}` };
  const flag = '--billing-address';
  return { value: await readJsonObject(source, given.source, flag), flag };
};

/** Every field that the options give with the flag behind it; flags win over --data. */
export const readFields = async (
  { texts, cleared, billingAddress, meta, data }: FieldInput,
  deps: Deps,
): Promise<Map<string, OnyeField>> => {
  const own = data === undefined ? {} : await readJsonObject(deps.source, data, '--data');
  return new Map([
    ...Object.entries(own).map(([name, value]) => [name, { value, flag: '--data' }] as const),
    ...Object.entries(texts).map(([name, value]) => [name, { value, flag: `--${name.replaceAll('_', '-')}` }] as const),
    ...cleared.map((name) => [name, { value: '', flag: `--clear ${name}` }] as const),
    ...(billingAddress === undefined ? [] : [['billing_address', await readAddress(billingAddress, deps)] as const]),
    ...(meta === undefined ? [] : [['meta', await readMeta(meta, deps)] as const]),
  ]);
};

export const bodyOf = (fields: OnyeFields): Record<string, unknown> =>
  Object.fromEntries([...fields].map(([name, { value }]) => [name, value]));

/** The flag behind a property of the body; of an address that was given by parts, the part's own. */
export const flagOf =
  (fields: OnyeFields) =>
  (propertyPath: string): string | undefined => {
    const [name = propertyPath, part] = namesAlong(propertyPath, [...fields.keys()]);
    const flag = fields.get(name)?.flag;
    const isByParts = name === 'billing_address' && flag !== '--billing-address' && flag !== '--data';
    return isByParts && flag !== undefined && part !== undefined ? `--${part}` : flag;
  };

type Fields = Readonly<Record<string, unknown>>;

/** What is to be changed of a customer's metadata, the other keys kept. */
export interface MetaChange {
  readonly set: Fields;
  readonly unset: readonly string[];
}

/** The flag that a change is named by. */
export const changeFlag = ({ set }: MetaChange): string =>
  Object.keys(set).length > 0 ? '--merge-meta' : '--unset-meta';

/** A customer as a read shows it: the record, and the same parsed exactly. */
interface Customer {
  readonly record: ApiRecord<AnswerOf<'onye.get'>>;
  readonly exact: unknown;
}

export const readCustomer = async (uid: string, client: Client): Promise<Customer> => {
  const record = await client.call('onye.get', { params: { uid } });
  return { record, exact: parseExact(record.text) };
};

/** With these a service says that it has no such read, or no such customer. */
const NO_READ: readonly number[] = [404, 405, 501];

export const hasNoRead = (thrown: unknown): thrown is PayError =>
  thrown instanceof PayError && thrown.detail.status !== undefined && NO_READ.includes(thrown.detail.status);

const noRead = ({ detail }: PayError): PayError => {
  const { status } = detail;
  const why = status === 404 ? 'no such customer, or it has no such read' : 'it has no such read';
  return new PayError(
    'rejected',
    `couldn't read the customer to merge metadata: the service answered ${status} (${why}); nothing was sent`,
    { ...detail, hint: 'check the identifier, or give all metadata with --meta' },
  );
};

/** The customer whose metadata is to be changed; where there is no such read: `rejected`. */
export const customerToMerge = async (uid: string, client: Client): Promise<Customer> => {
  try {
    return await readCustomer(uid, client);
  } catch (thrown) {
    throw hasNoRead(thrown) ? noRead(thrown) : thrown;
  }
};

/** The metadata that a customer shows: an empty map comes as `[]` or null, too. Undefined where it shows no map. */
export const metaOf = (customer: unknown): Fields | undefined => {
  const meta = (customer as { readonly meta?: unknown }).meta;
  if (meta === null || (Array.isArray(meta) && meta.length === 0)) return {};
  return isJsonObject(meta) ? meta : undefined;
};

const merged = (meta: Fields, { set, unset }: MetaChange): Fields =>
  Object.fromEntries(Object.entries({ ...meta, ...set }).filter(([name]) => !unset.includes(name)));

/** The body of an update with the metadata as it is to become, whole; without it where it is so already. */
export const mergedBody = (body: Fields, customer: unknown, change: MetaChange): Fields => {
  const meta = metaOf(customer);
  if (meta === undefined) {
    throw new PayError('read_failed', 'the answer has no metadata to merge into; nothing was sent', {
      hint: 'give all metadata with --meta',
    });
  }
  return isMerged(meta, change) ? body : { ...body, meta: merged(meta, change) };
};

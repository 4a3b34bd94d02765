import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../contract/operations.ts';
import { PayError } from '../../core/error.ts';
import { asFlag, pairsToObject, readJsonObject } from '../../core/input.ts';
import { isJsonObject, namesAlong, parseExact } from '../../core/json.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { Deps } from '../deps.ts';
import { isMerged } from './update-seen.ts';
import type { FieldInput, GivenAddress, WholeMeta } from './update-spec.ts';

/** A customer field set by an option. */
interface OnyeField {
  readonly value: unknown;
  /** The flag that set the value, for error messages. */
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

/** Reads the billing address. If it is given by parts, the first part's flag stands for it. */
const readAddress = async (given: GivenAddress, { source }: Deps): Promise<OnyeField> => {
  if ('parts' in given) return { value: given.parts, flag: `--${Object.keys(given.parts)[0]}` };
  const flag = '--billing-address';
  return { value: await readJsonObject(source, given.source, flag), flag };
};

/** Reads every field that the options set, with its flag. Flags override --data. */
export const readFields = async (
  { texts, cleared, billingAddress, meta, data }: FieldInput,
  deps: Deps,
): Promise<Map<string, OnyeField>> => {
  const own = data === undefined ? {} : await readJsonObject(deps.source, data, '--data');
  return new Map([
    ...Object.entries(own).map(([name, value]) => [name, { value, flag: '--data' }] as const),
    ...Object.entries(texts).map(([name, value]) => [name, { value, flag: asFlag(name) }] as const),
    ...cleared.map((name) => [name, { value: '', flag: `--clear ${name}` }] as const),
    ...(billingAddress === undefined ? [] : [['billing_address', await readAddress(billingAddress, deps)] as const]),
    ...(meta === undefined ? [] : [['meta', await readMeta(meta, deps)] as const]),
  ]);
};

export const bodyOf = (fields: OnyeFields): Record<string, unknown> =>
  Object.fromEntries([...fields].map(([name, { value }]) => [name, value]));

/** The flag that set a property of the body. For an address given by parts, the flag of the part. */
export const flagOf =
  (fields: OnyeFields) =>
  (propertyPath: string): string | undefined => {
    const [name = propertyPath, part] = namesAlong(propertyPath, [...fields.keys()]);
    const flag = fields.get(name)?.flag;
    const isByParts = name === 'billing_address' && flag !== '--billing-address' && flag !== '--data';
    return isByParts && flag !== undefined && part !== undefined ? `--${part}` : flag;
  };

type Fields = Readonly<Record<string, unknown>>;

/** A change of some metadata keys; the others stay. */
export interface MetaChange {
  readonly set: Fields;
  readonly unset: readonly string[];
}

/** The flag that stands for a change in error messages. */
export const changeFlag = ({ set }: MetaChange): string =>
  Object.keys(set).length > 0 ? '--merge-meta' : '--unset-meta';

/** A customer as read: the record, and the same value parsed exactly. */
interface Customer {
  readonly record: ApiRecord<AnswerOf<'onye.get'>>;
  readonly exact: unknown;
}

export const readCustomer = async (uid: string, client: Client): Promise<Customer> => {
  const record = await client.call('onye.get', { params: { uid } });
  return { record, exact: parseExact(record.text) };
};

/** Status codes that mean: no such read, or no such customer. */
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

/** Reads the customer whose metadata will change. Throws `rejected` if the service has no such read. */
export const customerToMerge = async (uid: string, client: Client): Promise<Customer> => {
  try {
    return await readCustomer(uid, client);
  } catch (thrown) {
    throw hasNoRead(thrown) ? noRead(thrown) : thrown;
  }
};

/** Metadata of a customer. An empty map may also come as `[]` or null. Undefined if there is no map. */
export const metaOf = (customer: unknown): Fields | undefined => {
  const meta = (customer as { readonly meta?: unknown }).meta;
  if (meta === null || (Array.isArray(meta) && meta.length === 0)) return {};
  return isJsonObject(meta) ? meta : undefined;
};

const merged = (meta: Fields, { set, unset }: MetaChange): Fields =>
  Object.fromEntries(Object.entries({ ...meta, ...set }).filter(([name]) => !unset.includes(name)));

/** Body of an update with the complete merged metadata. Leaves the metadata out if nothing would change. */
export const mergedBody = (body: Fields, customer: unknown, change: MetaChange): Fields => {
  const meta = metaOf(customer);
  if (meta === undefined) {
    throw new PayError('read_failed', 'the answer has no metadata to merge into; nothing was sent', {
      hint: 'give all metadata with --meta',
    });
  }
  return isMerged(meta, change) ? body : { ...body, meta: merged(meta, change) };
};

import type { CallInput, Client } from '../../client/client.ts';
import type { AnswerOf } from '../../contract/operations.ts';
import { PayError } from '../../core/error.ts';
import { pairsToObject, readJsonObject } from '../../core/input.ts';
import { isJsonObject, namesAlong, parseExact } from '../../core/json.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { Run } from '../run.ts';
import type { FieldInput, GivenField } from './fields-shared.ts';
import { isMerged } from './update-seen.ts';

/** A customer field set by an option. */
interface OnyeField {
  readonly value: unknown;
  /** The flag that set the value, for error messages. */
  readonly flag: string;
}

/** Fields by their names in the body. */
export type OnyeFields = ReadonlyMap<string, OnyeField>;

const valueFrom = async (field: GivenField, { source }: Run): Promise<unknown> => {
  if ('source' in field) return readJsonObject(source, field.source, field.flag);
  return 'pairs' in field ? pairsToObject(field.pairs, field.flag) : field.value;
};

/** Reads every field that the options set, with its flag. */
export const readFields = async ({ fields, data }: FieldInput, run: Run): Promise<OnyeFields> => {
  const own = data === undefined ? {} : await readJsonObject(run.source, data, '--data');
  const read = new Map(Object.entries(own).map(([name, value]) => [name, { value, flag: '--data' }]));
  for (const field of fields) read.set(field.name, { value: await valueFrom(field, run), flag: field.flag });
  return read;
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

type Pace = Pick<CallInput, 'slowDown'>;

/** A customer as read: the record, and the same value parsed exactly. */
interface Customer {
  readonly record: ApiRecord<AnswerOf<'onye.get'>>;
  readonly exact: unknown;
}

export const readCustomer = async (uid: string, client: Client, how: Pace = {}): Promise<Customer> => {
  const record = await client.call('onye.get', { params: { uid }, ...how });
  return { record, exact: parseExact(record.text) };
};

/** Status codes that mean: no such read, or no such customer. */
const NO_READ: readonly number[] = [404, 405, 501];

const hasNoRead = (thrown: unknown): thrown is PayError =>
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

/** The customer, parsed exactly; undefined if no read shows it. */
export const customerShown = async (uid: string, client: Client, how: Pace = {}): Promise<unknown> => {
  try {
    return (await readCustomer(uid, client, how)).exact;
  } catch (thrown) {
    if (hasNoRead(thrown)) return undefined;
    throw thrown;
  }
};

/** The keys that an object loses if it is replaced by `after`. */
export const keysLost = (before: unknown, after: unknown): readonly string[] =>
  Object.keys(Object(before)).filter((name) => !Object.hasOwn(Object(after), name));

const MOST_NAMED = 10;

/** Lists names. Quotes a name that is not a plain word, so that names stay distinguishable. */
export const namesOf = (names: readonly string[]): string => {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  const shown = names.slice(0, MOST_NAMED).map((name) => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)));
  return shown.join(', ') + more;
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

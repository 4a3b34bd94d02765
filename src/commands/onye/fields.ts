import type { Client } from '../../client/client.ts';
import { sourceOf } from '../../compose/run.ts';
import type { AnswerOf } from '../../contract/operations.ts';
import { firstFew } from '../../core/bounds.ts';
import { PayError } from '../../core/error.ts';
import { asFlag, readJsonObject, type Source } from '../../core/input.ts';
import { isJsonObject, parseExact, pick } from '../../core/json.ts';
import type { ApiRecord } from '../../core/record.ts';
import { buildBody, listTexts, pickValues } from '../fields.ts';
import type { Run } from '../run.ts';
import { CHANGED_FIELDS, type CustomerOptions } from './fields-shared.ts';
import { isMerged } from './update-seen.ts';

export type CustomerBody = Readonly<Record<string, unknown>>;

/** Fields of a customer as the options set them. */
export interface GivenFields {
  readonly given: CustomerOptions;
  /** The body that they and --data make. */
  readonly body: CustomerBody;
  readonly change: MetaChange | undefined;
  /** Replaces all metadata by the keys that columns set, and doesn't merge them. */
  readonly replaceMeta?: boolean;
}

/** The body of the options, over that of --data. The id of a job depends on the order: cleared texts are the last. */
export const readCustomerBody = async (given: CustomerOptions, run: Run): Promise<CustomerBody> => {
  const source = sourceOf(run);
  const data = given.data === undefined ? {} : await readJsonObject(source, given.data, '--data');
  const values = Object.entries(pickValues(CHANGED_FIELDS, given)).map(async ([name, value]) => [
    name,
    CHANGED_FIELDS[name as keyof typeof CHANGED_FIELDS].type === 'json'
      ? await readJsonObject(source, value as Source, asFlag(name))
      : value,
  ]);
  const body = buildBody(CHANGED_FIELDS, Object.fromEntries(await Promise.all(values)));
  const kept = listTexts(CHANGED_FIELDS).filter((name) => given.clear?.includes(name) !== true);
  return { ...data, ...pick(body, kept), ...body };
};

/** A change of some metadata keys; the others stay. */
export interface MetaChange {
  readonly set: CustomerBody;
  readonly unset: readonly string[];
}

/** A customer as read: the record, and the same value parsed exactly. */
interface Customer {
  readonly record: ApiRecord<AnswerOf<'onye.get'>>;
  readonly exact: unknown;
}

export const readCustomer = async (uid: string, client: Client): Promise<Customer> => {
  const record = await client.call('onye.get', { params: { uid } });
  return { record, exact: parseExact(record.text) };
};

const hasNoRead = (thrown: unknown): thrown is PayError =>
  thrown instanceof PayError && thrown.detail.status !== undefined && [404, 405, 501].includes(thrown.detail.status);

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
export const metaOf = (customer: unknown): CustomerBody | undefined => {
  const meta = (customer as { readonly meta?: unknown }).meta;
  if (meta === null || (Array.isArray(meta) && meta.length === 0)) return {};
  return isJsonObject(meta) ? meta : undefined;
};

/** The customer, parsed exactly; undefined if no read shows it. */
export const customerShown = async (uid: string, client: Client): Promise<unknown> => {
  try {
    return (await readCustomer(uid, client)).exact;
  } catch (thrown) {
    if (hasNoRead(thrown)) return undefined;
    throw thrown;
  }
};

/** The keys that an object loses if it is replaced by `after`. */
export const keysLost = (before: unknown, after: unknown): readonly string[] =>
  Object.keys(Object(before)).filter((name) => !Object.hasOwn(Object(after), name));

/** Lists names. Quotes a name that is not a plain word, so that names stay distinguishable. */
export const keyNames = (names: readonly string[]): string =>
  firstFew(names.map((name) => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(name))));

const merged = (meta: CustomerBody, { set, unset }: MetaChange): CustomerBody =>
  Object.fromEntries(Object.entries({ ...meta, ...set }).filter(([name]) => !unset.includes(name)));

/** Body of an update with the complete merged metadata. Leaves the metadata out if nothing would change. */
export const mergedBody = (body: CustomerBody, customer: unknown, change: MetaChange): CustomerBody => {
  const meta = metaOf(customer);
  if (meta === undefined) {
    throw new PayError('read_failed', 'the answer has no metadata to merge into; nothing was sent', {
      hint: 'give all metadata with --meta',
    });
  }
  return isMerged(meta, change) ? body : { ...body, meta: merged(meta, change) };
};

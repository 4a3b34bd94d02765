import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../contract/operations.ts';
import { PayError } from '../../core/error.ts';
import { isJsonObject, parseExact } from '../../core/json.ts';
import type { Received } from '../../core/received.ts';
import { isMerged } from './update-seen.ts';

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
export interface Customer {
  readonly record: Received<AnswerOf<'onye.get'>>;
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

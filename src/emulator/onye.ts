import type { Onye } from '../contract/onye.ts';
import { utcAtom } from '../core/time.ts';
import type { Handler } from './handler.ts';
import { newId } from './ids.ts';
import { pageOf } from './list.ts';
import { present, refusal } from './refusal.ts';
import type { Store } from './store/open.ts';
import { tell } from './tell.ts';

/** Fields of a customer that a client can't set. */
const FIXED = ['uid', 'status', 'created_at'];

/** Every word with one capital, in front; the same in every locale. */
const titleCased = (text: string): string =>
  text.toLowerCase().replaceAll(/(^|[\s-])(\p{L})/gu, (_all, before: string, first: string) => {
    return before + first.toUpperCase();
  });

/** How the service writes down what it is sent (public material): e-mail addresses in lower case, names title-cased. */
const saved = (name: string, value: unknown): unknown => {
  // An empty map, as some clients write it.
  if (name === 'meta' && Array.isArray(value)) return {};
  if (typeof value !== 'string') return value;
  if (name === 'email') return value.toLowerCase();
  return name === 'first_name' || name === 'last_name' ? titleCased(value) : value;
};

const sentFields = (body: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !FIXED.includes(name))
      .map(([name, value]) => [name, saved(name, value)]),
  );

const customerAt = ({ uid }: { readonly uid: string }, store: Store): Onye =>
  present(store.customer(uid), 'onye.error.not_found');

/** An e-mail address belongs to one customer. */
const refuseTaken = (store: Store, { uid, email }: Onye): void => {
  const other = typeof email === 'string' ? store.customerByEmail(email) : undefined;
  if (other === undefined || other.uid === uid) return;
  throw refusal(409, 'nzube.onye.error.email_already_exists', { field: 'email' });
};

/** Adds a customer out of what was sent of one. */
export const addCustomer = (store: Store, body: Readonly<Record<string, unknown>>, now: number): Onye => {
  const blank = { first_name: null, last_name: null, ref: null, billing_address: null, meta: {} };
  const created = { status: 'active', created_at: utcAtom(now) };
  const customer: Onye = { uid: newId('ony'), email: null, ...blank, ...sentFields(body), ...created };
  refuseTaken(store, customer);
  store.addCustomer(customer);
  tell(store, now, 'nzube.onye.created', () => customer);
  return customer;
};

/** A new customer (public material). */
export const createOnye: Handler<'onye.create'> = ({ body, now }, store) => addCustomer(store, body, now);

/** One customer as it stands (public material). */
export const getOnye: Handler<'onye.get'> = ({ params }, store) => customerAt(params, store);

/** Customers, newest first (public material). */
export const listOnye: Handler<'onye.list'> = ({ query }, store) => pageOf('onye', query, store, store.customersBefore);

/**
 * interface.md 4.1: fields that were sent take the place of the old ones whole, `meta` among them; the others stay.
 * A field that the contract does not name is kept as it came.
 */
export const updateOnye: Handler<'onye.update'> = ({ params, body, now }, store) => {
  const updated = { ...customerAt(params, store), ...sentFields(body) };
  if (body.email !== undefined) refuseTaken(store, updated);
  store.replaceCustomer(updated);
  tell(store, now, 'nzube.onye.updated', () => updated);
  return updated;
};

/** Removes a customer, and answers with it as it was before (public material). */
export const deleteOnye: Handler<'onye.delete'> = ({ params, now }, store) => {
  const customer = customerAt(params, store);
  store.removeCustomer(customer.uid);
  tell(store, now, 'nzube.onye.deleted', () => customer);
  return customer;
};

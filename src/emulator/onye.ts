import type { Onye } from '../contract/onye.ts';
import type { Handler } from './handler.ts';
import { refusal } from './refusal.ts';
import type { Store } from './store.ts';

/** Fields of a customer that an update can't set. */
const FIXED = ['uid', 'status', 'created_at'];

/** Every word with one capital, in front; the same in every locale. */
const titleCased = (text: string): string =>
  text.toLowerCase().replaceAll(/(^|[\s-])(\p{L})/gu, (_all, before: string, first: string) => {
    return before + first.toUpperCase();
  });

/** How the service writes down what it is sent (public material): e-mail addresses in lower case, names title-cased. */
const saved = (name: string, value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  if (name === 'email') return value.toLowerCase();
  return name === 'first_name' || name === 'last_name' ? titleCased(value) : value;
};

const customerAt = ({ uid }: { readonly uid: string }, store: Store): Onye => {
  const customer = store.customer(uid);
  if (customer === undefined) throw refusal(404, 'onye.error.not_found');
  return customer;
};

/** One customer as it stands (public material). */
export const getOnye: Handler<'onye.get'> = ({ params }, store) => customerAt(params, store);

/**
 * interface.md 4.1: fields that were sent take the place of the old ones whole, `meta` among them; the others stay.
 * A field that the contract does not name is kept as it came.
 */
export const updateOnye: Handler<'onye.update'> = ({ params, body }, store) => {
  const customer = customerAt(params, store);
  const sent = Object.entries(body)
    .filter(([name]) => !FIXED.includes(name))
    .map(([name, value]) => [name, saved(name, value)]);
  const updated = { ...customer, ...Object.fromEntries(sent) };
  store.replaceCustomer(updated);
  return updated;
};

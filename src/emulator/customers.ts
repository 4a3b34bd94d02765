import type { Checkout, CheckoutSnapshot } from '../contract/checkout.ts';
import type { Onye } from '../contract/onye.ts';
import { BANK_CODES } from '../core/banks.ts';
import { machineValue } from '../core/charge.ts';
import { utcAtom } from '../core/time.ts';
import { derivedId, meantBy, newId } from './ids.ts';
import { pageOf } from './list.ts';
import { tell } from './payments.ts';
import { type OperationHandler, present, refusal } from './service.ts';
import type { EmulatorStore } from './store.ts';

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

const customerAt = ({ uid }: { readonly uid: string }, store: EmulatorStore): Onye =>
  present(store.customer(uid), 'onye.error.not_found');

/** An e-mail address belongs to one customer. */
const refuseTaken = (store: EmulatorStore, { uid, email }: Onye): void => {
  const other = typeof email === 'string' ? store.customerByEmail(email) : undefined;
  if (other === undefined || other.uid === uid) return;
  throw refusal(409, 'nzube.onye.error.email_already_exists', { field: 'email' });
};

/** Adds a customer out of what was sent of one. */
export const addCustomer = (store: EmulatorStore, body: Readonly<Record<string, unknown>>, now: number): Onye => {
  const blank = { first_name: null, last_name: null, ref: null, billing_address: null, meta: {} };
  const created = { status: 'active', created_at: utcAtom(now) };
  const customer: Onye = { uid: newId('ony'), email: null, ...blank, ...sentFields(body), ...created };
  refuseTaken(store, customer);
  store.addCustomer(customer);
  tell(store, now, 'nzube.onye.created', () => customer);
  return customer;
};

/** A new customer (public material). */
export const createOnye: OperationHandler<'onye.create'> = ({ body, now }, store) => addCustomer(store, body, now);

/** One customer as it stands (public material). */
export const getOnye: OperationHandler<'onye.get'> = ({ params }, store) => customerAt(params, store);

/** Customers, newest first (public material). */
export const listOnye: OperationHandler<'onye.list'> = ({ query }, store) =>
  pageOf('onye', query, store, store.customersBefore);

/**
 * interface.md 4.1: fields that were sent take the place of the old ones whole, `meta` among them; the others stay.
 * A field that the contract does not name is kept as it came.
 */
export const updateOnye: OperationHandler<'onye.update'> = ({ params, body, now }, store) => {
  const updated = { ...customerAt(params, store), ...sentFields(body) };
  if (body.email !== undefined) refuseTaken(store, updated);
  store.replaceCustomer(updated);
  tell(store, now, 'nzube.onye.updated', () => updated);
  return updated;
};

/** Removes a customer, and answers with it as it was before (public material). */
export const deleteOnye: OperationHandler<'onye.delete'> = ({ params, now }, store) => {
  const customer = customerAt(params, store);
  store.removeCustomer(customer.uid);
  tell(store, now, 'nzube.onye.deleted', () => customer);
  return customer;
};

/** A checkout, and how a payment request shows it. */
interface Both {
  readonly checkout: Checkout;
  readonly snapshot: CheckoutSnapshot;
}

const both = (name: string, code: string, label: string, mediums: readonly string[], status = 'active'): Both => {
  const uid = derivedId('chk', name);
  const positioned = mediums.map((medium, index) => ({ medium, position: index + 1, is_default: index === 0 }));
  return {
    checkout: { uid, name: label, currency: code, status, mediums: positioned },
    snapshot: { uid, currency: [code, `${label} (${code})`], mediums: mediums.map((medium) => ({ medium })) },
  };
};

const [NIGERIAN, GHANAIAN] = [
  both('NGN', 'NGN', 'Nigerian naira', ['bank_transfer', 'ussd']),
  both('GHS', 'GHS', 'Ghanaian cedi', ['mobile_money']),
];
/** The last one is out of use, so that a filter has something to leave out. */
const ALL: readonly Both[] = [
  NIGERIAN,
  GHANAIAN,
  both('NGN inactive', 'NGN', 'Nigerian naira, by transfer alone', ['bank_transfer'], 'inactive'),
];

export const NIGERIA = NIGERIAN.snapshot;
export const GHANA = GHANAIAN.snapshot;

/** The one that is meant by an identifier, as either dialect shows it. */
const found = (id: string): Both | undefined => {
  const [from, to] = meantBy(id);
  return ALL.find(({ checkout: { uid } }) => uid >= from && uid <= to);
};

const checkoutAt = ({ uid }: { readonly uid: string }): Checkout =>
  present(found(uid), 'checkout.error.not_found').checkout;

const isActive = ({ checkout }: Both): boolean => checkout.status === 'active';
const isIn =
  (currency: string) =>
  ({ checkout }: Both): boolean =>
    checkout.currency === currency;

/** Whether this workspace takes a currency at all. */
export const isAllowed = (currency: string): boolean => ALL.some(isIn(currency));

/** The checkout that a payment request in this currency goes through: the one that it names, else the first active one. */
export const routed = (currency: string, named: string | undefined): CheckoutSnapshot | undefined => {
  const candidates = named === undefined ? ALL : [found(named)].filter((one) => one !== undefined);
  return candidates.filter(isActive).find(isIn(currency))?.snapshot;
};

const STATUS_NUMBERS: Readonly<Record<string, string>> = { '1': 'active', '2': 'inactive' };

/** A bare array, without pages (public material). */
export const listCheckouts: OperationHandler<'checkout.list'> = ({ query }) => {
  const statuses = query['filter[status][]']?.map((number) => STATUS_NUMBERS[number]);
  const currencies = query['filter[currency][]']?.map((code) => code.toUpperCase());
  return ALL.map(({ checkout }) => checkout).filter(
    ({ status, currency }) =>
      (statuses?.includes(machineValue(status)) ?? true) && (currencies?.includes(machineValue(currency)) ?? true),
  );
};

/** One checkout (public material). */
export const getCheckout: OperationHandler<'checkout.get'> = ({ params }) => checkoutAt(params);

const banksOf = (codes: readonly string[]) =>
  codes.map((code) => ({ code, name: code.replaceAll('_', ' ').toUpperCase() }));

const BANKS: Readonly<Record<string, readonly string[]>> = { ussd: BANK_CODES, mobile_money: ['mtn', 'telecel', 'at'] };

/** Who serves a medium of a checkout (public material): with banks, where the customer is to choose one. */
export const listProviders: OperationHandler<'checkout.providers'> = ({ params: { medium, ...params } }) => {
  const offered = checkoutAt(params).mediums?.some((one) => one.medium === medium) === true;
  if (!offered) throw refusal(404, 'checkout.error.medium_not_found');
  return [{ psp: derivedId('psp', medium), banks: banksOf(BANKS[medium] ?? []) }];
};

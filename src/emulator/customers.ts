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

/** Capitalizes the first letter of each word; the result is the same in every locale. */
const titleCased = (text: string): string =>
  text.toLowerCase().replaceAll(/(^|[\s-])(\p{L})/gu, (_all, before: string, first: string) => {
    return before + first.toUpperCase();
  });

/** Normalizes a field as the service does (public material): e-mail addresses in lower case, names title-cased. */
const saved = (name: string, value: unknown): unknown => {
  // Some clients send an empty map as a list.
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

/** Refuses an e-mail address that belongs to another customer. */
const refuseTaken = (store: EmulatorStore, { uid, email }: Onye): void => {
  const other = typeof email === 'string' ? store.customerByEmail(email) : undefined;
  if (other === undefined || other.uid === uid) return;
  throw refusal(409, 'nzube.onye.error.email_already_exists', { field: 'email' });
};

/** Adds a customer from the sent fields. */
export const addCustomer = (store: EmulatorStore, body: Readonly<Record<string, unknown>>, now: number): Onye => {
  const blank = { first_name: null, last_name: null, ref: null, billing_address: null, meta: {} };
  const created = { status: 'active', created_at: utcAtom(now) };
  const customer: Onye = { uid: newId('ony'), email: null, ...blank, ...sentFields(body), ...created };
  refuseTaken(store, customer);
  store.addCustomer(customer);
  tell(store, now, 'nzube.onye.created', () => customer);
  return customer;
};

/** Creates a customer (public material). */
export const createOnye: OperationHandler<'onye.create'> = ({ body, now }, store) => addCustomer(store, body, now);

/** Returns one customer (public material). */
export const getOnye: OperationHandler<'onye.get'> = ({ params }, store) => customerAt(params, store);

/** Lists customers, newest first (public material). */
export const listOnye: OperationHandler<'onye.list'> = ({ query }, store) =>
  pageOf('onye', query, store, store.customersBefore);

/**
 * interface.md 4.1: a sent field replaces the old value entirely, `meta` included; the other fields stay. Stores fields
 * that the contract doesn't name unchanged.
 */
export const updateOnye: OperationHandler<'onye.update'> = ({ params, body, now }, store) => {
  const updated = { ...customerAt(params, store), ...sentFields(body) };
  if (body.email !== undefined) refuseTaken(store, updated);
  store.replaceCustomer(updated);
  tell(store, now, 'nzube.onye.updated', () => updated);
  return updated;
};

/** Removes a customer and returns its last state (public material). */
export const deleteOnye: OperationHandler<'onye.delete'> = ({ params, now }, store) => {
  const customer = customerAt(params, store);
  store.removeCustomer(customer.uid);
  tell(store, now, 'nzube.onye.deleted', () => customer);
  return customer;
};

/** A checkout, and its form in payment requests. */
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
/** The last one is inactive, so that a filter has something to leave out. */
const ALL: readonly Both[] = [
  NIGERIAN,
  GHANAIAN,
  both('NGN inactive', 'NGN', 'Nigerian naira, by transfer alone', ['bank_transfer'], 'inactive'),
];

export const NIGERIA = NIGERIAN.snapshot;
export const GHANA = GHANAIAN.snapshot;

/** Finds the checkout by its identifier, in either dialect. */
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

/** True if this workspace accepts the currency. */
export const isAllowed = (currency: string): boolean => ALL.some(isIn(currency));

/**
 * Selects the checkout of a payment request in this currency: the named one if it is active, else the first active one.
 */
export const routed = (currency: string, named: string | undefined): CheckoutSnapshot | undefined => {
  const candidates = named === undefined ? ALL : [found(named)].filter((one) => one !== undefined);
  return candidates.filter(isActive).find(isIn(currency))?.snapshot;
};

const STATUS_NUMBERS: Readonly<Record<string, string>> = { '1': 'active', '2': 'inactive' };

/** Returns a bare array, without pages (public material). */
export const listCheckouts: OperationHandler<'checkout.list'> = ({ query }) => {
  const statuses = query['filter[status][]']?.map((number) => STATUS_NUMBERS[number]);
  const currencies = query['filter[currency][]']?.map((code) => code.toUpperCase());
  return ALL.map(({ checkout }) => checkout).filter(
    ({ status, currency }) =>
      (statuses?.includes(machineValue(status)) ?? true) && (currencies?.includes(machineValue(currency)) ?? true),
  );
};

/** Returns one checkout (public material). */
export const getCheckout: OperationHandler<'checkout.get'> = ({ params }) => checkoutAt(params);

const banksOf = (codes: readonly string[]) =>
  codes.map((code) => ({ code, name: code.replaceAll('_', ' ').toUpperCase() }));

const BANKS: Readonly<Record<string, readonly string[]>> = { ussd: BANK_CODES, mobile_money: ['mtn', 'telecel', 'at'] };

/** Lists the providers of a medium of a checkout (public material), with banks if the customer has to choose one. */
export const listProviders: OperationHandler<'checkout.providers'> = ({ params: { medium, ...params } }) => {
  const offered = checkoutAt(params).mediums?.some((one) => one.medium === medium) === true;
  if (!offered) throw refusal(404, 'checkout.error.medium_not_found');
  return [{ psp: derivedId('psp', medium), banks: banksOf(BANKS[medium] ?? []) }];
};

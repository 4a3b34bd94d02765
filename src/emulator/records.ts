import { MEDIUMS, type Medium, mediumNamed } from '../charge/mediums.ts';
import type { Checkout, CheckoutSnapshot } from '../contract/checkout.ts';
import type { Onye } from '../contract/onye.ts';
import type { Ugwo } from '../contract/ugwo.ts';
import { BANK_CODES } from '../core/banks.ts';
import { machineValue } from '../core/charge.ts';
import { PAGE_DEFAULT } from '../core/record.ts';
import { utcAtom } from '../core/time.ts';
import { decodeCursor, derivedId, encodeCursor, meantBy, newServiceId } from './ids.ts';
import { asksFor, emit, emitRequestChange, withActivities } from './payments.ts';
import {
  invalid,
  invalidBy,
  type OperationHandler,
  present,
  problemError,
  type RequestOf,
  UNFUNDED,
} from './service.ts';
import type { EmulatorStore, Placed } from './store.ts';

// Lists

interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit?: string | undefined;
}

/**
 * Returns a page of a list, newest first (docs/service.md, Lists). Reads one record more than the page holds, to detect
 * the last page. Refuses a cursor of another list.
 */
export const recordPage = <T>(
  list: 'onye' | 'ugwo',
  query: PageQuery,
  { key }: EmulatorStore,
  before: (position: number | undefined, count: number) => Placed<T>[],
): { data: T[]; next_cursor: string | null } => {
  const limit = query.limit === undefined ? PAGE_DEFAULT : Number(query.limit);
  const position = query.cursor === undefined ? undefined : decodeCursor(key, list, query.cursor);
  if (query.cursor !== undefined && position === undefined) {
    throw invalid([{ propertyPath: 'cursor', title: 'is not a cursor of this list' }]);
  }
  const found = before(position, limit + 1);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const more = found.length > limit && last !== undefined;
  return {
    data: shown.map(({ record }) => record),
    next_cursor: more ? encodeCursor(key, list, last.position) : null,
  };
};

// Customers

/** Capitalizes the first letter of each word; the result is the same in every locale. */
const titleCased = (text: string): string =>
  text.toLowerCase().replaceAll(/(^|[\s-])(\p{L})/gu, (_all, before: string, first: string) => {
    return before + first.toUpperCase();
  });

/**
 * Normalizes a field as the service does (docs/service.md, Customers): addresses in small letters, names with capitals.
 */
const normalized = (name: string, value: unknown): unknown => {
  // Some clients send an empty map as a list.
  if (name === 'meta' && Array.isArray(value)) return {};
  if (typeof value !== 'string') return value;
  if (name === 'email') return value.toLowerCase();
  return name === 'first_name' || name === 'last_name' ? titleCased(value) : value;
};

const sentFields = (body: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !['uid', 'status', 'created_at'].includes(name))
      .map(([name, value]) => [name, normalized(name, value)]),
  );

export const customerAt = ({ uid }: { readonly uid: string }, store: EmulatorStore): Onye =>
  present(store.customer(uid), 'onye.error.not_found');

/** Refuses an e-mail address that belongs to another customer. */
const refuseTaken = (store: EmulatorStore, { uid, email }: Onye): void => {
  const other = typeof email === 'string' ? store.customerByEmail(email) : undefined;
  if (other === undefined || other.uid === uid) return;
  throw problemError(409, 'nzube.onye.error.email_already_exists', { field: 'email' });
};

export const addCustomer = (store: EmulatorStore, body: Readonly<Record<string, unknown>>, now: number): Onye => {
  const blank = { first_name: null, last_name: null, ref: null, billing_address: null, meta: {} };
  const created = { status: 'active', created_at: utcAtom(now) };
  const customer: Onye = { uid: newServiceId('ony'), email: null, ...blank, ...sentFields(body), ...created };
  refuseTaken(store, customer);
  store.addCustomer(customer);
  emit(store, now, 'nzube.onye.created', () => customer);
  return customer;
};

/**
 * Updates a customer (docs/service.md, Customers): a sent field replaces the old value entirely, `meta` included; the
 * other fields stay. Stores fields that the contract doesn't name unchanged.
 */
export const updateOnye: OperationHandler<'onye.update'> = ({ params, body, now }, store) => {
  const updated = { ...customerAt(params, store), ...sentFields(body) };
  if (body.email !== undefined) refuseTaken(store, updated);
  store.replaceCustomer(updated);
  emit(store, now, 'nzube.onye.updated', () => updated);
  return updated;
};

/** Removes a customer and returns its last state (docs/service.md, Customers). */
export const deleteOnye: OperationHandler<'onye.delete'> = ({ params, now }, store) => {
  const customer = customerAt(params, store);
  store.removeCustomer(customer.uid);
  emit(store, now, 'nzube.onye.deleted', () => customer);
  return customer;
};

// Checkouts

/** The provider of every medium, as the service's documentation names one. */
export const PSP = 'paystack_ng';

/** A checkout, and its form in payment requests. */
interface CheckoutForms {
  readonly checkout: Checkout;
  readonly snapshot: CheckoutSnapshot;
}

const checkoutForms = (
  name: string,
  code: string,
  label: string,
  offered: readonly Medium[],
  status = 'active',
): CheckoutForms => {
  const uid = derivedId('chk', name);
  const mediums = offered.map((medium) => medium.name);
  const positioned = mediums.map((medium, position) => ({ medium, position, is_default: position === 0 }));
  return {
    checkout: { uid, name: label, currency: code, status, mediums: positioned },
    snapshot: { uid, currency: [code, `${label} (${code})`], mediums: mediums.map((medium) => ({ medium })) },
  };
};

const offeredIn = (currency: string): readonly Medium[] => MEDIUMS.filter((medium) => medium.currency === currency);

const [IN_NAIRA, IN_CEDIS] = [offeredIn('NGN'), offeredIn('GHS')];
export const [NIGERIAN, GHANAIAN] = [
  checkoutForms('NGN', 'NGN', 'Nigerian naira', IN_NAIRA),
  checkoutForms('GHS', 'GHS', 'Ghanaian cedi', IN_CEDIS),
];
/** The last one is inactive, so that a filter has something to leave out. */
const ALL_CHECKOUTS: readonly CheckoutForms[] = [
  NIGERIAN,
  GHANAIAN,
  checkoutForms(
    'NGN inactive',
    'NGN',
    'Nigerian naira, by transfer alone',
    IN_NAIRA.filter(({ step }) => step === 'transfer'),
    'inactive',
  ),
];

/** Finds the checkout by its identifier, in either dialect. */
const checkoutById = (id: string): CheckoutForms | undefined => {
  const [from, to] = meantBy(id);
  return ALL_CHECKOUTS.find(({ checkout: { uid } }) => uid >= from && uid <= to);
};

export const checkoutAt = ({ uid }: { readonly uid: string }): Checkout =>
  present(checkoutById(uid), 'checkout.error.not_found').checkout;

const isInCurrency =
  (currency: string) =>
  ({ checkout }: CheckoutForms): boolean =>
    checkout.currency === currency;

/**
 * Selects the checkout of a payment request in this currency: the named one if it is active, else the first active one.
 */
const checkoutFor = (currency: string, named: string | undefined): CheckoutSnapshot | undefined => {
  const candidates = named === undefined ? ALL_CHECKOUTS : [checkoutById(named)].filter((one) => one !== undefined);
  return candidates.filter(({ checkout }) => checkout.status === 'active').find(isInCurrency(currency))?.snapshot;
};

const STATUS_NUMBERS: Readonly<Record<string, string>> = { '1': 'active', '2': 'inactive' };

/** Returns a bare array, without pages (docs/service.md, Checkouts). */
export const listCheckouts: OperationHandler<'checkout.list'> = ({ query }) => {
  const statuses = query['filter[status][]']?.map((number) => STATUS_NUMBERS[number]);
  const currencies = query['filter[currency][]']?.map((code) => code.toUpperCase());
  return ALL_CHECKOUTS.map(({ checkout }) => checkout).filter(
    ({ status, currency }) =>
      (statuses?.includes(machineValue(status)) ?? true) && (currencies?.includes(machineValue(currency)) ?? true),
  );
};

const bankCodesOf = (name: string): readonly string[] => {
  const field = mediumNamed(name)?.fields.find((one) => one.name === 'provider');
  return field?.bank ? BANK_CODES : (field?.examples ?? []);
};

/**
 * Lists the providers of a medium of a checkout (docs/service.md, Checkouts), with banks if the customer chooses one.
 */
export const listProviders: OperationHandler<'checkout.providers'> = ({ params: { medium, ...params } }) => {
  const offered = checkoutAt(params).mediums?.some((one) => one.medium === medium) === true;
  if (!offered) throw problemError(404, 'checkout.error.medium_not_found');
  const banks = bankCodesOf(medium).map((code) => ({ code, name: code.replaceAll('_', ' ').toUpperCase() }));
  return [{ psp: PSP, banks }];
};

// Payment requests

type Body = RequestOf<'ugwo.create'>['body'];

/** The least and the most of a request, in kobo (docs/service.md, Payment requests). */
const AMOUNT_BOUNDS: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  ['NGN', [20_000, 5_000_000_000]],
]);

/** Fields that are not copied from the body: the service sets them, or derives them from it. */
const NOT_COPIED = [
  ...['uid', 'status', 'total_amount_paid', 'created_at', 'activities', 'lastest_ugwo_activity'],
  ...['onye', 'onye_email', 'onye_nzube', 'metadata', 'meta', 'checkout'],
];

export const requestAt = (uid: string, store: EmulatorStore): Ugwo => present(store.ugwo(uid), 'ugwo.error.not_found');

const refuseAmount = (amount: number, currency: string): void => {
  const [least, most] = AMOUNT_BOUNDS.get(currency) ?? [1, Number.MAX_SAFE_INTEGER];
  if (amount < least) throw invalid([{ propertyPath: 'amount', title: `should be at least ${least}` }]);
  if (amount > most) throw invalid([{ propertyPath: 'amount', title: `should be at most ${most}` }]);
};

const refuseRef = (ref: string | undefined, store: EmulatorStore): void => {
  if (ref === undefined || ref === '' || !store.hasRef(ref)) return;
  throw problemError(409, 'nzube.ugwo.error.ref_already_exists', { field: 'ref' });
};

/** Selects the checkout. A workspace accepts some currencies, and a checkout one. */
const checkoutRoute = ({ checkout }: Body, currency: string, unrouted: boolean): CheckoutSnapshot | null => {
  const route = checkoutFor(currency, checkout);
  if (!ALL_CHECKOUTS.some(isInCurrency(currency))) {
    throw invalidBy('nzube.ugwo.error.currency_not_allowed', 'currency');
  }
  if (checkout !== undefined && route === undefined) {
    throw invalid([{ propertyPath: 'checkout', title: `is not an active checkout for ${currency}` }]);
  }
  return unrouted ? null : (route ?? null);
};

/**
 * Finds the named customer, or the one with the e-mail address, and adds that one if it doesn't exist (docs/service.md,
 * Payment requests).
 */
const findPayer = ({ onye, onye_email: email }: Body, store: EmulatorStore, now: number): Onye | undefined => {
  if (onye !== undefined) {
    const customer = store.customer(onye);
    if (customer === undefined) throw invalid([{ propertyPath: 'onye', title: 'is not a customer' }]);
    return customer;
  }
  if (email === undefined) return undefined;
  return store.customerByEmail(email.toLowerCase()) ?? addCustomer(store, { email }, now);
};

/** Some clients send an empty map as a list. */
const withoutList = (map: Body['metadata']): Record<string, string | null> =>
  Array.isArray(map) || map === undefined ? {} : map;

const sentRequest = (body: Body, now: number): Pick<Ugwo, 'uid' | 'metadata' | 'created_at'> => ({
  uid: newServiceId('ugw'),
  ...Object.fromEntries(Object.entries(body).filter(([name]) => !NOT_COPIED.includes(name))),
  metadata: { ...withoutList(body.meta), ...withoutList(body.metadata) },
  // A client that sends `meta` reads it, too.
  ...(body.meta === undefined ? {} : { meta: withoutList(body.meta) }),
  created_at: utcAtom(now),
});

/**
 * Creates a payment request (docs/service.md, Payment requests). The answer shows the customer in the form that the
 * service's own plugin reads.
 */
export const createUgwo: OperationHandler<'ugwo.create'> = ({ body, now }, store) => {
  const sent = sentRequest(body, now);
  // Some forms of numbers are stored as text.
  const [amount, currency] = [Number(String(body.amount)), body.currency.toUpperCase()];
  if (asksFor(sent, '402:create')) throw problemError(402, UNFUNDED);
  const checkout = checkoutRoute(body, currency, asksFor(sent, 'unrouted'));
  refuseAmount(amount, currency);
  refuseRef(body.ref, store);
  const payer = findPayer(body, store, now);
  const blank = { ref: null, description: null };
  const made = { amount, total_amount_paid: 0, currency, status: 'requires_ugwo', onye: null, checkout };
  store.addUgwo({ ...blank, ...sent, ...made }, payer?.uid ?? null);
  const { uid, first_name, last_name } = payer ?? {};
  const ugwo = requestAt(sent.uid, store);
  emit(store, now, 'ugwo.created', () => withActivities(store, ugwo));
  return { ...ugwo, onye_nzube: payer === undefined ? null : { uid, first_name, last_name } };
};

/**
 * Cancels a payment request with no payment made or in progress (docs/service.md, Payment requests), and returns it in
 * short form.
 */
export const cancelUgwo: OperationHandler<'ugwo.cancel'> = ({ params, now }, store) => {
  const ugwo = requestAt(params.uid, store);
  const isOpen = machineValue(ugwo.status ?? '') === 'requires_ugwo';
  if (!isOpen || Number(ugwo['total_amount_paid']) > 0) throw problemError(409, 'nzube.ugwo.error.not_cancellable');
  store.setUgwoStatus(ugwo.uid, 'cancelled');
  emitRequestChange(store, now, ugwo);
  const { uid, status, amount, currency } = requestAt(ugwo.uid, store);
  return { uid, status, amount, currency };
};

import type { CheckoutSnapshot } from '../contract/checkout.ts';
import type { Onye } from '../contract/onye.ts';
import type { Ugwo } from '../contract/ugwo.ts';
import { machineValue } from '../core/charge.ts';
import { utcAtom } from '../core/time.ts';
import { addCustomer, isAllowed, routed } from './customers.ts';
import { newId } from './ids.ts';
import { pageOf } from './list.ts';
import { asksFor, tell, tellRequest, whole } from './payments.ts';
import { invalid, invalidBy, type OperationHandler, present, type RequestOf, refusal, UNFUNDED } from './service.ts';
import type { EmulatorStore } from './store.ts';

type Body = RequestOf<'ugwo.create'>['body'];

/** In kobo (public material). */
const BOUNDS: Readonly<Record<string, readonly [least: number, most: number]>> = { NGN: [20_000, 5_000_000_000] };

/** Fields that are not copied from the body: the service sets them (FIXED) or derives them from it (MADE). */
const FIXED = ['uid', 'status', 'total_amount_paid', 'created_at', 'activities', 'lastest_ugwo_activity'];
const MADE = ['onye', 'onye_email', 'onye_nzube', 'metadata', 'meta', 'checkout'];

const requestAt = (uid: string, store: EmulatorStore): Ugwo => present(store.ugwo(uid), 'ugwo.error.not_found');

const refuseAmount = (amount: number, currency: string): void => {
  const [least, most] = BOUNDS[currency] ?? [1, Number.MAX_SAFE_INTEGER];
  if (amount < least) throw invalid([{ propertyPath: 'amount', title: `should be at least ${least}` }]);
  if (amount > most) throw invalid([{ propertyPath: 'amount', title: `should be at most ${most}` }]);
};

const refuseRef = (ref: string | undefined, store: EmulatorStore): void => {
  if (ref === undefined || ref === '' || !store.hasRef(ref)) return;
  throw refusal(409, 'nzube.ugwo.error.ref_already_exists', { field: 'ref' });
};

/** Selects the checkout. A workspace accepts some currencies, and a checkout one. */
const routeOf = ({ checkout }: Body, currency: string, unrouted: boolean): CheckoutSnapshot | null => {
  const route = routed(currency, checkout);
  if (!isAllowed(currency)) throw invalidBy('nzube.ugwo.error.currency_not_allowed', 'currency');
  if (checkout !== undefined && route === undefined) {
    throw invalid([{ propertyPath: 'checkout', title: `is not an active checkout for ${currency}` }]);
  }
  return unrouted ? null : (route ?? null);
};

/**
 * Finds the named customer, or the one with the e-mail address; adds that one if it doesn't exist (public material).
 */
const payerOf = ({ onye, onye_email: email }: Body, store: EmulatorStore, now: number): Onye | undefined => {
  if (onye !== undefined) {
    const customer = store.customer(onye);
    if (customer === undefined) throw invalid([{ propertyPath: 'onye', title: 'is not a customer' }]);
    return customer;
  }
  if (email === undefined) return undefined;
  return store.customerByEmail(email.toLowerCase()) ?? addCustomer(store, { email }, now);
};

/** Some clients send an empty map as a list. */
const mapOf = (map: Body['metadata']): Record<string, string | null> =>
  Array.isArray(map) || map === undefined ? {} : map;

const sentOf = (body: Body, now: number): Pick<Ugwo, 'uid' | 'metadata' | 'created_at'> => ({
  uid: newId('ugw'),
  ...Object.fromEntries(Object.entries(body).filter(([name]) => ![...FIXED, ...MADE].includes(name))),
  metadata: { ...mapOf(body.meta), ...mapOf(body.metadata) },
  // A client that sends `meta` reads it, too.
  ...(body.meta === undefined ? {} : { meta: mapOf(body.meta) }),
  created_at: utcAtom(now),
});

/**
 * Creates a payment request (public material). The answer shows the customer in the form that the service's own plugin
 * reads.
 */
export const createUgwo: OperationHandler<'ugwo.create'> = ({ body, now }, store) => {
  const sent = sentOf(body, now);
  // Some forms of numbers are stored as text.
  const [amount, currency] = [Number(String(body.amount)), body.currency.toUpperCase()];
  if (asksFor(sent, '402:create')) throw refusal(402, UNFUNDED);
  const checkout = routeOf(body, currency, asksFor(sent, 'unrouted'));
  refuseAmount(amount, currency);
  refuseRef(body.ref, store);
  const payer = payerOf(body, store, now);
  const blank = { ref: null, description: null };
  const made = { amount, total_amount_paid: 0, currency, status: 'requires_ugwo', onye: null, checkout };
  store.addUgwo({ ...blank, ...sent, ...made }, payer?.uid ?? null);
  const { uid, first_name, last_name } = payer ?? {};
  const ugwo = requestAt(sent.uid, store);
  tell(store, now, 'ugwo.created', () => whole(store, ugwo));
  return { ...ugwo, onye_nzube: payer === undefined ? null : { uid, first_name, last_name } };
};

/** Returns one payment request as lists show it, with all its activities, oldest first (public material). */
export const getUgwo: OperationHandler<'ugwo.get'> = ({ params }, store) => whole(store, requestAt(params.uid, store));

/** Lists payment requests, newest first. */
export const listUgwo: OperationHandler<'ugwo.list'> = ({ query }, store) =>
  pageOf('ugwo', query, store, store.ugwoBefore);

/** Cancels a payment request with no payment made or in progress (public material). */
export const cancelUgwo: OperationHandler<'ugwo.cancel'> = ({ params, now }, store) => {
  const ugwo = requestAt(params.uid, store);
  if (machineValue(ugwo.status ?? '') !== 'requires_ugwo') throw refusal(409, 'nzube.ugwo.error.not_cancellable');
  store.setUgwoStatus(ugwo.uid, 'cancelled');
  tellRequest(store, now, ugwo);
  return requestAt(ugwo.uid, store);
};

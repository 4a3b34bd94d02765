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

/** What is made of these is not what was sent. */
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

/** A workspace takes some currencies, and a checkout one. */
const routeOf = ({ checkout }: Body, currency: string, unrouted: boolean): CheckoutSnapshot | null => {
  const route = routed(currency, checkout);
  if (!isAllowed(currency)) throw invalidBy('nzube.ugwo.error.currency_not_allowed', 'currency');
  if (checkout !== undefined && route === undefined) {
    throw invalid([{ propertyPath: 'checkout', title: `is not an active checkout for ${currency}` }]);
  }
  return unrouted ? null : (route ?? null);
};

/** The customer that is named; with an e-mail address the one that has it, made first where there is none (public material). */
const payerOf = ({ onye, onye_email: email }: Body, store: EmulatorStore, now: number): Onye | undefined => {
  if (onye !== undefined) {
    const customer = store.customer(onye);
    if (customer === undefined) throw invalid([{ propertyPath: 'onye', title: 'is not a customer' }]);
    return customer;
  }
  if (email === undefined) return undefined;
  return store.customerByEmail(email.toLowerCase()) ?? addCustomer(store, { email }, now);
};

/** An empty map comes as a list from some clients. */
const mapOf = (map: Body['metadata']): Record<string, string | null> =>
  Array.isArray(map) || map === undefined ? {} : map;

const sentOf = (body: Body, now: number): Pick<Ugwo, 'uid' | 'metadata' | 'created_at'> => ({
  uid: newId('ugw'),
  ...Object.fromEntries(Object.entries(body).filter(([name]) => ![...FIXED, ...MADE].includes(name))),
  metadata: { ...mapOf(body.meta), ...mapOf(body.metadata) },
  // Whoever says `meta` reads it, too.
  ...(body.meta === undefined ? {} : { meta: mapOf(body.meta) }),
  created_at: utcAtom(now),
});

/** A new payment request (public material). Its answer shows the customer as the service's own plugin reads it. */
export const createUgwo: OperationHandler<'ugwo.create'> = ({ body, now }, store) => {
  const sent = sentOf(body, now);
  // Numbers may be written in forms that are kept as texts.
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

/** One payment request as lists show it, with every activity on it, oldest first (public material). */
export const getUgwo: OperationHandler<'ugwo.get'> = ({ params }, store) => whole(store, requestAt(params.uid, store));

/** Payment requests, newest first. */
export const listUgwo: OperationHandler<'ugwo.list'> = ({ query }, store) =>
  pageOf('ugwo', query, store, store.ugwoBefore);

/** Calls a payment request off on which nothing was paid, nor is being paid (public material). */
export const cancelUgwo: OperationHandler<'ugwo.cancel'> = ({ params, now }, store) => {
  const ugwo = requestAt(params.uid, store);
  if (machineValue(ugwo.status ?? '') !== 'requires_ugwo') throw refusal(409, 'nzube.ugwo.error.not_cancellable');
  store.setUgwoStatus(ugwo.uid, 'cancelled');
  tellRequest(store, now, ugwo);
  return requestAt(ugwo.uid, store);
};

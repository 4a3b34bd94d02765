import type { Checkout, CheckoutSnapshot } from '../contract/checkout.ts';
import { BANK_CODES } from '../core/banks.ts';
import { machineValue } from '../core/medium.ts';
import type { Handler } from './handler.ts';
import { derivedId, meantBy } from './ids.ts';
import { present, refusal } from './refusal.ts';

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
export const listCheckouts: Handler<'checkout.list'> = ({ query }) => {
  const statuses = query['filter[status][]']?.map((number) => STATUS_NUMBERS[number]);
  const currencies = query['filter[currency][]']?.map((code) => code.toUpperCase());
  return ALL.map(({ checkout }) => checkout).filter(
    ({ status, currency }) =>
      (statuses?.includes(machineValue(status)) ?? true) && (currencies?.includes(machineValue(currency)) ?? true),
  );
};

/** One checkout (public material). */
export const getCheckout: Handler<'checkout.get'> = ({ params }) => checkoutAt(params);

const banksOf = (codes: readonly string[]) =>
  codes.map((code) => ({ code, name: code.replaceAll('_', ' ').toUpperCase() }));

const BANKS: Readonly<Record<string, readonly string[]>> = { ussd: BANK_CODES, mobile_money: ['mtn', 'telecel', 'at'] };

/** Who serves a medium of a checkout (public material): with banks, where the customer is to choose one. */
export const listProviders: Handler<'checkout.providers'> = ({ params: { medium, ...params } }) => {
  const offered = checkoutAt(params).mediums?.some((one) => one.medium === medium) === true;
  if (!offered) throw refusal(404, 'checkout.error.medium_not_found');
  return [{ psp: derivedId('psp', medium), banks: banksOf(BANKS[medium] ?? []) }];
};

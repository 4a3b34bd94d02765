import { CHECKOUT_STATUSES } from '../../core/checkout.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { wholeList } from '../whole-list.ts';
import type { ListInput } from './spec.ts';
import { checkoutView } from './view.ts';

/** Lists checkouts, which the service filters by number: 1 is active, 2 inactive (public material, Checkouts). */
export const run = ({ status, currency }: ListInput, deps: Deps): Promise<Result> => {
  const query = {
    ...(status === undefined ? {} : { 'filter[status][]': [String(CHECKOUT_STATUSES.indexOf(status) + 1)] }),
    ...(currency === undefined ? {} : { 'filter[currency][]': [currency.toUpperCase()] }),
  };
  return wholeList('checkout.list', { query }, checkoutView, deps);
};

import { formatMoney } from '../core/money.ts';
import type { Sum } from '../ledger/payments.ts';

/** `12 paid (NGN 60,000.00), 3 open (NGN 15,000.00)` */
export const sumsText = (sums: readonly Sum<string>[]): string =>
  sums
    .map(({ payment, currency, count, amount }) => {
      const money = amount === undefined ? '' : ` (${formatMoney(amount, currency ?? '')})`;
      return `${count} ${payment}${money}`;
    })
    .join(', ');

export const countOf = <P extends string>(sums: readonly Sum<P>[], payment: P): number =>
  sums.reduce((total, sum) => (sum.payment === payment ? total + sum.count : total), 0);

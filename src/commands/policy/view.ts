import type { Received } from '../../core/received.ts';
import { madeHere } from '../../core/received.ts';
import type { View } from '../../core/result.ts';
import { utcAtom } from '../../core/time.ts';
import type { Allowance, Spent } from '../../ledger/policy.ts';

/** Digits, where they are more than a number can hold. */
const exact = (amount: bigint): number | string =>
  Number.isSafeInteger(Number(amount)) ? Number(amount) : String(amount);

/** A policy as a row of output; `spent` where it is known whose charges count. */
export const policyRecordOf = ({ profile, policy, by, at }: Allowance['kept'], spent: Spent | undefined): Received => {
  const { maxCharges, maxAmount = {}, mediums, approveAbove = {} } = policy;
  const currencies = [...new Set([...Object.keys(maxAmount), ...Object.keys(approveAbove)])].sort();
  return madeHere({
    profile,
    max_charges: maxCharges ?? null,
    charges_today: spent?.count ?? null,
    mediums: mediums ?? null,
    amounts: currencies.map((currency) => {
      const today = spent?.amounts.get(currency);
      return {
        currency,
        max_amount: maxAmount[currency] ?? null,
        amount_today: today === undefined ? null : exact(today),
        approve_above: approveAbove[currency] ?? null,
      };
    }),
    unknown_amounts_today: spent?.unknown ?? null,
    set_by: by,
    set_at: utcAtom(at),
  });
};

const AMOUNTS: View['lists'] = [
  {
    path: 'amounts',
    heading: 'Amounts',
    columns: [
      { path: 'currency' },
      { path: 'max_amount', kind: 'money', currency: 'currency', label: 'a day' },
      { path: 'amount_today', kind: 'money', currency: 'currency', label: 'today' },
      { path: 'approve_above', kind: 'money', currency: 'currency', label: 'approve above' },
    ],
  },
];

/** How a policy is shown. */
export const policyView: View = {
  columns: [
    { path: 'profile' },
    { path: 'max_charges', kind: 'count', always: true, label: 'charges a day' },
    { path: 'charges_today', kind: 'count', always: true, label: 'charges today' },
    { path: 'mediums' },
    { path: 'amounts', machineOnly: true },
    { path: 'unknown_amounts_today', kind: 'count', label: 'unknown amounts today' },
    { path: 'set_by', label: 'set by' },
    { path: 'set_at', kind: 'time', label: 'set' },
  ],
  lists: AMOUNTS,
};

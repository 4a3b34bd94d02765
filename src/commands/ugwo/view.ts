import { mediumShown } from '../../charge/mediums.ts';
import { activityFacts, balanceOf, paymentOf, type RequestFacts, requestFacts } from '../../charge/payment.ts';
import { activitiesOf, readNextAction, summaryColumns } from '../../core/charge.ts';
import { valueAt } from '../../core/json.ts';
import { amountColumn, type Column, createdColumn, refColumn, type View } from '../../core/result.ts';
import type { Entry } from '../../ledger/entry.ts';

const uidColumn: Column = { path: 'uid' };
const requestStatusColumn: Column = { path: 'status', kind: 'state', needed: true };

/** The status that people see: the service calls a payment request paid, too, if too much came. */
const shownStatusColumn: Column = {
  ...requestStatusColumn,
  shown: (ugwo) => {
    const facts = requestFacts(ugwo);
    const isOverpaid = facts.status === 'ugwo_successful' && (balanceOf(facts).excess ?? 0) > 0;
    return isOverpaid ? 'overpaid' : valueAt(ugwo, 'status');
  },
};
const customerColumn: Column = {
  path: 'onye',
  kind: 'customer',
  label: 'customer',
  flexible: true,
  least: 8,
  peopleOnly: true,
};
const descriptionColumn: Column = { path: 'description', flexible: true };

export const ugwoView: View = {
  columns: [
    uidColumn,
    requestStatusColumn,
    amountColumn,
    { path: 'currency', kind: 'enum', machineOnly: true },
    refColumn,
    customerColumn,
    descriptionColumn,
    { path: 'onye.uid', machineOnly: true },
    { path: 'onye.email', machineOnly: true },
    createdColumn,
  ],
  table: [refColumn, customerColumn, amountColumn, shownStatusColumn, createdColumn, uidColumn, descriptionColumn],
};

/**
 * An activity in the words of its table: what the customer has to use, until when, and what came. The service may show
 * neither medium nor account once it has ended; its charge in the ledger has both.
 */
const activityRow = (activity: unknown, ugwo: unknown, request: RequestFacts, charge: Entry | undefined): object => {
  const action = readNextAction(activity);
  const { received } = paymentOf(activityFacts(activity), { request });
  const last4 = charge?.money?.accountLast4;
  const shown = action?.kind === 'transfer' ? action.accountNumber : action?.kind === 'dial' ? action.code : undefined;
  return {
    status: valueAt(activity, 'status'),
    medium: mediumShown(activity) ?? charge?.medium ?? null,
    account_or_code: shown ?? (last4 ? `ends in ${last4}` : null),
    received: received === 0 ? null : received,
    currency: valueAt(ugwo, 'currency') ?? valueAt(activity, 'checkout.currency'),
    expires_at: valueAt(activity, 'next_action.headers.expires_at'),
    created_at: valueAt(activity, 'created_at'),
    uid: valueAt(activity, 'uid'),
  };
};

/** View of a payment request with its activities, and the ledger's charges that made them. */
export const wholeViewFor = (charges: readonly Entry[] = []): View => ({
  columns: [
    ...ugwoView.columns,
    { path: 'total_amount_paid', kind: 'money', label: 'paid', peopleOnly: true },
    { path: 'checkout.mediums', kind: 'mediums', label: 'mediums', peopleOnly: true },
  ],
  lists: [
    {
      path: 'activities',
      rowsOf: (ugwo) => {
        const request = requestFacts(ugwo);
        return activitiesOf(ugwo)?.map((activity) => {
          const uid = valueAt(activity, 'uid');
          const charge = charges.find((one) => one.activity?.uid === uid);
          return activityRow(activity, ugwo, request, charge);
        });
      },
      heading: 'Activities',
      columns: [
        requestStatusColumn,
        { path: 'medium' },
        { path: 'account_or_code', label: 'account or code' },
        { path: 'received', kind: 'money' },
        { path: 'expires_at', kind: 'time', label: 'expires' },
        createdColumn,
        uidColumn,
      ],
    },
  ],
});

export const wholeUgwoView = wholeViewFor();

export const requestsCreatedView: View = { columns: summaryColumns('created') };

export const chargesView: View = {
  columns: summaryColumns('charged'),
  lists: [
    {
      path: 'payments',
      heading: 'Payments',
      columns: [
        { path: 'payment', kind: 'state' },
        { path: 'count', kind: 'count' },
        { path: 'amount', kind: 'money' },
        { path: 'received', kind: 'money' },
      ],
    },
  ],
};

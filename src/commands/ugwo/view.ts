import { summaryColumns } from '../../core/charge.ts';
import type { View } from '../../core/result.ts';

/** View of a payment request: list columns and card lines. */
export const ugwoView: View = {
  columns: [
    { path: 'uid', needed: true },
    { path: 'status', kind: 'state', needed: true, least: 8 },
    { path: 'amount', kind: 'money', currency: 'currency', needed: true },
    { path: 'currency', kind: 'enum', machineOnly: true },
    { path: 'ref', flexible: true, needed: true, least: 6, endMatters: true },
    { path: 'onye', kind: 'customer', label: 'customer', flexible: true, needed: true, least: 8, peopleOnly: true },
    { path: 'description', flexible: true },
    { path: 'onye.uid', machineOnly: true },
    { path: 'onye.email', machineOnly: true },
    { path: 'created_at', kind: 'time', label: 'created' },
  ],
};

/** View of one payment request with its activities. */
export const wholeUgwoView: View = {
  columns: [
    ...ugwoView.columns,
    { path: 'total_amount_paid', kind: 'money', currency: 'currency', label: 'paid', peopleOnly: true },
  ],
  lists: [
    {
      path: 'activities',
      heading: 'Activities',
      columns: [
        { path: 'uid' },
        { path: 'status', kind: 'state' },
        { path: 'created_at', kind: 'time', label: 'created' },
      ],
    },
  ],
};

/** Summary of a file of new payment requests. */
export const createdView: View = { columns: summaryColumns('created') };

/** Summary of a file of charges. */
export const chargesView: View = {
  columns: summaryColumns('charged'),
  lists: [
    {
      path: 'payments',
      heading: 'Payments',
      columns: [
        { path: 'payment', kind: 'state' },
        { path: 'count', kind: 'count' },
        { path: 'amount', kind: 'money', currency: 'currency' },
      ],
    },
  ],
};

export { activityView } from '../activity/view.ts';

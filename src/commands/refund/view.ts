import type { View } from '../../core/result.ts';
import { summaryColumns } from '../../core/row.ts';

/** A refund: the lines of its card, and its columns. */
export const refundView: View = {
  columns: [
    { path: 'uid', needed: true },
    { path: 'status', kind: 'state', needed: true },
    { path: 'amount', kind: 'money', currency: 'currency', needed: true },
    { path: 'currency', kind: 'enum', machineOnly: true },
    { path: 'ugwo_activity', flexible: true, label: 'activity' },
    { path: 'ref', flexible: true },
    { path: 'reason', flexible: true },
    { path: 'error.message', flexible: true, label: 'error' },
    { path: 'created_at', kind: 'time', label: 'created' },
  ],
};

/** What became of a file of refunds. */
export const refundsView: View = { columns: summaryColumns('refunded') };

import type { View } from '../../core/result.ts';

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

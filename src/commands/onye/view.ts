import type { View } from '../../core/result.ts';
import { summaryColumns } from '../../core/row.ts';

/** A customer: the columns of its list and the lines of its card. */
export const onyeView: View = {
  columns: [
    { path: 'uid' },
    { path: 'email', flexible: true },
    { path: 'first_name', label: 'first name', flexible: true },
    { path: 'last_name', label: 'last name', flexible: true },
    { path: 'ref', flexible: true },
    { path: 'status', kind: 'state' },
    { path: 'billing_address', label: 'billing address', flexible: true },
    { path: 'meta', flexible: true },
    { path: 'created_at', kind: 'time', label: 'created' },
  ],
};

/** What became of a file of updates. */
export const updatesView: View = { columns: summaryColumns('updated') };

/** What became of a file of new customers. */
export const createdView: View = { columns: summaryColumns('created') };

import { summaryColumns } from '../../core/charge.ts';
import { createdColumn, type View } from '../../core/result.ts';

export const onyeView: View = {
  columns: [
    { path: 'uid' },
    // People recognize a customer by the address. It is shown whole as long as another column can be dropped.
    { path: 'email', needed: true, least: 12 },
    { path: 'first_name', label: 'first name', flexible: true },
    { path: 'last_name', label: 'last name', flexible: true },
    { path: 'ref', flexible: true },
    { path: 'status', kind: 'state' },
    { path: 'billing_address', label: 'billing address', flexible: true, cardOnly: true },
    { path: 'meta', flexible: true, cardOnly: true },
    createdColumn,
  ],
};

export const updatesView: View = { columns: summaryColumns('updated') };

export const customersCreatedView: View = { columns: summaryColumns('created') };

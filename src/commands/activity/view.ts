import { paymentShown } from '../../charge/payment.ts';
import { readNextAction } from '../../core/charge.ts';
import { createdColumn, type View } from '../../core/result.ts';

/** An activity, with what the customer must do next. */
export const activityView: View = {
  columns: [
    { path: 'uid' },
    { path: 'activity_type', kind: 'enum', machineOnly: true },
    { path: 'status', kind: 'state' },
    { path: 'psp', kind: 'enum' },
    { path: 'psp_external_id', label: 'psp reference' },
    { path: 'next_action.type', kind: 'enum', machineOnly: true },
    { path: 'next_action.instruction', machineOnly: true },
    { path: 'next_action.headers.bank_name', machineOnly: true },
    { path: 'next_action.headers.account_name', machineOnly: true },
    { path: 'next_action.headers.account_number', machineOnly: true },
    { path: 'next_action.headers.expires_at', machineOnly: true },
    { path: 'next_action.headers.ussd', machineOnly: true },
    { path: 'error', kind: 'reason' },
    createdColumn,
    { path: 'updated_at', kind: 'time', machineOnly: true },
    { path: 'amount', kind: 'money', peopleOnly: true },
    { path: 'charged_amount', kind: 'money', label: 'received', peopleOnly: true },
    { path: 'ugwo_uid', label: 'payment request', peopleOnly: true },
  ],
  // The service may keep it after the payment.
  nextAction: (value) => (paymentShown(value) === 'open' ? readNextAction(value) : undefined),
};

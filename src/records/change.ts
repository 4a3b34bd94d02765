import { PAYMENT_NAMES } from '../charge/payment.ts';
import { CHARGE_STATES } from '../core/charge.ts';
import { type ApiRecord, madeHere } from '../core/record.ts';
import type { View } from '../core/result.ts';
import type { ChargeChange, Watched } from '../ledger/tail.ts';
import { moneyKnown } from '../ledger/transitions.ts';
import { columnsOfList, describeFields, pickFields, recordOf } from './fields.ts';

const NOW = [...PAYMENT_NAMES, ...CHARGE_STATES.filter((state) => state !== 'accepted')];

/** New fields come last. */
export const CHANGE = describeFields({
  at: 'time!',
  charge: { type: 'id!', of: 'chg' },
  ugwo: { type: 'id!', of: 'ugw' },
  before: { type: 'state', values: NOW, always: true },
  now: { type: 'state!', values: NOW, needed: true },
  status: 'state',
  amount: 'money',
  currency: 'text',
  received: 'money',
  medium: 'text!',
  activity: { type: 'id', of: 'act' },
  ref: { type: 'text', flexible: true, least: 6, endMatters: true },
  job: { type: 'id', of: 'job' },
  row: 'number',
  customer: 'text',
  customer_email: {
    type: 'text',
    label: 'customer_email',
    flexible: true,
    least: 'customer_email'.length,
  },
});

/** A change of a charge, or a charge in the live table. */
export const changeRecord = ({ charge, ...change }: Watched & Partial<Pick<ChargeChange, 'before'>>): ApiRecord => {
  const { activity, asked } = charge;
  const fields = {
    ...charge,
    ...asked,
    ...change,
    charge: charge.id,
    ugwo: charge.about,
    status: activity?.status || null,
    received: moneyKnown(charge)?.received,
    activity: activity?.uid,
    customer_email: asked?.email,
  };
  return madeHere(recordOf(CHANGE, fields));
};

/** Money that comes later has its column from the start. */
const CHARGE_TABLE = pickFields(CHANGE, 'ref customer_email amount now', {
  ...CHANGE['received'],
  path: 'received',
  always: true,
});
/** The ids are long, so they come last. */
const DETAILS = 'medium ugwo charge';

export const changesView: View = {
  columns: columnsOfList(CHANGE, 'at charge ugwo before now status amount received'),
  table: [...CHARGE_TABLE, ...pickFields(CHANGE, 'at before', DETAILS)],
};

/** View of the live table. */
export const boardView: View = {
  columns: [],
  table: [
    ...CHARGE_TABLE,
    ...pickFields(CHANGE, { path: 'at', kind: 'time', label: 'changed', peopleOnly: true }, DETAILS),
  ],
};

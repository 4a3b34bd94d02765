import { REFUND_STATES } from '../charge/refund.ts';
import { CHARGE_STATES } from '../core/charge.ts';
import { parseIfJson, valueAt } from '../core/json.ts';
import { refColumn, type View } from '../core/result.ts';
import { REFUND_WORDS } from '../core/status.ts';
import type { Entry } from '../ledger/entry.ts';
import { columnsOfList, describeFields, pickFields, recordOf } from './fields.ts';

/** New fields come last. */
export const SENT_REFUND = describeFields({
  id: 'text!',
  state: { type: 'state!', values: CHARGE_STATES },
  uid: 'text',
  status: { type: 'state', words: REFUND_WORDS, label: 'first status' },
  activity: 'text!',
  ugwo: { type: 'id', of: 'ugw', label: 'payment request' },
  amount: 'money',
  currency: { type: 'text', machineOnly: true },
  ref: 'text',
  reason: 'text',
  created_at: { type: 'time!', label: 'created' },
  recorded_at: { type: 'time', label: 'recorded' },
  origin: 'text!',
  profile: 'text',
  job: { type: 'id', of: 'job' },
  row: 'number',
  exit_code: 'number',
  refund: { type: 'state', values: REFUND_STATES },
  refund_at: { type: 'time', label: 'since' },
  ugwo_ref: { type: 'text', label: 'ref of the request' },
  customer_email: { type: 'text', label: 'customer', flexible: true, least: 'customer_email'.length },
});

export const refundRecord = (entry: Entry, charge: Entry | undefined) => {
  const { evidence, about, body, refund } = entry;
  const terms = parseIfJson(body ?? '');
  return recordOf(SENT_REFUND, {
    ...entry,
    uid: refund?.uid,
    status: evidence.findLast(({ uid }) => uid !== undefined)?.['status'],
    activity: about,
    ugwo: charge?.about,
    amount: entry.asked?.amount ?? valueAt(terms, 'amount'),
    currency: entry.asked?.currency ?? charge?.asked?.currency,
    ref: valueAt(terms, 'ref'),
    reason: valueAt(terms, 'reason'),
    refund: refund?.state,
    refund_at: refund?.at,
    ugwo_ref: charge?.asked?.ref,
    customer_email: charge?.asked?.email,
  });
};

export const sentRefundsView: View = {
  columns: columnsOfList(SENT_REFUND, 'id'),
  table: pickFields(
    SENT_REFUND,
    { ...refColumn, path: 'ugwo_ref', or: 'ref', label: 'ref', peopleOnly: true },
    'customer_email amount',
    { path: 'refund', or: 'state', kind: 'state', needed: true },
    'created_at id activity',
  ),
};

/** A refund with the statuses that its payment request shows now. */
export const sentRefundView: View = {
  columns: pickFields(
    SENT_REFUND,
    'id state refund refund_at uid status activity ugwo amount currency ref reason origin profile job row ' +
      'customer_email ugwo_ref created_at recorded_at exit_code',
    { path: 'now.refund', kind: 'state', words: REFUND_WORDS, label: 'refund now' },
    { path: 'now.activity', kind: 'state', label: 'activity now' },
    { path: 'now.ugwo', kind: 'state', label: 'request now' },
  ),
};

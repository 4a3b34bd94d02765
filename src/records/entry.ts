import { PAYMENT_NAMES } from '../charge/payment.ts';
import { REFUND_STATES } from '../charge/refund.ts';
import { CHARGE, CHARGE_STATES, readNextAction } from '../core/charge.ts';
import { valueAt } from '../core/json.ts';
import { type ApiRecord, madeHere } from '../core/record.ts';
import { type Column, columnsNamed, type InnerList, type View } from '../core/result.ts';
import type { StatusWords } from '../core/status.ts';
import type { Entry } from '../ledger/entry.ts';
import { isDisputed, moneyKnown } from '../ledger/transitions.ts';
import { columnsOfList, describeFields, pickFields, recordOf } from './fields.ts';

/** New fields come last. */
export const ENTRY = describeFields({
  id: { type: 'id!', of: 'entry' },
  state: { type: 'state!', values: CHARGE_STATES },
  ugwo: { type: 'id', of: 'ugw', label: 'payment request' },
  medium: 'text',
  origin: { type: 'text!', flexible: true },
  profile: 'text',
  activity: 'text',
  status: 'state',
  amount: 'money',
  currency: { type: 'text', machineOnly: true },
  ref: { type: 'text', flexible: true, least: 6, endMatters: true },
  customer: { type: 'text', label: 'customer id' },
  next_action: { type: 'any', unlisted: true, machineOnly: true },
  job: { type: 'id', of: 'job' },
  row: 'number',
  created_at: { type: 'time!', label: 'created' },
  recorded_at: { type: 'time', label: 'recorded' },
  exit_code: 'number',
  evidence: { type: 'any', unlisted: true, machineOnly: true },
  provider: { type: 'text', unlisted: true },
  phone: { type: 'text', unlisted: true },
  payment: { type: 'state', values: [...PAYMENT_NAMES, ...REFUND_STATES] },
  kind: 'text!',
  about: 'text!',
  request: { type: 'any', unlisted: true },
  received: 'money',
  received_assumed: 'bool',
  missing: 'money',
  excess: 'money',
  refunded: 'money',
  paid_at: { type: 'time', label: 'paid' },
  customer_email: {
    type: 'text',
    label: 'customer',
    flexible: true,
    least: 'customer_email'.length,
  },
  operator: 'text',
  paid_twice: 'bool',
  account_last4: { type: 'text', label: 'account ends in' },
  disputed: 'bool',
});

/** Record of an entry (docs/ledger.md). The money is that of an accepted charge. */
export const entryRecord = (entry: Entry): ApiRecord => {
  const { kind, about, activity, asked, path = null, body = 'null' } = entry;
  const [isCharge, money] = [kind === CHARGE, moneyKnown(entry)];
  const fields = {
    ...entry,
    ...asked,
    ...money,
    ugwo: isCharge ? about : null,
    activity: activity?.uid,
    // An activity named by a person has no known status.
    status: activity?.status || null,
    next_action: activity?.nextAction,
    payment: money?.payment ?? entry.refund?.state,
    request: isCharge ? null : { path, body: JSON.parse(body) },
    customer_email: asked?.email,
    paid_twice: money && money.isPaidTwice === true,
    disputed: money && isDisputed(entry),
  };
  return madeHere(recordOf(ENTRY, fields));
};

const FOR_PROGRAMS = columnsOfList(
  ENTRY,
  'id state ugwo medium created_at status activity origin profile job row recorded_at exit_code ' +
    'amount currency ref customer payment',
);

/** The payment of an accepted charge, else the state of the entry. */
const statusColumn: Column = {
  path: 'payment',
  or: 'state',
  kind: 'state',
  label: 'status',
  needed: true,
  peopleOnly: true,
};

const TABLE = pickFields(
  ENTRY,
  'ref customer_email amount',
  statusColumn,
  'received created_at id customer medium ugwo activity origin',
);

/** Columns of the table of other kinds, or of all of them. */
const KINDS_TABLE = pickFields(ENTRY, 'kind amount', statusColumn, 'about created_at id origin');

/** Entries of one kind or of all, of one profile or of all. */
export const viewFor = (kind: string, allProfiles: boolean): View => {
  const table = kind === CHARGE ? TABLE : KINDS_TABLE;
  return { columns: FOR_PROGRAMS, table: allProfiles ? table.toSpliced(6, 0, { path: 'profile' }) : table };
};

const chargeView: View = {
  columns: pickFields(
    ENTRY,
    'id state ugwo medium provider phone activity status payment amount received received_assumed missing excess ' +
      'refunded paid_at paid_twice disputed currency ref customer_email customer account_last4 operator origin profile ' +
      'job row created_at recorded_at exit_code next_action evidence',
  ),
  nextAction: (value) => (valueAt(value, 'payment') === 'open' ? readNextAction(value) : undefined),
};

const otherView: View = {
  columns: pickFields(
    ENTRY,
    'id kind state about',
    { path: 'request.path', label: 'path' },
    { path: 'request.body', label: 'body' },
    'origin profile created_at recorded_at exit_code evidence',
  ),
};

/** The columns that an entry may have, whatever its kind. */
export const anyEntryView: View = { columns: [...chargeView.columns, ...otherView.columns] };

const seen: InnerList = {
  path: 'evidence',
  heading: 'evidence',
  columns: [
    { path: 'at', kind: 'time' },
    ...columnsNamed('kind found'),
    { path: 'status', kind: 'state' },
    ...columnsNamed('message why', { flexible: true }),
    { path: 'as' },
    ...columnsNamed('by reason', { flexible: true }),
  ],
};

/** Activities that the last check showed, possible matches first. */
const lastLook = ({ evidence }: Entry): InnerList[] => {
  const index = evidence.findLastIndex(({ kind }) => kind === 'look');
  const listOf = (name: string, heading: string, reason: string): InnerList => ({
    path: `evidence.${index}.${name}`,
    heading,
    columns: [
      { path: 'uid' },
      { path: 'status', kind: 'state' },
      { path: 'medium' },
      { path: 'created_at', kind: 'time' },
      { path: reason, flexible: true },
    ],
  });
  const lists = [
    listOf('candidates', 'possible activities', 'doubt'),
    listOf('excluded', 'excluded activities', 'why'),
  ];
  return lists.filter(({ path }) => valueAt({ evidence }, `${path}.0`) !== undefined);
};

/** View of one entry with all its evidence. */
export const entryView = (entry: Entry): View => ({
  ...(entry.kind === CHARGE ? chargeView : otherView),
  lists: entry.evidence.length === 0 ? [] : [seen, ...lastLook(entry)],
});

const FOUND_WORDS: StatusWords = {
  customer_email: 'e-mail address',
  account_number: 'account number',
  psp_reference: 'psp reference',
  ref_beginning: 'beginning of the ref',
  account_last4: 'end of the account number',
  ugwo: 'payment request',
  // The service's own names.
  email: 'e-mail address',
  psp_external_id: 'psp reference',
};

/** An entry of the ledger or a payment request of the service. On a narrow terminal they are stacked. */
export const hitView: View = {
  columns: [...FOR_PROGRAMS, ...columnsNamed('source found_by command')],
  table: pickFields(
    ENTRY,
    'ref customer_email amount',
    statusColumn,
    'received paid_at',
    { path: 'command', needed: true },
    'created_at',
    { path: 'found_by', kind: 'state', words: FOUND_WORDS, label: 'found by' },
    'ugwo profile',
  ),
};

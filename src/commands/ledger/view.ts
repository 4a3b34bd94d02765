import { standingOf } from '../../core/charge.ts';
import { CHARGE } from '../../core/effect.ts';
import { NumberText, printExact } from '../../core/json.ts';
import { readNextAction } from '../../core/next-action.ts';
import { valueAt } from '../../core/path.ts';
import type { Received } from '../../core/received.ts';
import { madeHere } from '../../core/received.ts';
import type { Column, InnerList, View } from '../../core/result.ts';
import { atom } from '../../core/time.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Payment, Sum } from '../../ledger/payments.ts';

/** What a charge has; null for what is not there, and all of it where it is none. */
const chargeFields = ({ activity, asked }: Entry) => ({
  activity: activity?.uid ?? null,
  // A person who names an activity does not know how it stands.
  status: activity?.status || null,
  amount: asked?.amount ?? null,
  currency: asked?.currency ?? null,
  ref: asked?.ref ?? null,
  customer: asked?.customer ?? null,
  next_action: activity?.nextAction ?? null,
});

/** An entry as a row of output (cli.md, ledger), with what has become of the money of a charge. */
export const recordOf = (entry: Entry, payment: Payment | undefined): Received => {
  const isCharge = entry.kind === CHARGE;
  return madeHere({
    id: entry.id,
    state: entry.state,
    ugwo: isCharge ? entry.about : null,
    medium: entry.medium ?? null,
    origin: entry.origin,
    profile: entry.profile ?? null,
    ...chargeFields(entry),
    job: entry.job ?? null,
    row: entry.row ?? null,
    created_at: atom(entry.createdAt),
    recorded_at: atom(entry.recordedAt),
    exit_code: entry.exitCode ?? null,
    evidence: entry.evidence,
    provider: entry.provider ?? null,
    phone: entry.phone ?? null,
    payment: payment ?? null,
    kind: entry.kind,
    about: entry.about,
    request: isCharge ? null : { path: entry.path ?? null, body: JSON.parse(entry.body ?? 'null') },
  });
};

const namesIn = (text: string): string[] => text.split(' ');

const created: Column = { path: 'created_at', kind: 'time', label: 'created' };
const recorded: Column = { path: 'recorded_at', kind: 'time', label: 'recorded' };
const exitCode: Column = { path: 'exit_code', label: 'exit code' };

/** What people see of charges in a list. What matters most at night comes first: a narrow terminal drops from the end. */
const FOR_PEOPLE: readonly Column[] = [
  { path: 'id', needed: true },
  { path: 'state', kind: 'state', needed: true, least: 8 },
  { path: 'ugwo', needed: true },
  { path: 'amount', kind: 'money', currency: 'currency', needed: true },
  { path: 'payment', kind: 'state', always: true },
  { path: 'ref', flexible: true, endMatters: true },
  { path: 'medium' },
  created,
  { path: 'activity' },
  { path: 'origin', flexible: true },
];

/** What programs get, in the order that they rely on; what is new comes at the end. */
const FOR_PROGRAMS = namesIn(
  'id state ugwo medium created_at status activity origin profile job row recorded_at exit_code amount ' +
    'currency ref customer payment kind about',
);

const viewFor = (people: readonly Column[]): View => ({
  columns: [
    ...people.map((column): Column => ({ label: column.path, ...column, peopleOnly: true })),
    ...FOR_PROGRAMS.map((path): Column => ({ path, machineOnly: true })),
  ],
});

/** Charges in a list. */
export const listView = viewFor(FOR_PEOPLE);

/** Charges of every profile. */
export const everyView = viewFor(FOR_PEOPLE.toSpliced(2, 0, { path: 'profile', needed: true }));

const stillToDo = (value: unknown): boolean =>
  valueAt(value, 'state') === 'accepted' && standingOf(String(valueAt(value, 'status'))) === 'open';

const seen: InnerList = {
  path: 'evidence',
  heading: 'evidence',
  columns: [
    { path: 'at', kind: 'time' },
    { path: 'kind' },
    { path: 'found' },
    { path: 'status' },
    { path: 'message', flexible: true },
    { path: 'why', flexible: true },
    { path: 'as' },
    { path: 'by', flexible: true },
    { path: 'reason', flexible: true },
  ],
};

const activityColumns: readonly Column[] = [
  { path: 'uid' },
  { path: 'status', kind: 'state' },
  { path: 'medium' },
  { path: 'created_at', kind: 'time' },
];

/** The activities that the last look has shown, those that can be the charge's first. */
const lastLook = ({ evidence }: Entry): InnerList[] => {
  const index = evidence.findLastIndex(({ kind }) => kind === 'look');
  const lists: InnerList[] = [
    {
      path: `evidence.${index}.candidates`,
      heading: 'possible activities',
      columns: [...activityColumns, { path: 'doubt', flexible: true }],
    },
    {
      path: `evidence.${index}.excluded`,
      heading: 'excluded activities',
      columns: [...activityColumns, { path: 'why', flexible: true }],
    },
  ];
  return lists.filter(({ path }) => valueAt({ evidence }, `${path}.0`) !== undefined);
};

const chargeView: View = {
  columns: [
    { path: 'id' },
    { path: 'state', kind: 'state' },
    { path: 'ugwo', label: 'payment request' },
    { path: 'medium' },
    { path: 'provider' },
    { path: 'phone' },
    { path: 'activity' },
    { path: 'status', kind: 'state' },
    { path: 'payment', kind: 'state' },
    { path: 'amount', kind: 'money', currency: 'currency' },
    { path: 'currency', machineOnly: true },
    { path: 'ref' },
    { path: 'customer' },
    { path: 'origin' },
    { path: 'profile' },
    { path: 'job' },
    { path: 'row' },
    created,
    recorded,
    exitCode,
    { path: 'next_action', machineOnly: true },
    { path: 'evidence', machineOnly: true },
  ],
  nextAction: (value) => (stillToDo(value) ? readNextAction(value) : undefined),
};

/** What is no charge. */
const otherView: View = {
  columns: [
    { path: 'id' },
    { path: 'kind' },
    { path: 'state', kind: 'state' },
    { path: 'about' },
    { path: 'request.path', label: 'path' },
    { path: 'request.body', label: 'body' },
    { path: 'origin' },
    { path: 'profile' },
    created,
    recorded,
    exitCode,
    { path: 'evidence', machineOnly: true },
  ],
};

/** One entry with all that was seen of it. */
export const viewOf = (entry: Entry): View => ({
  ...(entry.kind === CHARGE ? chargeView : otherView),
  lists: entry.evidence.length === 0 ? [] : [seen, ...lastLook(entry)],
});

/** What charges have come to, added up; the amount has all its digits. */
export const sumRecord = ({ payment, currency, count, amount }: Sum): Received => {
  const exact = amount === undefined ? null : new NumberText(String(amount));
  const value = { payment, currency: currency ?? null, count, amount: exact };
  return { value, text: printExact(value) };
};

export const paymentsView: View = {
  columns: [
    { path: 'payment', kind: 'state' },
    { path: 'currency', machineOnly: true },
    { path: 'count', kind: 'count' },
    { path: 'amount', kind: 'money', currency: 'currency' },
  ],
};

/** Whole rows. */
export const exportView: View = {
  columns: namesIn(
    'id state ugwo medium origin profile activity status next_action job row created_at recorded_at ' +
      'exit_code evidence provider phone amount currency ref customer payment kind about request',
  ).map((path) => ({ path })),
};

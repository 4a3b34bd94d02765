/** JSON Schemas (2020-12) of paycli's own output: ledger entries, reports, previews, errors. */

import { MATCH_RESULTS } from '../../src/bulk/agree.ts';
import { MEDIUM_NAMES } from '../../src/charge/mediums.ts';
import { PAYMENT_NAMES } from '../../src/charge/payment.ts';
import { ALL_EXITS } from '../../src/cli/tree.ts';
import { ROW_STATES } from '../../src/core/charge.ts';
import { DELIVERY_STATES } from '../../src/core/data-files.ts';
import { ID_KINDS, type IdPrefix } from '../../src/core/ids.ts';
import type { CellKind } from '../../src/core/result.ts';
import { CASES } from '../../src/ledger/cases.ts';
import { CHANGE } from '../../src/records/change.ts';
import { ENTRY, hitView } from '../../src/records/entry.ts';
import { ABOUT_EVENT, KEPT_EVENT, LISTED_EVENT, REFUSED_DELIVERY, TOLD_EVENT } from '../../src/records/event.ts';
import type { RecordField, RecordFields } from '../../src/records/fields.ts';
import { JOB } from '../../src/records/job.ts';
import { SENT_REFUND } from '../../src/records/refund.ts';
import type { JsonSchema } from '../json-schema.ts';

const [, ...FAILURES] = ALL_EXITS;
const ERROR_KINDS = FAILURES.map(({ kind }) => kind);

type Members = Readonly<Record<string, JsonSchema>>;

/** An object with exactly these members; a `?` marks optional ones. */
export const objectOf = (members: Members): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(members).map(([name, schema]) => [name.replace('?', ''), schema])),
  required: Object.keys(members).filter((name) => !name.endsWith('?')),
  additionalProperties: false,
});

export const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });
export const anyOf = (schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 1 && schemas[0] !== undefined ? schemas[0] : { anyOf: schemas };

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
const oneOf = (values: readonly string[]): JsonSchema => ({ enum: [...values] });

export const text: JsonSchema = { type: 'string' };
export const count: JsonSchema = { type: 'integer', minimum: 0 };
export const bool: JsonSchema = { type: 'boolean' };
export const instant: JsonSchema = { type: 'string', description: 'ISO 8601 with an offset' };
export const anything: JsonSchema = {};
/** In the minor unit; a whole number of any size. */
const amount: JsonSchema = { type: 'integer' };
const nullable = {
  text: orNull(text),
  count: orNull(count),
  instant: orNull(instant),
  amount: orNull(amount),
};

const serviceId = (prefix: IdPrefix): JsonSchema => ({
  type: 'string',
  pattern: `^${prefix}\\.`,
  description: `The identifier of ${ID_KINDS[prefix]}`,
});
const chargeId: JsonSchema = { type: 'string', pattern: '^chg-' };
const entryId: JsonSchema = { type: 'string', pattern: '^[a-z_]+-' };
const jobId: JsonSchema = { type: 'string', pattern: '^job-' };

const PAYMENTS: readonly string[] = PAYMENT_NAMES;

const sumOf = (payments: readonly string[]) =>
  objectOf({
    payment: oneOf(payments),
    currency: nullable.text,
    count,
    amount: nullable.amount,
    received: nullable.amount,
    paid_twice: count,
  });

const textOf = ({ values }: RecordField): JsonSchema => (values === undefined ? text : oneOf(values));
const idOf = ({ of = 'entry' }: RecordField): JsonSchema => {
  if (of === 'chg' || of === 'job') return { type: 'string', pattern: `^${of}-` };
  return of === 'entry' ? entryId : serviceId(of);
};

const KINDS: { readonly [K in CellKind]?: (field: RecordField) => JsonSchema } = {
  text: textOf,
  state: textOf,
  count: () => count,
  number: () => count,
  money: () => amount,
  time: () => instant,
  bool: () => bool,
  id: idOf,
};

/** The members of a record of ours. */
const membersOf = (fields: RecordFields): Members =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const schema = KINDS[field.kind]?.(field) ?? anything;
      return [name, field.nullable ? orNull(schema) : schema];
    }),
  );

const entry = objectOf({
  ...membersOf(ENTRY),
  next_action: { description: 'What the customer must do, as the service said it' },
  evidence: listOf({
    type: 'object',
    properties: { kind: text, at: instant },
    required: ['kind', 'at'],
    description: 'Something that was seen of it',
  }),
  request: orNull(objectOf({ path: nullable.text, body: anything })),
});

/** A charge of the ledger or a payment request of the service, in the columns of `ledger list`. */
const hit = objectOf({
  ...Object.fromEntries(
    Object.entries(entry['properties'] as Readonly<Record<string, JsonSchema>>)
      .filter(([name]) => hitView.columns.some(({ path }) => path === name))
      .map(([name, schema]) => [name, orNull(schema)]),
  ),
  state: text,
  created_at: nullable.text,
  source: oneOf(['ledger', 'service']),
  found_by: text,
  command: text,
});

const sentRefund = objectOf({
  ...membersOf(SENT_REFUND),
  'evidence?': listOf({ type: 'object' }),
  'now?': objectOf({ refund: nullable.text, activity: nullable.text, ugwo: nullable.text }),
});

const summary = objectOf({
  job: orNull(jobId),
  command: text,
  file: text,
  rows: count,
  ...Object.fromEntries(ROW_STATES.map((state) => [state, count])),
  not_started: count,
  skipped: count,
  'planned?': objectOf({
    rows: count,
    amounts: listOf(objectOf({ currency: text, amount: { type: ['integer', 'string'] } })),
    unknown_amounts: count,
  }),
  report: nullable.text,
  'payments?': listOf(sumOf(PAYMENTS)),
});

/** Has a group with --by. */
const report = objectOf({
  'day?': nullable.text,
  'medium?': nullable.text,
  'profile?': nullable.text,
  'job?': nullable.text,
  'operator?': nullable.text,
  reported: oneOf(['charged', ...PAYMENTS, 'unknown', 'sending', 'paid_back', 'refund_open', 'too_much']),
  currency: nullable.text,
  count,
  amount: nullable.amount,
  without_amount: count,
  since: nullable.instant,
  until: instant,
  zone: text,
  received: nullable.amount,
  without_received: count,
  charges: count,
});

const sumsOfStatus = listOf(
  objectOf({
    ...{ currency: nullable.text, count, amount: nullable.amount, without_amount: count },
    ...{ received: orNull({ type: 'integer' }), without_received: count, charges: count },
  }),
);

const status = objectOf({
  profile: nullable.text,
  day: text,
  time_zone: text,
  received: sumsOfStatus,
  refunded: sumsOfStatus,
  open: sumsOfStatus,
  refund_open: sumsOfStatus,
  cases: listOf(
    objectOf({
      kind: oneOf(CASES),
      ugwo: nullable.text,
      ref: nullable.text,
      amount: nullable.amount,
      currency: nullable.text,
      since: instant,
      command: nullable.text,
    }),
  ),
});

const match = objectOf({
  result: oneOf(MATCH_RESULTS),
  by: orNull(oneOf(['reference', 'account', 'ref', 'amount'])),
  row: nullable.count,
  day: text,
  ...{ amount: nullable.amount, fee: nullable.amount, currency: text, difference: nullable.amount },
  expected: { ...nullable.amount, description: 'The amount in the ledger' },
  kind: orNull(oneOf(['payment', 'refund', 'reversal'])),
  id: orNull(entryId),
  ...{
    ugwo: nullable.text,
    ref: nullable.text,
    paid_at: nullable.instant,
    profile: nullable.text,
    text: nullable.text,
    line: { ...nullable.count, description: 'The number of its line in the file' },
    named: { ...nullable.text, description: 'Refs or ids of the payment requests that a line of two_names names' },
    days_later: { ...nullable.amount, description: 'Days from the payment to its line, if not 0' },
  },
});

const statement = objectOf({
  ...{ file: text, first_day: text, last_day: text, time_zone: text, currency: text },
  sums: listOf(
    objectOf({
      ...{ result: oneOf(MATCH_RESULTS), count, currency: text },
      ...{ amount, amount_in: amount, amount_out: amount },
      ...{ expected: amount, expected_in: amount, expected_out: amount, difference: amount },
    }),
  ),
  matches: listOf(match),
  notices: listOf(text),
});

/** A sum may exceed a JSON number; it is a text then. */
const sumOfDay = orNull({ anyOf: [amount, { type: 'string', pattern: '^[0-9]+$' }] });

const policy = objectOf({
  profile: { type: 'string', description: 'A profile; * stands for all others' },
  max_charges: nullable.count,
  charges_today: nullable.count,
  mediums: orNull(listOf(oneOf(MEDIUM_NAMES))),
  amounts: listOf(
    objectOf({
      currency: text,
      max_amount: nullable.amount,
      amount_today: sumOfDay,
      approve_above: nullable.amount,
      max_refund_amount: nullable.amount,
      refund_amount_today: sumOfDay,
    }),
  ),
  unknown_amounts_today: nullable.count,
  set_by: text,
  set_at: instant,
  max_refunds: nullable.count,
  refunds_today: nullable.count,
  unknown_refund_amounts_today: nullable.count,
});

const profile = objectOf({
  name: text,
  default: bool,
  origin: text,
  environment: text,
  key: { type: 'string', description: 'Its last four characters, `command`, or `unusable`; never the key' },
  created_at: instant,
});

const ledgerStatus = objectOf({
  kind: oneOf(['file', 'postgres']),
  at: text,
  from: nullable.text,
  schema: nullable.count,
  'version?': text,
  'user?': text,
  'owner?': bool,
  'clock_ahead_ms?': { type: 'number' },
  'standbys?': listOf(text),
  'settings?': { type: 'object', additionalProperties: text },
  warnings: listOf(text),
});

/** Its body is JSON as received, or null with the bytes in base64. */
const body = { body: anything, 'body_base64?': text };

/** A payment of a payment request that was paid twice. The charge is null if it isn't in this ledger. */
const paidTwice = objectOf({
  activity: serviceId('act'),
  status: text,
  created_at: nullable.text,
  charge: orNull(chargeId),
  profile: nullable.text,
  job: orNull(jobId),
  row: nullable.count,
  sent_at: nullable.instant,
});

const toldEvent = objectOf({
  ...membersOf(TOLD_EVENT),
  ...body,
  'double_charge?': objectOf({ confirmed: bool, paid: listOf(paidTwice) }),
});

const wholeEvent = objectOf({
  ...membersOf(KEPT_EVENT),
  headers: listOf(objectOf({ name: text, value: text })),
  ...body,
});

const violation = objectOf({
  property_path: text,
  title: text,
  'option?': { type: 'string', description: 'The option behind it' },
  'did_you_mean?': text,
  'row?': count,
  'column?': text,
});

/** The error line on stderr with `-o json` and `-o ndjson`. */
const error = objectOf({
  error: objectOf({
    kind: oneOf(ERROR_KINDS),
    exit_code: { type: 'integer', minimum: 1, maximum: 255 },
    message: text,
    'hint?': { type: 'string', description: 'What to do next' },
    'status?': { type: 'integer', description: 'HTTP status of the answer' },
    'code?': text,
    'title?': text,
    'violations?': listOf(violation),
    'request?': objectOf({ method: text, path: text }),
    'ledger_id?': text,
    'answer?': { description: 'What must be kept of an answer' },
    'activity?': { description: 'The activity that it is about' },
  }),
});

/** Output of --dry-run. */
const request = objectOf({ method: text, url: text, 'headers?': { type: 'object' }, 'body?': { type: 'object' } });

const finding = objectOf({
  check: text,
  status: oneOf(['ok', 'warn', 'fail', 'skipped']),
  detail: text,
  advice: nullable.text,
  kind: orNull(oneOf(ERROR_KINDS)),
});

const identity = objectOf({
  name: nullable.text,
  default: bool,
  origin: text,
  environment: text,
  key: text,
  created_at: nullable.instant,
  key_from: oneOf(['environment', 'profile', 'command', 'emulator']),
  operator: text,
  accepted: { type: ['boolean', 'null'] },
});

const delivery = objectOf({
  id: count,
  event: text,
  event_uid: { type: 'string', pattern: '^evt\\.' },
  about: text,
  webhook: count,
  url: text,
  state: oneOf(DELIVERY_STATES),
  at: instant,
  due: nullable.instant,
  attempts: listOf(
    objectOf({
      delivery_id: text,
      at: instant,
      status: nullable.count,
      error: nullable.text,
      ms: count,
      'fault?': text,
    }),
  ),
  status: nullable.count,
  error: nullable.text,
});

/** Schemas by their names in the document. */
export const OWN = {
  Entry: entry,
  SentRefund: sentRefund,
  Job: objectOf({ ...membersOf(JOB), workers: listOf(text) }),
  Sum: sumOf([...PAYMENTS, 'unknown', 'not_created']),
  Summary: summary,
  Report: report,
  Status: status,
  Match: match,
  Statement: statement,
  Hit: hit,
  Policy: policy,
  Profile: profile,
  Setting: objectOf({ setting: text, value: nullable.text, from: text }),
  Finding: finding,
  Identity: identity,
  LedgerStatus: ledgerStatus,
  Change: objectOf(membersOf(CHANGE)),
  ToldEvent: toldEvent,
  ListedEvent: objectOf(membersOf(LISTED_EVENT)),
  WholeEvent: wholeEvent,
  RefusedDelivery: objectOf(membersOf(REFUSED_DELIVERY)),
  VerifiedEvent: objectOf({ valid: { const: true }, ...membersOf(ABOUT_EVENT) }),
  Delivery: delivery,
  Error: error,
  Request: request,
} as const satisfies Readonly<Record<string, JsonSchema>>;

import type { RefundFacts } from '../charge/refund.ts';
import { CHARGE, type ChargeState, REFUND } from '../core/charge.ts';
import { reasonOf } from '../core/error.ts';
import { optionalNumber, optionalText, sqlNumber, sqlText } from '../database/connect.ts';
import type { ChargeTerms, Entry, Evidence, KeptActivity, Money, RequestTerms, ServiceTime } from './entry.ts';
import { isPrunedEntry } from './pruned.ts';
import { bootOf } from './sender.ts';
import { isDisputed, moneyKnown } from './transitions.ts';

/** Value of a database column, whatever the database. */
export type Value = null | number | bigint | string | NodeJS.NonSharedUint8Array;

/** Values of a table row, in column order. */
export type Row = readonly Value[];

type Names<T extends string> = T extends `${infer First} ${infer Others}` ? First | Names<Others> : T;

const namesIn = <const T extends string>(text: T) => text.split(' ') as Names<T>[];

/** Columns that never change, except that pruning clears `path` and `body`. `ugwo` holds what the entry is about. */
const FIXED = [
  ...namesIn('id kind service origin workspace profile ugwo medium provider phone phone_digest expires_at path body'),
  ...namesIn('digest job row deadline created_at begun_uptime pid boot started operator'),
];
const CHANGING = [
  ...namesIn('state recorded_at took exit_code activity status next_action activity_created_at evidence'),
  'told' as const,
  ...namesIn('amount currency ref customer customer_email money'),
];
/** Columns that repeat a part of the others for filters and sums. Programs read the others. */
const REPEATED = namesIn('payment received refunded paid_at paid_twice psp_reference account_digest pruned disputed');

/** Columns that change after an entry was created. */
export const UPDATED_COLUMNS = [...CHANGING, ...REPEATED];

const STORED = [...FIXED, ...UPDATED_COLUMNS] as const;
/** Columns in reading order. */
export const COLUMNS = [...STORED, ...namesIn('checksum seq')];

type Column = (typeof COLUMNS)[number];
/** Index of each column in a row. */
export const AT = Object.fromEntries(COLUMNS.map((name, place) => [name, place])) as Readonly<Record<Column, number>>;

const COVERED = FIXED.length + CHANGING.length;

/**
 * The first columns of a row as JSON, by name and without those that are null. So an older row has the same text after a
 * migration that adds a column.
 */
export const rowText = (row: Row, columns = STORED.length): string =>
  JSON.stringify(Object.fromEntries(STORED.slice(0, columns).map((name, at) => [name, row[at] ?? undefined])));

/** Row of a text, without its checksum and place. */
export const rowIn = (text: string): Row => {
  const values = JSON.parse(text) as Readonly<Partial<Record<Column, Value>>>;
  return STORED.map((name) => values[name] ?? null);
};

/**
 * Checksum of a row: FNV-1a in 32 bits. It detects accidental damage and is fast, since each read and write computes
 * it. It leaves out the columns that repeat others.
 */
export const checksumOf = (row: Row): number => {
  const text = rowText(row, COVERED);
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
};

const keptActivityIn = (row: Row): KeptActivity | undefined => {
  const uid = optionalText(row[AT.activity]);
  if (uid === undefined) return undefined;
  return {
    uid,
    status: sqlText(row[AT.status]),
    nextAction: JSON.parse(optionalText(row[AT.next_action]) ?? 'null'),
    createdAt: optionalText(row[AT.activity_created_at]),
  };
};

/** A value that is stored as JSON. */
const parsedAt = <T>(row: Row, place: number): T | undefined => {
  const json = optionalText(row[place]);
  return json === undefined ? undefined : (JSON.parse(json) as T);
};

const storedTerms = (row: Row): RequestTerms => ({
  amount: optionalNumber(row[AT.amount]),
  currency: optionalText(row[AT.currency]),
  ref: optionalText(row[AT.ref]),
  customer: optionalText(row[AT.customer]),
  email: optionalText(row[AT.customer_email]),
});

/** Fields that only charges have. */
const termsOf = (row: Row): ChargeTerms => ({
  medium: sqlText(row[AT.medium]),
  provider: optionalText(row[AT.provider]),
  phone: optionalText(row[AT.phone]),
  termsDigest: optionalText(row[AT.phone_digest]),
  expiresAt: optionalNumber(row[AT.expires_at]),
  asked: storedTerms(row),
});

/** Fields of other kinds. A refund has the amount that it pays back. */
const storedRequest = (row: Row): Pick<Entry, 'path' | 'body' | 'asked'> => ({
  path: optionalText(row[AT.path]),
  body: optionalText(row[AT.body]),
  ...(row[AT.amount] === null && row[AT.currency] === null ? {} : { asked: storedTerms(row) }),
});

/** Converts a table row to an entry. */
export const entryOf = (row: Row): Entry => {
  const boot = sqlText(row[AT.boot]);
  return {
    id: sqlText(row[AT.id]),
    seq: sqlNumber(row[AT.seq]),
    kind: sqlText(row[AT.kind]),
    state: sqlText(row[AT.state]) as ChargeState,
    service: sqlText(row[AT.service]),
    origin: sqlText(row[AT.origin]),
    workspace: optionalText(row[AT.workspace]),
    profile: optionalText(row[AT.profile]),
    about: sqlText(row[AT.ugwo]),
    digest: sqlText(row[AT.digest]),
    job: optionalText(row[AT.job]),
    row: optionalNumber(row[AT.row]),
    deadline: sqlNumber(row[AT.deadline]),
    createdAt: sqlNumber(row[AT.created_at]),
    sender: { pid: sqlNumber(row[AT.pid]), boot, started: sqlText(row[AT.started]) },
    begun: { boot: bootOf({ boot }), uptime: sqlNumber(row[AT.begun_uptime]) },
    took: optionalNumber(row[AT.took]),
    told: parsedAt<ServiceTime>(row, AT.told),
    recordedAt: optionalNumber(row[AT.recorded_at]),
    exitCode: optionalNumber(row[AT.exit_code]),
    activity: keptActivityIn(row),
    money: row[AT.kind] === CHARGE ? parsedAt<Money>(row, AT.money) : undefined,
    refund: row[AT.kind] === REFUND ? parsedAt<RefundFacts>(row, AT.money) : undefined,
    operator: optionalText(row[AT.operator]),
    evidence: JSON.parse(sqlText(row[AT.evidence])) as Evidence[],
    ...(row[AT.kind] === CHARGE ? termsOf(row) : storedRequest(row)),
  };
};

const json = (value: unknown): string | null => (value === undefined || value === null ? null : JSON.stringify(value));

/** Replaces lone surrogates, as SQLite does when it stores a text. */
const sqlValue = (value: Value | undefined): Value =>
  typeof value === 'string' ? value.toWellFormed() : (value ?? null);

const valuesOf = (entry: Entry): Readonly<Record<Exclude<Column, 'checksum' | 'seq'>, Value | undefined>> => {
  const { activity, asked, sender, refund } = entry;
  const money = moneyKnown(entry);
  return {
    id: entry.id,
    kind: entry.kind,
    service: entry.service,
    origin: entry.origin,
    workspace: entry.workspace,
    profile: entry.profile,
    ugwo: entry.about,
    medium: entry.medium ?? '',
    provider: entry.provider,
    phone: entry.phone,
    phone_digest: entry.termsDigest,
    expires_at: entry.expiresAt,
    path: entry.path,
    body: entry.body,
    digest: entry.digest,
    job: entry.job,
    row: entry.row,
    deadline: entry.deadline,
    created_at: entry.createdAt,
    begun_uptime: entry.begun.uptime,
    pid: sender.pid,
    boot: sender.boot,
    started: sender.started,
    operator: entry.operator,
    state: entry.state,
    recorded_at: entry.recordedAt,
    took: entry.took,
    exit_code: entry.exitCode,
    activity: activity?.uid,
    status: activity?.status,
    next_action: json(activity?.nextAction),
    activity_created_at: activity?.createdAt,
    told: json(entry.told),
    evidence: JSON.stringify(entry.evidence),
    amount: asked?.amount,
    currency: asked?.currency,
    ref: asked?.ref,
    customer: asked?.customer,
    customer_email: asked?.email,
    money: json(entry.money ?? refund),
    payment: money?.payment ?? refund?.state,
    received: money?.received,
    refunded: money?.refunded,
    paid_at: refund?.state === 'paid_back' ? refund.at : money?.paidAt,
    paid_twice: money?.isPaidTwice === true ? money.excess : undefined,
    psp_reference: money?.pspReference,
    account_digest: money?.accountDigest,
    pruned: isPrunedEntry(entry) ? 1 : undefined,
    disputed: isDisputed(entry) ? money?.disputed?.at : undefined,
  };
};

/** Converts an entry to a table row in the order of COLUMNS, with its checksum. The table itself assigns its place (`seq`). */
export const entryRow = (entry: Entry): Value[] => {
  const values = valuesOf(entry);
  const row = STORED.map((name) => sqlValue(values[name]));
  row.push(checksumOf(row));
  return row;
};

/**
 * Converts the rows with a valid checksum to entries. Reports a fault to `tell` for each other row, and for each whose
 * repeated columns are not those of its entry. `rowKept` converts an entry to the row that is read back.
 */
export const readable = (
  rows: readonly Row[],
  tell: (fault: string) => void,
  rowKept: (entry: Entry) => Row = entryRow,
): Entry[] =>
  rows.flatMap((row) => {
    const name = `${String(row[AT.id])} (row ${row[AT.seq]})`;
    if (row[AT.checksum] !== checksumOf(row)) {
      tell(`${name} is not what paycli wrote`);
      return [];
    }
    try {
      const entry = entryOf(row);
      const kept = rowKept(entry);
      const changed = REPEATED.filter((column) => row[AT[column]] !== kept[AT[column]]);
      if (changed.length > 0) tell(`${name} has another ${changed.join(', ')} than paycli wrote`);
      return [entry];
    } catch (thrown) {
      tell(`${name} can't be read: ${reasonOf(thrown)}`);
      return [];
    }
  });

import { CHARGE, type ChargeState } from '../core/charge.ts';
import { reasonOf } from '../core/error.ts';
import { number, optionalNumber, optionalText, sqlText } from '../database/connect.ts';
import type { ChargeTerms, Entry, Evidence, KeptActivity, Money, RequestTerms, ServiceTime } from './entry.ts';
import { bootOf } from './sender.ts';
import { moneyKnown } from './transitions.ts';

/** Value of a database column, whatever the database. */
export type Value = null | number | bigint | string | NodeJS.NonSharedUint8Array;

/** Values of a table row, in column order. */
export type Row = readonly Value[];

type Names<T extends string> = T extends `${infer First} ${infer Others}` ? First | Names<Others> : T;

const namesIn = <const T extends string>(text: T) => text.split(' ') as Names<T>[];

/**
 * Columns that the checksum covers: first those that never change (`ugwo` holds what the entry is about), then those
 * that do. Never reorder them: the checksums of existing rows depend on the order.
 */
const FIXED_COLUMNS = [
  ...namesIn('id service origin workspace profile ugwo medium provider phone phone_digest expires_at digest job'),
  ...namesIn('row deadline created_at begun_uptime pid boot started'),
];
const CHANGING = [
  ...namesIn('state recorded_at took exit_code activity status next_action activity_created_at'),
  ...namesIn('told'),
  ...namesIn('evidence amount currency ref customer'),
];
/**
 * Columns that only other kinds than charges fill. Checksums of charges leave them out, so that older rows stay valid.
 */
const OF_OTHERS = namesIn('kind path body');

/** Columns that were added later. A checksum leaves them out where all are empty, so that older rows stay valid. */
const ADDED = namesIn('operator money customer_email');
/** Columns that repeat a part of `money` for filters and sums. Programs read `money`. */
const REPEATED = namesIn('payment received refunded paid_at paid_twice psp_reference account_digest');

/** Columns that change after an entry was created. */
export const UPDATED_COLUMNS = [...CHANGING, ...namesIn('money customer_email'), ...REPEATED];

/** Columns in reading order. */
export const COLUMNS = [...FIXED_COLUMNS, ...CHANGING, ...OF_OTHERS, ...ADDED, ...REPEATED, ...namesIn('checksum seq')];

type Places = Readonly<Record<(typeof COLUMNS)[number], number>>;
/** Index of each column in a row. */
export const AT = Object.fromEntries(COLUMNS.map((name, place) => [name, place])) as Places;

const OF_OTHER_KINDS = FIXED_COLUMNS.length + CHANGING.length;
const OF_ALL = OF_OTHER_KINDS + OF_OTHERS.length;
const WITH_ADDED = OF_ALL + ADDED.length;

/**
 * Checksum of a row: FNV-1a in 32 bits. It detects accidental damage and is fast, since each read and write computes
 * it. Charges use the same columns as before other kinds existed.
 */
export const checksumOf = (row: Row): number => {
  const isCharge = row[AT.kind] === CHARGE && row[AT.path] === null && row[AT.body] === null;
  const added = row.slice(OF_ALL, WITH_ADDED);
  const covered = row.slice(0, isCharge ? OF_OTHER_KINDS : OF_ALL);
  const text = JSON.stringify(added.every((value) => value === null) ? covered : [...covered, ...added]);
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
    seq: number(row[AT.seq]),
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
    deadline: number(row[AT.deadline]),
    createdAt: number(row[AT.created_at]),
    sender: { pid: number(row[AT.pid]), boot, started: sqlText(row[AT.started]) },
    begun: { boot: bootOf({ boot }), uptime: number(row[AT.begun_uptime]) },
    took: optionalNumber(row[AT.took]),
    told: parsedAt<ServiceTime>(row, AT.told),
    recordedAt: optionalNumber(row[AT.recorded_at]),
    exitCode: optionalNumber(row[AT.exit_code]),
    activity: keptActivityIn(row),
    money: parsedAt<Money>(row, AT.money),
    operator: optionalText(row[AT.operator]),
    evidence: JSON.parse(sqlText(row[AT.evidence])) as Evidence[],
    ...(row[AT.kind] === CHARGE ? termsOf(row) : storedRequest(row)),
  };
};

const json = (value: unknown): string | null => (value === undefined || value === null ? null : JSON.stringify(value));

/** Replaces lone surrogates, as SQLite does when it stores a text. */
const asStored = (value: Value | undefined): Value =>
  typeof value === 'string' ? value.toWellFormed() : (value ?? null);

/** Converts an entry to a table row in the order of COLUMNS, with its checksum. The table itself assigns its place (`seq`). */
export const entryRow = (entry: Entry): Value[] => {
  const { activity, asked, sender } = entry;
  const { payment, received, refunded, paidAt, isPaidTwice, excess, pspReference, accountDigest } =
    moneyKnown(entry) ?? {};
  const fixed = [
    ...[entry.id, entry.service, entry.origin, entry.workspace, entry.profile, entry.about, entry.medium ?? ''],
    ...[entry.provider, entry.phone, entry.termsDigest, entry.expiresAt, entry.digest, entry.job, entry.row],
    ...[entry.deadline, entry.createdAt, entry.begun.uptime, sender.pid, sender.boot, sender.started],
  ];
  const changing = [
    ...[entry.state, entry.recordedAt, entry.took, entry.exitCode],
    ...[activity?.uid, activity?.status, json(activity?.nextAction), activity?.createdAt],
    ...[json(entry.told), JSON.stringify(entry.evidence), asked?.amount, asked?.currency, asked?.ref, asked?.customer],
  ];
  const others = [entry.kind, entry.path, entry.body];
  const added = [entry.operator, json(entry.money), asked?.email];
  const paidTwice = isPaidTwice === true ? excess : undefined;
  const repeated = [payment, received, refunded, paidAt, paidTwice, pspReference, accountDigest];
  const row = [...fixed, ...changing, ...others, ...added, ...repeated].map(asStored);
  row.push(checksumOf(row));
  return row;
};

/** Converts the rows with a valid checksum to entries. Reports a fault to `tell` for each other row. */
export const readable = (rows: readonly Row[], tell: (fault: string) => void): Entry[] =>
  rows.flatMap((row) => {
    const name = `${String(row[AT.id])} (row ${row[AT.seq]})`;
    if (row[AT.checksum] !== checksumOf(row)) {
      tell(`${name} is not what paycli wrote`);
      return [];
    }
    try {
      return [entryOf(row)];
    } catch (thrown) {
      tell(`${name} can't be read: ${reasonOf(thrown)}`);
      return [];
    }
  });

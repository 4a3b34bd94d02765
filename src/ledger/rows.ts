import type { ChargeState } from '../core/charge.ts';
import { CHARGE } from '../core/effect.ts';
import { number, optionalNumber, optionalText, text } from '../database/values.ts';
import { checksumOf } from './checksum.ts';
import type { Row, Value } from './columns.ts';
import { AT } from './columns.ts';
import type { ChargeTerms, Entry, Evidence, KeptActivity, ServiceTime } from './entry.ts';
import { bootOf } from './sender.ts';

const activityOf = (row: Row): KeptActivity | undefined => {
  const uid = optionalText(row[AT.activity]);
  if (uid === undefined) return undefined;
  return {
    uid,
    status: text(row[AT.status]),
    nextAction: JSON.parse(optionalText(row[AT.next_action]) ?? 'null'),
    createdAt: optionalText(row[AT.activity_created_at]),
  };
};

const toldOf = (row: Row): ServiceTime | undefined => {
  const json = optionalText(row[AT.told]);
  return json === undefined ? undefined : (JSON.parse(json) as ServiceTime);
};

/** What a charge has and nothing else. */
const termsOf = (row: Row): ChargeTerms => ({
  medium: text(row[AT.medium]),
  provider: optionalText(row[AT.provider]),
  phone: optionalText(row[AT.phone]),
  phoneDigest: optionalText(row[AT.phone_digest]),
  expiresAt: optionalNumber(row[AT.expires_at]),
  asked: {
    amount: optionalNumber(row[AT.amount]),
    currency: optionalText(row[AT.currency]),
    ref: optionalText(row[AT.ref]),
    customer: optionalText(row[AT.customer]),
  },
});

const requestOf = (row: Row): Pick<Entry, 'path' | 'body'> => ({
  path: optionalText(row[AT.path]),
  body: optionalText(row[AT.body]),
});

/** A row of the table as an entry. */
export const entryOf = (row: Row): Entry => {
  const boot = text(row[AT.boot]);
  return {
    id: text(row[AT.id]),
    seq: number(row[AT.seq]),
    kind: text(row[AT.kind]),
    state: text(row[AT.state]) as ChargeState,
    service: text(row[AT.service]),
    origin: text(row[AT.origin]),
    workspace: optionalText(row[AT.workspace]),
    profile: optionalText(row[AT.profile]),
    about: text(row[AT.ugwo]),
    digest: text(row[AT.digest]),
    job: optionalText(row[AT.job]),
    row: optionalNumber(row[AT.row]),
    deadline: number(row[AT.deadline]),
    createdAt: number(row[AT.created_at]),
    sender: { pid: number(row[AT.pid]), boot, started: text(row[AT.started]) },
    begun: { boot: bootOf({ boot }), uptime: number(row[AT.begun_uptime]) },
    took: optionalNumber(row[AT.took]),
    told: toldOf(row),
    recordedAt: optionalNumber(row[AT.recorded_at]),
    exitCode: optionalNumber(row[AT.exit_code]),
    activity: activityOf(row),
    evidence: JSON.parse(text(row[AT.evidence])) as Evidence[],
    ...(row[AT.kind] === CHARGE ? termsOf(row) : requestOf(row)),
  };
};

const json = (value: unknown): string | null => (value === undefined || value === null ? null : JSON.stringify(value));

/** As SQLite keeps it: half a surrogate pair is no character. */
const asKept = (value: Value | undefined): Value =>
  typeof value === 'string' ? value.toWellFormed() : (value ?? null);

/** What stays as it was begun, in the order of `FIXED`. */
const fixedOf = (entry: Entry): (Value | undefined)[] => [
  ...[entry.id, entry.service, entry.origin, entry.workspace, entry.profile, entry.about, entry.medium ?? ''],
  ...[entry.provider, entry.phone, entry.phoneDigest, entry.expiresAt, entry.digest, entry.job, entry.row],
  ...[entry.deadline, entry.createdAt, entry.begun.uptime],
  ...[entry.sender.pid, entry.sender.boot, entry.sender.started],
];

/** What changes, in the order of `CHANGING`. */
const changingOf = (entry: Entry): (Value | undefined)[] => {
  const { activity, asked } = entry;
  return [
    ...[entry.state, entry.recordedAt, entry.took, entry.exitCode],
    ...[activity?.uid, activity?.status, json(activity?.nextAction), activity?.createdAt],
    ...[json(entry.told), JSON.stringify(entry.evidence), asked?.amount, asked?.currency, asked?.ref, asked?.customer],
  ];
};

/** An entry as a row of the table, with its checksum; its place is the table's own. */
export const rowOf = (entry: Entry): Value[] => {
  const row = [...fixedOf(entry), ...changingOf(entry), entry.kind, entry.path, entry.body].map(asKept);
  row.push(checksumOf(row));
  return row;
};

import type { SQLOutputValue } from 'node:sqlite';
import type { ChargeState } from '../../core/charge.ts';
import type { Charge, Evidence, KeptActivity, Sender, Told } from '../ledger.ts';
import { checksumOf } from './checksum.ts';
import { bootOf } from './sender.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;

export const optionalText = (row: Row, name: string): string | undefined => {
  const value = row[name];
  return typeof value === 'string' ? value : undefined;
};
export const text = (row: Row, name: string): string => optionalText(row, name) ?? '';

export const optionalNumber = (row: Row, name: string): number | undefined => {
  const value = row[name];
  return value === null || value === undefined ? undefined : Number(value);
};
export const number = (row: Row, name: string): number => optionalNumber(row, name) ?? 0;

const activityOf = (row: Row): KeptActivity | undefined => {
  const uid = optionalText(row, 'activity');
  if (uid === undefined) return undefined;
  return {
    uid,
    status: text(row, 'status'),
    nextAction: JSON.parse(optionalText(row, 'next_action') ?? 'null'),
    createdAt: optionalText(row, 'activity_created_at'),
  };
};

const toldOf = (row: Row): Told | undefined => {
  const json = optionalText(row, 'told');
  return json === undefined ? undefined : (JSON.parse(json) as Told);
};

/** Who is sending it, or was. */
export const senderOf = (row: Row): Sender => ({
  pid: number(row, 'pid'),
  boot: text(row, 'boot'),
  started: text(row, 'started'),
});

/** A row of the table as a charge. */
export const chargeOf = (row: Row): Charge => ({
  id: text(row, 'id'),
  seq: number(row, 'seq'),
  state: text(row, 'state') as ChargeState,
  service: text(row, 'service'),
  origin: text(row, 'origin'),
  workspace: optionalText(row, 'workspace'),
  profile: optionalText(row, 'profile'),
  ugwo: text(row, 'ugwo'),
  medium: text(row, 'medium'),
  provider: optionalText(row, 'provider'),
  phone: optionalText(row, 'phone'),
  phoneDigest: optionalText(row, 'phone_digest'),
  expiresAt: optionalNumber(row, 'expires_at'),
  digest: text(row, 'digest'),
  job: optionalText(row, 'job'),
  row: optionalNumber(row, 'row'),
  asked: {
    amount: optionalNumber(row, 'amount'),
    currency: optionalText(row, 'currency'),
    ref: optionalText(row, 'ref'),
    customer: optionalText(row, 'customer'),
  },
  deadline: number(row, 'deadline'),
  createdAt: number(row, 'created_at'),
  sender: senderOf(row),
  begun: { boot: bootOf({ boot: text(row, 'boot') }), uptime: number(row, 'begun_uptime') },
  took: optionalNumber(row, 'took'),
  told: toldOf(row),
  recordedAt: optionalNumber(row, 'recorded_at'),
  exitCode: optionalNumber(row, 'exit_code'),
  activity: activityOf(row),
  evidence: JSON.parse(text(row, 'evidence')) as Evidence[],
});

type Columns = Readonly<Record<string, SQLOutputValue>>;

const json = (value: unknown): string | null => (value === undefined || value === null ? null : JSON.stringify(value));

const rowOf = ({ activity, asked = {}, sender, ...charge }: Charge): Record<string, SQLOutputValue> => ({
  id: charge.id,
  service: charge.service,
  origin: charge.origin,
  workspace: charge.workspace ?? null,
  profile: charge.profile ?? null,
  ugwo: charge.ugwo,
  medium: charge.medium,
  provider: charge.provider ?? null,
  phone: charge.phone ?? null,
  phone_digest: charge.phoneDigest ?? null,
  expires_at: charge.expiresAt ?? null,
  digest: charge.digest,
  job: charge.job ?? null,
  row: charge.row ?? null,
  deadline: charge.deadline,
  created_at: charge.createdAt,
  begun_uptime: charge.begun.uptime,
  pid: sender.pid,
  boot: sender.boot,
  started: sender.started,
  state: charge.state,
  recorded_at: charge.recordedAt ?? null,
  took: charge.took ?? null,
  exit_code: charge.exitCode ?? null,
  activity: activity?.uid ?? null,
  status: activity?.status ?? null,
  next_action: json(activity?.nextAction),
  activity_created_at: activity?.createdAt ?? null,
  told: json(charge.told),
  evidence: JSON.stringify(charge.evidence),
  amount: asked.amount ?? null,
  currency: asked.currency ?? null,
  ref: asked.ref ?? null,
  customer: asked.customer ?? null,
});

/** A charge as a row of the table, but for its place, which is the table's own. */
export const columnsOf = (charge: Charge): Columns => {
  const row = rowOf(charge);
  for (const [name, value] of Object.entries(row)) {
    // As SQLite keeps it: half a surrogate pair is no character.
    if (typeof value === 'string') row[name] = value.toWellFormed();
  }
  row['checksum'] = checksumOf(row);
  return row;
};

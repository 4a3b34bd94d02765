import type { SQLOutputValue } from 'node:sqlite';
import type { ChargeState } from '../../core/charge.ts';
import type { Charge, Evidence, KeptActivity, Sender, Told } from '../ledger.ts';
import { checksumOf } from './checksum.ts';
import type { Row } from './columns.ts';
import { CHANGING, FIXED } from './columns.ts';
import { bootOf } from './sender.ts';

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

const json = (value: unknown): string | null => (value === undefined || value === null ? null : JSON.stringify(value));

type Values = Readonly<Record<(typeof FIXED)[number] | (typeof CHANGING)[number], SQLOutputValue | undefined>>;

const valuesOf = ({ activity, asked = {}, sender, ...charge }: Charge): Values => ({
  id: charge.id,
  service: charge.service,
  origin: charge.origin,
  workspace: charge.workspace,
  profile: charge.profile,
  ugwo: charge.ugwo,
  medium: charge.medium,
  provider: charge.provider,
  phone: charge.phone,
  phone_digest: charge.phoneDigest,
  expires_at: charge.expiresAt,
  digest: charge.digest,
  job: charge.job,
  row: charge.row,
  deadline: charge.deadline,
  created_at: charge.createdAt,
  begun_uptime: charge.begun.uptime,
  pid: sender.pid,
  boot: sender.boot,
  started: sender.started,
  state: charge.state,
  recorded_at: charge.recordedAt,
  took: charge.took,
  exit_code: charge.exitCode,
  activity: activity?.uid,
  status: activity?.status,
  next_action: json(activity?.nextAction),
  activity_created_at: activity?.createdAt,
  told: json(charge.told),
  evidence: JSON.stringify(charge.evidence),
  amount: asked.amount,
  currency: asked.currency,
  ref: asked.ref,
  customer: asked.customer,
});

/** As SQLite keeps it: half a surrogate pair is no character. */
const asKept = (value: SQLOutputValue | undefined): SQLOutputValue =>
  typeof value === 'string' ? value.toWellFormed() : (value ?? null);

/** A charge as a row of the table, but for its place, which is the table's own. */
export const rowOf = (charge: Charge) => {
  const values = valuesOf(charge);
  const fixed = FIXED.map((name) => asKept(values[name]));
  const changing = CHANGING.map((name) => asKept(values[name]));
  return { fixed, changing, checksum: checksumOf([...fixed, ...changing]) };
};

import type { SQLOutputValue } from 'node:sqlite';
import type { ChargeState } from '../core/charge.ts';
import type { Charge, Evidence, KeptActivity, Moment, Sender, Told } from './ledger.ts';
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
  begun: { boot: bootOf({ boot: text(row, 'boot') }), uptime: number(row, 'begun_uptime') },
  took: optionalNumber(row, 'took'),
  told: toldOf(row),
  recordedAt: optionalNumber(row, 'recorded_at'),
  exitCode: optionalNumber(row, 'exit_code'),
  activity: activityOf(row),
  evidence: JSON.parse(text(row, 'evidence')) as Evidence[],
});

/** Who is sending it, or was. */
export const senderOf = (row: Row): Sender => ({
  pid: number(row, 'pid'),
  boot: text(row, 'boot'),
  started: text(row, 'started'),
});

const toldColumn = ({ servedAt }: KeptActivity, { at, mark }: Moment): string | null =>
  servedAt === undefined ? null : JSON.stringify({ service: servedAt, at, mark } satisfies Told);

/** The columns that an activity fills, told at a moment. */
export const activityColumns = (
  activity: KeptActivity | undefined,
  moment: Moment,
): Record<'activity' | 'status' | 'next_action' | 'activity_created_at' | 'told', string | null> => ({
  activity: activity?.uid ?? null,
  status: activity?.status ?? null,
  next_action:
    activity?.nextAction === undefined || activity.nextAction === null ? null : JSON.stringify(activity.nextAction),
  activity_created_at: activity?.createdAt ?? null,
  told: activity === undefined ? null : toldColumn(activity, moment),
});

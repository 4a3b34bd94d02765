import { BOUNDS } from './bounds.ts';
import { machineValue } from './medium.ts';
import { valueAt } from './path.ts';

/**
 * What the ledger knows of one charge. `sending`: the intent is on the disk and a process is at it. `unknown`: it may have
 * been made. `not_created`: it was unknown, and the service has shown that it was never made. The others are certain.
 */
export const CHARGE_STATES = ['sending', 'accepted', 'rejected', 'not_sent', 'unknown', 'not_created'] as const;
export type ChargeState = (typeof CHARGE_STATES)[number];

/** How an activity stands, as far as charging again and waiting for it are concerned. */
export type Standing = 'paid' | 'failed' | 'open';

/** Statuses that nothing follows but a refund: interface.md section 3, the later ones from public material. */
const ENDED: Readonly<Record<string, Standing>> = {
  successful: 'paid',
  partially_refunded: 'paid',
  refunded: 'paid',
  failed: 'failed',
  expired: 'failed',
};

/** A status that is not known here is open: it may still become anything. */
export const standingOf = (status: string): Standing =>
  (Object.hasOwn(ENDED, status) ? ENDED[status] : undefined) ?? 'open';

/** The machine value of an activity's status; empty, and so open, where it can't be read, or is no word. */
export const statusOf = (activity: unknown): string => {
  const status = machineValue(valueAt(activity, 'status'));
  return status.length <= BOUNDS.word ? status : '';
};

/** The activity that an error is about. */
export const about = (activity: { readonly uid: string }): { readonly activity: string } => ({
  activity: JSON.stringify({ uid: activity.uid, status: statusOf(activity) }),
});

/** The money came, and has all gone back: paid as far as charging again is concerned, but nothing to wait for. */
export const isRefunded = (status: string): boolean => status === 'refunded';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The activities that a payment request lists; undefined where it lists none. In PHP a list with gaps becomes an object. */
export const activitiesOf = (ugwo: unknown): readonly unknown[] | undefined => {
  const listed = valueAt(ugwo, 'activities');
  if (Array.isArray(listed)) return listed;
  const members = isObject(listed) ? Object.values(listed) : [];
  return members.length > 0 && members.every(isObject) ? members : undefined;
};

/** The statuses of what has failed. */
export const FAILED_STATUSES: readonly string[] = Object.keys(ENDED).filter((status) => ENDED[status] === 'failed');

/** The ledger's file in the folder for data. */
export const LEDGER_FILE_NAME = 'ledger.sqlite';
/** How many charges it has had is kept beside it, under a name that a copy of `ledger.sqlite*` leaves out. */
export const HIGHEST_FILE_NAME = 'highest-charge';

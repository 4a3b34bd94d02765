import { formatDateAtom } from '../../../src/core/time.ts';
import type { Evidence } from '../../../src/ledger/entry.ts';
import type { SnapshotAt } from '../../../src/ledger/match.ts';
import { uidOf } from '../../support/ids.ts';
import { MINUTE, SECOND } from '../../support/units.ts';
import { markAt, SENT } from './memory.ts';

export { uidOf };

/** The end of the sending of `charge` in memory.ts. */
export const END = SENT + 10 * SECOND;
export const NOBODY: ReadonlySet<string> = new Set();
export const OLD_BOOT = 'the boot before';
export const DIAL = { type: 'user_action', instruction: 'Dial', headers: { ussd: '*737*1#' } };
export const ACCOUNT = {
  bank_name: 'A Bank',
  account_name: 'ADA',
  account_number: '0123456789',
  expires_at: '2026-11-20T12:15:00+00:00',
};

export const atom = (ms: number): string => `${new Date(ms).toISOString().slice(0, 23)}+00:00`;

/** An activity of the charge's medium, created while it was sent. */
export const activity = (number = 1, some: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  uid: uidOf(number),
  status: 'requires_action',
  next_action: DIAL,
  created_at: atom(SENT),
  ...some,
});

/** A read with equal clocks and no delay. */
export const look = (activities: readonly unknown[], at = END + MINUTE, some: object = {}): SnapshotAt =>
  ({ askedAt: at, at, mark: markAt(at), servedAt: at, activities, ...some }) as SnapshotAt;

export const empty = (at: number, some: object = {}): Evidence => ({
  kind: 'look',
  at: formatDateAtom({ ms: at, offset: 0 }),
  found: 'none',
  mark: markAt(at),
  served_at: at,
  ...some,
});

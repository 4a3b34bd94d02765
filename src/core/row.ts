import type { ChargeState } from './charge.ts';
import { paymentStatusOf } from './charge.ts';

/**
 * How a row of a file stands (cli.md, Bulk). `failed`: its activity was made and has failed. `refused`: the guard said no, of which the
 * ledger keeps nothing. `sending`: another process is at it. `invalid`: it could not be sent as it stands.
 */
export const ROW_STATES = [
  'accepted',
  'failed',
  'rejected',
  'not_sent',
  'unknown',
  'not_created',
  'refused',
  'sending',
  'invalid',
] as const;
export type RowState = (typeof ROW_STATES)[number];

/** How many rows stand how. */
export type RowCounts = Readonly<Partial<Record<RowState, number>>>;

/** The state of a row by its last charge or update; `status` is the activity's, where there is one. */
export const rowStateOf = (state: ChargeState, status: string | undefined): RowState =>
  state === 'accepted' && status !== undefined && paymentStatusOf(status) === 'failed' ? 'failed' : state;

const RETRIED: readonly RowState[] = ['rejected', 'failed', 'not_created'];

/**
 * Whether another run takes a row up that stands so; `retry` is --retry-failed. What was not sent always is: exit code 5
 * says that the same command may be run again. What may have been made never is.
 */
export const isTakenUp = (state: RowState, retry: boolean): boolean =>
  state === 'refused' || state === 'not_sent' || (retry && RETRIED.includes(state));

/** The columns of a job's summary, with another word for the rows that were accepted. */
export const summaryColumns = (accepted: string): typeof SUMMARY_COLUMNS =>
  SUMMARY_COLUMNS.map((column) => (column.path === 'accepted' ? { ...column, label: accepted } : column));

/** The columns of a job's summary, in their order. What matters at night comes first on a card. */
export const SUMMARY_COLUMNS: readonly {
  readonly path: string;
  readonly label?: string;
  readonly kind?: 'count';
  readonly always?: boolean;
}[] = [
  { path: 'job' },
  { path: 'command' },
  { path: 'file' },
  { path: 'rows', kind: 'count', always: true },
  ...ROW_STATES.map((state) => ({ path: state, kind: 'count' as const, label: state.replaceAll('_', ' ') })),
  { path: 'not_started', kind: 'count', label: 'not started' },
  { path: 'skipped', kind: 'count', label: 'done before' },
  { path: 'report' },
];

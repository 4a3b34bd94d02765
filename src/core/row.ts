import type { ChargeState } from './charge.ts';
import { paymentStatusOf } from './charge.ts';

/**
 * State of a row of a file (cli.md, Bulk). `failed`: its activity was created and has failed. `refused`: the guard
 * refused it; the ledger has no record of that. `sending`: another process is sending it. `invalid`: it could not be
 * sent as it is.
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

/** Number of rows in each state. */
export type RowCounts = Readonly<Partial<Record<RowState, number>>>;

/** State of a row by its last charge or update; `status` is the activity's, if there is one. */
export const rowStateOf = (state: ChargeState, status: string | undefined): RowState =>
  state === 'accepted' && status !== undefined && paymentStatusOf(status) === 'failed' ? 'failed' : state;

const RETRIED: readonly RowState[] = ['rejected', 'failed', 'not_created'];

/**
 * True when another run sends a row in this state again; `retry` is --retry-failed. An unsent row is always sent
 * again: exit code 5 says that the same command may be repeated. A row that may have been applied never is.
 */
export const isTakenUp = (state: RowState, retry: boolean): boolean =>
  state === 'refused' || state === 'not_sent' || (retry && RETRIED.includes(state));

/** The columns of a job's summary, with another label for the accepted rows. */
export const summaryColumns = (accepted: string): typeof SUMMARY_COLUMNS =>
  SUMMARY_COLUMNS.map((column) => (column.path === 'accepted' ? { ...column, label: accepted } : column));

/** The columns of a job's summary, in order. The most urgent ones come first on a card. */
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

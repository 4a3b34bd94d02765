import type { ChargeState } from './charge.ts';
import { standingOf } from './charge.ts';
import { EXIT_CODES } from './exit.ts';
import { STOP_SIGNALS } from './interrupt.ts';

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
  state === 'accepted' && status !== undefined && standingOf(status) === 'failed' ? 'failed' : state;

/** What is known of the end of a row. */
export interface RowEnd {
  readonly state: RowState;
  /** What its process noted. */
  readonly exitCode?: number | undefined;
}

const SIGNAL_CODES: readonly number[] = Object.values(STOP_SIGNALS);

/** The exit code of a run that a signal stopped. */
export const isSignalCode = (code: number | undefined): code is number =>
  code !== undefined && SIGNAL_CODES.includes(code);

/** A signal came before a byte of it was sent: it was never begun as far as the file is concerned. */
export const wasStopped = ({ state, exitCode }: RowEnd): boolean => state === 'not_sent' && isSignalCode(exitCode);

const RETRIED: readonly RowState[] = ['rejected', 'failed', 'not_created'];

/**
 * Whether another run takes a row up; `retry` is --retry-failed. What was not sent always is: exit code 5 says that the same
 * command may be run again. What may have been made never is.
 */
export const isTakenUp = (end: RowEnd, retry: boolean): boolean =>
  end.state === 'refused' || end.state === 'not_sent' || (retry && RETRIED.includes(end.state));

/** The exit code that a row stands for. */
export const rowExit = ({ state, exitCode }: RowEnd): number => {
  switch (state) {
    case 'rejected':
      return exitCode === EXIT_CODES.auth ? EXIT_CODES.auth : EXIT_CODES.rejected;
    case 'not_sent':
      // What can't be sent over a connection that is not trusted ends with 4, what a failed read kept from being sent with 8;
      // what a signal stopped is left for the next run.
      return (
        [EXIT_CODES.auth, EXIT_CODES.read_failed, ...SIGNAL_CODES].find((code) => code === exitCode) ??
        EXIT_CODES.not_sent
      );
    case 'not_created':
      return EXIT_CODES.not_sent;
    case 'failed':
      return EXIT_CODES.charge_failed;
    case 'unknown':
      return EXIT_CODES.unknown;
    case 'refused':
      return EXIT_CODES.refused;
    case 'invalid':
      // It was right when the file was checked: what is left out by then is no row of the run.
      return EXIT_CODES.not_sent;
    case 'accepted':
      // Made, but what the customer must do could not be read.
      return exitCode === EXIT_CODES.unrecorded ? exitCode : 0;
    case 'sending':
      return 0;
  }
};

/**
 * The codes of a run over rows, the gravest first (cli.md, Errors). One that a signal stopped comes before what the next run will say
 * again: a script must see that rows are left.
 */
const GRAVITY: readonly number[] = [
  EXIT_CODES.unrecorded,
  EXIT_CODES.unknown,
  EXIT_CODES.ledger,
  EXIT_CODES.auth,
  EXIT_CODES.read_failed,
  ...new Set(SIGNAL_CODES),
  EXIT_CODES.rejected,
  EXIT_CODES.charge_failed,
  EXIT_CODES.not_sent,
  EXIT_CODES.refused,
  EXIT_CODES.pending,
  0,
];

/** The gravest of some exit codes; 0 where there is none. A code that is not listed is graver than all that are. */
export const gravest = (codes: Iterable<number>): number =>
  [...codes].sort((a, b) => GRAVITY.indexOf(a) - GRAVITY.indexOf(b))[0] ?? 0;

import { EXIT_CODES } from '../core/exit.ts';
import { STOP_SIGNALS } from '../core/interrupt.ts';
import type { RowEnd } from './row-end.ts';

const SIGNAL_CODES: readonly number[] = Object.values(STOP_SIGNALS);

/** The exit code of a run that a signal stopped. */
export const isSignalCode = (code: number | undefined): code is number =>
  code !== undefined && SIGNAL_CODES.includes(code);

/** A signal came before a byte of it was sent: it was never begun as far as the file is concerned. */
export const wasStopped = ({ state, exitCode }: RowEnd): boolean => state === 'not_sent' && isSignalCode(exitCode);

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
    // It was right when the file was checked: what is left out by then is no row of the run.
    case 'invalid':
      return EXIT_CODES.not_sent;
    case 'failed':
      return EXIT_CODES.charge_failed;
    case 'unknown':
      return EXIT_CODES.unknown;
    case 'refused':
      return EXIT_CODES.refused;
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

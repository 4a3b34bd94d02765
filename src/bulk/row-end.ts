import { EXIT_CODES, endsAll, outcomeOf, PayError, STOP_SIGNALS, type Violation } from '../core/error.ts';
import type { RowState } from '../core/row.ts';

/** What is wrong with one row: the column, or the flag, at fault, and a sentence. */
export interface ColumnFault {
  /** undefined where it is the row as a whole. */
  readonly column: string | undefined;
  readonly what: string;
}

/** How a row has ended, in this run or in an earlier one, and what that means for the others. */
export interface RowEnd {
  readonly state: RowState;
  /** What its process ended with, or would have. */
  readonly exitCode?: number | undefined;
  /** What the report says of it, besides its number, its state and its error. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Why it is no success, in one line. */
  readonly error?: string | undefined;
  /** The same in a few words, for many rows at once. */
  readonly reason?: string;
  /** --again would send it. */
  readonly again?: true;
  /** An earlier one that is unknown stands in its way. */
  readonly unresolved?: true;
  /** The service asked to be left alone: for so many milliseconds, or 0 where it said no time. */
  readonly slowDown?: number;
  /** Nothing new may be started after this. */
  readonly stops?: PayError;
  /** What the ledger could not take (exit 7): nobody else has it. */
  readonly unrecorded?: PayError;
  /** Nothing was begun: the row is as it was before. */
  readonly untouched?: true;
  /** Another process did it for this job, or it was done for another one, so that this one has no entry of it. */
  readonly kept?: 'here' | 'elsewhere';
  /** The ledger has no entry of this end. */
  readonly noEntry?: true;
}

const stateOf = (error: PayError, begun: boolean): RowState => {
  const { kind } = error;
  if (kind === 'refused') return 'refused';
  if (begun) return outcomeOf(error);
  if (kind === 'usage') return 'invalid';
  // A look that comes before it has failed.
  return kind === 'auth' || kind === 'read_failed' ? 'not_sent' : outcomeOf(error);
};

const wordsOf = ({ title, inDecimals = title, suggestion }: Violation): string =>
  suggestion === undefined ? inDecimals : `${inDecimals} (did you mean ${suggestion}?)`;

const placeOf = ({ option, propertyPath }: Violation): string => option ?? propertyPath;

/** All that an error says, in one line. */
const oneLine = ({ message, detail }: PayError): string => {
  const broken = (detail.violations ?? []).map((violation) =>
    [placeOf(violation), wordsOf(violation)].filter((text) => text !== '').join(': '),
  );
  return [message, ...broken].join('; ').replaceAll(/\s*\n\s*/g, '; ');
};

/** What an error that came before anything was sent finds wrong with a row; anything else is thrown on. */
export const faultsOf = (thrown: unknown): readonly ColumnFault[] => {
  if (!(thrown instanceof PayError)) throw thrown;
  const { violations = [] } = thrown.detail;
  if (violations.length === 0) return [{ column: undefined, what: thrown.message }];
  return violations.map((violation) => ({ column: placeOf(violation), what: wordsOf(violation) }));
};

/** A row that can't be sent as it stands. */
export const invalidEnd = (faults: readonly ColumnFault[]): RowEnd => ({
  state: 'invalid',
  noEntry: true,
  error: faults.map(({ column, what }) => (column === undefined ? what : `${column}: ${what}`)).join('; '),
});

/**
 * How a row has ended by what was thrown, and what that means for the others: a key that is not taken, a service that asks to be
 * left alone for long, a ledger that can't be used and a policy that lets nothing more through today end the run, and a service
 * that can't be reached is not hammered.
 * `begun` where its intent was noted, as it was of whatever has a name in the ledger.
 */
export const endOf = (thrown: unknown, how: { readonly begun?: boolean } = {}): RowEnd => {
  if (!(thrown instanceof PayError)) throw thrown;
  const { kind, detail } = thrown;
  const begun = how.begun === true || detail.ledgerId !== undefined;
  const end: RowEnd = {
    state: stateOf(thrown, begun),
    exitCode: detail.exitCode ?? EXIT_CODES[kind],
    error: oneLine(thrown),
    ...(detail.reason === undefined ? {} : { reason: detail.reason }),
    ...(detail.again === true ? { again: true } : {}),
    ...(detail.unresolved === true ? { unresolved: true } : {}),
    // The name that a refusal gives is that of what stands in the way.
    ...(how.begun !== true && (kind === 'refused' || !begun) ? { noEntry: true } : {}),
  };
  if (kind === 'ledger') return { ...end, untouched: true, stops: thrown };
  if (kind === 'interrupted' && !begun) return { ...end, untouched: true };
  if (detail.unrecorded === true) return { ...end, stops: thrown, unrecorded: thrown };
  if (endsAll(thrown) || (kind === 'refused' && detail.spent === true)) return { ...end, stops: thrown };
  return kind === 'not_sent' || (kind === 'read_failed' && !begun) ? { ...end, slowDown: 0 } : end;
};

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

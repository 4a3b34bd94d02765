import type { RowState } from '../core/charge.ts';
import { ERRORS, EXIT_CODES, endsAll, outcomeOf, PayError, STOP_SIGNALS, type Violation } from '../core/error.ts';

/** A fault of one row: the column or flag, and a sentence. */
export interface ColumnFault {
  /** undefined if the fault concerns the row as a whole. */
  readonly column: string | undefined;
  readonly what: string;
}

/** The result of a row, in this run or an earlier one, and its effect on the others. */
export interface RowEnd {
  readonly state: RowState;
  /** The exit code that a single command with this result would have. */
  readonly exitCode?: number | undefined;
  /** Report fields besides the row number, state and error. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Amount that its customer has to pay, if the answer to this run's charge says so. */
  readonly sum?: number | undefined;
  /** Id of the object of a row that was started. */
  readonly about?: string;
  /** The reason of the failure, in one line. */
  readonly error?: string | undefined;
  /** The reason in a few words, for many rows at once. */
  readonly reason?: string;
  /** The next step, if its state and exit code don't say it. */
  readonly hint?: string;
  /** True if --again would send the row. */
  readonly again?: true;
  /** True if an earlier charge of unknown outcome stands in its way. */
  readonly unresolved?: true;
  /** Pause that the service requested, in milliseconds; 0 if it named none. */
  readonly slowDown?: number;
  /** No new row may be started after this. */
  readonly stops?: PayError;
  /** The result could not be written to the ledger (exit 7), and is stored nowhere else. */
  readonly unrecorded?: PayError;
  /** True if the attempt changed nothing: the row is as it was before. */
  readonly untouched?: true;
  /**
   * `here`: another process sent the row for this job. `elsewhere`: another job sent it, so that this one has no entry
   * for it.
   */
  readonly kept?: 'here' | 'elsewhere';
  /** The faults of a row that can't be sent as it is. */
  readonly faults?: readonly ColumnFault[];
  /** The ledger has no entry of this end. */
  readonly noEntry?: true;
  /** State of the entry that an earlier try of this run has left instead. */
  readonly before?: RowState;
}

const violationWords = ({ title, inDecimals = title, suggestion }: Violation): string =>
  suggestion === undefined ? inDecimals : `${inDecimals} (did you mean ${suggestion}?)`;

const placeOfViolation = ({ option, propertyPath }: Violation): string => option ?? propertyPath;

/** Names a field of a row in a sentence. */
export const columnName = (field: string): string => `column ${field}`;

const oneLine = ({ message, detail }: PayError): string => {
  const broken = (detail.violations ?? []).map((violation) =>
    [placeOfViolation(violation), violationWords(violation)].filter((text) => text !== '').join(': '),
  );
  return [message, ...broken].join('; ').replaceAll(/\s*\n\s*/g, '; ');
};

/** Converts an error from before the request to faults; rethrows anything that is no PayError. */
export const faultsOf = (thrown: unknown): readonly ColumnFault[] => {
  if (!(thrown instanceof PayError)) throw thrown;
  const { violations = [] } = thrown.detail;
  if (violations.length === 0) return [{ column: undefined, what: thrown.message }];
  return violations.map((violation) => ({ column: placeOfViolation(violation), what: violationWords(violation) }));
};

export const invalidEnd = (faults: readonly ColumnFault[]): RowEnd => ({
  state: 'invalid',
  noEntry: true,
  faults,
  error: faults.map(({ column, what }) => (column === undefined ? what : `${column}: ${what}`)).join('; '),
});

/**
 * Converts a thrown error to a row's result, with its effect on the others. These end the run: a rejected key, a
 * service that asks for a long pause, an unusable ledger, and a policy whose limit for today is used up. A service that
 * can't be reached slows the run down. `started` is true if the intent was recorded; a row with a ledger id always
 * was.
 */
export const rowEndOf = (thrown: unknown, how: { readonly started?: boolean } = {}): RowEnd => {
  if (!(thrown instanceof PayError)) throw thrown;
  const { kind, detail } = thrown;
  // A refusal names the entry that stands in the way, not one of its own.
  const started = kind !== 'refused' && (how.started === true || detail.ledgerId !== undefined);
  const end: RowEnd = {
    state: started ? outcomeOf(thrown) : ERRORS[kind].row,
    exitCode: detail.exitCode ?? EXIT_CODES[kind],
    error: oneLine(thrown),
    ...(detail.reason === undefined ? {} : { reason: detail.reason }),
    ...(detail.again === true ? { again: true } : {}),
    ...(detail.unresolved === true ? { unresolved: true } : {}),
    ...(started ? {} : { noEntry: true }),
  };
  if (kind === 'ledger') return { ...end, untouched: true, stops: thrown };
  if (kind === 'interrupted' && !started) return { ...end, untouched: true };
  if (detail.unrecorded === true) return { ...end, stops: thrown, unrecorded: thrown };
  if (endsAll(thrown) || (kind === 'refused' && detail.spent === true)) return { ...end, stops: thrown };
  return kind === 'not_sent' || (kind === 'read_failed' && !started) ? { ...end, slowDown: 0 } : end;
};

const SIGNAL_CODES: readonly number[] = Object.values(STOP_SIGNALS);

/** The exit code of a run that a signal stopped. */
export const isSignalCode = (code: number | undefined): code is number =>
  code !== undefined && SIGNAL_CODES.includes(code);

/** True if a signal came before anything of the row was sent: for the file, the row was never started. */
export const wasStopped = ({ state, exitCode }: RowEnd): boolean => state === 'not_sent' && isSignalCode(exitCode);

/**
 * The exit code of a row in each state. An `invalid` row was valid when the file was checked; rows left out by then are
 * not part of the run.
 */
const STATE_EXITS: Readonly<Record<RowState, number>> = {
  accepted: 0,
  sending: 0,
  failed: EXIT_CODES.charge_failed,
  expired: EXIT_CODES.pending,
  rejected: EXIT_CODES.rejected,
  not_sent: EXIT_CODES.not_sent,
  not_created: EXIT_CODES.not_sent,
  invalid: EXIT_CODES.not_sent,
  unknown: EXIT_CODES.unknown,
  refused: EXIT_CODES.refused,
};

/** True if the code of a single command with this result says more than the state does. */
const saysMore = ({ state, exitCode }: RowEnd): boolean => {
  // Created, but the customer's next step could not be read, or was not shared, or the money went back.
  const { unrecorded, attention, charge_failed } = EXIT_CODES;
  if (state === 'accepted') return exitCode === unrecorded || exitCode === attention || exitCode === charge_failed;
  const code = isSignalCode(exitCode) ? EXIT_CODES.interrupted : exitCode;
  const kind = Object.values(ERRORS).find(({ exit }) => exit === code);
  return state === 'rejected' ? kind?.statuses !== undefined : state === 'not_sent' && kind?.row === state;
};

export const rowExit = (end: RowEnd): number =>
  end.exitCode !== undefined && saysMore(end) ? end.exitCode : STATE_EXITS[end.state];

/** The exit codes of a run over rows, the gravest first. */
const GRAVEST_FIRST: readonly number[] = [
  ...Object.values(ERRORS).flatMap(({ exit }) => (exit === EXIT_CODES.interrupted ? SIGNAL_CODES : [exit])),
  0,
];

/** The gravest of some exit codes; 0 if there is none. An unlisted code is graver than all listed ones. */
export const gravest = (codes: Iterable<number>): number =>
  [...codes].sort((a, b) => GRAVEST_FIRST.indexOf(a) - GRAVEST_FIRST.indexOf(b))[0] ?? 0;

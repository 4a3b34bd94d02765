import type { Violation } from './error.ts';
import { PayError } from './error.ts';
import { EXIT_CODES } from './exit.ts';
import type { RowEnd, RowState } from './row.ts';

/** What is wrong with one row: the column, or the flag, at fault, and a sentence. */
export interface ColumnFault {
  readonly column: string | undefined;
  readonly what: string;
}

/** How a row of a file has ended, or stands, with what a report says of it. */
export interface Settled extends RowEnd {
  /** What the report says of it, besides its number and its state. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Why it is no success, in one line. */
  readonly error?: string | undefined;
}

/** What came of the work on a row. */
export interface Worked extends Settled {
  /** The service asked to be left alone: for so many milliseconds, or 0 where it said no time. */
  readonly slowDown?: number;
  /** Nothing new may be started after this. */
  readonly stops?: PayError;
  /** Nothing was begun: the row is as it was before. */
  readonly untouched?: true;
}

const STATE_OF: Readonly<Partial<Record<PayError['kind'], RowState>>> = {
  rejected: 'rejected',
  not_sent: 'not_sent',
  interrupted: 'not_sent',
  usage: 'invalid',
  refused: 'refused',
};

/** The state that an error stands for: whatever is not known to be certain may have been done. */
const stateOf = ({ kind, detail }: PayError): RowState => {
  if (kind === 'auth') return detail.status === undefined ? 'not_sent' : 'rejected';
  // Found out when its intent was written already: the time of an account has passed since the file was checked.
  if (kind === 'usage' && detail.ledgerId !== undefined) return 'not_sent';
  return STATE_OF[kind] ?? 'unknown';
};

const wordsOf = ({ title, suggestion }: Violation): string =>
  suggestion === undefined ? title : `${title} (did you mean ${suggestion}?)`;

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

/** A row that ended with an error. */
export const endedWith = (error: PayError, fields: Settled['fields'] = {}): Settled => ({
  state: stateOf(error),
  exitCode: error.detail.exitCode ?? EXIT_CODES[error.kind],
  fields,
  error: oneLine(error),
});

/** Nothing was begun: the ledger could not be used, or a signal came while it was waited for. */
const wasNotBegun = ({ kind, detail }: PayError, begun: boolean): boolean =>
  kind === 'ledger' || (kind === 'interrupted' && !begun && detail.ledgerId === undefined);

/**
 * What an error on a row means for it and for the others: a key that is not taken and a ledger that can't be used end the
 * run, what is unknown does so unless it may go on, and a service that can't be reached is not hammered.
 */
export const workedWith = (
  thrown: unknown,
  how: { readonly continueOnUnknown: boolean; readonly begun?: boolean },
  fields: Settled['fields'] = {},
): Worked => {
  if (!(thrown instanceof PayError)) throw thrown;
  const settled = endedWith(thrown, fields);
  const { kind, detail } = thrown;
  if (wasNotBegun(thrown, how.begun === true)) {
    return { ...settled, untouched: true, ...(kind === 'ledger' ? { stops: thrown } : {}) };
  }
  const stops = detail.unrecorded === true || kind === 'auth' || (kind === 'unknown' && !how.continueOnUnknown);
  if (stops) return { ...settled, stops: thrown };
  return kind === 'not_sent' ? { ...settled, slowDown: 0 } : settled;
};

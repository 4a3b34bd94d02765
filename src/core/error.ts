import { nextTurn } from './async.ts';
import type { Flight } from './io.ts';
import { valueAt } from './json.ts';

/** One way in which a run can end badly. */
interface ErrorRow {
  /** Scripts branch on these numbers: they never change meaning. */
  readonly exit: number;
  readonly meaning: string;
  /** Advice on running the same command again. */
  readonly again: string;
  /** Outcome of a write that ended with this error after it was sent. `unknown`: it may have been applied. */
  readonly certain: 'rejected' | 'not_sent' | 'unknown';
  /** State of a row of a file that this error ended before its intent was stored. */
  readonly row: 'invalid' | 'not_sent' | 'refused' | 'rejected' | 'unknown';
  /** The service's answers that are this error. They prove that nothing was applied. */
  readonly statuses?: readonly number[];
}

/**
 * All errors, the gravest first: a run over many rows ends with the gravest (docs/exit-codes.md). A signal comes before
 * errors that the next run meets again, so that a script sees that rows are left. Code that detects an error names its
 * kind; everything else is looked up here.
 */
const ROWS = {
  internal: { exit: 1, meaning: 'a bug in paycli', again: 'no', certain: 'unknown', row: 'unknown' },
  usage: {
    exit: 2,
    meaning: 'bad arguments or input; nothing was sent',
    again: 'no, fix the input',
    certain: 'not_sent',
    row: 'invalid',
  },
  unrecorded: {
    exit: 7,
    meaning:
      "applied, but the result couldn't be saved or printed, or the next action couldn't be read; keep the line on stderr",
    again: 'no',
    certain: 'unknown',
    row: 'unknown',
  },
  unknown: {
    exit: 6,
    meaning: 'a write may have been applied',
    again: 'if the message says so',
    certain: 'unknown',
    row: 'unknown',
  },
  ledger: {
    exit: 10,
    meaning: "the ledger can't be used; nothing was sent",
    again: 'no',
    certain: 'unknown',
    row: 'unknown',
  },
  auth: {
    exit: 4,
    meaning: 'no usable profile or key, 401, 403, TLS not trusted, unsafe setting',
    again: 'no',
    certain: 'not_sent',
    row: 'not_sent',
    statuses: [401, 403],
  },
  read_failed: {
    exit: 8,
    meaning: "a read failed after its retries, or its answer couldn't be read; before a charge nothing was sent",
    again: 'yes',
    certain: 'unknown',
    row: 'not_sent',
  },
  interrupted: {
    exit: 130,
    meaning: 'stopped by a signal with nothing in flight (143 for SIGTERM), or you answered no',
    again: 'yes; a wait with `paycli activity wait`',
    certain: 'not_sent',
    row: 'not_sent',
  },
  rejected: {
    exit: 3,
    meaning: 'the service said no: 400, 402, 404, 405, 409, 415, 422',
    again: 'no',
    certain: 'rejected',
    row: 'rejected',
    statuses: [400, 402, 404, 405, 409, 415, 422],
  },
  charge_failed: {
    exit: 11,
    meaning: 'the charge or refund was made, and failed or was reversed; after a wait also: refunded',
    again: 'charge with another medium',
    certain: 'unknown',
    row: 'unknown',
  },
  underpaid: {
    exit: 13,
    meaning: 'only a part of the money came',
    again: 'charge the rest: `paycli ugwo charge --remaining`',
    certain: 'unknown',
    row: 'unknown',
  },
  not_sent: {
    exit: 5,
    meaning: 'nothing was applied, for certain: no connection, or 429 after all retries',
    again: 'yes',
    certain: 'not_sent',
    row: 'not_sent',
  },
  refused: {
    exit: 9,
    meaning: 'refused by paycli, nothing was sent. The message gives the reason',
    again: '`paycli ledger sync`, or `--again`',
    certain: 'unknown',
    row: 'refused',
  },
  pending: {
    exit: 12,
    meaning: 'a wait ended: the payment is open, or it has expired',
    again: 'open: wait again with `paycli activity wait`. Expired: charge again',
    certain: 'unknown',
    row: 'unknown',
  },
  attention: {
    exit: 14,
    meaning: 'something needs a person',
    again: 'no, settle the cases',
    certain: 'unknown',
    row: 'unknown',
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;

export type ErrorKind = keyof typeof ROWS;

export const ERRORS: Readonly<Record<ErrorKind, ErrorRow>> = ROWS;

const codes: Partial<Record<ErrorKind, number>> = {};
const rejections = new Map<number, ErrorKind>();
for (const kind of Object.keys(ERRORS) as ErrorKind[]) {
  const { exit, statuses = [] } = ERRORS[kind];
  codes[kind] = exit;
  for (const status of statuses) rejections.set(status, kind);
}

export const EXIT_CODES = codes as Readonly<Record<ErrorKind, number>>;

/** The kind of error for each status by which the service says no. Nothing was applied then. */
export const REJECTIONS: ReadonlyMap<number, ErrorKind> = rejections;

/** Exit code of a run that is ended abruptly: while a write is open, no code that invites a repeat. */
export const abruptExit = ({ open, accepted }: Flight, otherwise: number): number => {
  if (accepted > 0) return EXIT_CODES.unrecorded;
  return open > 0 ? EXIT_CODES.unknown : otherwise;
};

/**
 * One rule that a request broke: the service's wording (docs/service.md, Errors) and the flag behind it, if there is
 * one.
 */
export interface Violation {
  readonly propertyPath: string;
  readonly title: string;
  readonly option?: string;
  /** The title with its amounts in decimals, for an amount that was typed that way. */
  readonly inDecimals?: string;
  /** The probably intended value: a guess of ours. */
  readonly suggestion?: string;
  /** For a row of a file: its number, starting at 1, and its column. */
  readonly row?: number;
  readonly column?: string;
}

export interface ErrorDetail {
  /** Advice on the next step, in one or two sentences. */
  readonly hint?: string;
  /** The HTTP status, when the service answered. */
  readonly status?: number;
  /** The answer is complete, but describes another object than the requested one. */
  readonly isOther?: true;
  /** The service says that the requested object itself does not exist. */
  readonly isMissing?: true;
  /**
   * Earliest time of the next request, as the service stated it: milliseconds since the epoch. Nothing is sent before
   * it.
   */
  readonly retryAt?: number;
  /** Milliseconds after which the request may be read, checked and sent anew. Nothing of it was applied. */
  readonly resendAfter?: number | undefined;
  /** Code of a connection fault from the system, OpenSSL or the HTTP library; people get a sentence instead. */
  readonly code?: string;
  /** The title of the service's own error document. */
  readonly title?: string;
  readonly violations?: readonly Violation[];
  /** Names a field of the request in a sentence: its flag, or the column of a file. */
  readonly nameOf?: (field: string) => string | undefined;
  readonly request?: { readonly method: string; readonly path: string };
  /** The service's answer as JSON text: stored when it is the only trace of a completed write. */
  readonly answer?: string;
  /** The ledger could not record the outcome: `answer` is the line to store. */
  readonly unrecorded?: true;
  /** Reason for the refusal in a few words without names, to group many rows. */
  readonly reason?: string;
  /** Another charge is possible with --again. */
  readonly again?: true;
  /** An earlier charge of unknown outcome stands in the way. */
  readonly unresolved?: true;
  /** A limit is used up: the policy's for today, or what was approved of a file. */
  readonly spent?: true;
  /** The activity that this error is about, or that blocks the write, as JSON text. */
  readonly activity?: string;
  /** The ledger's identifier of the charge that this error is about. */
  readonly ledgerId?: string;
  readonly cause?: unknown;
  /** Overrides the exit code of the kind; only for a signal, whose number is part of the code. */
  readonly exitCode?: number;
}

/**
 * The one error class of this program: thrown where the fault is detected, rendered in one place. ERRORS says what
 * follows from its kind. `message` says what happened and why, without a full stop.
 */
export class PayError extends Error {
  override readonly name = 'PayError';
  readonly kind: ErrorKind;
  readonly detail: ErrorDetail;

  constructor(kind: ErrorKind, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.kind = kind;
    this.detail = detail;
  }

  /** The same error with another message. */
  saying(message: string): PayError {
    return new PayError(this.kind, message, this.detail);
  }

  /** The same error with more details. */
  with(detail: ErrorDetail): PayError {
    return new PayError(this.kind, this.message, { ...this.detail, ...detail });
  }
}

/** True if every other request to the service would fail in the same way now. */
export const endsAll = ({ kind, detail }: PayError): boolean => kind === 'auth' || detail.retryAt !== undefined;

export const usageError = (message: string, detail: ErrorDetail = {}): PayError =>
  new PayError('usage', message, detail);

/** Names a variable with its odd value, for an error. Not for a variable that may hold a secret. */
export const variableIs = (name: string, value: string): string =>
  value === '' ? `${name} is empty` : `${name} is "${value}"`;

/** Converts any value to a text; some values throw in `String()`. */
const textOfAny = (value: unknown): string => {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
};

/** An unexpected exception as an error of ours. Each relative path needs the working folder, so its lack is told here. */
export const defect = (thrown: unknown): PayError =>
  valueAt(thrown, 'syscall') === 'uv_cwd'
    ? usageError("the working folder doesn't exist", { hint: 'change to a folder that exists', cause: thrown })
    : new PayError('internal', `a bug in paycli: ${reasonOf(thrown)}`, {
        cause: thrown,
        hint: 'run it again with --debug and report what it prints',
      });

/** Message for any thrown value. */
export const reasonOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return textOfAny(thrown);
  if (thrown.message !== '') return thrown.message;
  const code = (thrown as { code?: unknown }).code;
  return typeof code === 'string' ? code : thrown.name;
};

/** The signals that end a run, and the exit code of each when no write was in flight. */
export const STOP_SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143, SIGQUIT: 143 } as const;
type StopSignal = keyof typeof STOP_SIGNALS;

export const signalWord = (signal: unknown): string => (signal === 'SIGINT' ? 'Ctrl-C' : String(signal));

/**
 * Error of a run that a signal stopped with no write in flight. `signal` is the reason of an aborted `stop`; `what`
 * says what was done before.
 */
export const interrupted = (signal: unknown, what = 'nothing was changed'): PayError => {
  const name = String(signal);
  const exitCode = Object.hasOwn(STOP_SIGNALS, name) ? STOP_SIGNALS[name as StopSignal] : STOP_SIGNALS.SIGINT;
  return new PayError('interrupted', `cancelled by ${signalWord(name)}; ${what}`, { exitCode });
};

/** Lets signals be handled, and throws after the first one. */
export const handleSignals = async (stop: AbortSignal | undefined): Promise<void> => {
  await nextTurn();
  if (stop?.aborted === true) throw interrupted(stop.reason);
};

/** Error of a run in which a person said no to a question, or gave no answer. */
export const declinedError = (): PayError => new PayError('interrupted', 'cancelled; nothing was changed');

/**
 * Closes a switch over a union: does not compile while a case is missing, and throws when a value slips through at run
 * time.
 */
export const unreachable = (value: never): never => {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
};

/** The one place that decides what is certain about a sent write after its error. */
export const outcomeOf = ({ kind, detail: { status } }: PayError): ErrorRow['certain'] => {
  const { statuses, certain } = ERRORS[kind];
  return status !== undefined && statuses?.includes(status) === true ? 'rejected' : certain;
};

/** True for the service's no to what was asked, which another key would get too. */
export const isRejected = (thrown: unknown): thrown is PayError =>
  thrown instanceof PayError && ERRORS[thrown.kind].certain === 'rejected';

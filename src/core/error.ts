import type { ErrorKind } from './exit.ts';

/** One rule that a request broke: the service's word (interface.md section 7) and the flag behind it, when there is one. */
export interface Violation {
  readonly propertyPath: string;
  readonly title: string;
  readonly option?: string;
  /** The title with its amounts in decimals, where the amount was typed so. */
  readonly inDecimals?: string;
  /** What may have been meant: a guess of ours. */
  readonly suggestion?: string;
  /** Where it is a row of a file: its number, from 1 on, and its column. */
  readonly row?: number;
  readonly column?: string;
}

export interface ErrorDetail {
  /** What to do next, in one or two sentences. */
  readonly hint?: string;
  /** The HTTP status, when the service answered. */
  readonly status?: number;
  /** The answer is whole, and about something else than was asked for. */
  readonly isOther?: true;
  /** The service says of the very thing that was asked for that it is not there. */
  readonly isMissing?: true;
  /** When the service may be asked again, as it said: milliseconds since the epoch. Nothing is sent to it before. */
  readonly retryAt?: number;
  /** What the system, OpenSSL or the HTTP library calls a connection's fault; people are told in words. */
  readonly code?: string;
  /** The title of the service's own error document. */
  readonly title?: string;
  readonly violations?: readonly Violation[];
  readonly request?: { readonly method: string; readonly path: string };
  /** What the service answered, as JSON text: kept where it is the only trace of something that was done. */
  readonly answer?: string;
  /** The ledger could not note what became of it: `answer` is the line to keep. */
  readonly unrecorded?: true;
  /** Why it was refused, in a few words that name nothing, for many rows at once. */
  readonly reason?: string;
  /** Another one can be made with --again. */
  readonly again?: true;
  /** An earlier one is unknown, and stands in the way. */
  readonly unresolved?: true;
  /** Nothing more is let through: by a policy today, or of a file than was approved. */
  readonly spent?: true;
  /** The activity that this is about, or that stands in the way, as JSON text. */
  readonly activity?: string;
  /** The ledger's name for the charge that this is about. */
  readonly ledgerId?: string;
  readonly cause?: unknown;
  /** Replaces the exit code of the kind; only for a signal, whose number is part of it. */
  readonly exitCode?: number;
}

/**
 * The one error of this program: thrown where the fault is known, rendered in one place, turned into an exit code
 * beside the one table (core/exit.ts). `message` says what happened and why, without a full stop.
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

  /** The same error in other words. */
  saying(message: string): PayError {
    return new PayError(this.kind, message, this.detail);
  }

  /** The same error with more known about it. */
  with(detail: ErrorDetail): PayError {
    return new PayError(this.kind, this.message, { ...this.detail, ...detail });
  }
}

/** Whether whatever else is asked of the service now would end likewise. */
export const endsAll = ({ kind, detail }: PayError): boolean => kind === 'auth' || detail.retryAt !== undefined;

export const usageError = (message: string, detail: ErrorDetail = {}): PayError =>
  new PayError('usage', message, detail);

/** Some values refuse to become a text. */
const textOf = (value: unknown): string => {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
};

/** What nothing expected, as an error of ours. */
export const defect = (thrown: unknown): PayError =>
  new PayError('internal', `a bug in paycli: ${reasonOf(thrown)}`, {
    cause: thrown,
    hint: 'run it again with --debug and report what it prints',
  });

/** What a message can say of any thrown thing. */
export const reasonOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return textOf(thrown);
  if (thrown.message !== '') return thrown.message;
  const code = (thrown as { code?: unknown }).code;
  return typeof code === 'string' ? code : thrown.name;
};

import type { ChargeRun } from '../charge/request.ts';
import type { Confirm } from '../cli/confirm.ts';
import type { Globals } from '../cli/globals.ts';
import type { CallInput, Client } from '../client/client.ts';
import type { OperationId } from '../contract/operations.ts';
import type { IdPrefix, NamedPrefix } from '../core/ids.ts';
import type { FlagOf, Guess, TargetOptions } from '../core/input.ts';
import type { Io } from '../core/io.ts';
import type { LedgerTarget } from '../ledger/entry.ts';
import type { Ledger, PlannedRows } from '../ledger/ledger.ts';
import type { Total } from '../ledger/policy.ts';
import type { Cells, FileFormat } from './cells.ts';
import type { RowSignals } from './pace.ts';
import type { ShowProgress } from './progress.ts';
import type { ReportFileOptions } from './report.ts';
import type { ColumnFault, RowEnd } from './row-end.ts';

/** The id that a name means: the only one, unless there is a problem. */
export interface Meant {
  readonly ids: readonly string[];
  readonly problem?: string;
  /** Follows the id where the record's name is spelled differently. */
  readonly note?: string;
}

/** The services that only a file of rows needs. */
export interface RowServices {
  /** The source that --from names: a file, or a stream that can be read only once and that a signal ends. */
  readonly source: (from: string) => { readonly path: string } | { readonly stdin: AsyncIterable<Uint8Array> };
  /** A private folder for the copy of the file. */
  readonly folder: string;
  /** A description of the file at a path that a report must not overwrite; undefined if the path is allowed. */
  readonly ownFileAt: (path: string) => string | undefined;
  /**
   * Throws if a path leads through another user's symbolic link or named pipe, or was replaced while it was opened.
   */
  readonly checkPath: ReportFileOptions['checkPath'];
  readonly progress: ShowProgress;
  /** Finds the ids of records by their names. */
  readonly idsOf: (prefix: NamedPrefix, names: readonly string[]) => Promise<ReadonlyMap<string, Meant>>;
}

/** The services of a command that sends a file of rows. */
export interface FileRun {
  readonly io: Pick<Io, 'clock' | 'flight' | 'random' | 'redactor' | 'signals'>;
  readonly globals: Pick<Globals, 'bom' | 'dryRun' | 'rawCsv' | 'validate' | keyof TargetOptions>;
  client(purpose: 'read' | 'write' | 'preview'): Promise<Client>;
  target(): Promise<LedgerTarget>;
  ledger(): Promise<Ledger>;
  say(text: string): Promise<void>;
  readonly ask: Confirm;
}

export interface RowDeps extends ChargeRun {
  readonly client: Client;
}

/** The column that identifies the object of a row. */
export interface KeyColumn {
  readonly name: string;
  /** The prefix of its identifiers; undefined if the key is no identifier. */
  readonly prefix?: IdPrefix;
  /** Other names of the same value in this program's output. */
  readonly aliases: readonly string[];
  /** The fault of a row without the key; undefined if rows may lack it. */
  readonly missing?: string;
  /** The fault of a row whose key is no valid identifier. */
  readonly wrong?: (text: string, problem: string) => string;
}

export interface RowItem<T> {
  readonly key: string;
  readonly item: T;
}

/** Works on a row once; signals the others meanwhile. Resolves to undefined for a row that has no result. */
export type RowWork<T> = (asked: RowItem<T>, row: number, signals: RowSignals) => Promise<RowEnd | undefined>;

/** Sends the rows of a job, each once over any number of runs. */
export interface RowSender<T> {
  /** The kind of the job in the ledger. */
  readonly kind: 'charge' | 'update';
  /** The stored results of the started rows from `first` to `last`. */
  readonly earlier: (first: number, last: number) => Promise<ReadonlyMap<number, RowEnd>>;
  /** True for a result after which the row is to be sent, or sent again. */
  readonly takesUp: (end: RowEnd) => boolean;
  /** Leases a slice of the rows for this run; resolves to false while another machine has it. */
  readonly lease: (slice: number) => Promise<boolean>;
  /** Returns what reads for a row ahead of its turn, and never rejects; undefined if no row needs such a read. */
  readonly openReadAhead?: () => ((asked: RowItem<T>, slowDown: RowSignals['slowDown']) => Promise<void>) | undefined;
  readonly send: RowWork<T>;
  /** Judges rows as `send` would start them, and adds those that it would send to the plan; undefined if it can't. */
  readonly judge?: ((planned: PlannedRows) => RowWork<T>) | undefined;
}

/** A job, and what its rows share. */
export interface RowJob<T> extends RowDeps {
  readonly job: string;
  readonly retry: boolean;
  readonly io: FileRun['io'];
  /** Rewrites the violations of an error to name the column or the flag behind each property. */
  readonly named: (thrown: unknown, item: T) => unknown;
  /** Prints a notice once in a run, however many rows cause it. */
  readonly tellOnce: (what: string, text: string) => Promise<void>;
}

/** The later outcomes of a job's rows. */
export interface Aftermath {
  /** Empty if there is nothing to report. */
  readonly text: string;
  readonly codes: readonly number[];
  /** Facts about finished rows that a person should know. */
  readonly notice: readonly string[];
  /** The next step for unfinished rows; undefined if there are none. */
  readonly hint: string | undefined;
  /** Fields to add to the job's record. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A check of a row before anything is sent. */
export interface RowCheck {
  /** Keeps the reads to the pace of the run. */
  readonly client: Client;
  /** True to return all reasons not to send the row (--check, or a policy that wants approvals). */
  readonly check: boolean;
}

/**
 * The parts of a bulk job that depend on the noun. The bulk module does all the rest: reading, planning, checking,
 * claiming, pacing, resuming, reporting.
 */
export interface RowKind<T> {
  readonly command: string;
  readonly words: {
    /** `Charge`, and the object of a row: `payment request`. */
    readonly verb: string;
    readonly one: string;
    /** The word for an accepted row. */
    readonly done: string;
    readonly findOut: string;
    /** The hint for rows that the guard has refused and --again would send. */
    readonly refused?: string;
  };
  readonly key: KeyColumn;
  /** The column whose ids may be names; undefined if it has to have ids. */
  readonly named?: readonly [column: string, prefix: NamedPrefix] | undefined;
  /**
   * The other columns that are read, in lower case: `a or b` are two columns, `a.k` is the column `a` and all that
   * begin with `a.`.
   */
  readonly columns: readonly string[];
  /** Cells of the template's row. A row with EXAMPLE in one is refused. A spreadsheet would drop the zeros of 5000.00. */
  readonly example: Readonly<Record<string, string>>;
  /** The report columns to add after those of the file, apart from `row`, `state` and `error`. */
  readonly report: readonly string[];
  /** The options that affect the requests, as a text. The same file with the same options is the same job. */
  readonly options: string;
  /** The option that sets the value of a column for every row; undefined if none does. */
  readonly flagOf: FlagOf;
  /** Throws if columns contradict each other, or if one is missing. */
  readonly checkColumns?: (columns: readonly string[], format: FileFormat) => void;
  /** Builds the item of a row; adds its faults to the cells. `name` is the name that the row has in place of an id. */
  readonly read: (cells: Cells, key: string, name: string | undefined) => T | undefined;
  /** The key that detects repeats, if it is not the key column's text. */
  readonly keyOf?: (item: T) => string;
  readonly request: (item: T) => { readonly operation: OperationId; readonly input: CallInput };
  /** Maps a body property to the column or flag that set it. */
  readonly columnOf: (item: T, columns: readonly string[]) => FlagOf;
  readonly guessOf?: (item: T) => Guess;
  /** The labels under which the confirmation question counts an item. */
  readonly counts: (item: T) => readonly string[];
  /** The amount of a row, in the minor unit, for the confirmation question; undefined if the row has none. */
  readonly money?: (item: T) => { readonly currency: string; readonly minor: number } | undefined;
  /** True if the job asks for confirmation on every service, also where no money is real. */
  readonly asks?: true;
  /** The total of the rows checked so far. Where this is defined, the rows may need another person's approval. */
  readonly checked?: () => Total;
  /** Called before the first row of a file under a policy that wants approvals: the amount of each row must be known. */
  readonly hold?: () => void;
  /** True for a row to compare with its object before anything is sent, also without --check. */
  readonly compares?: (item: T) => boolean;
  /**
   * Reads the object of a row and returns the reasons not to send it: without `check`, only the differences of a row
   * that `compares`. Throws the error of a failed read. Undefined if there is nothing to read.
   */
  readonly check?: (item: T, how: RowCheck) => Promise<readonly ColumnFault[]>;
  /** Notices about the objects that `check` has read. */
  readonly warnings?: () => readonly string[];
  /** True if --dry-run judges each row, by a read of its object and by the ledger. */
  readonly judges?: boolean;
  /** Opens the sender of a job's rows: see `ProtectedRows` and `RepeatableRows`. */
  readonly openSender: (job: RowJob<T>) => RowSender<T>;
  /** Does what earlier runs have left to do for a job's rows, before more are sent. */
  readonly resume?: ((job: string, rowDeps: RowDeps) => Promise<void>) | undefined;
  /** Waits for the final outcomes of a job's rows (--wait). */
  readonly follow?: ((job: string, services: RowServices, rowDeps: RowDeps) => Promise<Aftermath>) | undefined;
}

import type { NextAction } from './charge.ts';
import type { ErrorKind, PayError } from './error.ts';
import type { ApiPage, ApiRecord } from './record.ts';
import type { StatusWords } from './status.ts';

export const FORMATS = ['table', 'tsv', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export const isJsonFormat = (format: string | undefined): boolean => format === 'json' || format === 'ndjson';

/**
 * Format of a value for people. `enum` and `state` take a string or a `[value, label]` pair; a `state` is shown by its
 * word (see `statusWord`). `money` is an integer in the minor unit. A `count` is grouped by thousands; 0 leaves its
 * cell empty. A `customer` is shown by e-mail, else by name, else by uid. `mediums` are a list of objects with a
 * `medium` each. A `number`, `bool`, `id` or `any` is shown as a `text` is. Formats for programs (tsv, csv) show the
 * machine value instead.
 */
export type CellKind =
  | ('text' | 'time' | 'state' | 'enum' | 'money' | 'count' | 'customer' | 'mediums' | 'reason')
  | ('number' | 'bool' | 'id' | 'any');

export interface Column {
  /** The dotted path into the record; also the header, and the name for `--columns`. */
  readonly path: string;
  /** Path of the value to show where there is none at `path`. */
  readonly or?: string;
  readonly kind?: CellKind;
  /** Value for people, where the one at `path` says less than the record. */
  readonly shown?: (record: unknown) => unknown;
  /** For `state`: words that differ from the common ones. */
  readonly words?: StatusWords;
  /** Label on a card; the path by default. */
  readonly label?: string;
  /** May be shortened on a narrow terminal; identifiers and amounts may not. */
  readonly flexible?: boolean;
  /** Stays when a narrow terminal makes a table omit columns, as do all before it: only the last one says so. */
  readonly needed?: boolean;
  /** Smallest width when only needed columns are left. */
  readonly least?: number;
  /** Values differ at their end, so they are shortened at their start. */
  readonly endMatters?: boolean;
  /** Present in every table, even when the first records have no value; a count of 0 is shown. */
  readonly always?: boolean;
  /** In csv and tsv, but not on the card, where another cell has the same information, nor in a table by default. */
  readonly machineOnly?: boolean;
  /** Too long for a cell of a table; shown there only on request. */
  readonly cardOnly?: true;
  /** On the card and in the table, headed by its label, but neither in csv and tsv nor for `--columns`. */
  readonly peopleOnly?: boolean;
}

/** Columns that several resources have. */
export const amountColumn: Column = { path: 'amount', kind: 'money', needed: true };
export const createdColumn: Column = { path: 'created_at', kind: 'time', label: 'created' };
export const refColumn: Column = { path: 'ref', flexible: true, least: 6, endMatters: true };

/** Columns with these names, and what they have in common. */
export const columnsNamed = (names: string, more: Partial<Column> = {}): Column[] =>
  names.split(' ').map((path) => ({ path, ...more }));

/** Presentation of the records of one resource. */
export interface View {
  /** The contract's columns in order: binding for tsv and csv. */
  readonly columns: readonly Column[];
  /**
   * The columns of a table, the most important first: a narrow terminal drops the last ones. By default those of
   * `columns`.
   */
  readonly table?: readonly Column[];
  /** The customer's next step, if a record has one. */
  readonly nextAction?: (value: unknown) => NextAction | undefined;
  /** The amount that the customer has to pay, in place of the record's own. */
  readonly amount?: string | undefined;
  /** The payment request's ref, for a message to the customer. */
  readonly ref?: string | undefined;
  /** Lists inside the record, each shown as a table under its card. */
  readonly lists?: readonly InnerList[];
}

/** A list inside a record, such as the activities of a payment request. */
export interface InnerList {
  /** The dotted path of the array. */
  readonly path: string;
  /** Makes the rows from the whole record, where the elements alone don't say enough; undefined if it lists none. */
  readonly rowsOf?: (record: unknown) => readonly unknown[] | undefined;
  readonly heading: string;
  readonly columns: readonly Column[];
}

/** Ways to pass on the customer's next step, in addition to showing it or in place of that. */
export interface ShareOptions {
  /** Copies the account number or code to the terminal's clipboard; with `share`, the message. */
  readonly copy: boolean;
  /** Prints a message for the customer in place of the record. */
  readonly share: boolean;
  /** The file with the text of the message. */
  readonly shareTemplate?: string | undefined;
  /** Time zone of the expiry in the message, if it is not this machine's. */
  readonly shareZone?: string | undefined;
}

/** The customer's step of a record, as a message tells it. */
export interface ShareStep {
  readonly value: unknown;
  readonly action: NextAction | undefined;
  /** As text for people; undefined if the amount is unknown. */
  readonly amount: string | undefined;
  readonly now: number;
  /** Values that are not in the step. */
  readonly others?: Readonly<Record<string, string | undefined>>;
}

/** A message for a customer, or the reason why there is none; `lacks`: the placeholder that stays empty. */
export type Message = { readonly text: string } | { readonly why: string; readonly lacks?: string };

/** `write`: writes the message, where options change it. */
export type PassOn = ShareOptions & { readonly write?: (step: ShareStep) => Message };

/** State of a wait, as the line on a terminal shows it. */
export interface Waiting {
  /** The latest known status; undefined before the first one. */
  readonly status: string | undefined;
  /** End of the wait at the latest, in milliseconds of the monotonic clock (`ticks`). */
  readonly until: number;
  /** The last read has failed; the wait goes on. */
  readonly failing: boolean;
}

export interface Waited {
  readonly record: ApiRecord;
  readonly notice?: string | undefined;
  readonly failure?: PayError | undefined;
}

/** Current state as a table, with lines below it. */
export interface Board {
  readonly view: View;
  readonly records: readonly ApiRecord[];
  readonly below: readonly string[];
}

/** Messages after a result has been shown. */
export interface ResultNotices {
  /** One or more messages for people. */
  readonly notice?: string | readonly string[] | undefined;
  /** Final error of the run: a PayError, or the rejection of a wait. */
  readonly failure?: unknown;
}

/** Result of a command. Commands never print: rendering is the one job of output/. */
export type Result = {
  /** Text to print before the data, whatever their format. */
  readonly head?: string | undefined;
  /** The format unless another one is asked for. */
  readonly format?: Format;
} & (
  | {
      readonly kind: 'record';
      readonly record: ApiRecord;
      readonly view: View;
      /** The service has applied a write: the record must not get lost. */
      readonly wrote?: true;
      readonly passOn?: PassOn;
      /** One or more messages for people, printed after the record. */
      readonly notice?: string | readonly string[];
      /** Final error of the run, reported after the record is printed. */
      readonly failure?: PayError | undefined;
      /** Called once the record is printed. Resolves to the final error. */
      readonly after?: () => Promise<PayError | undefined>;
    }
  | {
      readonly kind: 'list';
      readonly pages: AsyncIterable<ApiPage>;
      readonly view: View;
      /** Maximum number of records to show; a notice reports it when it is reached. */
      readonly max?: number | undefined;
      /** The command that lists on from a cursor. */
      readonly goOn?: (cursor: string) => string;
      /** An empty list was reported already. */
      readonly saysEmpty?: true;
      /** Final error of the run, reported after the list is printed. */
      readonly failure?: PayError | undefined;
    }
  | { readonly kind: 'text'; readonly text: string; readonly failure?: PayError | undefined }
  /**
   * A wait: a terminal shows the record at once, then a countdown line, then the final record; other outputs get only
   * the final record.
   */
  | {
      readonly kind: 'wait';
      /** The record as known before the wait; undefined if nothing is known. */
      readonly record: ApiRecord | undefined;
      readonly view: View;
      readonly wrote?: true;
      readonly passOn?: PassOn;
      /** Waits; calls `tell` with each new state. Rejects when there is nothing to show in the end. */
      readonly wait: (tell: (waiting: Waiting) => void) => Promise<Waited>;
    }
  /**
   * A running view: the pages are its changes as they come, some of them empty. A terminal that can be redrawn shows a
   * board instead, drawn anew at each page.
   */
  | {
      readonly kind: 'live';
      readonly pages: AsyncIterable<ApiPage>;
      readonly view: View;
      /** The current board for a terminal with this number of rows. */
      readonly board: (rows: number) => Board;
      /** Called after the last page, or after the reader has closed the output. */
      readonly ended: () => ResultNotices;
    }
  /** A server in the foreground: the record is shown at once, then it runs until `done`. */
  | { readonly kind: 'service'; readonly record: ApiRecord; readonly view: View; readonly done: Promise<void> }
);

export interface OutputOptions {
  readonly format: Format;
  readonly columns: readonly string[] | undefined;
  readonly color: boolean;
  /** Colour of messages on stderr. */
  readonly noticeColor: boolean;
  /** Other lines are printed in between (--debug): nothing is redrawn. */
  readonly plain?: boolean;
  readonly quiet: boolean;
  /** Amounts of TSV and CSV in decimals instead of the minor unit. */
  readonly decimal?: boolean;
  readonly rawCsv: boolean;
  /** CSV begins with a byte order mark. */
  readonly bom?: boolean;
}

/** A filter of jq (--jq). An invalid filter is a usage error; an aborted one throws `interrupted`. */
export interface Filter {
  /** True if its output for a list, `{"data":[…]}`, is its output for one record after the other. */
  readonly isPerRecord: boolean;
  /** Loads jq, compiles the filter, and runs it on no input. */
  check(): Promise<void>;
  /**
   * Begins a run over JSON values: documents or, with `fromRecords`, records of a list. Results are indented or one per
   * line, and are written as they come, until `write` reports that the reader has closed the output. The function that
   * it returns takes the next part of the JSON, or nothing at the end, and returns what the filter wrote to stderr.
   */
  open(
    how: { readonly isIndented: boolean; readonly fromRecords: boolean },
    write: (text: string) => Promise<boolean>,
  ): (part?: string | Uint8Array) => Promise<string>;
}

/** Finding of `doctor` on one check. */
export interface CheckResult {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  /** The finding, in one sentence without a full stop. */
  readonly detail: string;
  /** Advice; null if there is nothing to do. */
  readonly advice: string | null;
  /** Error kind that a command would end with because of a failure; null for the other states. */
  readonly kind: ErrorKind | null;
}

/** Profile, origin and key that a call would use. */
export interface Identity {
  /** Null if the environment alone gives origin and key. */
  readonly name: string | null;
  readonly default: boolean;
  readonly origin: string;
  readonly environment: string;
  /** The key's last four characters; `command` when a command prints the key. */
  readonly key: string;
  readonly created_at: string | null;
  readonly key_from: 'environment' | 'profile' | 'command' | 'emulator';
  /** Person that the ledger names for decisions made here. */
  readonly operator: string;
  /** True if the service has just accepted the key; null if it was not asked. */
  readonly accepted: boolean | null;
}

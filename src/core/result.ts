import type { NextAction } from './charge.ts';
import type { ErrorKind, PayError } from './error.ts';
import type { ApiPage, ApiRecord } from './record.ts';

export const FORMATS = ['table', 'tsv', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/**
 * How a value is shown to people. `enum` and `state` take a string or a `[value, label]` pair; `money` is an integer in
 * the minor unit of the currency at `currency`; a `count` is grouped by thousands, and none is nothing to say; a `customer`
 * is shown by e-mail, else by name, else by uid; `mediums` are a list of objects with a `medium` each. Formats for programs (tsv, csv) show the machine's value instead.
 */
export type CellKind = 'text' | 'time' | 'state' | 'enum' | 'money' | 'count' | 'customer' | 'mediums';

export interface Column {
  /** The dotted path into the record; also the header, and the name for `--columns`. */
  readonly path: string;
  readonly kind?: CellKind;
  /** For `money`: the path of the currency. */
  readonly currency?: string;
  /** Words on a card; else the path. */
  readonly label?: string;
  /** May be shortened on a narrow terminal; identifiers and amounts may not. */
  readonly flexible?: boolean;
  /** Stays when a narrow terminal makes a table leave out columns; those before it must be needed too. */
  readonly needed?: boolean;
  /** How narrow it may become where only needed columns are left. */
  readonly least?: number;
  /** What tells its values apart is their end: they are shortened at their start. */
  readonly endMatters?: boolean;
  /** In every table, even where the first records have nothing in it; a count of none is said. */
  readonly always?: boolean;
  /** In csv and tsv, but not in the table or on the card, where another cell says it already. */
  readonly machineOnly?: boolean;
  /** Too much for a cell of a table, unless it is asked for. */
  readonly cardOnly?: true;
  /** On the card and in the table, headed by its label, but neither in csv and tsv nor for `--columns`. */
  readonly peopleOnly?: boolean;
}

/** How records of one resource are shown. */
export interface View {
  /** The contract's columns in order: binding for tsv and csv. */
  readonly columns: readonly Column[];
  /** What the customer must do next, where a record says so. */
  readonly nextAction?: (value: unknown) => NextAction | undefined;
  /** Lists inside the record, each shown as a table under its card. */
  readonly lists?: readonly InnerList[];
}

/** A list inside a record, such as the activities of a payment request. */
export interface InnerList {
  /** The dotted path of the array. */
  readonly path: string;
  readonly heading: string;
  readonly columns: readonly Column[];
}

/** Whether a code to dial is drawn as a QR code: `auto` where it can be scanned. */
export type QrWhen = 'auto' | 'always' | 'never';

/** How the customer's next step is passed on, besides or in place of being shown. */
export interface ShareOptions {
  /** Its account number or code goes to the terminal's clipboard; with `share`, the message. */
  readonly copy: boolean;
  /** A message to send to the customer is printed in place of the record. */
  readonly share: boolean;
  readonly qr: QrWhen;
}

/** How a wait stands: what the line on a terminal shows. */
export interface Waiting {
  /** The latest status that was seen; undefined where none was. */
  readonly status: string | undefined;
  /** When the wait ends at the latest, in milliseconds by the clock that nobody sets (`ticks`). */
  readonly until: number;
  /** The last read has failed; the wait goes on. */
  readonly failing: boolean;
}

/** What a wait ended with. */
export interface Waited {
  readonly record: ApiRecord;
  readonly notice?: string;
  readonly failure?: PayError;
}

/** How things stand at a moment: a table, and lines below it. */
export interface Board {
  readonly view: View;
  readonly records: readonly ApiRecord[];
  readonly below: readonly string[];
}

/** What is left to say once a result is shown. */
export interface ResultNotices {
  /** A word for people, or several. */
  readonly notice?: string | readonly string[];
  /** What the run ends with: a PayError, or whatever a wait was rejected with. */
  readonly failure?: unknown;
}

/** What a command gives back. Commands never print: rendering it is the one job of output/. */
export type Result =
  | {
      readonly kind: 'record';
      readonly record: ApiRecord;
      readonly view: View;
      /** The service has done something: the record must not get lost. */
      readonly wrote?: true;
      readonly passOn?: ShareOptions;
      /** A word for people, or several, once the record is printed. */
      readonly notice?: string | readonly string[];
      /** What the run ends with, once the record is printed. */
      readonly failure?: PayError;
    }
  | {
      readonly kind: 'list';
      readonly pages: AsyncIterable<ApiPage>;
      readonly view: View;
      /** At most so many records are shown; then a notice says so. */
      readonly max?: number;
      /** The command that goes on from a cursor. */
      readonly goOn?: (cursor: string) => string;
      /** Where it is empty, that was said already. */
      readonly toldEmpty?: true;
      /** What the run ends with, once the list is printed. */
      readonly failure?: PayError;
    }
  | { readonly kind: 'text'; readonly text: string }
  /**
   * Something that is waited for: on a terminal the record is shown at once, then a line that counts down, then what it
   * has become; elsewhere only what it has become.
   */
  | {
      readonly kind: 'wait';
      /** What is known before the wait; undefined where that is nothing. */
      readonly record: ApiRecord | undefined;
      readonly view: View;
      readonly wrote?: true;
      readonly passOn?: ShareOptions;
      /** Waits; `tell` is called whenever something new is known. Rejects when there is nothing to show in the end. */
      readonly wait: (tell: (waiting: Waiting) => void) => Promise<Waited>;
    }
  /**
   * Something that goes on: the pages are its changes as they come, some of them empty. On a terminal that can be written over
   * a board is shown instead, drawn anew at each of them.
   */
  | {
      readonly kind: 'live';
      readonly pages: AsyncIterable<ApiPage>;
      readonly view: View;
      /** As it now stands, for so many rows of a terminal. */
      readonly board: (rows: number) => Board;
      /** Asked once the pages have ended, or nobody reads them any more. */
      readonly ended: () => ResultNotices;
    }
  /** A server in the foreground: the record is shown at once, then it runs until `done`. */
  | { readonly kind: 'service'; readonly record: ApiRecord; readonly view: View; readonly done: Promise<void> };

/** What the user asked of the output. */
export interface OutputOptions {
  readonly format: Format;
  readonly columns: readonly string[] | undefined;
  readonly color: boolean;
  /** Colour of what is said on stderr. */
  readonly noticeColor: boolean;
  /** Other lines come in between (--debug): nothing is drawn over. */
  readonly plain?: boolean;
  readonly quiet: boolean;
  readonly rawCsv: boolean;
  /** CSV begins with a byte order mark. */
  readonly bom?: boolean;
  /** `auto` where nothing is said. */
  readonly qr?: QrWhen | undefined;
}

/** A filter of jq (--jq). What is wrong with it is a usage error; what stops it, `interrupted`. */
export interface Filter {
  /** Loads jq and compiles the filter; runs it on nothing. */
  check(): Promise<void>;
  /**
   * The filter over each of the JSON values in `text`, indented or a line each; what it prints is written as it comes, until
   * `write` says that nobody reads any more. Gives what it said on stderr.
   */
  run(text: string, isIndented: boolean, write: (text: string) => Promise<boolean>): Promise<string>;
}

/** What `doctor` has found of one thing. */
export interface CheckResult {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  /** How it is, in one sentence without a full stop. */
  readonly detail: string;
  /** What to do; null where there is nothing to do. */
  readonly advice: string | null;
  /** Of a failure, what a command would end as because of it; null for the rest. */
  readonly kind: ErrorKind | null;
}

/** Who a call would act as. */
export interface Identity {
  readonly profile: string | null;
  readonly origin: string;
  readonly environment: string;
  /** The key's last four characters; `command` where a command prints it. */
  readonly key: string;
  readonly key_from: 'environment' | 'profile' | 'command' | 'emulator';
  /** Who the ledger names for what is decided here. */
  readonly operator: string;
  /** Whether the service has taken the key just now; null where it was not asked. */
  readonly accepted: boolean | null;
}

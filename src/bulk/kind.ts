import type { CallInput } from '../client/client.ts';
import type { OperationId } from '../contract/operations.ts';
import type { PayError } from '../core/error.ts';
import type { IdPrefix } from '../core/ids.ts';
import type { FlagOf, Guess } from '../core/input.ts';
import type { Entry, RequestTerms } from '../ledger/entry.ts';
import type { Total } from '../ledger/policy.ts';
import type { Cells } from './cells.ts';
import type { RowSignals } from './pace.ts';
import type { RowEnd } from './row-end.ts';
import type { Doors, RowServices } from './world.ts';

/** The column that names what a row is about. */
export interface KeyColumn {
  readonly name: string;
  /** Where it is an identifier. */
  readonly prefix?: IdPrefix;
  /** Other names that the same thing has in the output of this program. */
  readonly aliases: readonly string[];
  /** What is said of a row without it; undefined where rows may be without. */
  readonly missing?: string;
  /** What is said of one that has no such identifier there. */
  readonly wrong?: (text: string, problem: string) => string;
}

/** A row that is being sent. */
export interface RowAttempt {
  readonly row: { readonly job: string; readonly number: number; readonly retry: boolean };
  readonly signals: RowSignals;
  /** Its process has heard how it ended, whatever that was: another row may take its place. */
  readonly judged: (thrown: unknown) => void;
  /** What people are told once in a run, however many rows it is about. */
  readonly tellOnce: (what: string, text: string) => Promise<void>;
}

/** What came of a row under the ledger's protocol. */
export type Done =
  | {
      readonly kind: 'made';
      readonly end: RowEnd;
      /** What is odd about it, a sentence each. */
      readonly odd: readonly string[];
      /** What the ledger could not note. */
      readonly unrecorded?: PayError | undefined;
    }
  /** The row had been done before. */
  | { readonly kind: 'kept'; readonly entry: Entry };

/** Rows that must never be sent twice. */
export interface Protected<T> {
  readonly kind: 'protected';
  /** The column of the report for its name in the ledger. */
  readonly idColumn: string;
  /** Sends it under the ledger's protocol, as one that is sent by itself; throws the guard's no. */
  readonly once: (item: T, attempt: RowAttempt, doors: Doors) => Promise<Done>;
  /** Looks once at what became of an unknown one, and gives it as it stands then; undefined where the service shows nothing of its kind. */
  readonly settle?: (id: string, doors: Doors) => Promise<Entry | undefined>;
  /** How a row stands by what the ledger has of it. */
  readonly kept: (entry: Entry, doors: Doors) => RowEnd;
}

/** Rows that set what is absolute: where a read shows that nothing of it was applied, they are sent again. */
export interface Repeatable<T> {
  readonly kind: 'repeatable';
  /** Whether what is sent depends on what a read shows. */
  readonly readsFirst: (item: T) => boolean;
  /** Whether it is there already, and what is to be sent: undefined where nothing would change. */
  readonly look: (item: T) => Promise<{ readonly applied: boolean; readonly item: T | undefined }>;
}

/** What has become of the rows of a job since they were sent. */
export interface Aftermath {
  /** Empty where there is nothing to say. */
  readonly text: string;
  readonly codes: readonly number[];
  /** What to do about what is left; undefined where nothing is. */
  readonly hint: string | undefined;
  /** What the record says of it. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * What a noun makes of the rows of a file. All else is done here: reading, planning, checking, claiming, pacing, resuming,
 * reporting.
 */
export interface RowKind<T> {
  readonly command: string;
  readonly words: {
    /** `Charge`, and what a row is about: `payment request`. */
    readonly verb: string;
    readonly one: string;
    /** What a row is called that was accepted. */
    readonly done: string;
    /** What to do about rows that are unknown. */
    readonly findOut: string;
    /** What to do about rows that the guard has refused, and --again would send. */
    readonly refused?: string;
  };
  readonly key: KeyColumn;
  /** The names of the other columns that are read, in lower case; a dot at the end stands for all that begin so. */
  readonly columns: readonly string[];
  /** The same in words. */
  readonly allColumns: string;
  /** The columns of the report that come behind those of the file, `row`, `state` and `error` apart. */
  readonly report: readonly string[];
  /** The options that shape the requests, as a text: with the same file, the same ones again are the same job. */
  readonly options: string;
  /** Throws where columns and options can't stand together. */
  readonly checkColumns: (columns: readonly string[]) => void;
  /** What a row asks for; what is wrong with it is told to the cells. */
  readonly read: (cells: Cells, key: string) => T | undefined;
  /** What a row is known by, where that is not its key as it stands: another one of the same is a repeat. */
  readonly keyOf?: (item: T) => string;
  /** The request that it becomes. */
  readonly request: (item: T) => { readonly operation: OperationId; readonly input: CallInput };
  /** The column, or the flag, that a property of the body came from. */
  readonly columnOf: (item: T, columns: readonly string[]) => FlagOf;
  readonly guessOf?: (item: T) => Guess;
  /** What the question before the first row counts it as. */
  readonly counts: (item: T) => readonly string[];
  /** What the rows come to by themselves, for the same question: undefined of one that does not say. */
  readonly money?: (item: T) => { readonly currency: string; readonly minor: number } | undefined;
  /** It is asked about wherever it is sent, not only where money may be real. */
  readonly asks?: true;
  /** What the rows come to that were checked so far. Where it is there, they may need another person's approval. */
  readonly checked?: () => Total;
  /** Called before the first row is sent of a file that was checked, with what counts a row and says whether the file may still be sent. */
  readonly hold?: (spend: (asked: RequestTerms) => boolean) => void;
  /** Looks at what a row is about, and gives what keeps it from being sent (--check); throws what the read throws. Undefined where there is nothing to look at. */
  readonly check?: (key: string, slowDown: RowSignals['slowDown']) => Promise<readonly string[]>;
  readonly sending: Protected<T> | Repeatable<T>;
  /** Waits for what comes of the rows of a job (--wait). */
  readonly follow?: ((job: string, world: RowServices, doors: Doors) => Promise<Aftermath>) | undefined;
}

/** How a ledger stands; what is not known, or is not of its kind, is left out. */
export interface LedgerStatus {
  readonly kind: 'file' | 'postgres';
  /** A path, or an address without anything secret. */
  readonly at: string;
  /** Where that is set: `PAYCLI_LEDGER`, a profile; undefined for the file of this machine. */
  readonly from: string | undefined;
  /** Of its tables; undefined where there is none yet. */
  readonly schema: number | undefined;
  /** What the server says it is. */
  readonly version?: string;
  readonly user?: string;
  /** Whether that user may make and change the tables. */
  readonly owner?: boolean;
  /** How far the server's clock is ahead of this machine's, in milliseconds. */
  readonly clockAhead?: number;
  /** How each standby is kept up: `sync`, `async`, … */
  readonly standbys?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  /** What keeps it from holding what it promises, a sentence each. */
  readonly warnings: readonly string[];
}

/** What a local ledger has given to a shared one. */
export interface Pushed {
  readonly charges: number;
  readonly jobs: number;
  readonly updates: number;
  /** What was there before. */
  readonly known: number;
  /** Those that are still open while the shared ledger has another open one of the same payment request. */
  readonly kept: readonly string[];
}

/** A copy of a ledger. */
export interface Copied {
  /** The path of the copy, absolute. */
  readonly file: string;
  readonly bytes: number;
  /** How many entries it holds. */
  readonly entries: number;
}

/** What is done to a ledger as a whole. Failures are those of the ledger, or a `usage` error where there is nothing to do it to. */
export interface LedgerAdmin {
  status(): Promise<LedgerStatus>;
  /** Makes the tables of a shared ledger, and gives these roles the rights of an operator. */
  init(operators: readonly string[]): Promise<{ readonly at: string; readonly made: boolean; readonly schema: number }>;
  /** Brings the tables of a shared ledger to this program's version. */
  migrate(): Promise<{ readonly at: string; readonly from: number; readonly to: number }>;
  /** Takes what the ledger of this machine knows into the shared one. */
  push(): Promise<Pushed & { readonly at: string }>;
  /** Copies the ledger of this machine, as of one moment, into a file that is not there. */
  backUp(file: string): Promise<Copied>;
}

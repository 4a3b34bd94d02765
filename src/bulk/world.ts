import type { Confirm } from '../cli/confirm.ts';
import type { Globals } from '../cli/globals.ts';
import type { Client } from '../client/client.ts';
import type { TargetOptions } from '../core/input.ts';
import type { Clock, Io } from '../core/io.ts';
import type { LedgerTarget } from '../ledger/entry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerContext } from '../ledger/send.ts';
import type { ShowProgress } from './progress.ts';
import type { OpenOptions } from './report.ts';

/** Remembers the first row of each key. */
export interface KeySet {
  firstAt(key: string, row: number): number | undefined;
}

/** The services that a job needs. */
export interface RowServices {
  readonly clock: Pick<Clock, 'ticks' | 'sleep'>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** The first and the second signal of the user. */
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
  /** The source that --from names: a file, or a stream that can be read only once and that a signal ends. */
  readonly source: (from: string) => { readonly path: string } | { readonly stdin: AsyncIterable<Uint8Array> };
  /** A private folder for the copy of the file. */
  readonly folder: string;
  /** A description of the file at a path that a report must not overwrite; undefined where the path is allowed. */
  readonly ownFileAt: (path: string) => string | undefined;
  /**
   * Throws where a path leads through another user's symbolic link or named pipe, or was replaced while it was opened.
   */
  readonly checkPath: OpenOptions['checkPath'];
  /** Removes secrets from a text. */
  readonly clean: (text: string) => string;
  /** Writes CSV reports unguarded, for programs (--raw-csv). */
  readonly rawCsv: boolean;
  /** Begins a CSV report with a byte order mark even where the input has none (--bom). */
  readonly bom: boolean;
  readonly openSeen: () => KeySet & { close(): void };
  readonly notice: (text: string) => Promise<void>;
  readonly progress: ShowProgress;
}

/** The dependencies of a file of rows. */
export interface FileDeps {
  readonly io: Pick<Io, 'clock' | 'flight' | 'signals'>;
  readonly globals: Pick<Globals, 'dryRun' | 'validate' | keyof TargetOptions>;
  client(purpose: 'read' | 'write' | 'preview'): Promise<Client>;
  place(): Promise<LedgerTarget>;
  ledger(): Promise<Ledger>;
  jobWorld(): Promise<RowServices>;
  readonly confirm: Confirm;
  /** The person who runs this. */
  operator(): Promise<string>;
}

/** The dependencies for sending a row. */
export interface RowDeps extends LedgerContext {
  readonly client: Client;
}

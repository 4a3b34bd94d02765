import type { Confirm } from '../cli/confirm.ts';
import type { Globals } from '../cli/globals.ts';
import type { Client } from '../client/client.ts';
import type { Clock, Io } from '../core/io.ts';
import type { LedgerTarget } from '../ledger/entry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerRoom } from '../ledger/room.ts';
import type { ShowProgress } from './progress.ts';
import type { OpenOptions } from './report.ts';

/** Remembers which keys were seen, and in which row first. */
export interface KeySet {
  firstAt(key: string, row: number): number | undefined;
}

/** What a job needs of the world. */
export interface RowServices {
  readonly clock: Pick<Clock, 'ticks' | 'sleep'>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** The first and the second signal of the user. */
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
  /** What --from names: a file, or what can be read only once, which a signal ends. */
  readonly source: (from: string) => { readonly path: string } | { readonly stdin: AsyncIterable<Uint8Array> };
  /** A private folder for the copy of the file. */
  readonly folder: string;
  /** What a path leads to that a report must not be written to; undefined where it may. */
  readonly ownFileAt: (path: string) => string | undefined;
  /** Throws where a path leads through what others may have put there, or not to what was opened. */
  readonly checkPath: OpenOptions['checkPath'];
  /** Takes secrets out of a text. */
  readonly clean: (text: string) => string;
  /** A report in CSV is written as it is, for programs (--raw-csv). */
  readonly rawCsv: boolean;
  /** It begins with a byte order mark, as it does where the input has one (--bom). */
  readonly bom: boolean;
  readonly openSeen: () => KeySet & { close(): void };
  readonly notice: (text: string) => Promise<void>;
  readonly progress: ShowProgress;
}

/** What a file of rows is given of all that a command may reach. */
export interface FileDeps {
  readonly io: Pick<Io, 'clock' | 'flight' | 'signals'>;
  readonly globals: Pick<Globals, 'dryRun' | 'validate'>;
  client(purpose: 'read' | 'write' | 'preview'): Promise<Client>;
  place(): Promise<LedgerTarget>;
  ledger(): Promise<Ledger>;
  protocol(): Promise<LedgerRoom>;
  jobWorld(): Promise<RowServices>;
  readonly confirm: Confirm;
  /** Who runs this. */
  operator(): Promise<string>;
}

/** What sending a row may reach. */
export interface Doors {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly protocol: LedgerRoom;
  readonly place: LedgerTarget;
}

import type { Confirm } from '../cli/confirm.ts';
import type { Globals } from '../cli/globals.ts';
import type { Client } from '../client/client.ts';
import type { Io } from '../core/io.ts';
import type { ApiRecord } from '../core/record.ts';
import type { Result } from '../core/result.ts';
import type { LedgerTarget, RequestTerms } from '../ledger/entry.ts';
import type { Ledger, Observed } from '../ledger/ledger.ts';
import type { StatusLine } from '../output/status-line.ts';

/**
 * Purpose of a client. `write` shows the target on a terminal before it writes. `preview` needs no key since nothing is
 * sent.
 */
type CallPurpose = 'read' | 'write' | 'preview';

/** A charge that was planned before. It can be carried out once. */
export interface PlannedCharge {
  readonly id: string;
  /** The charge is refused if the payment request asks for anything else now. */
  readonly asked: RequestTerms;
}

/**
 * Runs a command within this run, for the same target, as JSON, and collects its output. `signal` stops it like the
 * first signal of the process, and its reason says who did. `around` runs its handler, and may give it another run, or a
 * plan to carry out.
 */
export type Inner = (
  argv: readonly string[],
  signal: AbortSignal,
  around?: (run: Run, go: (run: Run, plan?: PlannedCharge) => Promise<Result>) => Promise<Result>,
) => Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;

/** State of a run that ends with it. */
export interface RunState {
  /** Opens the ledger only to read it, as a dry run does. */
  readOnly?: true;
  /** Names of the profiles in the settings now; set once the run has read one of them. */
  profiles?: () => readonly string[];
  /** Releases the resources, in reverse order. */
  readonly closing: (() => Promise<void>)[];
  /** The record that was read to find a name. The read that the command itself needs takes it. */
  known?: ApiRecord;
  /** True if the run has printed the record that it is about. */
  hasShown?: true;
  /** Called after a person has answered a question. Throws if what it was about has changed meanwhile. */
  recheck?: () => Promise<void>;
  readonly status: {
    line?: StatusLine;
    /** Words of the command, for the line of a silent run; undefined for none, where silence is normal. */
    words?: string | undefined;
    /** The progress that this line shows, such as `1,200 of 100,000 read`. A command may set it. */
    doing?: () => string | undefined;
    /** The host of a request under way. */
    host?: string | undefined;
    /** Takes notices while a pager has the terminal; they are printed after it. */
    hold?: ((text: string) => void) | undefined;
  };
}

/** One run of the program, as its handler sees it. What only some handlers need, these import. */
export interface Run {
  readonly io: Io;
  readonly globals: Globals;
  /** The client for the profile, origin and key of this run, or for others. */
  client(purpose: CallPurpose, other?: { readonly origin: string; readonly key: string }): Promise<Client>;
  /** Target of that client's requests, as the ledger stores it. */
  target(): Promise<LedgerTarget>;
  /** The ledger of this run, opened at the first call. */
  ledger(): Promise<Ledger>;
  /**
   * Records what an answer shows of the ledger's charges, if there is a ledger: the answer is an activity, or a payment
   * request. Never fails. Resolves to the ledger's charges and refunds of the activities.
   */
  observe(of: 'activity' | 'request', record: ApiRecord): Promise<Observed | undefined>;
  /** Prints one or several lines for people on stderr. Prints nothing with --quiet. */
  say(said: string | readonly string[]): Promise<void>;
  readonly ask: Confirm;
  readonly inner: Inner;
  readonly state: RunState;
}

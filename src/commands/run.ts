import type { RowServices } from '../bulk/kind.ts';
import type { PaidBack } from '../charge/payment.ts';
import type { Choices } from '../cli/ask.ts';
import type { Confirm } from '../cli/confirm.ts';
import type { Globals } from '../cli/globals.ts';
import type { Tree } from '../cli/tree.ts';
import type { Client, Preview } from '../client/client.ts';
import type { Folders } from '../config/machine.ts';
import type { ProfileRoom } from '../config/profiles.ts';
import type { SecretSources } from '../config/secrets.ts';
import type { ReadSource } from '../core/input.ts';
import type { Env, Io } from '../core/io.ts';
import type { ApiRecord } from '../core/record.ts';
import type { CheckResult, Identity, Result } from '../core/result.ts';
import type { EmulatorRoom } from '../emulator/room.ts';
import type { LedgerTarget, RequestTerms, Scope } from '../ledger/entry.ts';
import type { Ledger, LedgerAdmin } from '../ledger/ledger.ts';
import type { Secrets } from '../webhook/event.ts';

/**
 * Purpose of a client. `write` shows the target on a terminal before it writes. `preview` needs no key since nothing is
 * sent.
 */
export type CallPurpose = 'read' | 'write' | 'preview';

/** Sources of the secrets: for live events, and for sandbox events if they have others. */
export interface SecretOptions {
  readonly main: SecretSources;
  readonly sandbox: SecretSources;
}

/** A charge that was planned before. */
export interface PlannedCharge {
  readonly id: string;
  /** The charge is refused if the payment request asks for anything else now. */
  readonly asked: RequestTerms;
}

/**
 * Runs a command within this run, for the same target, as JSON, and collects its output. `signal` stops it like the
 * first signal of the process, and its reason says who did. `around` runs its handler, and may give it other services.
 */
export type Inner = (
  argv: readonly string[],
  signal: AbortSignal,
  around?: (run: Run, go: (run: Run) => Promise<Result>) => Promise<Result>,
) => Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;

/** Services that a command may use. Each is loaded at its first use. */
/** A program to start: its absolute path, and the environment without the key and without untrusted folders of PATH. */
export interface ChildProgram {
  readonly file: string;
  readonly env: Env;
}

export interface Run {
  readonly io: Io;
  readonly globals: Globals;
  /** The client for the profile, origin and key of this run. */
  client(purpose: CallPurpose): Promise<Client>;
  /** Target of that client's requests, as the ledger stores it. */
  target(): Promise<LedgerTarget>;
  /** Ledger entries that a command covers if it names none: those of this run's service and workspace. */
  scope(): Promise<Scope>;
  /** The ledger of this run, opened at the first call. */
  ledger(): Promise<Ledger>;
  /** Administration of the ledger: its place, its tables, its backup, and the copy into a shared ledger. */
  ledgerAdmin(): Promise<LedgerAdmin>;
  /** Throws if a URL can't be a ledger's address. Does not connect. */
  checkLedger(url: string): Promise<void>;
  /**
   * Records what an answer shows of the ledger's charges, if there is a ledger: the answer is an activity, or a payment
   * request. Never fails. Resolves to the ledger's refunds of the activities.
   */
  observe(of: 'activity' | 'request', record: ApiRecord): Promise<PaidBack | undefined>;
  /**
   * Begins to rename a profile in this machine's ledger. Returns the number of its entries, the name of the shared
   * ledger that the profile uses, which is left alone, and the call to make once the settings are stored, if any.
   */
  renameInLedger(
    from: string,
    to: string,
  ): Promise<{
    readonly entries: number;
    readonly shared: string | undefined;
    readonly end: (() => Promise<unknown>) | undefined;
  }>;
  /** The tree of all commands. */
  tree(): Promise<Tree>;
  /** Services that a file of rows needs. */
  rowServices(): Promise<RowServices>;
  /** Name of the person who runs this. The ledger records it with a decision. */
  operator(): Promise<string>;
  profiles(): Promise<ProfileRoom>;
  /** Checks with the smallest read whether the service accepts this key. Throws the error of the read. */
  probe(target: { readonly origin: string; readonly key: string }): Promise<void>;
  /** Checks everything that a command depends on; sends nothing to the service if `offline`. */
  checkUp(offline: boolean): Promise<readonly CheckResult[]>;
  /** Identity that a call with this profile would use. With `check`, asks the service whether it accepts the key. */
  whoAmI(profile: string | undefined, check: boolean): Promise<Identity>;
  folders(): Promise<Folders>;
  emulator(): Promise<EmulatorRoom>;
  /** The secrets that sign deliveries. Asks for one on a terminal if none are named. */
  webhookSecrets(options: SecretOptions): Promise<Secrets>;
  /** A program: the given path, or found on PATH outside the working folder. Undefined if not found. */
  findProgram(word: string): Promise<ChildProgram | undefined>;
  /** Function that signals a whole process group; undefined on a system without groups. */
  signalGroup(): Promise<((pid: number, name: NodeJS.Signals) => void) | undefined>;
  /** User id; undefined on a system without user ids. */
  user(): Promise<number | undefined>;
  /** Raw bytes of a file, or of standard input for `-`. Throws a usage error beyond the limit. */
  bytes(from: string, limit: number): Promise<Uint8Array>;
  /** Text of an option: inline, from a file, or from standard input. */
  readonly source: ReadSource;
  readonly ask: Confirm;
  /** Lets a person choose from a list. Call only if somebody can be asked. */
  choose(from: Choices): Promise<string>;
  /** Prints one or several lines for people on stderr. Prints nothing with --quiet. */
  say(said: string | readonly string[]): Promise<void>;
  readonly inner: Inner;
  /** The plan that a charge carries out; it can be carried out once. */
  readonly plan?: PlannedCharge;
  /** Result of --dry-run and --as-curl. */
  preview(request: Preview): Result;
}

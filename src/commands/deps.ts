import type { BulkRoom } from '../bulk/room.ts';
import type { RowServices } from '../bulk/world.ts';
import type { Choices } from '../cli/ask.ts';
import type { Confirm } from '../cli/confirm.ts';
import type { Globals } from '../cli/globals.ts';
import type { Tree } from '../cli/tree.ts';
import type { Called, CallInput, Client, Preview } from '../client/client.ts';
import type { Folders } from '../config/folders.ts';
import type { ProfileRoom } from '../config/profiles.ts';
import type { SecretSources } from '../config/webhook-secret.ts';
import type { ListId } from '../contract/operations.ts';
import type { PayError } from '../core/error.ts';
import type { ReadSource } from '../core/input.ts';
import type { Io } from '../core/io.ts';
import type { ApiRecord } from '../core/record.ts';
import type { CheckResult, Identity, Result } from '../core/result.ts';
import type { EmulatorRoom } from '../emulator/room.ts';
import type { LedgerTarget, RequestTerms, Scope } from '../ledger/entry.ts';
import type { Ledger, LedgerAdmin } from '../ledger/ledger.ts';
import type { LedgerRoom } from '../ledger/room.ts';
import type { Secrets } from '../webhook/event.ts';
import type { WebhookRoom } from '../webhook/room.ts';

/**
 * What a client is wanted for: `write` shows on a terminal where it will write, `preview` needs no key since nothing is
 * sent.
 */
export type CallPurpose = 'read' | 'write' | 'preview';

/** How something is sent that must not be made twice. */
export interface OnceOptions {
  readonly about: string;
  readonly question?: readonly string[];
  /** What is typed in full to answer it, where it is no practice. */
  readonly typed?: string;
  readonly saying?: string;
  readonly once?: boolean;
  readonly again?: boolean;
  /** Why nothing came of what an answer shows; undefined where something did. */
  readonly failure?: (value: unknown) => string | undefined;
}

/** What this machine has come by in searches, so that the same one again is a single request. Neither ever fails. */
export interface SeenBefore {
  note(list: ListId, seen: readonly { readonly field: string; readonly text: string; readonly uid: string }[]): void;
  /** Identifiers of what had that text in a field when it was seen. */
  find(list: ListId, field: string, text: string): readonly string[];
}

/** Which secrets are meant: of live events, and of the sandbox's where they have others. */
export interface SecretOptions {
  readonly main: SecretSources;
  readonly sandbox: SecretSources;
}

/** What a command may reach, each room loaded when it is first asked for. */
export interface Deps {
  readonly io: Io;
  readonly globals: Globals;
  /** The client for the profile, origin and key that this run means. */
  client(purpose: CallPurpose): Promise<Client>;
  /** Where that client's requests go, as the ledger keeps it. */
  place(): Promise<LedgerTarget>;
  /** Which entries of the ledger a command is about that names none: those of the service and workspace that this run means. */
  scope(): Promise<Scope>;
  /** The ledger of this machine, opened at the first call. */
  ledger(): Promise<Ledger>;
  /** Looks after the ledger itself: where it is kept, its tables, and what goes from one to the other. */
  ledgerAdmin(): Promise<LedgerAdmin>;
  /** Throws where an address can be no ledger's; connects to nothing. */
  checkLedger(url: string): Promise<void>;
  /**
   * Tells the ledger, where there is one, how activities stand by now, from which answer that is known, and what their payment
   * request asks for; never fails.
   */
  observe(
    activities: readonly unknown[],
    from: Pick<ApiRecord, 'servedAt' | 'age'>,
    asked?: RequestTerms,
  ): Promise<void>;
  /** The protocol around the ledger: how a charge is sent once, and what may be concluded of one that is unknown. */
  protocol(): Promise<LedgerRoom>;
  /**
   * Sends one request, no charge, that must not be made twice: the ledger has its intent before, and what became of it after.
   * `about` is what it is done to; `question` is asked before, else `saying` is said on a terminal. With `once`, one that was
   * made stands in the way of another, unless `again`. Gives what is to be shown.
   */
  once(
    called: Called,
    input: CallInput,
    how: OnceOptions,
  ): Promise<{ readonly record: ApiRecord; readonly wrote: true; readonly failure?: PayError }>;
  /** The commands there are. */
  tree(): Promise<Tree>;
  /** Files of rows, and how they are worked off. */
  bulk(): Promise<BulkRoom>;
  /** What that needs of the world. */
  jobWorld(): Promise<RowServices>;
  /** Told of a walk over many pages: its memory stays the same, however many. */
  holdMemory(): Promise<void>;
  /** What was seen in earlier searches; undefined where nothing is to be remembered, or can be. */
  seenBefore(): Promise<SeenBefore | undefined>;
  /** Removes all of that. */
  forgetSeen(): Promise<{ readonly file: string; readonly removed: boolean }>;
  /** Who runs this, for what the ledger records of a person's decision. */
  operator(): Promise<string>;
  profiles(): Promise<ProfileRoom>;
  /** Asks the service whether it takes this key, by the smallest read there is; throws what the read throws. */
  probe(target: { readonly origin: string; readonly key: string }): Promise<void>;
  /** Looks at all that a command depends on; without the service where that is not to be asked. */
  checkUp(offline: boolean): Promise<readonly CheckResult[]>;
  /** Who a call would act as; with `check` the service is asked whether it takes the key. */
  whoAmI(check: boolean): Promise<Identity>;
  folders(): Promise<Folders>;
  emulator(): Promise<EmulatorRoom>;
  /** Receiving, keeping and forwarding what the service sends. */
  webhooks(): Promise<WebhookRoom>;
  /** The secrets that deliveries are signed with; asked for on a terminal where none are named. */
  webhookSecrets(options: SecretOptions): Promise<Secrets>;
  /** The absolute path of a program: given as one, or found on PATH outside the working folder; undefined where it isn't. */
  findProgram(word: string): Promise<string | undefined>;
  /** Sends a signal to all of a group of processes; undefined on a system without groups. */
  signalGroup(): Promise<((pid: number, name: NodeJS.Signals) => void) | undefined>;
  /** This user; undefined where there are no such numbers. */
  user(): Promise<number | undefined>;
  /** The bytes behind a name, as they are: a file, or `-` for standard input; a usage error beyond the limit. */
  bytes(from: string, limit: number): Promise<Uint8Array>;
  /** The text behind an option: inline, a file, or standard input. */
  readonly source: ReadSource;
  readonly confirm: Confirm;
  /** Lets a person choose; only where somebody can be asked. */
  choose(from: Choices): Promise<string>;
  /** A line on stderr for people, or several, not shown with --quiet. */
  notice(said: string | readonly string[]): Promise<void>;
  /** What --dry-run and --as-curl give back. */
  preview(request: Preview): Result;
}

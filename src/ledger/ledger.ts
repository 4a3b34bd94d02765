import type { ChargeState } from '../core/charge.ts';
import type {
  Entry,
  Evidence,
  Intent,
  KeptActivity,
  Moment,
  Outcome,
  RequestTerms,
  Resolution,
  Scope,
} from './entry.ts';
import type { Jobs } from './job.ts';
import type { Allowance, AllowanceOf, Approval, Forbidden, KeptPolicy } from './policy.ts';
import type { Snapshot } from './snapshot.ts';

/** What pruning would come to. */
export interface Prunable {
  readonly count: number;
  /** Those that are left as they are, since something may still become of them. */
  readonly open: number;
}

/** What was looked at, and what is wrong, a sentence each. */
export interface Verified {
  readonly entries: number;
  readonly jobs: number;
  readonly faults: readonly string[];
}

/** Policies, and what people have approved under them. Failures are those of the ledger itself. */
export interface Policies {
  /** What holds for a profile: its own policy, else that of `OTHERS`; undefined where there is neither. */
  allowance(of: AllowanceOf): Promise<Allowance | undefined>;
  /** Those that hold, by profile. */
  list(): Promise<readonly Allowance['kept'][]>;
  /** Replaces the profile's. */
  set(policy: KeptPolicy): Promise<void>;
  approval(job: string): Promise<Approval | undefined>;
  /** Replaces the job's. */
  approve(approval: Approval): Promise<void>;
}

/** In milliseconds since the epoch, by the ledger's clock; the end is left out. Open where it says nothing. */
export interface Period {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Takes entries, and says in the end what they come to. */
export interface Reducer<T> {
  take(entries: readonly Entry[]): void;
  end(): T;
}

/**
 * Why the guard refuses. An earlier charge is unresolved, is being sent, can still be paid, was paid, was of the same row
 * (`done`), or its account has expired and nobody has looked since whether it was paid in time (`unseen`). Or the payment
 * request itself is cancelled, refunded or paid, or has no checkout. Or one like it was made, or the profile's policy forbids it.
 */
export type RefusalReason =
  | 'unresolved'
  | 'in_progress'
  | 'payable'
  | 'paid'
  | 'unseen'
  | 'done'
  | 'cancelled'
  | 'refunded'
  | 'no_checkout'
  | 'made'
  | 'policy';

/** What stands in the way of an intent. */
export interface Obstacle {
  readonly why: RefusalReason;
  /** The entry of this ledger; undefined where none is known. */
  readonly by: Entry | undefined;
  /** The activity at the service, where one is known. */
  readonly activity: KeptActivity | undefined;
  /** With `policy`: whose policy it is (see `KeptPolicy`), and why it forbids it. */
  readonly policy?: { readonly profile: string; readonly forbidden: Forbidden };
  /** Another ledger that `by` is in (see `OtherLedger`). */
  readonly ledger?: { readonly name: string; readonly pushable: boolean };
}

export interface Refused extends Obstacle {
  readonly kind: 'refused';
  readonly intent: Omit<Intent, 'bound'>;
  readonly moment: Moment;
}

export type Begun =
  | {
      readonly kind: 'begun';
      readonly id: string;
      /** One about the same at another origin that is unresolved or can still be paid. */
      readonly elsewhere: Entry | undefined;
    }
  | Refused;

/** How something may be begun. */
export interface BeginOptions {
  /** Overrides what can still be paid, was paid or was made, never what is unresolved or cancelled. */
  readonly again: boolean;
  /** One of the same kind that was made stands in the way of another. */
  readonly once?: boolean;
  /** Makes what a job's row asks for again where nothing came of it. */
  readonly retry?: boolean;
  /** What a look has shown just now. */
  readonly shown?: Snapshot | undefined;
}

export interface ListFilter extends Scope {
  readonly states?: readonly ChargeState[] | undefined;
  /** Only those that were accepted and whose end nobody has seen. */
  readonly unfinished?: boolean | undefined;
  readonly job?: string | undefined;
  readonly about?: string | undefined;
  /** Those with one of these activities. */
  readonly activities?: readonly string[] | undefined;
  /** Only those older than this place in the order of creation, newest first. */
  readonly before?: number | undefined;
  /** Oldest first instead. */
  readonly oldestFirst?: boolean;
  /** With `oldestFirst`: only those newer than this place. */
  readonly after?: number | undefined;
  /** -1: all. */
  readonly limit: number;
}

/**
 * The memory that the service does not offer: all that was ever begun and must not be made twice, and what became of it. Every method may
 * throw a PayError of kind `ledger`; after one that the disk caused, nothing more can be begun.
 */
export interface Ledger {
  /** The guard and the intent in one step among all processes: once this resolves with `begun`, the intent is on the disk. */
  begin(intent: Intent, how: BeginOptions): Promise<Begun>;
  /** A digest of a text that tells it from others and that only this ledger can make. */
  digest(text: string): string;
  /**
   * Writes what became of an entry, and gives the other charge that owns its activity already, where there is one. When it
   * can't be written, the emergency line is, and is in the error's `answer`.
   */
  record(id: string, outcome: Outcome): Promise<Entry | undefined>;
  /** What may have been made: the unknown ones, among them those whose process died while sending. */
  unknown(): Promise<readonly Entry[]>;
  get(id: string): Promise<Entry | undefined>;
  list(filter: ListFilter): Promise<readonly Entry[]>;
  /** Shows all that was begun in a time, oldest first, as it stood at one moment (see `Backend.walk`). */
  walk<T>(begun: Period, begin: () => Reducer<T>): Promise<T>;
  /** How much of what was begun before a moment, and is meant, can be pruned. */
  prunable(before: number, scope?: Scope): Promise<Prunable>;
  /**
   * Keeps no more of that than what keeps it from being made twice, and gives of how many entries; `compacted` says whether their
   * room was given back.
   */
  prune(before: number, scope?: Scope): Promise<{ readonly count: number; readonly compacted: boolean }>;
  /** Looks whether all of it is what was written, and can be so. */
  verify(): Promise<Verified>;
  /** Which of these activities belong to a charge of the ledger. */
  owned(activities: readonly string[]): Promise<ReadonlySet<string>>;
  /** Adds what was seen of an unknown entry, which stays unknown. */
  note(id: string, evidence: Evidence): Promise<void>;
  /** Ends an unknown entry's doubt; false when somebody else did so first, or the activity has an owner by now. */
  resolve(id: string, resolution: Resolution): Promise<boolean>;
  /**
   * How activities stand by now, as a read has shown, and what their payment request asks for; of those that no charge owns
   * nothing is kept. `wait`: a locked ledger is waited for.
   */
  observe(activities: readonly KeptActivity[], asked?: RequestTerms, wait?: boolean): Promise<void>;
  /** Files of charges and updates, and their rows. */
  readonly jobs: Jobs;
  readonly policies: Policies;
  /** What whoever uses it has proved to be to it; undefined where it tells nobody apart. */
  readonly account: string | undefined;
  /** Now, by the clocks that the ledger goes by. */
  moment(): Moment;
  close(): Promise<void>;
}

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

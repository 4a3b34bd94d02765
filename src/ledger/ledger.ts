import type { PaidBack, Payment } from '../charge/payment.ts';
import type { RefundState } from '../charge/refund.ts';
import type { RefusalReason } from '../charge/refusals.ts';
import type { ChargeState } from '../core/charge.ts';
import type {
  Entry,
  Evidence,
  Intent,
  KeptActivity,
  Moment,
  Money,
  Resolution,
  Scope,
  Sender,
  StoredOutcome,
} from './entry.ts';
import type { Jobs } from './job.ts';
import type { Allowance, AllowanceOf, Approval, Forbidden, KeptPolicy, PolicyChange, Total } from './policy.ts';
import type { Snapshot } from './snapshot.ts';

/** Scope and result of a verification. Each fault is a sentence. */
export interface Verified {
  readonly entries: number;
  readonly jobs: number;
  readonly faults: readonly string[];
}

/** Policies and approvals. Methods fail only with errors of the ledger itself. */
export interface Policies {
  /** Policy in force for a profile: its own, else that of `OTHER_PROFILES`; undefined if there is neither. */
  allowance(of: AllowanceOf): Promise<Allowance | undefined>;
  /** Policies in force, by profile. */
  list(): Promise<readonly Allowance['kept'][]>;
  /**
   * Replaces the profile's policy by what a rule makes of it, in one transaction. The rule is pure, and may run again.
   */
  set(profile: string, change: PolicyChange): Promise<KeptPolicy>;
  approval(job: string): Promise<Approval | undefined>;
  /** Approvals that were asked for since a moment, and that nobody has given yet. */
  waiting(since: number): Promise<readonly Approval[]>;
  /** Replaces the job's approval. */
  approve(approval: Approval): Promise<void>;
}

/** Half-open period in milliseconds since the epoch, by the ledger's clock. An omitted bound is open. */
export interface Period {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Accumulates entries or sums, and returns a result at the end. */
export interface Reducer<T, E = Entry> {
  take(some: readonly E[]): void;
  end(): T;
}

/** Columns of charges that sums can keep apart. With `id`, each charge is a sum of its own. */
export type SumColumn =
  | ('medium' | 'profile' | 'origin' | 'job' | 'operator')
  | ('id' | 'ugwo' | 'ref' | 'psp_reference' | 'account_digest');

/** Selects charges, and what their sums keep apart beside state, payment and currency. */
export interface SumQuery extends Scope {
  /**
   * Time that decides the period of a charge: its start, or its payment. `open` selects all open ones. Refunds are
   * selected by their start (`refund`), by the moment at which they were seen paid back (`paid_back`), or while they are
   * open (`refund_open`).
   */
  readonly time: 'created_at' | 'paid_at' | 'open' | 'refund' | 'paid_back' | 'refund_open';
  readonly period: Period;
  readonly by: readonly SumColumn[];
  /** Length in milliseconds of the parts into which time is cut; 0 keeps no times apart. */
  readonly unit: number;
}

/** Charges that have these values in common. A ledger gives several sums of the same values, each of other charges. */
export interface ChargeSum extends Partial<Readonly<Record<SumColumn, string | undefined>>> {
  readonly state: ChargeState;
  /** Undefined unless they are accepted. */
  readonly payment: Payment | undefined;
  readonly currency: string | undefined;
  /** Start of the part of time, in milliseconds. Zero if not asked for. */
  readonly at: number;
  /** By payment time, of reversed charges: these come whenever they were paid. */
  readonly money: Money | undefined;
  /**
   * Number of payment requests. Of several charges of one request with one payment, the last counts, in whichever sum it is,
   * and each that alone brought what was asked.
   */
  readonly count: number;
  /** Number of charges, or of refunds. */
  readonly charges: number;
  /** Sum of what the payment requests asked; undefined if no amount is known. By `open`, without the parts that were paid. */
  readonly amount: bigint | undefined;
  /** Number of payment requests without a known amount, which the sum leaves out. */
  readonly withoutAmount: number;
  /** Sum of what was received; undefined if none is known. */
  readonly received: bigint | undefined;
  /** Number of charges without a known received amount. */
  readonly withoutReceived: number;
  /** Payment requests that brought more than they asked, and what is too much of it. */
  readonly excess: { readonly count: number; readonly amount: bigint | undefined };
}

export interface Obstacle {
  readonly why: RefusalReason;
  /** Entry of this ledger; undefined if none is known. */
  readonly by: Entry | undefined;
  /** Activity at the service, if one is known. */
  readonly activity: KeptActivity | undefined;
  /** Time in milliseconds in which the customer can still pay it, if it is known. */
  readonly left?: number | undefined;
  /** With `underpaid`: what is missing, if it is known. */
  readonly missing?: number | undefined;
  /** With `policy`: the profile that owns the policy (see `KeptPolicy`), and the reason. */
  readonly policy?: { readonly profile: string; readonly forbidden: Forbidden };
  /** Other ledger that holds `by` (see `OtherLedger`). */
  readonly ledger?: { readonly name: string; readonly pushable: boolean };
}

export interface Refused extends Obstacle {
  readonly kind: 'refused';
  readonly intent: Omit<Intent, 'bound'>;
  readonly moment: Moment;
}

export type BeginResult =
  | {
      readonly kind: 'begun';
      readonly id: string;
      /** Entry about the same thing at another origin that is unresolved or can still be paid. */
      readonly elsewhere: Entry | undefined;
    }
  | Refused;

/** Judgement about an intent that is not sent. */
export type Judged =
  | {
      readonly kind: 'clear';
      /** See `BeginResult`. */
      readonly elsewhere: Entry | undefined;
    }
  | Refused;

/** Intents that were judged clear so far. They count against a policy like charges that were made. */
export interface PlannedRows {
  total: Total;
  /** The last one about each thing, which stands in the way of the next; undefined if no two are about the same. */
  readonly made?: Map<string, Entry> | undefined;
}

/** Options for starting an intent. */
export interface BeginOptions {
  /** Overrides an entry that can still be paid or was made; never one that is unresolved or brought money. */
  readonly again: boolean;
  /** Charges a payment request that is paid in part, and nothing else. */
  readonly remaining?: boolean;
  /** Activities by another medium beside which a person wants this charge. */
  readonly beside?: readonly string[];
  /** An accepted entry of the same kind blocks the intent. */
  readonly once?: boolean;
  /** An accepted entry of another file's row that asked for the same since this moment blocks the intent. */
  readonly equalSince?: number | undefined;
  /** Repeats a job's row whose last entry failed. */
  readonly retry?: boolean;
  /** Result of a read just before. */
  readonly shown?: Snapshot | undefined;
}

export interface ListFilter extends Scope {
  readonly states?: readonly ChargeState[] | undefined;
  readonly kind?: string | undefined;
  /** Only accepted charges with one of these payments at their last reading, and refunds in one of these states. */
  readonly payments?: readonly (Payment | RefundState)[] | undefined;
  readonly ref?: string | undefined;
  /** Only those of the customer with this identifier. */
  readonly customer?: string | undefined;
  /** Only those of the customer with this e-mail address. */
  readonly email?: string | undefined;
  /** Only charges that are disputed (see `Money`). */
  readonly disputed?: boolean | undefined;
  /** Only charges of payment requests that were paid twice at their last reading. */
  readonly paidTwice?: boolean | undefined;
  readonly operator?: string | undefined;
  /** Only those with the account number of this digest (see `keptAccount`). */
  readonly accountDigest?: string | undefined;
  readonly pspReference?: string | undefined;
  /** Only those whose account number ends in these digits. */
  readonly accountEnd?: string | undefined;
  /** Only those whose ref begins so, in any case; `!` escapes `!`, `%` and `_`. */
  readonly refBeginning?: string | undefined;
  /** Only those with this ref, e-mail address or reference of the provider, in any case. */
  readonly anyCase?: string | undefined;
  /** Only those with these last digits of a phone number (see `lastDigits`), and with that digest of the whole one. */
  readonly phone?: string | undefined;
  readonly termsDigest?: string | undefined;
  /** Only those that asked for this amount, in the minor unit. */
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  /** Only those that brought this amount where another one was asked. */
  readonly otherReceived?: number | undefined;
  /** Only those started in this period. */
  readonly started?: Period | undefined;
  /** Only those paid since this moment. */
  readonly paidSince?: number | undefined;
  readonly job?: string | undefined;
  readonly about?: string | undefined;
  /** Only those with one of these identifiers. */
  readonly ids?: readonly string[] | undefined;
  /** Only those with one of these activities. */
  readonly activities?: readonly string[] | undefined;
  /** Only those before this place in the order of creation, newest first. */
  readonly before?: number | undefined;
  /** Lists the oldest first instead. */
  readonly oldestFirst?: boolean;
  /** With `oldestFirst`: only those after this place. */
  readonly after?: number | undefined;
  /** -1 lists all. */
  readonly limit: number;
}

/** Result of storing a read. A ledger that is only read answers as if it had stored it. */
export interface Observed {
  /** This ledger's refunds of the activities. */
  readonly paidBack: PaidBack;
  /** This ledger's charges that own the activities. */
  readonly charges: readonly Entry[];
}

/**
 * Record of every intent that must not be repeated, and of its outcome: the service offers none. Every method may throw
 * a PayError of kind `ledger`. After one that the disk caused, nothing more can be started.
 */
export interface Ledger {
  /**
   * Runs the guard and stores the intent in one transaction among all processes. Once this resolves with `begun`, the
   * intent is on the disk.
   */
  begin(intent: Intent, how: BeginOptions): Promise<BeginResult>;
  /** Runs the same guard, and writes nothing. Adds a clear intent to the plan. */
  judge(intent: Intent, how: BeginOptions, plan: PlannedRows): Promise<Judged>;
  /** Keyed digest of a text. Only this ledger can compute it. */
  digest(text: string): string;
  /** Removes secrets from a text, as from all that is stored. */
  clean(text: string): string;
  /**
   * Writes the outcome of an entry. Returns the other charge that already owns its activity, if any. If it can't be
   * written, the emergency line is written instead, and the error's `answer` holds that line.
   */
  record(id: string, outcome: StoredOutcome): Promise<Entry | undefined>;
  /** Unknown entries. They include those whose process died while sending. */
  unknown(): Promise<readonly Entry[]>;
  get(id: string): Promise<Entry | undefined>;
  list(filter: ListFilter): Promise<readonly Entry[]>;
  /** Passes sums of charges to a reducer, as of one moment (see `Backend.sum`). */
  sum<T>(query: SumQuery, begin: () => Reducer<T, ChargeSum>): Promise<T>;
  /**
   * Counts the selected entries from before a moment that can be pruned, and those left unchanged, since their outcome is
   * still open.
   */
  prunable(before: number, scope?: Scope): Promise<{ readonly count: number; readonly open: number }>;
  /**
   * Prunes the same entries to the fields that keep them from being made twice. Returns their number; `compacted` says
   * if their disk space was released. `stop` ends it; what is pruned by then stays pruned.
   */
  prune(
    before: number,
    scope?: Scope,
    stop?: AbortSignal,
  ): Promise<{ readonly count: number; readonly compacted: boolean }>;
  /**
   * Renames a profile in its entries, jobs and policy, and in those of processes that know it by the old name: of all
   * processes, until the same call says that the settings are stored. Returns the number of entries. A shared ledger
   * keeps the name, which belongs to others too.
   */
  rename(from: string, to: string, isStored: boolean): Promise<number>;
  /** Verifies that all entries are undamaged and plausible, until `stop`. */
  verify(stop?: AbortSignal): Promise<Verified>;
  /** Activities among these that belong to a charge of the ledger. */
  owned(activities: readonly string[]): Promise<ReadonlySet<string>>;
  /** Adds evidence to an entry, if the rule allows it: whether it was added. The rule is pure, and may run again. */
  note(id: string, evidence: Evidence, may?: (entry: Entry) => boolean): Promise<boolean>;
  /** This process, and the test for the end of another one. See `Backend`. */
  readonly self: Sender;
  hasEnded(sender: Sender, overdue: boolean): boolean;
  /**
   * Resolves an unknown entry. Returns false if another process did so first, or if another charge owns the activity.
   */
  resolve(id: string, resolution: Resolution): Promise<boolean>;
  /** Applies a person's word about a disputed charge. Returns false if it is no longer disputed. */
  settle(id: string, as: 'paid' | 'reversed', evidence: Evidence): Promise<boolean>;
  /**
   * Stores what a read shows of the ledger's charges: the payments of their activities, and the terms of the payment
   * request. With `wait`, waits for a locked ledger.
   */
  observe(shown: Snapshot, wait?: boolean): Promise<Observed>;
  /** Stores what a refund's own record shows. `activity` is what it pays back, and `uid` its identifier at the service. */
  observeRefund(activity: string, uid: string, service: string, shown: RefundState): Promise<void>;
  /** Stores a person's word about an open or disputed refund. Returns false if its end is known by now. */
  settleRefund(id: string, state: RefundState, said: Evidence): Promise<boolean>;
  /** Jobs (files of charges and updates) and their rows. */
  readonly jobs: Jobs;
  readonly policies: Policies;
  /** Authenticated account of the user; undefined if the ledger does not distinguish users. */
  readonly account: string | undefined;
  /** Current moment by the ledger's clocks. */
  moment(): Moment;
  close(): Promise<void>;
}

/** State of a ledger. Fields that are unknown or don't apply are omitted. */
export interface LedgerStatus {
  readonly kind: 'file' | 'postgres';
  /** Path, or address without secrets. */
  readonly at: string;
  /** Setting that names the ledger: `PAYCLI_LEDGER` or a profile; undefined for the file of this machine. */
  readonly from: string | undefined;
  /** Version of its tables; undefined if there are none yet. */
  readonly schema: number | undefined;
  /** Server version, as the server reports it. */
  readonly version?: string;
  readonly user?: string;
  /** True if that user may create and change the tables. */
  readonly owner?: boolean;
  /** Server's clock minus this machine's, in milliseconds. */
  readonly clockAhead?: number;
  /** Replication state of each standby: `sync`, `async`, … */
  readonly standbys?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  /** Reasons why the ledger can't guarantee what it promises, a sentence each. */
  readonly warnings: readonly string[];
}

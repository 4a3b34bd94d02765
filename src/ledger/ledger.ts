import type { ChargeState } from '../core/charge.ts';
import type { Jobs } from './job.ts';

/** Who sends a charge: enough to tell later whether that process is still at it. */
export interface Sender {
  readonly pid: number;
  /** The boot of the machine, and the name space that the number is counted in; empty where the system does not say. */
  readonly boot: string;
  /** When the process was started, as the system counts; empty where it does not say. */
  readonly started: string;
}

/** A moment by a clock that nobody sets: milliseconds since the machine was started, and in which boot. */
export interface Mark {
  /** Empty where the system does not say. */
  readonly boot: string;
  /** Less than 0 where it can't be told. */
  readonly uptime: number;
}

/** A moment, by the machine's clock and by the one that nobody sets. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly mark: Mark;
}

/** When the service last told how an activity stands, by every clock there is. */
export interface Told extends Moment {
  /** The service's clock, in milliseconds since the epoch. */
  readonly service: number;
}

/** The service that a charge goes to. */
export interface Place {
  /** What the guard compares: the origin, or for an emulator the name that follows from its key, since its port changes. */
  readonly service: string;
  readonly origin: string;
  /** The segment of the key that names the workspace; undefined where the key has none. */
  readonly workspace: string | undefined;
  readonly profile: string | undefined;
}

/** A charge that is about to be sent (charge-protocol, steps 1 and 2). Instants are milliseconds since the epoch. */
export interface Intent extends Place {
  readonly ugwo: string;
  readonly medium: string;
  readonly provider: string | undefined;
  /** The last digits of a phone number. */
  readonly phone: string | undefined;
  /** SHA-256 of the body as it is kept here, in hex. */
  readonly digest: string;
  /** By when the sending has ended, whatever becomes of it. */
  readonly deadline: number;
  /** The job that the charge belongs to, and the row of its file, from 1 on. */
  readonly job?: string | undefined;
  readonly row?: number | undefined;
}

/** An activity as far as it is kept. */
export interface KeptActivity {
  readonly uid: string;
  /** The machine value. */
  readonly status: string;
  /** As the service sent it. */
  readonly nextAction: unknown;
  /** By the service's clock, as it wrote it. */
  readonly createdAt: string | undefined;
  /** The service's clock as it told this, in milliseconds, where it is known. */
  readonly servedAt?: number;
}

/** Something that was seen of a charge, in the order in which it was seen. */
export interface Evidence {
  /** `answer`, `process_gone`, `look`, `resolved`, `emergency_line`. */
  readonly kind: string;
  /** DATE_ATOM. */
  readonly at: string;
  readonly [name: string]: unknown;
}

/** One charge as it stands in the ledger. */
export interface Charge extends Intent {
  readonly id: string;
  /** The place in the order of creation. */
  readonly seq: number;
  readonly state: ChargeState;
  readonly createdAt: number;
  readonly begun: Mark;
  /** How long its sending took; undefined when its process did not live to say. */
  readonly took: number | undefined;
  readonly told: Told | undefined;
  /** When its state became what it is; undefined while it is being sent. */
  readonly settledAt: number | undefined;
  /** What the run that sent it ended with. */
  readonly exitCode: number | undefined;
  readonly activity: KeptActivity | undefined;
  readonly evidence: readonly Evidence[];
}

/** What became of a charge that was sent (step 4). */
export interface Outcome {
  readonly state: Exclude<ChargeState, 'sending' | 'not_created'>;
  readonly exitCode: number;
  readonly activity?: KeptActivity;
  readonly evidence?: Evidence;
}

/** How an unknown charge was resolved. */
export interface Resolution {
  readonly state: 'accepted' | 'not_created';
  readonly activity?: KeptActivity;
  readonly evidence: Evidence;
}

/** Why the guard refuses: an earlier charge is unresolved, being sent, can still be paid, was paid, or was of the same row. */
export type Refusal = 'unresolved' | 'in_progress' | 'payable' | 'paid' | 'done';

export type Begun =
  | { readonly kind: 'begun'; readonly id: string }
  | { readonly kind: 'refused'; readonly why: Refusal; readonly by: Charge; readonly moment: Moment };

export interface ListFilter {
  readonly states?: readonly ChargeState[] | undefined;
  readonly ugwo?: string | undefined;
  /** Only those older than this place in the order of creation, newest first. */
  readonly before?: number | undefined;
  /** Oldest first instead. */
  readonly oldestFirst?: boolean;
  /** With `oldestFirst`: only those newer than this place. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/**
 * The memory that the service does not offer: every charge that was ever begun, and what became of it. Every method may
 * throw a PayError of kind `ledger`; after one that the disk caused, nothing more can be begun.
 */
export interface Ledger {
  /**
   * The guard and the intent in one step among all processes: once this resolves with `begun`, the intent is on the disk.
   * `again` overrides an earlier charge that can still be paid or was paid, never one that is unresolved. A row of a job is
   * charged once; with `retry` again where nothing was made of it or it has failed.
   */
  begin(intent: Intent, how: { readonly again: boolean; readonly retry?: boolean }): Promise<Begun>;
  /** Writes what became of a charge. When that can't be, the emergency line is written, and is in the error's `answer`. */
  settle(id: string, outcome: Outcome): Promise<void>;
  /** The charges that may have been made: unknown ones, among them those whose process died while sending. */
  unknown(): Promise<readonly Charge[]>;
  get(id: string): Promise<Charge | undefined>;
  list(filter: ListFilter): Promise<readonly Charge[]>;
  /** Which of these activities belong to a charge of the ledger. */
  owned(activities: readonly string[]): Promise<ReadonlySet<string>>;
  /** Adds what was seen of an unknown charge, which stays unknown. */
  note(id: string, evidence: Evidence): Promise<void>;
  /** Ends an unknown charge's doubt; false when somebody else did so first, or the activity has an owner by now. */
  resolve(id: string, resolution: Resolution): Promise<boolean>;
  /** How activities stand by now, as a read has shown; of those that no charge owns nothing is kept. Not waited for. */
  observe(activities: readonly KeptActivity[]): Promise<void>;
  /** Files of charges and updates, and their rows. */
  readonly jobs: Jobs;
  /** Now, by the clocks that the ledger goes by. */
  moment(): Moment;
  close(): Promise<void>;
}

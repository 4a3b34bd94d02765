import { createHash } from 'node:crypto';
import { CHARGE, type ChargeState } from '../core/charge.ts';
import { isLoopback } from '../core/origin.ts';
import { LOCAL_KEY_PREFIX } from '../core/secret.ts';
import { utcAtom } from '../core/time.ts';

/** Who sends a charge: enough to tell later whether that process is still at it. */
export interface Sender {
  readonly pid: number;
  /**
   * The boot of the machine, the name space that the number is counted in, and the one of its clocks, a blank between two;
   * empty where the system does not say.
   */
  readonly boot: string;
  /** When the process was started, as the system counts; empty where it does not say. */
  readonly started: string;
}

/** A moment by a clock that nobody sets: milliseconds since the machine was started, and in which boot. */
export interface UptimeMark {
  /** Empty where the system does not say. */
  readonly boot: string;
  /** Less than 0 where it can't be told. */
  readonly uptime: number;
}

/** A moment, by the machine's clock and by the one that nobody sets. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly mark: UptimeMark;
}

/** When the service last told how an activity stands, by every clock there is. */
export interface ServiceTime extends Moment {
  /** The service's clock, in milliseconds since the epoch. */
  readonly service: number;
}

/** The service that something is sent to. */
export interface LedgerTarget {
  /** What the guard compares: the origin, or for an emulator the name that follows from its key, since its port changes. */
  readonly service: string;
  readonly origin: string;
  /** The segment of the key that names the workspace; undefined where the key has none. */
  readonly workspace: string | undefined;
  readonly profile: string | undefined;
}

/** What is known of a charge alone. Instants are milliseconds since the epoch. */
export interface ChargeTerms {
  readonly medium: string;
  readonly provider: string | undefined;
  /** The last digits of a phone number. */
  readonly phone: string | undefined;
  /** What tells that number from others with the same last digits (see `Ledger.digest`). */
  readonly phoneDigest?: string | undefined;
  /** When the account was asked to expire, where that was asked. */
  readonly expiresAt?: number | undefined;
  /** What a look at the payment request has shown. */
  readonly asked?: RequestTerms;
}

/** Something that is about to be sent, and must not be made twice (charge-protocol, steps 1 and 2). */
export interface Intent extends LedgerTarget, Partial<ChargeTerms> {
  /** What it makes, in one word: `charge`, `refund`, `payment_request`. */
  readonly kind: string;
  /** What it is about, of which one intent is open at a time: the payment request of a charge. */
  readonly about: string;
  /** What is sent, as far as it may be kept; a charge is known by its terms. */
  readonly path?: string | undefined;
  readonly body?: string | undefined;
  /** SHA-256 of the body as it is kept here, in hex. */
  readonly digest: string;
  /** So long the sending can take, whatever becomes of it, in milliseconds. */
  readonly bound: number;
  /** The job that it belongs to, and the row of its file, from 1 on. */
  readonly job?: string | undefined;
  readonly row?: number | undefined;
}

/** What a payment request asks for, as far as a look has shown it. */
export interface RequestTerms {
  /** In the minor unit. */
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly ref?: string | undefined;
  /** The customer's uid. */
  readonly customer?: string | undefined;
}

/** An activity as far as it is kept. */
export interface KeptActivity {
  /** Empty where the service shows none. */
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

/** Something that was seen of an entry, in the order in which it was seen. */
export interface Evidence {
  /** `answer`, `process_gone`, `look`, `resolved`, `emergency_line`. */
  readonly kind: string;
  /** DATE_ATOM. */
  readonly at: string;
  readonly [name: string]: unknown;
}

/** An intent as it stands in the ledger. */
export interface Entry extends Omit<Intent, 'bound'> {
  readonly id: string;
  /** By when the sending has ended, by the ledger's clock. */
  readonly deadline: number;
  /** The place in the order of creation. */
  readonly seq: number;
  readonly state: ChargeState;
  readonly createdAt: number;
  /** Who is sending it, or was. */
  readonly sender: Sender;
  readonly begun: UptimeMark;
  /** How long its sending took; undefined when its process did not live to say. */
  readonly took: number | undefined;
  readonly told: ServiceTime | undefined;
  /** When its state became what it is; undefined while it is being sent. */
  readonly recordedAt: number | undefined;
  /** What the run that sent it ended with. */
  readonly exitCode: number | undefined;
  readonly activity: KeptActivity | undefined;
  readonly evidence: readonly Evidence[];
}

/** The one kind of which the service shows what became of it: by its activity. */
export type Charge = Entry & ChargeTerms & { readonly kind: typeof CHARGE };

export const isCharge = (entry: Entry): entry is Charge => entry.kind === CHARGE;

/** What became of something that was sent (step 4). */
export interface Outcome {
  /** What is odd about an accepted activity; kept as evidence. */
  readonly odd?: readonly string[];
  readonly state: Exclude<ChargeState, 'sending' | 'not_created'>;
  readonly exitCode: number;
  readonly activity?: KeptActivity;
  readonly evidence?: Evidence;
}

/** How an unknown entry was resolved. */
export interface Resolution {
  readonly state: 'accepted' | 'not_created';
  readonly activity?: KeptActivity;
  readonly evidence: Evidence;
}

/** The first ones tell how it began, the last ones how it stands; what was seen in between is dropped beyond this many. */
const MOST = 30;
const FIRST_KEPT = 10;

/** The list with one more at its end. */
export const withEvidence = (list: readonly Evidence[], added: Evidence | undefined): readonly Evidence[] => {
  if (added === undefined) return list;
  const longer = [...list, added];
  // Where there is room, the count to be dropped is negative, which is none.
  return longer.toSpliced(FIRST_KEPT, longer.length - MOST);
};

/** Something seen at a moment, in milliseconds. */
export const evidenceOf = (kind: string, at: number, what: Readonly<Record<string, unknown>>): Evidence => ({
  kind,
  at: utcAtom(at),
  ...what,
});

const WORKSPACE = /^[sp]k\.([A-Za-z0-9]{4})\./;
const NAME_LENGTH = 12;
const EMULATOR = 'emulator ';

/** All names of this machine mean one host. */
const oneName = (origin: string): string => {
  if (!isLoopback(origin)) return origin;
  const url = new URL(origin);
  url.hostname = '127.0.0.1';
  return url.origin;
};

/**
 * What a service is called in the ledger. An emulator is known by its key, which is kept with its data: its port is another
 * one at each start.
 */
const serviceOf = (origin: string, key: string): string =>
  key.startsWith(LOCAL_KEY_PREFIX)
    ? EMULATOR + createHash('sha256').update(key).digest('hex').slice(0, NAME_LENGTH)
    : oneName(origin);

/** Whether a service is an emulator: the same identifiers are made by many of them. */
export const isEmulator = (service: string): boolean => service.startsWith(EMULATOR);

/** The service that a run speaks to, as the ledger keeps it: never the key, only what names its workspace. */
export const ledgerTargetOf = (origin: string, key: string, profile: string | undefined): LedgerTarget => ({
  service: serviceOf(origin, key),
  origin,
  workspace: WORKSPACE.exec(key)?.[1],
  profile,
});

/** Which entries and files are meant: all where it says nothing. */
export interface Scope {
  readonly service?: string | undefined;
  /** Of this workspace, as far as it is known of them. */
  readonly workspace?: string | undefined;
  readonly profile?: string | undefined;
  /** Those of this profile are left out. */
  readonly otherThan?: string | undefined;
}

/** Whether an entry is meant. */
export const isIn =
  ({ service, workspace, profile, otherThan }: Scope) =>
  (entry: LedgerTarget): boolean =>
    (service ?? entry.service) === entry.service &&
    (workspace ?? entry.workspace) === (entry.workspace ?? workspace) &&
    (profile ?? entry.profile) === entry.profile &&
    (otherThan === undefined || otherThan !== entry.profile);

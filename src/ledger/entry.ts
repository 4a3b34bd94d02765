import { createHash, hash } from 'node:crypto';
import { findOtherTerms } from '../charge/mediums.ts';
import type { ActivityFacts, Payment, PaymentRead, RequestFacts, Surplus } from '../charge/payment.ts';
import type { RefundFacts } from '../charge/refund.ts';
import { CHARGE, type ChargeState } from '../core/charge.ts';
import { printSorted } from '../core/json.ts';
import { isLoopback } from '../core/origin.ts';
import { LOCAL_KEY_PREFIX } from '../core/secret.ts';
import { utcAtom } from '../core/time.ts';

/** Process that sends a charge. Other processes use it to tell whether that process still runs. */
export interface Sender {
  readonly pid: number;
  /** Boot ID, PID namespace and time namespace, separated by blanks; empty if the system does not provide them. */
  readonly boot: string;
  /** Start time of the process, in the system's units; empty if the system does not provide it. */
  readonly started: string;
}

/** Reading of the monotonic clock: milliseconds since the machine started, and the boot it belongs to. */
export interface UptimeReading {
  /** Empty if the system does not provide it. */
  readonly boot: string;
  /** Negative if unknown. */
  readonly uptime: number;
}

/** A moment by the wall clock and by the monotonic clock. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly mark: UptimeReading;
}

/** Last reading of the service's clock together with an activity's status, and our clocks at that moment. */
export interface ServiceTime extends Moment {
  /** Service's clock, in milliseconds since the epoch. */
  readonly service: number;
}

/** Service that receives a request. */
export interface LedgerTarget {
  /**
   * Identity that the guard compares: the origin, or for an emulator a name derived from its key, since its port
   * changes.
   */
  readonly service: string;
  readonly origin: string;
  /** Segment of the key that names the workspace; undefined if the key has none. */
  readonly workspace: string | undefined;
  readonly profile: string | undefined;
}

type Terms = Readonly<Record<string, unknown>>;

/** Fields that only charges have. Instants are milliseconds since the epoch. */
export interface ChargeTerms {
  readonly medium: string;
  readonly provider: string | undefined;
  /** Phone number; stored are its last digits. */
  readonly phone: string | undefined;
  /** Digest of the phone number and of `otherTerms`, which tells charges apart (see `Ledger.digest`). */
  readonly termsDigest?: string | undefined;
  /** Requested expiry of the account. */
  readonly expiresAt?: number | undefined;
  /** Terms that a read of the payment request has shown. */
  readonly asked?: RequestTerms;
}

/** Request about to be sent that must not be made twice (docs/protocol.md, Order). */
export interface Intent extends LedgerTarget, Partial<Omit<ChargeTerms, 'termsDigest'>> {
  /** Terms of a charge that are not stored (see `findOtherTerms`). */
  readonly otherTerms?: Terms;
  /** Kind of the created object, in one word: `charge`, `refund`, `payment_request`. */
  readonly kind: string;
  /** Subject of the intent, for example the payment request of a charge. Each subject has at most one open intent. */
  readonly about: string;
  /** Request. Charges have their terms instead. */
  readonly path?: string | undefined;
  readonly body?: string | undefined;
  /** SHA-256 of the stored body, in hex. */
  readonly digest: string;
  /** Upper limit of the sending time, in milliseconds. */
  readonly bound: number;
  /** Job of the intent, and the row of its file, counted from 1. */
  readonly job?: string | undefined;
  readonly row?: number | undefined;
  /** Person or account that sends it. */
  readonly operator?: string | undefined;
  /** Facts that a read showed before it was sent, if they decide what becomes of it, and if a message is to be shared. */
  readonly evidence?: readonly Evidence[];
}

/** Intent as far as it may be stored. Its phone number shows its last digits only. */
export interface KeptIntent extends Omit<Intent, 'bound' | 'otherTerms'>, Pick<ChargeTerms, 'termsDigest'> {}

/** Terms of a payment request, as far as a read has shown them. */
export interface RequestTerms {
  /** In the minor unit. */
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly ref?: string | undefined;
  /** Customer's uid. */
  readonly customer?: string | undefined;
  /** Customer's e-mail address. */
  readonly email?: string | undefined;
}

/** Money of an accepted charge at its last reading. Instants are milliseconds since the epoch. */
export interface Money extends PaymentRead {
  /** Moment of the payment by the service's time, else when it was first seen; undefined if it was never paid. */
  readonly paidAt?: number | undefined;
  /** Payment that the provider took back, and the moment at which that was seen. */
  readonly reversed?:
    | { readonly payment: Payment; readonly received: number | undefined; readonly at: number }
    | undefined;
  /**
   * A later reading, which shows less and doesn't prove that it is newer, and when that was first seen.
   * `settled`: a person said that the money is there.
   */
  readonly disputed?:
    | {
        readonly payment: Payment;
        readonly received: number | undefined;
        readonly at: number;
        readonly settled?: boolean;
      }
    | undefined;
  /** Moment at which the reading was stored, by the ledger's clock. */
  readonly readAt?: number | undefined;
  /** The activity's own `updated_at`. */
  readonly updatedAt?: number | undefined;
  readonly failureCode?: string | undefined;
  readonly isDoubleCharge?: boolean | undefined;
  readonly psp?: string | undefined;
  /** The provider's own reference of the payment (`psp_external_id`). */
  readonly pspReference?: string | undefined;
  /** Last four digits of the account number, and a digest that finds the whole number (see `Ledger.digest`). */
  readonly accountLast4?: string | undefined;
  readonly accountDigest?: string | undefined;
  /** The payment request's status and received total at that reading. */
  readonly requestStatus?: string | undefined;
  readonly requestTotal?: number | undefined;
  /** The latest `updated_at` among the payment request's activities. */
  readonly requestUpdatedAt?: number | undefined;
  /** Missing amount of the payment request. */
  readonly missing?: number | undefined;
  /** Amount that the payment request received too much. */
  readonly excess?: number | undefined;
  readonly isPaidTwice?: boolean | undefined;
  /** See `Balance`. */
  readonly surplus?: readonly Surplus[] | undefined;
}

/** Stored part of an activity. */
export interface KeptActivity {
  /** Empty if the service shows none. */
  readonly uid: string;
  /** Machine value. */
  readonly status: string;
  /** Unchanged from the service's answer. */
  readonly nextAction: unknown;
  /** Service's time, in its own notation. */
  readonly createdAt: string | undefined;
  /** Service's clock at that answer, in milliseconds, if known. */
  readonly servedAt?: number;
  /** Start of the read that showed it, by this machine's clock. */
  readonly askedAt?: number;
  /** Facts of the answer. The ledger stores what follows from them as `Money`. */
  readonly facts?: ActivityFacts;
  readonly psp?: string | undefined;
  readonly pspReference?: string | undefined;
  /** See `Money`. */
  readonly accountLast4?: string | undefined;
  readonly accountDigest?: string | undefined;
}

/** Observation about an entry. A list of them is in the order of observation. */
export interface Evidence {
  /** `answer`, `paid`, `process_gone`, `look`, `odd`, `resolved`, `emergency_line`, `ledger_lost`, `pruned`, or of `SHARINGS`. */
  readonly kind: string;
  /** Formatted as DATE_ATOM. */
  readonly at: string;
  readonly [name: string]: unknown;
}

/** Stored intent and its outcome. */
export interface Entry extends KeptIntent {
  readonly id: string;
  /** Moment by which the sending has ended, by the ledger's clock. */
  readonly deadline: number;
  /** Place in the order of creation. */
  readonly seq: number;
  readonly state: ChargeState;
  readonly createdAt: number;
  /** Process that sends or sent it. */
  readonly sender: Sender;
  readonly begun: UptimeReading;
  /** Duration of the sending; undefined if its process died before storing it. */
  readonly took: number | undefined;
  readonly told: ServiceTime | undefined;
  /** Moment of the last state change; undefined during sending. */
  readonly recordedAt: number | undefined;
  /** Exit code of the run that sent it. */
  readonly exitCode: number | undefined;
  readonly activity: KeptActivity | undefined;
  /** Set for an accepted charge whose activity was read. */
  readonly money: Money | undefined;
  /** Set for an accepted refund. */
  readonly refund?: RefundFacts | undefined;
  readonly evidence: readonly Evidence[];
}

/** Only kind whose outcome the service shows, by its activity. */
export type Charge = Entry & ChargeTerms & { readonly kind: typeof CHARGE };

/** States of an entry that may have been made. */
export const MAY_BE_MADE: readonly string[] = ['sending', 'unknown', 'accepted'];

export const isCharge = (entry: Entry): entry is Charge => entry.kind === CHARGE;

/** Outcome of a sent request, for its entry. */
export interface StoredOutcome {
  /** Oddities of an accepted activity, stored as evidence. */
  readonly odd?: readonly string[];
  readonly state: Exclude<ChargeState, 'sending' | 'not_created'>;
  readonly exitCode: number;
  readonly activity?: KeptActivity;
  readonly evidence?: Evidence;
}

/** Resolution of an unknown entry. */
export interface Resolution {
  readonly state: 'accepted' | 'not_created';
  readonly activity?: KeptActivity;
  /** Payment request, if the read that found the activity shows it. */
  readonly request?: RequestFacts | undefined;
  readonly evidence: Evidence;
}

/**
 * Limits on stored evidence. The first entries show how it began and the last ones its current state, so the middle is
 * dropped.
 */
const MOST_EVIDENCE = 30;
const FIRST_KEPT = 10;

/** Appends to a list of evidence, within the limit. */
export const withEvidence = (list: readonly Evidence[], added: Evidence | undefined): readonly Evidence[] => {
  if (added === undefined) return list;
  const longer = [...list, added];
  // If there is room, the count to delete is negative, which deletes none.
  return longer.toSpliced(FIRST_KEPT, longer.length - MOST_EVIDENCE);
};

/** Oddities of an accepted answer, as they were told; undefined if there are none. */
export const oddIn = ({ evidence }: Entry): string | undefined => {
  const odd = evidence.find(({ kind }) => kind === 'odd');
  return odd && String(odd['message']);
};

/** Builds evidence of a moment in milliseconds. */
export const evidenceOf = (kind: string, at: number, what: Readonly<Record<string, unknown>>): Evidence => ({
  kind,
  at: utcAtom(at),
  ...what,
});

const WORKSPACE_OF_KEY = /^[sp]k\.([A-Za-z0-9]{4})\./;
const NAME_LENGTH = 12;
const EMULATOR = 'emulator ';

/** All names of this machine count as one host. */
const oneName = (origin: string): string => {
  if (!isLoopback(origin)) return origin;
  const url = new URL(origin);
  url.hostname = '127.0.0.1';
  return url.origin;
};

/**
 * Name of a service in the ledger. An emulator's name comes from its key, which is stored with its data, because its
 * port changes at each start.
 */
const serviceOf = (origin: string, key: string): string =>
  key.startsWith(LOCAL_KEY_PREFIX)
    ? EMULATOR + createHash('sha256').update(key).digest('hex').slice(0, NAME_LENGTH)
    : oneName(origin);

/** True for an emulator. Many emulators create the same identifiers. */
export const isEmulator = (service: string): boolean => service.startsWith(EMULATOR);

/** Ledger's record of the service of a run. It holds the key's workspace segment, never the key. */
export const ledgerTargetOf = (origin: string, key: string, profile: string | undefined): LedgerTarget => ({
  service: serviceOf(origin, key),
  origin,
  workspace: WORKSPACE_OF_KEY.exec(key)?.[1],
  profile,
});

/** Selects entries and files. An omitted field selects all. */
export interface Scope {
  readonly service?: string | undefined;
  /** Entries of an unknown workspace match, too. */
  readonly workspace?: string | undefined;
  /** An empty name selects what was made without a profile. */
  readonly profile?: string | undefined;
  /** Excludes this profile. */
  readonly otherThan?: string | undefined;
}

/** True if the scope selects the entry. */
export const isInScope =
  ({ service, workspace, profile, otherThan }: Scope) =>
  (entry: LedgerTarget): boolean =>
    (service ?? entry.service) === entry.service &&
    (workspace ?? entry.workspace) === (entry.workspace ?? workspace) &&
    (profile === undefined || profile === (entry.profile ?? '')) &&
    (otherThan === undefined || otherThan !== entry.profile);

/** Number of stored digits of a phone number: enough to recognize it, too few to call it. */
const KEPT_DIGITS = 4;
/** Number of last digits that identify a phone number. Numbers are written with and without their country code. */
const TELLING_DIGITS = 7;

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

/** Formats `…4567`. */
export const lastDigits = (phone: string): string => `…${digitsOf(phone).slice(-KEPT_DIGITS)}`;

const withoutLeadingZeros = (phone: string): string => digitsOf(phone).replace(/^0+/, '');

/** True if two texts are the same number. Either may lack its country code, and then begin with a zero. */
export const isSamePhone = (one: string, other: string): boolean => {
  const [a, b] = [withoutLeadingZeros(one), withoutLeadingZeros(other)];
  return Math.min(a.length, b.length) >= TELLING_DIGITS && (a.endsWith(b) || b.endsWith(a));
};

/** Anything that may be a phone number, in any notation. */
const NUMBER = /\+?\d(?:[ ().-]{0,2}\d){6,}/g;

/** Replaces the phone number in a text, in any notation, by its last digits. */
export const withoutPhone = (text: string, phone: string | undefined): string => {
  if (phone === undefined) return text;
  const telling = digitsOf(phone).slice(-TELLING_DIGITS);
  if (telling.length < TELLING_DIGITS) return text;
  return text.replaceAll(NUMBER, (found) => (digitsOf(found).includes(telling) ? lastDigits(telling) : found));
};

/** Length from which a term may be a secret. Shorter ones occur in other words. */
const SECRET_LENGTH = 8;

/** Removes the terms that may be secrets from a text. */
export const withoutTerms = (text: string, terms: Terms = {}): string =>
  Object.entries(terms).reduce((rest, [name, value]) => {
    const term = String(value);
    return term.length < SECRET_LENGTH ? rest : rest.replaceAll(term, `[${name}]`);
  }, text);

/** `withoutPhone` if only the last digits are known (see `lastDigits`). */
export const withoutPhoneEnding = (text: string, last: string | undefined): string =>
  text.replaceAll(NUMBER, (found) => (lastDigits(found) === last ? last : found));

/** A term of a charge as text. */
export const readTerm = (value: unknown): string | undefined => (value === undefined ? undefined : String(value));

/** Digest of the terms of which nothing else tells charges apart; undefined if there are none. */
export const termsDigestOf = (
  phone: string | undefined,
  others: Terms = {},
  digest: (text: string) => string,
): string | undefined => {
  if (Object.keys(others).length === 0) return phone === undefined ? undefined : numberDigestOf(phone, digest);
  return digest(`${digitsOf(phone ?? '')} ${printSorted(others)}`);
};

/**
 * True if an earlier charge asks the same customer by the same medium and terms as this one would. Only their digests
 * can compare phone numbers.
 */
export const asksTheSame = (
  { medium, provider, phone, termsDigest }: Entry,
  data: Terms,
  digest: (text: string) => string,
): boolean => {
  const [askedProvider, askedPhone] = [readTerm(data['provider']), readTerm(data['phone'])];
  return (
    medium === data['medium'] &&
    provider === askedProvider &&
    (phone === undefined) === (askedPhone === undefined) &&
    termsDigest === termsDigestOf(askedPhone, findOtherTerms(data), digest)
  );
};

/**
 * Keyed digest that identifies a phone or account number. A plain digest would reveal it, since its digits can be
 * guessed.
 */
const numberDigestOf = (number: string, digest: (text: string) => string): string => digest(digitsOf(number));

/** The last digits and the digest of an account number; nothing of a text without digits. */
export const keptAccount = (
  number: string,
  digest: (text: string) => string,
): Pick<KeptActivity, 'accountLast4' | 'accountDigest'> => {
  const digits = digitsOf(number);
  if (digits === '') return {};
  return { accountLast4: digits.slice(-KEPT_DIGITS), accountDigest: numberDigestOf(digits, digest) };
};

/** Passes every text, name and number in a JSON value through `clean`. */
export const cleaned = <T>(value: T, clean: (text: string) => string): T => {
  if (typeof value === 'string') return clean(value) as T;
  // An unchanged number stays a number.
  if (typeof value === 'number') return (clean(String(value)) === String(value) ? value : clean(String(value))) as T;
  if (Array.isArray(value)) return value.map((member) => cleaned(member, clean)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [clean(name), cleaned(member, clean)]);
  return Object.fromEntries(entries) as T;
};

/** Reduces anything that may be a phone number to its last digits. */
export const withoutNumbers = (text: string): string => text.replaceAll(NUMBER, lastDigits);

/**
 * Digest of a charge's data, independent of the order of its keys. Numbers that may be a phone's enter with their last
 * digits only: a whole one could be guessed from the digest.
 */
export const digestOf = (data: Readonly<Record<string, unknown>>): string =>
  hash('sha256', withoutNumbers(printSorted(data)));

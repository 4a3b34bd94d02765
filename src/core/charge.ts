import { BOUNDS } from './bounds.ts';
import { NumberText, valueAt } from './json.ts';
import { parseInstant, readInstant } from './time.ts';

/** The mediums that a charge can use (interface.md 4.2). The service may come to know more; answers may name any. */
export const MEDIUMS = ['bank_transfer', 'ussd', 'mobile_money'] as const;
export type Medium = (typeof MEDIUMS)[number];

export const isMedium = (text: string): text is Medium => (MEDIUMS as readonly string[]).includes(text);

/** The longest, and the default, life of a bank_transfer account in milliseconds (interface.md section 8). */
export const EXPIRY_LIMIT_MS = 15 * 60_000;

/**
 * The machine value of an enum of the service, which arrives as a text or as a pair `[machine value, label]`; a number becomes
 * its text. Empty where nothing can be read.
 */
export const machineValue = (value: unknown): string => {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' || typeof first === 'number' ? String(first) : '';
};

/**
 * What the ledger knows of one charge. `sending`: the intent is on the disk and a process is at it. `unknown`: it may have
 * been made. `not_created`: it was unknown, and the service has shown that it was never made. The others are certain.
 */
export const CHARGE_STATES = ['sending', 'accepted', 'rejected', 'not_sent', 'unknown', 'not_created'] as const;
export type ChargeState = (typeof CHARGE_STATES)[number];

/** How an activity stands, as far as charging again and waiting for it are concerned. */
export type PaymentStatus = 'paid' | 'failed' | 'open';

/** Statuses that nothing follows but a refund: interface.md section 3, the later ones from public material. */
const ENDED: Readonly<Record<string, PaymentStatus>> = {
  successful: 'paid',
  partially_refunded: 'paid',
  refunded: 'paid',
  failed: 'failed',
  expired: 'failed',
};

/** A status that is not known here is open: it may still become anything. */
export const paymentStatusOf = (status: string): PaymentStatus =>
  (Object.hasOwn(ENDED, status) ? ENDED[status] : undefined) ?? 'open';

/** The machine value of an activity's status; empty, and so open, where it can't be read, or is no word. */
export const statusOf = (activity: unknown): string => {
  const status = machineValue(valueAt(activity, 'status'));
  return status.length <= BOUNDS.word ? status : '';
};

/** The activity that an error is about. */
export const about = (activity: { readonly uid: string }): { readonly activity: string } => ({
  activity: JSON.stringify({ uid: activity.uid, status: statusOf(activity) }),
});

/** The money came, and has all gone back: paid as far as charging again is concerned, but nothing to wait for. */
export const isRefunded = (status: string): boolean => status === 'refunded';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The activities that a payment request lists; undefined where it lists none. In PHP a list with gaps becomes an object. */
export const activitiesOf = (ugwo: unknown): readonly unknown[] | undefined => {
  const listed = valueAt(ugwo, 'activities');
  if (Array.isArray(listed)) return listed;
  const members = isObject(listed) ? Object.values(listed) : [];
  return members.length > 0 && members.every(isObject) ? members : undefined;
};

/** The statuses of what has failed. */
export const FAILED_STATUSES: readonly string[] = Object.keys(ENDED).filter((status) => ENDED[status] === 'failed');

/** The ledger's file in the folder for data. */
export const LEDGER_FILE_NAME = 'ledger.sqlite';
/** How many charges it has had is kept beside it, under a name that a copy of `ledger.sqlite*` leaves out. */
export const HIGHEST_FILE_NAME = 'highest-charge';

/** How a checkout stands, in the order of the numbers that the service filters by, from 1 on (public material, Checkouts). */
export const CHECKOUT_STATUSES = ['active', 'inactive'] as const;

/** What the customer must do next (interface.md 2.5), ready to be passed on. */
export type NextAction = {
  readonly instruction: string | undefined;
  /** Whatever else the service said for the customer. */
  readonly entries: readonly NameAndValue[];
} & (
  | {
      readonly kind: 'transfer';
      readonly bank: string;
      readonly accountName: string;
      readonly accountNumber: string;
      /** Milliseconds since the epoch; the account stops accepting transfers then. For people: see `readInstant`. */
      readonly expiresAt: number | undefined;
    }
  | { readonly kind: 'dial'; readonly code: string }
  | { readonly kind: 'other'; readonly type: string }
);

/** A name, and its value as it came. */
export type NameAndValue = readonly [name: string, value: unknown];

/** A text of an answer, whatever it came as: a number, or the first of a pair. */
const textAt = (value: unknown, path: string): string | undefined => {
  const found = valueAt(value, path);
  const text = found instanceof NumberText ? found.text : machineValue(found);
  return text.trim() === '' ? undefined : text;
};

const entriesOf = (headers: unknown, ...known: readonly string[]): NameAndValue[] =>
  typeof headers === 'object' && headers !== null
    ? Object.entries(headers).filter(([name]) => !known.includes(name))
    : [];

const ACCOUNT_KEYS = ['bank_name', 'account_name', 'account_number'];

/** A text for people; of a list, its first. */
const sentenceIn = (value: unknown): string | undefined => {
  const text = typeof value === 'number' ? '' : machineValue(value);
  return text.trim() === '' ? undefined : text;
};

/** Something to do, as opposed to an empty object, which comes as a list too, or none. */
const isThere = (action: unknown): boolean =>
  typeof action === 'object' ? action !== null && Object.keys(action).length > 0 : machineValue(action).trim() !== '';

/** Reads the next action of an activity, as far as it can be read; undefined when the customer has nothing to do. */
export const readNextAction = (activity: unknown): NextAction | undefined => {
  const action = valueAt(activity, 'next_action');
  if (!isThere(action)) return undefined;
  const type = textAt(action, 'type') ?? '';
  const instruction = sentenceIn(valueAt(action, 'instruction')) ?? sentenceIn(action);
  const headers = valueAt(action, 'headers');
  const code = textAt(headers, 'ussd');
  if (code !== undefined) return { kind: 'dial', instruction, code, entries: entriesOf(headers, 'ussd') };
  const accountNumber = textAt(headers, 'account_number');
  if (accountNumber === undefined) return { kind: 'other', type, instruction, entries: entriesOf(headers) };
  return {
    kind: 'transfer',
    instruction,
    bank: textAt(headers, 'bank_name') ?? '',
    accountName: textAt(headers, 'account_name') ?? '',
    accountNumber,
    expiresAt: readInstant(valueAt(headers, 'expires_at')),
    entries: entriesOf(headers, ...ACCOUNT_KEYS, 'expires_at'),
  };
};

/** What an account lacks, which money can't be sent to so; empty where it is whole, or where there is none. */
export const missingOf = (action: NextAction): readonly string[] => {
  if (action.kind === 'transfer') {
    return [...(action.bank === '' ? ['bank'] : []), ...(action.accountName === '' ? ['account name'] : [])];
  }
  const isPart = action.kind === 'other' && action.entries.some(([name]) => ACCOUNT_KEYS.includes(name));
  return isPart ? ['account number'] : [];
};

/**
 * Whether an open activity asks for something of which nothing can be passed on: no instruction, no account number and no
 * code to dial. Somebody has to look at it.
 */
export const isStepUnreadable = (activity: unknown): boolean => {
  if (paymentStatusOf(statusOf(activity)) !== 'open') return false;
  const action = readNextAction(activity);
  return action?.kind === 'other' && action.instruction === undefined;
};

/**
 * Until when the customer can still do what an activity asks of them, in milliseconds since the epoch by the service's clock;
 * undefined where nothing says so for certain. Only a `requires_action` asks for something: with any other status they have
 * acted, or what it means is not known here, and an expiry bounds nothing.
 */
export const payableUntil = (activity: unknown): number | undefined => {
  if (statusOf(activity) !== 'requires_action' || readNextAction(activity)?.kind !== 'transfer') return undefined;
  const text = valueAt(activity, 'next_action.headers.expires_at');
  return typeof text === 'string' ? parseInstant(text)?.ms : undefined;
};

/** The kind of intent of which the service shows afterwards what became of it. */
export const CHARGE = 'charge';

/** What a write does, for what is said of it when nobody knows whether it was done. */
export interface WriteKind {
  /** What it makes or does, in one word: `charge`, `payment_request`, `update`. */
  readonly kind: string;
  /** `made`, `applied`. */
  readonly done: string;
  /** What to mind before it is sent again. */
  readonly hint: string;
}

export const CHARGE_WRITE: WriteKind = {
  kind: CHARGE,
  done: 'made',
  hint: "don't run it again until you know, or the customer may pay twice",
};

/** What a write does of which nothing more is known. */
export const ANY_WRITE: WriteKind = {
  kind: 'request',
  done: 'applied',
  hint: "don't send it again until you know, or it may be applied twice",
};

/** A kind in plain words. */
export const kindWord = (kind: string): string => kind.replaceAll('_', ' ');

/** The beginning of a sentence about a write whose end is unknown. */
export const mayBeDone = ({ kind, done }: Pick<WriteKind, 'kind' | 'done'>): string =>
  `the ${kindWord(kind)} may have been ${done}`;

/** How many of what there are: `1 charge`, `2 refunds`; `3 requests` where they are of several kinds. */
export const countText = (entries: readonly { readonly kind: string }[]): string => {
  const [kind = CHARGE, ...others] = new Set(entries.map((entry) => entry.kind));
  return `${entries.length} ${others.length > 0 ? 'request' : kindWord(kind)}${entries.length === 1 ? '' : 's'}`;
};

import { BOUNDS, counted } from './bounds.ts';
import { isObject, NumberText, valueAt } from './json.ts';
import { MINUTE_MS, parseInstant, readInstant } from './time.ts';

/**
 * The machine value of an enum of the service, which arrives as a text or as a pair `[machine value, label]`. A number
 * becomes its text. Empty when nothing is readable.
 */
export const machineValue = (value: unknown): string => {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' || typeof first === 'number' ? String(first) : '';
};

export const textAt = (value: unknown, path: string): string => machineValue(valueAt(value, path));

/** The reason in an `error` of the service. Its shape is not documented, so the usual names are tried. */
export const failureReason = (error: unknown): string | undefined =>
  [...['message', 'title', 'code'].map((name) => valueAt(error, name)), error].find(
    (value): value is string => typeof value === 'string' && value !== '',
  );

/**
 * State of one charge in the ledger. `sending`: the intent is on disk and a process is sending it. `unknown`: the
 * charge may have been created. `not_created`: it was unknown, and the service has since shown that it was never
 * created. The others are certain.
 */
export const CHARGE_STATES = ['sending', 'accepted', 'rejected', 'not_sent', 'unknown', 'not_created'] as const;
export type ChargeState = (typeof CHARGE_STATES)[number];

/** Minimum time from the end of the sending to the last empty read, in milliseconds, before a charge is not created. */
export const NOT_CREATED_AFTER_MS = 15 * MINUTE_MS;

/** The machine value of an activity's status. Empty, and so open, when it is unreadable or too long. */
export const statusOf = (activity: unknown): string => {
  const status = textAt(activity, 'status');
  return status.length <= BOUNDS.word ? status : '';
};

/** Error detail with the activity that the error is about. */
export const about = (activity: { readonly uid: string }): { readonly activity: string } => ({
  activity: JSON.stringify({ uid: activity.uid, status: statusOf(activity) }),
});

/** The activities of a payment request; undefined if it lists none. PHP turns a list with gaps into an object. */
export const activitiesOf = (ugwo: unknown): readonly unknown[] | undefined => {
  const listed = valueAt(ugwo, 'activities');
  if (Array.isArray(listed)) return listed;
  const members = isObject(listed) ? Object.values(listed) : [];
  return members.length > 0 && members.every(isObject) ? members : undefined;
};

/** The service has spelled the field in both ways. */
const LATEST = ['latest_ugwo_activity', 'lastest_ugwo_activity'];

/** The newest activity that a payment request names. */
export const latestActivityOf = (ugwo: unknown): unknown => {
  for (const name of LATEST) {
    const activity = valueAt(ugwo, name);
    if (isObject(activity)) return activity;
  }
  return undefined;
};

/** True if a payment request lists its activities, or names the newest one, also as none. */
export const tellsActivities = (ugwo: unknown): boolean =>
  activitiesOf(ugwo) !== undefined || LATEST.some((name) => valueAt(ugwo, name) !== undefined);

/**
 * Statuses of a checkout, in the order of the numbers that the service filters by, starting at 1 (docs/service.md,
 * Checkouts).
 */
export const CHECKOUT_STATUSES = ['active', 'inactive'] as const;

/** The customer's next step (docs/service.md, Next actions), ready to be passed on. */
export type NextAction = {
  readonly instruction: string | undefined;
  /** As the service sent them; `otherEntries` lists those that are not read here. */
  readonly headers: unknown;
} & (
  | {
      readonly kind: 'transfer';
      readonly bank: string;
      readonly accountName: string;
      readonly accountNumber: string;
      /** Milliseconds since the epoch; the account accepts no transfers after it. For people: see `readInstant`. */
      readonly expiresAt: number | undefined;
    }
  | { readonly kind: 'dial'; readonly code: string }
  | { readonly kind: 'other'; readonly type: string }
);

export type NameAndValue = readonly [name: string, value: unknown];

/** A text of an answer, sent as a text, a number, or the first element of a pair. */
const exactTextAt = (value: unknown, path: string): string | undefined => {
  const found = valueAt(value, path);
  const text = found instanceof NumberText ? found.text : machineValue(found);
  return text.trim() === '' ? undefined : text;
};

/** The header of a next action that holds the code to dial. */
export const DIAL_HEADER = 'ussd';

/** The headers of a next action that name the account to pay to. */
export const ACCOUNT_KEYS = ['bank_name', 'account_name', 'account_number'];

/** Other members that the service sent for the customer; a hostile answer has very many. */
export const otherEntries = ({ kind, headers }: NextAction): NameAndValue[] => {
  const read: readonly string[] = { transfer: [...ACCOUNT_KEYS, 'expires_at'], dial: [DIAL_HEADER], other: [] }[kind];
  return isObject(headers) ? Object.entries(headers).filter(([name]) => !read.includes(name)) : [];
};

/** A text for people; the first element of a list. */
const sentenceIn = (value: unknown): string | undefined => {
  const text = typeof value === 'number' ? '' : machineValue(value);
  return text.trim() === '' ? undefined : text;
};

/** True for a next action with content. PHP may send an empty one as an empty list, and the service as null. */
const isAction = (action: unknown): boolean =>
  typeof action === 'object' ? action !== null && Object.keys(action).length > 0 : machineValue(action).trim() !== '';

/** Reads the next action of an activity as far as possible; undefined if the customer has nothing to do. */
export const readNextAction = (activity: unknown): NextAction | undefined => {
  const action = valueAt(activity, 'next_action');
  if (!isAction(action)) return undefined;
  const type = exactTextAt(action, 'type') ?? '';
  const instruction = sentenceIn(valueAt(action, 'instruction')) ?? sentenceIn(action);
  const headers = valueAt(action, 'headers');
  const code = exactTextAt(headers, DIAL_HEADER);
  if (code !== undefined) return { kind: 'dial', instruction, code, headers };
  const accountNumber = exactTextAt(headers, 'account_number');
  if (accountNumber === undefined) return { kind: 'other', type, instruction, headers };
  return {
    kind: 'transfer',
    instruction,
    bank: exactTextAt(headers, 'bank_name') ?? '',
    accountName: exactTextAt(headers, 'account_name') ?? '',
    accountNumber,
    expiresAt: readInstant(valueAt(headers, 'expires_at')),
    headers,
  };
};

/** The machine value at a path, if it is one word; null for a sentence, a number or nothing. */
export const wordAt = (value: unknown, path: string): string | null => {
  const word = textAt(value, path);
  return /^[a-z][\w-]{0,63}$/i.test(word) ? word : null;
};

/** Type of the next action that `ledger prune` leaves in place of an account. */
export const PRUNED = 'pruned';

const isPruned = (action: NextAction | undefined): boolean => action?.kind === 'other' && action.type === PRUNED;

/** True for an account, also for one whose number was pruned. */
export const isAccount = (action: NextAction | undefined): boolean => action?.kind === 'transfer' || isPruned(action);

/** Explains in words that a ledger has no account number any more; undefined for any other next action. */
export const prunedText = (action: NextAction | undefined): string | undefined =>
  isPruned(action) ? 'its account number was removed by `paycli ledger prune`' : undefined;

const missingIn = (action: NextAction): readonly string[] => {
  if (action.kind === 'transfer') {
    return [...(action.bank === '' ? ['bank'] : []), ...(action.accountName === '' ? ['account name'] : [])];
  }
  const isPart = action.kind === 'other' && otherEntries(action).some(([name]) => ACCOUNT_KEYS.includes(name));
  return isPart ? ['account number'] : [];
};

/** Explains why nobody can transfer money to an account; undefined if it is complete, or if there is none. */
export const incompleteText = (action: NextAction): string | undefined => {
  const missing = missingIn(action);
  return missing.length === 0 ? prunedText(action) : `the service sent no ${missing.join(' and no ')}`;
};

/**
 * Time until which the customer can still complete the step, in milliseconds since the epoch by the service's clock;
 * undefined if no answer says so for certain. Only `requires_action` asks for a step. With any other status the
 * customer has acted, or its meaning is unknown here, so an expiry bounds nothing.
 */
export const payableUntil = (activity: unknown): number | undefined => {
  if (statusOf(activity) !== 'requires_action' || !isAccount(readNextAction(activity))) return undefined;
  const text = valueAt(activity, 'next_action.headers.expires_at');
  return typeof text === 'string' ? parseInstant(text)?.ms : undefined;
};

/** The kind of intent whose outcome the service shows afterwards. */
export const CHARGE = 'charge';
/** Kind of the entries that pay money back. */
export const REFUND = 'refund';

/** Description of a write, for messages about one whose outcome is unknown. */
export interface WriteKind {
  /** One word for the written object or the act: `charge`, `payment_request`, `update`. */
  readonly kind: string;
  /** Past participle for messages: `made`, `applied`. */
  readonly done: string;
  /** Advice before the write is sent again. */
  readonly hint: string;
}

export const CHARGE_WRITE: WriteKind = {
  kind: CHARGE,
  done: 'made',
  hint: "don't run it again until you know, or the customer may pay twice",
};

/** A write of an unspecified kind. */
export const ANY_WRITE: WriteKind = {
  kind: 'request',
  done: 'applied',
  hint: "don't send it again until you know, or it may be applied twice",
};

export const kindWord = (kind: string): string => kind.replaceAll('_', ' ');

/** The beginning of a sentence about a write with an unknown outcome. */
export const mayBeDone = ({ kind, done }: Pick<WriteKind, 'kind' | 'done'>): string =>
  `the ${kindWord(kind)} may have been ${done}`;

/** Count with its noun: `1 charge`, `2 refunds`; `3 requests` for mixed kinds. */
export const countText = (entries: readonly { readonly kind: string }[]): string => {
  const [kind = CHARGE, ...others] = new Set(entries.map((entry) => entry.kind));
  return counted(entries.length, others.length > 0 ? 'request' : kindWord(kind));
};

/**
 * State of a row of a file (docs/files.md). `failed`: its activity was created and has failed. `expired`: nobody paid
 * it in time. `refused`: the guard refused it; the ledger has no record of that. `sending`: another process is sending
 * it. `invalid`: it could not be sent as it is.
 */
export const ROW_STATES = [
  'accepted',
  'failed',
  'rejected',
  'not_sent',
  'unknown',
  'not_created',
  'refused',
  'sending',
  'invalid',
  'expired',
] as const;
export type RowState = (typeof ROW_STATES)[number];

export type RowCounts = Readonly<Partial<Record<RowState, number>>>;

/** State of a row by its last charge or update. `end`: how that ended after it was accepted. */
export const rowStateOf = (state: ChargeState, end: 'failed' | 'expired' | undefined): RowState =>
  state === 'accepted' ? (end ?? state) : state;

const RETRIED: readonly RowState[] = ['rejected', 'failed', 'not_created', 'expired'];

/**
 * True if another run sends a row in this state again; `retry` is --retry-failed. An unsent row is always sent
 * again: exit code 5 says that the same command may be repeated. A row that may have been applied never is.
 */
export const isTakenUp = (state: RowState, retry: boolean): boolean =>
  state === 'refused' || state === 'not_sent' || (retry && RETRIED.includes(state));

/** The columns of a job's summary, in order. The most urgent ones come first on a card. */
const SUMMARY_COLUMNS: readonly {
  readonly path: string;
  readonly label?: string;
  readonly kind?: 'count';
  readonly always?: boolean;
}[] = [
  { path: 'job' },
  { path: 'command' },
  { path: 'file' },
  { path: 'rows', kind: 'count', always: true },
  ...ROW_STATES.filter((state) => state !== 'expired').map((state) => ({
    path: state,
    kind: 'count' as const,
    label: state.replaceAll('_', ' '),
  })),
  { path: 'not_started', kind: 'count', label: 'not started' },
  { path: 'skipped', kind: 'count', label: 'done before' },
  { path: 'report' },
  { path: 'expired', kind: 'count' },
];

/** The same with another label for the accepted rows. */
export const summaryColumns = (accepted: string): typeof SUMMARY_COLUMNS =>
  SUMMARY_COLUMNS.map((column) => (column.path === 'accepted' ? { ...column, label: accepted } : column));

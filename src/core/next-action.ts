import { standingOf, statusOf } from './charge.ts';
import { NumberText } from './json.ts';
import { machineValue } from './medium.ts';
import { valueAt } from './path.ts';
import { readInstant } from './time.ts';

/** What the customer must do next (interface.md 2.5), ready to be passed on. */
export type NextAction = {
  readonly instruction: string | undefined;
  /** Whatever else the service said for the customer. */
  readonly entries: readonly Entry[];
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
export type Entry = readonly [name: string, value: unknown];

/** A text of an answer, whatever it came as: a number, or the first of a pair. */
const textAt = (value: unknown, path: string): string | undefined => {
  const found = valueAt(value, path);
  const text = found instanceof NumberText ? found.text : machineValue(found);
  return text.trim() === '' ? undefined : text;
};

const entriesOf = (headers: unknown, ...known: readonly string[]): Entry[] =>
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
  if (standingOf(statusOf(activity)) !== 'open') return false;
  const action = readNextAction(activity);
  return action?.kind === 'other' && action.instruction === undefined;
};

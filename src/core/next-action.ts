import { valueAt } from './path.ts';
import { parseInstant } from './time.ts';

/** What the customer must do next (interface.md 2.5), ready to be passed on. */
export type NextAction =
  | {
      readonly kind: 'transfer';
      readonly instruction: string | undefined;
      readonly bank: string;
      readonly accountName: string;
      readonly accountNumber: string;
      /** Milliseconds since the epoch; the account stops accepting transfers then. */
      readonly expiresAt: number | undefined;
      /** Whatever else the service said for the customer. */
      readonly entries: readonly Entry[];
    }
  | {
      readonly kind: 'dial';
      readonly instruction: string | undefined;
      readonly code: string;
      readonly entries: readonly Entry[];
    }
  | {
      readonly kind: 'other';
      readonly type: string;
      readonly instruction: string | undefined;
      readonly entries: readonly Entry[];
    };

export type Entry = readonly [name: string, value: string];

const textAt = (value: unknown, path: string): string | undefined => {
  const found = valueAt(value, path);
  return typeof found === 'string' && found !== '' ? found : undefined;
};

const entriesOf = (headers: unknown, known: readonly string[] = []): Entry[] =>
  typeof headers === 'object' && headers !== null
    ? Object.entries(headers)
        .filter(([name]) => !known.includes(name))
        .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
    : [];

const ACCOUNT_KEYS = ['bank_name', 'account_name', 'account_number', 'expires_at'];

/** Reads the next action of an activity that the contract has accepted; undefined when the customer has nothing to do. */
export const readNextAction = (activity: unknown): NextAction | undefined => {
  const type = textAt(activity, 'next_action.type');
  if (type === undefined) return undefined;
  const headers = valueAt(activity, 'next_action.headers');
  const instruction = textAt(activity, 'next_action.instruction');
  const code = textAt(headers, 'ussd');
  if (code !== undefined) return { kind: 'dial', instruction, code, entries: entriesOf(headers, ['ussd']) };
  const accountNumber = textAt(headers, 'account_number');
  if (accountNumber === undefined) return { kind: 'other', type, instruction, entries: entriesOf(headers) };
  return {
    kind: 'transfer',
    instruction,
    bank: textAt(headers, 'bank_name') ?? '',
    accountName: textAt(headers, 'account_name') ?? '',
    accountNumber,
    expiresAt: parseInstant(textAt(headers, 'expires_at') ?? '')?.ms,
    entries: entriesOf(headers, ACCOUNT_KEYS),
  };
};

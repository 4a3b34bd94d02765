import { paymentShown } from '../charge/payment.ts';
import { incompleteText, type NextAction, statusOf } from '../core/charge.ts';
import { usageError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { printExact, valueAt } from '../core/json.ts';
import type { ApiRecord } from '../core/record.ts';
import type { ShareOptions, View } from '../core/result.ts';
import { statusWord } from '../core/status.ts';
import { decodeUtf8, visible, visibleExactly, visibleLines } from '../core/text.ts';
import { formatAnywhere } from '../core/time.ts';
import { amountOf } from './card.ts';
import { exactValue, plainText } from './cell.ts';
import { shownExactly } from './next-action.ts';
import { stylesFor } from './style.ts';

/** A message for a customer, or the reason why there is none. */
type Message = { readonly text: string } | { readonly why: string };

interface ShareInput {
  readonly value: unknown;
  readonly action: NextAction | undefined;
  /** As text for people; undefined if the amount is unknown. */
  readonly amount: string | undefined;
  readonly now: number;
  /** Time zone of the expiry, if it is not this machine's. */
  readonly zone?: string | undefined;
  /** See `readTemplate`. */
  readonly template?: string | undefined;
  /** Values for the template that are not in the step. */
  readonly others?: Readonly<Record<string, string | undefined>>;
}

/** Labels of the facts of a step, in a message without a template. The names are those of the placeholders. */
const LABELS = {
  ...{ amount: 'Amount', code: 'Dial', bank: 'Bank', account_name: 'Account name' },
  ...{ account_number: 'Account number', expires: 'Expires' },
} as const;
const PLACEHOLDERS = [...Object.keys(LABELS), 'ref', 'first_name', 'merchant'].map((name) => `{${name}}`);

/** A placeholder, or what looks like the beginning of one, also of other programs. Other braces are text. */
const PLACEHOLDER = /\{[{\s]*[\p{L}_]+\}?/gu;

/** Checks a template, and cuts off its last line break: every message gets one. */
export const readTemplate = (bytes: Uint8Array, file: string): string => {
  const text = decodeUtf8(bytes);
  const odd = text?.match(PLACEHOLDER)?.find((found) => !PLACEHOLDERS.includes(found));
  if (text !== undefined && text.trim() !== '' && odd === undefined) return text.replace(/\r?\n$/, '');
  const what = odd === undefined ? 'is empty, or not valid UTF-8' : `has ${odd}, which is no placeholder`;
  throw usageError(`--share-template: ${file} ${what}`, { hint: `placeholders are ${PLACEHOLDERS.join(' ')}` });
};

type Facts = Partial<Record<keyof typeof LABELS, string>>;

const factsOf = (action: NextAction, { amount = '', zone }: Pick<ShareInput, 'amount' | 'zone'>): Facts => {
  if (action.kind === 'other') return { amount };
  if (action.kind === 'dial') return { amount, code: visibleExactly(action.code) };
  const { bank, accountName, accountNumber, expiresAt } = action;
  const account = { account_name: visible(accountName), account_number: visibleExactly(accountNumber) };
  const expires = expiresAt === undefined ? '' : formatAnywhere(expiresAt, zone);
  return { amount, bank: visible(bank), ...account, expires };
};

/** Fills a template, unless the charge lacks a value that it names. */
const fillTemplate = (template: string, facts: Facts, others: ShareInput['others'] = {}): Message => {
  const values = new Map<string, string>([
    ...Object.entries(others).map(([name, text = '']) => [`{${name}}`, visible(text)] as const),
    ...Object.entries(facts).map(([name, text]) => [`{${name}}`, text] as const),
  ]);
  const missing = template.match(PLACEHOLDER)?.find((name) => !values.get(name));
  if (missing !== undefined) return { why: `the charge has nothing for ${missing} of the template` };
  return { text: template.replaceAll(PLACEHOLDER, (name) => values.get(name) ?? '') };
};

const messageLines = (action: NextAction, facts: Facts): string[] => {
  const known = Object.entries(facts).map(([name, text]) => [LABELS[name as keyof Facts], text] as const);
  const others = action.entries.map(
    ([name, value]) => [visible(name), visible(plainText(value) || printExact(value))] as const,
  );
  return [...known, ...others].filter(([, text]) => text !== '').map((line) => line.join(': '));
};

const whyNot = ({ value, action, now, zone }: ShareInput): string | undefined => {
  const status = statusOf(value);
  const which = visible(plainText(valueAt(value, 'uid')));
  if (paymentShown(value) !== 'open') return `${which} is ${visible(statusWord(status))}`;
  if (action === undefined)
    return `${which} asks nothing of the customer${status === '' ? '' : ` (${visible(statusWord(status))})`}`;
  const missing = incompleteText(action);
  if (missing !== undefined) return missing;
  if (action.kind === 'transfer' && action.expiresAt !== undefined && action.expiresAt <= now) {
    return `the account expired at ${formatAnywhere(action.expiresAt, zone)}`;
  }
  return undefined;
};

/**
 * Writes the step as a message to send: a filled template, else the service's own words and facts. Refuses an
 * incomplete or expired account.
 */
export const shareMessage = (input: ShareInput): Message => {
  const why = whyNot(input);
  const { action, template, others } = input;
  if (why !== undefined || action === undefined) return { why: why ?? '' };
  const facts = factsOf(action, input);
  if (template !== undefined) return fillTemplate(template, facts, others);
  const said = action.instruction === undefined ? [] : [visibleLines(action.instruction)];
  const lines = messageLines(action, facts);
  const text = [...said, ...(lines.length === 0 ? [] : [lines.join('\n')])].join('\n\n');
  return text === '' ? { why: 'the service did not say what to do' } : { text };
};

type PassOnIo = Pick<Io, 'stdout' | 'stderr' | 'clock'>;

const copiedOf = (action: NextAction | undefined, message: Message | undefined) => {
  if (message !== undefined) return 'text' in message ? { what: 'the message', text: message.text } : undefined;
  if (action?.kind === 'transfer') return { what: 'the account number', text: action.accountNumber };
  return action?.kind === 'dial' ? { what: 'the code to dial', text: action.code } : undefined;
};

const copyText = async (
  action: NextAction | undefined,
  message: Message | undefined,
  { stdout, stderr }: PassOnIo,
): Promise<string> => {
  const copied = copiedOf(action, message);
  if (copied === undefined) return 'Nothing was copied: there is no account number and no code to dial.';
  const { what, text } = copied;
  // A line break would run a pasted command, and nobody sees an escape sequence in a clipboard.
  if (message === undefined && shownExactly(text) !== text) return `Nothing was copied: ${what} has hidden characters.`;
  const isTaken = (await stderr.copy(text)) || (await stdout.copy(text));
  return isTaken ? `Copied ${what}, if this terminal lets programs copy.` : 'Nothing was copied: this is no terminal.';
};

/** Passes a customer's step on: prints a message, copies it, or both. Returns notices. */
export const sharedRecord = async (
  record: ApiRecord,
  view: View,
  how: ShareOptions,
  io: PassOnIo,
): Promise<string[]> => {
  const value = exactValue(record);
  const action = view.nextAction?.(value);
  const amount = amountOf(value, view, await stylesFor(false));
  const message = how.share ? shareMessage({ value, action, amount, now: io.clock.now() }) : undefined;
  const said: string[] = [];
  if (message !== undefined && 'text' in message) await io.stdout.write(`${message.text}\n`);
  if (message !== undefined && 'why' in message) said.push(`Nothing to send to the customer: ${message.why}.`);
  if (how.copy) said.push(await copyText(action, message, io));
  return said;
};

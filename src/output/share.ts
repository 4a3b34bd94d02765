import { paymentShown } from '../charge/payment.ts';
import { incompleteText, type NextAction, statusOf } from '../core/charge.ts';
import type { Io, Output } from '../core/io.ts';
import { printExact, valueAt } from '../core/json.ts';
import type { ApiRecord } from '../core/record.ts';
import type { ShareOptions, View } from '../core/result.ts';
import { statusWord } from '../core/status.ts';
import { visible, visibleExactly, visibleLines } from '../core/text.ts';
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
}

type Line = readonly [label: string, text: string];

const factsOf = (action: NextAction): Line[] => {
  if (action.kind === 'other') return [];
  if (action.kind === 'dial') return [['Dial', visibleExactly(action.code)]];
  const { bank, accountName, accountNumber, expiresAt } = action;
  const expires: Line[] = expiresAt === undefined ? [] : [['Expires', formatAnywhere(expiresAt)]];
  return [
    ['Bank', visible(bank)],
    ['Account name', visible(accountName)],
    ['Account number', visibleExactly(accountNumber)],
    ...expires,
  ];
};

const messageLines = (action: NextAction, amount: string | undefined): string[] => {
  const money: Line[] = amount === undefined ? [] : [['Amount', amount]];
  const others = action.entries.map(
    ([name, value]): Line => [visible(name), visible(plainText(value) || printExact(value))],
  );
  return [...money, ...factsOf(action), ...others].filter(([, text]) => text !== '').map((line) => line.join(': '));
};

const whyNot = ({ value, action, now }: ShareInput): string | undefined => {
  const status = statusOf(value);
  const which = visible(plainText(valueAt(value, 'uid')));
  if (paymentShown(value) !== 'open') return `${which} is ${visible(statusWord(status))}`;
  if (action === undefined)
    return `${which} asks nothing of the customer${status === '' ? '' : ` (${visible(statusWord(status))})`}`;
  const missing = incompleteText(action);
  if (missing !== undefined) return missing;
  if (action.kind === 'transfer' && action.expiresAt !== undefined && action.expiresAt <= now) {
    return `the account expired at ${formatAnywhere(action.expiresAt)}`;
  }
  return undefined;
};

/**
 * Writes the step as a message to send: the service's own words and facts. Refuses an incomplete or expired account.
 */
const shareMessage = (input: ShareInput): Message => {
  const why = whyNot(input);
  const { action, amount } = input;
  if (why !== undefined || action === undefined) return { why: why ?? '' };
  const said = action.instruction === undefined ? [] : [visibleLines(action.instruction)];
  const lines = messageLines(action, amount);
  const text = [...said, ...(lines.length === 0 ? [] : [lines.join('\n')])].join('\n\n');
  return text === '' ? { why: 'the service did not say what to do' } : { text };
};

type PassOnIo = Pick<Io, 'stdout' | 'stderr' | 'clock'>;

type Copied = readonly [what: string, text: string];

const copiedOf = (action: NextAction | undefined, message: Message | undefined): Copied | undefined => {
  if (message !== undefined) return 'text' in message ? ['the message', message.text] : undefined;
  if (action?.kind === 'transfer') return ['the account number', action.accountNumber];
  return action?.kind === 'dial' ? ['the code to dial', action.code] : undefined;
};

const copyTo = async (outputs: readonly Output[], text: string): Promise<boolean> => {
  for (const output of outputs) if (await output.copy(text)) return true;
  return false;
};

const copyText = async (
  action: NextAction | undefined,
  message: Message | undefined,
  { stdout, stderr }: PassOnIo,
): Promise<string> => {
  const copied = copiedOf(action, message);
  if (copied === undefined) return 'Nothing was copied: there is no account number and no code to dial.';
  const [what, text] = copied;
  // A line break would run a pasted command, and nobody sees an escape sequence in a clipboard.
  if (message === undefined && shownExactly(text) !== text) return `Nothing was copied: ${what} has hidden characters.`;
  const taken = await copyTo([stderr, stdout], text);
  return taken ? `Copied ${what}, if this terminal lets programs copy.` : 'Nothing was copied: this is no terminal.';
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

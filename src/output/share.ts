import { standingOf, statusOf } from '../core/charge.ts';
import { printExact } from '../core/json.ts';
import type { NextAction } from '../core/next-action.ts';
import { missingOf } from '../core/next-action.ts';
import { valueAt } from '../core/path.ts';
import { visible, visibleExactly, visibleLines } from '../core/sanitize.ts';
import { formatAnywhere } from '../core/time.ts';
import { plainText } from './cell.ts';

/** A message for a customer, or why there is none. */
export type Message = { readonly text: string } | { readonly why: string };

/** What a message is made of. */
export interface ShareInput {
  readonly value: unknown;
  readonly action: NextAction | undefined;
  /** Ready to be shown; undefined where none is known. */
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

const linesOf = (action: NextAction, amount: string | undefined): string[] => {
  const money: Line[] = amount === undefined ? [] : [['Amount', amount]];
  const others = action.entries.map(
    ([name, value]): Line => [visible(name), visible(plainText(value) || printExact(value))],
  );
  return [...money, ...factsOf(action), ...others].filter(([, text]) => text !== '').map((line) => line.join(': '));
};

const whyNot = ({ value, action, now }: ShareInput): string | undefined => {
  const status = statusOf(value);
  const which = visible(plainText(valueAt(value, 'uid')));
  if (standingOf(status) !== 'open') return `${which} is ${visible(status)}`;
  if (action === undefined)
    return `${which} asks nothing of the customer${status === '' ? '' : ` (${visible(status)})`}`;
  const missing = missingOf(action);
  if (missing.length > 0) return `the service sent no ${missing.join(' and no ')}`;
  if (action.kind === 'transfer' && action.expiresAt !== undefined && action.expiresAt <= now) {
    return `the account expired at ${formatAnywhere(action.expiresAt)}`;
  }
  return undefined;
};

/** The step as a message to send: the service's own words and facts. Half an account, or one that has expired, is not sent on. */
export const messageOf = (input: ShareInput): Message => {
  const why = whyNot(input);
  const { action, amount } = input;
  if (why !== undefined || action === undefined) return { why: why ?? '' };
  const said = action.instruction === undefined ? [] : [visibleLines(action.instruction)];
  const lines = linesOf(action, amount);
  const text = [...said, ...(lines.length === 0 ? [] : [lines.join('\n')])].join('\n\n');
  return text === '' ? { why: 'the service did not say what to do' } : { text };
};

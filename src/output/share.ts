import { type Medium, mediumNamed } from '../charge/mediums.ts';
import { paymentShown } from '../charge/payment.ts';
import { DIAL_HEADER, incompleteText, type NextAction, otherEntries, statusOf } from '../core/charge.ts';
import { usageError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { printExact, valueAt } from '../core/json.ts';
import type { ApiRecord } from '../core/record.ts';
import type { Message, PassOn, ShareStep, View } from '../core/result.ts';
import { statusWord } from '../core/status.ts';
import { decodeUtf8, visible, visibleExactly, visibleLines } from '../core/text.ts';
import { formatAnywhere } from '../core/time.ts';
import { amountOf } from './card.ts';
import { exactValue, plainText } from './cell.ts';
import { shownExactly } from './next-action.ts';
import { stylesFor } from './style.ts';

interface ShareInput extends ShareStep {
  /** Time zone of the expiry, if it is not this machine's. */
  readonly zone?: string | undefined;
  readonly template?: Template | undefined;
}

/** Values of a message under the names of their placeholders. The step that shows one; its label if there is no template. */
const PLACES: Readonly<Record<string, { readonly label?: string; readonly step?: Medium['step'] }>> = {
  amount: { label: 'Amount' },
  code: { label: 'Dial', step: 'dial' },
  bank: { label: 'Bank', step: 'transfer' },
  account_name: { label: 'Account name', step: 'transfer' },
  account_number: { label: 'Account number', step: 'transfer' },
  expires: { label: 'Expires', step: 'transfer' },
  ref: { label: 'Reference' },
  first_name: {},
  merchant: {},
};
/** Columns of a report that have another name than their place. */
const COLUMNS: Readonly<Record<string, string>> = {
  [DIAL_HEADER]: 'code',
  bank_name: 'bank',
  payable_until: 'expires',
};
const placeNamed = (name: string): string | undefined => {
  const place = Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : name;
  return place !== undefined && Object.hasOwn(PLACES, place) ? place : undefined;
};

/** A placeholder, or what looks like the beginning of one, also of other programs. Other braces are text. */
const PLACEHOLDER = /\{[{\s]*[\p{L}_]+(?:\|[^{}]*)?\}?/gu;

interface Part {
  readonly found: string;
  readonly place: string;
  /** The default; undefined if there is none. */
  readonly otherwise: string | undefined;
}

/** A text for customers with placeholders such as `{first_name}`, or with a default: `{first_name|there}`. */
export class Template {
  readonly #text: string;

  constructor(bytes: Uint8Array, file: string) {
    const text = decodeUtf8(bytes);
    const odd = text?.match(PLACEHOLDER)?.find((found) => Template.#part(found) === undefined);
    if (text === undefined || text.trim() === '' || odd !== undefined) {
      const what = odd === undefined ? 'is empty, or not valid UTF-8' : `has ${odd}, which is no placeholder`;
      const known = [...Object.keys(PLACES), ...Object.keys(COLUMNS)].map((name) => `{${name}}`);
      throw usageError(`--share-template: ${file} ${what}`, { hint: `placeholders are ${known.join(' ')}` });
    }
    // Every message gets a line break.
    this.#text = text.replace(/\r?\n$/, '');
  }

  static #part(found: string): Part | undefined {
    const [, name = '', otherwise] = /^\{(\w+)(?:\|(.*))?\}$/s.exec(found) ?? [];
    const place = placeNamed(name);
    return place === undefined ? undefined : { found, place, otherwise };
  }

  #parts(): readonly Part[] {
    return (this.#text.match(PLACEHOLDER) ?? []).flatMap((found) => Template.#part(found) ?? []);
  }

  wants(name: string): boolean {
    return this.#parts().some(({ place }) => place === name);
  }

  /** The first placeholder without a default whose place has no value. */
  lacking(has: (place: string) => boolean): string | undefined {
    return this.#parts().find(({ place, otherwise }) => otherwise === undefined && !has(place))?.found;
  }

  /** The first placeholder for which a charge by a medium never has a value. A medium that is not known may have all. */
  impossible(medium: unknown): string | undefined {
    const known = mediumNamed(medium);
    return this.lacking((place) => known === undefined || [undefined, known.step].includes(PLACES[place]?.step));
  }

  /** Fills the template, unless the charge lacks a value that it needs. */
  fill(values: Facts): Message {
    const lacks = this.lacking((place) => !!values[place]);
    if (lacks !== undefined) return { why: `the charge has nothing for ${lacks} of the template`, lacks };
    return {
      text: this.#text.replaceAll(PLACEHOLDER, (found) => {
        const { place = '', otherwise = '' } = Template.#part(found) ?? {};
        return values[place] || otherwise;
      }),
    };
  }
}

type Facts = Readonly<Record<string, string>>;

const factsOf = (action: NextAction, { amount = '', zone, others = {} }: ShareInput): Facts => {
  const ref = visible(others['ref'] ?? '');
  if (action.kind === 'other') return { amount, ref };
  if (action.kind === 'dial') return { amount, code: visibleExactly(action.code), ref };
  const { bank, accountName, accountNumber, expiresAt } = action;
  return {
    amount,
    bank: visible(bank),
    account_name: visible(accountName),
    account_number: visibleExactly(accountNumber),
    expires: expiresAt === undefined ? '' : formatAnywhere(expiresAt, zone),
    ref,
  };
};

const messageLines = (action: NextAction, facts: Facts): string[] => {
  const known = Object.entries(facts).map(([name, text]) => [PLACES[name]?.label, text] as const);
  const others = otherEntries(action).map(
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
  if (template !== undefined) {
    const named = Object.entries(others ?? {}).map(([name, text = '']) => [name, visible(text)]);
    return template.fill({ ...Object.fromEntries(named), ...facts });
  }
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
  if (copied === undefined) return 'Nothing was copied: there is no account number and no code to pay with now.';
  const { what, text } = copied;
  // A line break would run a pasted command, and nobody sees an escape sequence in a clipboard.
  if (message === undefined && shownExactly(text) !== text) return `Nothing was copied: ${what} has hidden characters.`;
  const isTaken = (await stderr.copy(text)) || (await stdout.copy(text));
  return isTaken ? `Copied ${what}, if this terminal lets programs copy.` : 'Nothing was copied: this is no terminal.';
};

/** Passes a customer's step on: prints a message, copies it, or both. Returns notices. */
export const sharedRecord = async (record: ApiRecord, view: View, how: PassOn, io: PassOnIo): Promise<string[]> => {
  const value = exactValue(record);
  const action = view.nextAction?.(value);
  const amount = amountOf(value, view, await stylesFor(false));
  const others = { ref: view.ref };
  const { write = shareMessage } = how;
  const message = how.share ? write({ value, action, amount, others, now: io.clock.now() }) : undefined;
  const said: string[] = [];
  if (message !== undefined && 'text' in message) await io.stdout.write(`${message.text}\n`);
  if (message !== undefined && 'why' in message) said.push(`Nothing to send to the customer: ${message.why}.`);
  if (how.copy) said.push(await copyText(action, message, io));
  return said;
};

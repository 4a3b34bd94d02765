import type { Io, Output } from '../core/io.ts';
import type { NextAction } from '../core/next-action.ts';
import type { Received } from '../core/received.ts';
import type { PassOn, View } from '../core/result.ts';
import { amountOf } from './card.ts';
import type { Message } from './share.ts';
import { messageOf } from './share.ts';
import { stylesFor } from './style.ts';
import { exactValue } from './value.ts';

type PassOnIo = Pick<Io, 'stdout' | 'stderr' | 'clock'>;

/** What a message, or a step, is copied as: words for it, and its text. */
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

const saidOfCopy = async (copied: Copied | undefined, { stdout, stderr }: PassOnIo): Promise<string> => {
  if (copied === undefined) return 'Nothing was copied: there is no account number and no code to dial.';
  const [what, text] = copied;
  const taken = await copyTo([stderr, stdout], text);
  return taken ? `Copied ${what}, if this terminal lets programs copy.` : 'Nothing was copied: this is no terminal.';
};

/** Passes a customer's step on as wanted: prints a message, copies. Gives what there is to say about it. */
export const passOnRecord = async (record: Received, view: View, how: PassOn, io: PassOnIo): Promise<string[]> => {
  const value = exactValue(record);
  const action = view.nextAction?.(value);
  const amount = amountOf(value, view, await stylesFor(false));
  const message = how.share ? messageOf({ value, action, amount, now: io.clock.now() }) : undefined;
  const said: string[] = [];
  if (message !== undefined && 'text' in message) await io.stdout.write(`${message.text}\n`);
  if (message !== undefined && 'why' in message) said.push(`Nothing to send to the customer: ${message.why}.`);
  if (how.copy) said.push(await saidOfCopy(copiedOf(action, message), io));
  return said;
};

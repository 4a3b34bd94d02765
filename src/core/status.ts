/** Meaning of a status, for its colour. `alarm` needs a person. */
export type Tone = 'good' | 'open' | 'busy' | 'bad' | 'off' | 'alarm';

/**
 * Statuses by the value that the service, the ledger or a webhook queue has for them: the word for people, and its
 * tone. Formats for programs keep the value.
 */
export const STATUSES: ReadonlyMap<string, readonly [word: string, tone: Tone]> = new Map([
  // Payment requests and activities.
  ['requires_ugwo', ['not paid', 'open']],
  ['requires_action', ['not paid', 'open']],
  ['processing', ['processing', 'busy']],
  ['ugwo_successful', ['paid', 'good']],
  ['successful', ['paid', 'good']],
  ['partially_refunded', ['part refunded', 'off']],
  ['refunded', ['refunded', 'off']],
  ['cancelled', ['cancelled', 'bad']],
  ['failed', ['failed', 'bad']],
  // Payments of charges.
  ['paid', ['paid', 'good']],
  ['overpaid', ['overpaid', 'good']],
  ['too_much', ['too much', 'alarm']],
  ['underpaid', ['part paid', 'open']],
  ['open', ['open', 'open']],
  ['expired', ['expired', 'bad']],
  ['reversed', ['reversed', 'bad']],
  // Refunds.
  ['refund_open', ['refund open', 'busy']],
  ['paid_back', ['paid back', 'off']],
  ['refund_failed', ['refund failed', 'alarm']],
  ['refund_disputed', ['refund disputed', 'alarm']],
  // Cases that need a person.
  ['disputed', ['disputed', 'alarm']],
  ['paid_twice', ['paid twice', 'alarm']],
  ['not_shared', ['not shared', 'alarm']],
  ['expires_soon', ['expires soon', 'open']],
  // Charges in the ledger.
  ['sending', ['sending', 'busy']],
  ['accepted', ['accepted', 'good']],
  ['rejected', ['rejected', 'bad']],
  ['not_sent', ['not sent', 'open']],
  ['unknown', ['unknown', 'alarm']],
  ['not_created', ['not created', 'open']],
  // Lines of a statement and payments of the ledger.
  ['agrees', ['agrees', 'good']],
  ['likely', ['likely', 'open']],
  ['other_amount', ['other amount', 'alarm']],
  ['two_names', ['two names', 'alarm']],
  ['only_in_file', ['only in file', 'open']],
  ['only_here', ['only here', 'open']],
  // Events and their deliveries.
  ['kept', ['stored', 'off']],
  ['waiting', ['waiting', 'open']],
  ['forwarded', ['forwarded', 'good']],
  ['delivered', ['delivered', 'good']],
  ['dropped', ['dropped', 'off']],
  // Results of `doctor`.
  ['ok', ['ok', 'good']],
  ['warn', ['warn', 'open']],
  ['fail', ['fail', 'bad']],
]);

/** Words of one resource for values that mean something else in another. */
export type StatusWords = Readonly<Record<string, string>>;

/** The money of a successful refund has gone back. */
export const REFUND_WORDS: StatusWords = { successful: 'refunded' };

/** The word for a status; an unknown status stays as received. */
export const statusWord = (value: string, own: StatusWords = {}): string =>
  (Object.hasOwn(own, value) ? own[value] : STATUSES.get(value)?.[0]) ?? value;

/** The word for a status as one argument of a command: `not-paid`. */
export const statusArgument = (value: string): string => STATUSES.get(value)?.[0].replaceAll(' ', '-') ?? value;

/** The value among `known` for a text that a person entered: the value itself, or its word with blanks or hyphens. */
export const statusValue = <T extends string>(text: string, known: readonly T[]): T | undefined => {
  const word = text.toLowerCase().replaceAll('-', ' ');
  return known.find((value) => value === text) ?? known.find((value) => statusWord(value) === word);
};

import { formatMoney, SMALLEST_REFUND } from './money.ts';

const smallestRefund = [...SMALLEST_REFUND].map(([currency, minor]) => formatMoney(minor, currency)).join();

/**
 * Sentences for the service's error codes (docs/service.md, Errors), by the end of the code. `{field}` stands for the
 * flag or the column that sets this field. Loaded only where an error is printed.
 */
const SENTENCES: Readonly<Record<string, string>> = {
  validation_failed: 'Some values are not valid.',
  'workspace.error.balance_too_low': "The workspace's own balance is too low.",
  'ugwo.error.not_found': 'No payment request in this workspace has this id.',
  'onye.error.not_found': 'No customer in this workspace has this id.',
  'activity.error.not_found': 'No activity in this workspace has this id.',
  'checkout.error.not_found': 'No checkout in this workspace has this id.',
  'checkout.error.medium_not_found': 'The checkout does not offer this medium.',
  ugwo_processed: 'The payment request is already paid.',
  ugwo_cancelled: 'The payment request is cancelled.',
  not_cancellable: 'A payment request can be cancelled only before a payment is made or in progress.',
  ref_already_exists: 'Another payment request has this reference.',
  email_already_exists: 'Another customer has this e-mail address.',
  currency_not_allowed: 'The workspace does not accept this currency.',
  activity_not_paid: 'The activity is not paid, so there is nothing to refund.',
  refund_amount_too_high: 'The refund is larger than what is left of the payment.',
  refund_amount_too_low: `The refund is smaller than the smallest amount allowed (${smallestRefund}).`,
  missing_destination: 'Say where the refund goes: {provider} and {account_number}.',
};

/** A word, or several joined by dots; not in brackets, where a code explains a sentence. */
const CODE_WORD = /(?<![\w.(/-])[a-z]\w*(?:\.[a-z]\w*)*(?![\w/-]|\.\w)/g;

const sentenceFor = (code: string): string | undefined => {
  const ends = code.split('.').map((_name, index, names) => names.slice(index).join('.'));
  const known = ends.find((end) => Object.hasOwn(SENTENCES, end));
  return known === undefined ? undefined : SENTENCES[known];
};

interface Wording {
  /** Names a field of the request: its flag or its column. */
  readonly nameOf?: ((field: string) => string | undefined) | undefined;
  /** Adds each code in brackets after its sentence. */
  readonly withCodes?: boolean;
}

/** Replaces the codes of the service in a text by sentences. An unknown code stays. */
export const explained = (text: string, { nameOf, withCodes = false }: Wording = {}): string =>
  text.replaceAll(CODE_WORD, (code, index: number) => {
    const sentence = sentenceFor(code)?.replaceAll(/\{(\w+)\}/g, (_all, field: string) => nameOf?.(field) ?? field);
    if (sentence === undefined) return code;
    if (withCodes) return `${sentence.slice(0, -1)} (${code})`;
    // Other text after the sentence has its own punctuation.
    return index + code.length === text.length ? sentence : sentence.slice(0, -1);
  });

import { createHmac } from 'node:crypto';
import { CHARGE, readNextAction } from '../core/charge.ts';
import { isAnyId } from '../core/ids.ts';
import { definedIn } from '../core/json.ts';
import {
  cleaned,
  type Entry,
  type Evidence,
  type Intent,
  type KeptActivity,
  type KeptIntent,
  keptAccount,
  lastDigits,
  type StoredOutcome,
  termsDigestOf,
  withoutNumbers,
  withoutPhone,
  withoutPhoneEnding,
  withoutTerms,
} from './entry.ts';

/** Body for storage, without keys. Texts that may be a phone or account number show their last digits only. */
const keptBody = (body: string, clean: (text: string) => string): string => {
  const masked: unknown = JSON.parse(body, (_name, value) =>
    typeof value === 'string' && !isAnyId(value) ? withoutNumbers(value) : value,
  );
  return JSON.stringify(cleaned(masked, clean));
};

/** Cleaner of an intent's texts: a reference, or any field without the checks, may hold the customer's number. */
export const cleanerFor =
  ({ phone }: Pick<Intent, 'phone'>, clean: (text: string) => string) =>
  (text: string): string =>
    withoutPhone(clean(text), phone);

/** Stored length of an answer that proves nothing, in characters. */
const LONGEST_ANSWER = 2000;
/** Length that is cleaned before the cut. A number or a key cut in two would not be recognized. */
const CLEANED_LENGTH = 4 * LONGEST_ANSWER;

/** Removes what a ledger must not store: `clean` removes the known secrets from a text. `key` is the ledger's own. */
export class Redaction {
  readonly #key: string;
  readonly #clean: (text: string) => string;

  constructor(key: string, clean: (text: string) => string) {
    this.#key = key;
    this.#clean = clean;
  }

  readonly digest = (text: string): string => createHmac('sha256', this.#key).update(text).digest('hex').slice(0, 32);

  /**
   * Adds what identifies an activity's account. `charge` owns it: it holds its phone number or the last digits, and an
   * account that the service no longer shows.
   */
  readonly activity = (
    activity: KeptActivity,
    { phone, otherTerms, activity: known }: Pick<Intent, 'phone' | 'otherTerms'> & Partial<Pick<Entry, 'activity'>>,
  ): KeptActivity => {
    const { facts } = activity;
    const shown = readNextAction({ next_action: activity.nextAction ?? known?.nextAction });
    const last = phone && lastDigits(phone);
    const cleanWord = (text: string): string =>
      withoutPhoneEnding(withoutPhone(withoutTerms(this.#clean(text), otherTerms), phone), last);
    return {
      ...activity,
      ...(shown?.kind === 'transfer' ? keptAccount(shown.accountNumber, this.digest) : {}),
      nextAction: cleaned(activity.nextAction, cleanWord),
      ...(facts && { facts: { ...facts, failureCode: cleaned(facts.failureCode, cleanWord) } }),
      psp: cleaned(activity.psp, this.#clean),
      pspReference: cleaned(activity.pspReference, this.#clean),
    };
  };

  intent({ otherTerms, ...intent }: Intent): Intent & KeptIntent {
    const { about, medium, provider, phone, path, body, asked } = intent;
    return {
      ...intent,
      ...cleaned({ about, ...definedIn<unknown>({ medium, provider, path, asked }) }, cleanerFor(intent, this.#clean)),
      ...(body === undefined ? {} : { body: keptBody(body, this.#clean) }),
      ...definedIn({ phone: phone && lastDigits(phone), termsDigest: termsDigestOf(phone, otherTerms, this.digest) }),
    };
  }

  outcome(given: StoredOutcome, intent: Partial<Intent>): StoredOutcome {
    const { state, activity, evidence } = given;
    return {
      ...given,
      ...(activity && { activity: this.activity(activity, intent) }),
      ...(evidence && {
        evidence: state === 'accepted' ? cleaned(evidence, this.#clean) : this.#answer(evidence, intent),
      }),
    };
  }

  /** The service's words in an answer that proves nothing may repeat the numbers of the request. */
  #answer(evidence: Evidence, { kind, phone, otherTerms }: Partial<Intent>): Evidence {
    const clean = this.#clean;
    const cleanWord = (text: string): string =>
      kind === CHARGE ? withoutPhone(withoutTerms(clean(text), otherTerms), phone) : withoutNumbers(clean(text));
    const { message, answer } = evidence as { readonly message?: string; readonly answer?: string };
    return {
      ...cleaned(evidence, clean),
      ...(message === undefined ? {} : { message: cleanWord(message) }),
      ...(answer && { answer: cleanWord(answer.slice(0, CLEANED_LENGTH)).slice(0, LONGEST_ANSWER) }),
    };
  }
}

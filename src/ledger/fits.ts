import { isMedium, machineValue } from '../core/medium.ts';
import { readNextAction } from '../core/next-action.ts';
import { valueAt } from '../core/path.ts';
import { parseInstant } from '../core/time.ts';
import type { Charge } from './entry.ts';
import { isSamePhone, lastDigits } from './private.ts';

// What an activity, as the service shows it, says about the charge that made it. Every field may be missing or odd.

/** A machine value; sentences, numbers and keys, which have dots, are none. */
const WORD = /^[a-z][\w-]{0,63}$/i;

/** The machine value at a path; null where there is none that can be read. */
export const wordAt = (value: unknown, path: string): string | null => {
  const word = machineValue(valueAt(value, path));
  return WORD.test(word) ? word : null;
};

/** The mediums that a next action can be told apart by (interface.md 2.5). */
const ACTION_MEDIUMS = { transfer: 'bank_transfer', dial: 'ussd', other: null } as const;

const actionMedium = (activity: unknown): string | null => {
  const action = readNextAction(activity);
  return action === undefined ? null : ACTION_MEDIUMS[action.kind];
};

/** The medium that an activity names, or that its next action is of; null where it shows neither. */
export const mediumOf = (activity: unknown): string | null => wordAt(activity, 'medium') ?? actionMedium(activity);

/** `[]` is how an empty object comes. */
const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** A stored card or wallet: none of the mediums that paycli charges by (interface.md 2.4). */
const isStored = (activity: unknown): boolean => isFilled(valueAt(activity, 'ugwo_medium'));

/** What the next action of a charge by this medium looks like is written (interface.md 4.2 rule 4). */
const hasWrittenAction = (medium: string): boolean => medium === 'bank_transfer' || medium === 'ussd';

/** How a card or a wallet goes on, in a browser: none of the mediums that paycli charges by. */
const REDIRECT = /^redirect/i;

/** Whether the next action is another medium's. A type that is not written says nothing: the service may have a new one. */
const hasForeignAction = (activity: unknown, medium: string): boolean => {
  const type = wordAt(activity, 'next_action.type');
  if (!hasWrittenAction(medium) || type === null) return false;
  const own = actionMedium(activity);
  return own === null ? REDIRECT.test(type) : own !== medium;
};

/** Whether an activity was certainly made by another medium. */
export const isOtherMedium = (activity: unknown, medium: string): boolean => {
  if (!isMedium(medium)) return false;
  const named = wordAt(activity, 'medium');
  if (isStored(activity)) return true;
  return named === null ? hasForeignAction(activity, medium) : named !== medium;
};

/** Whether it is no charge at all, but a refund, say. A missing type says nothing. */
export const isNoCharge = (activity: unknown): boolean => (wordAt(activity, 'activity_type') ?? 'charge') !== 'charge';

/** Whether it names another payment request. */
export const isOfOther = (activity: unknown, ugwo: string): boolean => {
  const named = valueAt(activity, 'ugwo_uid');
  return typeof named === 'string' && named !== '' && named !== ugwo;
};

/** So far apart may two words about one expiry be, in milliseconds: a service may cut seconds off. */
const SAME_EXPIRY_MS = 60_000;

const textAt = (activity: unknown, paths: readonly string[]): string | undefined =>
  paths.map((path) => valueAt(activity, path)).find((text): text is string => typeof text === 'string' && text !== '');

/** Where providers and phones may be shown; neither is documented. */
const PROVIDER_PATHS = ['provider', 'data.provider', 'next_action.headers.provider'];
const PHONE_PATHS = ['phone', 'data.phone', 'next_action.headers.phone'];

/** What of an activity contradicts what the charge was made with; undefined where nothing does. */
export const contradictionOf = (
  { medium, expiresAt, provider, phone }: Pick<Charge, 'medium' | 'expiresAt' | 'provider' | 'phone'>,
  activity: unknown,
): 'another next action' | 'another expiry' | 'another provider' | 'another phone' | undefined => {
  if (hasForeignAction(activity, medium)) return 'another next action';
  // What is not known is not a number, which is not far from any.
  const until = parseInstant(textAt(activity, ['next_action.headers.expires_at']) ?? '')?.ms ?? Number.NaN;
  if (Math.abs(until - (expiresAt ?? Number.NaN)) > SAME_EXPIRY_MS) return 'another expiry';
  const shownProvider = textAt(activity, PROVIDER_PATHS);
  if (provider !== undefined && shownProvider !== undefined && shownProvider !== provider) return 'another provider';
  const shownPhone = textAt(activity, PHONE_PATHS);
  if (phone !== undefined && shownPhone !== undefined && lastDigits(shownPhone) !== phone) return 'another phone';
  return undefined;
};

/** Whether an activity shows another provider or phone than a charge with this data would have. */
export const contradictsOf = (activity: unknown, data: Readonly<Record<string, unknown>>): boolean => {
  const textOf = (name: string): string | undefined => (data[name] === undefined ? undefined : String(data[name]));
  const [provider, phone, shown] = [textOf('provider'), textOf('phone'), textAt(activity, PHONE_PATHS)];
  if (phone !== undefined && shown !== undefined && !isSamePhone(phone, shown)) return true;
  const asked = { medium: textOf('medium') ?? '', provider, phone: undefined, expiresAt: undefined };
  return contradictionOf(asked, activity) !== undefined;
};

/** It failed as it was made, without ever asking anything of the customer. */
export const isDeclinedAtOnce = (activity: unknown): boolean => {
  const [created, updated] = ['created_at', 'updated_at'].map((name) => valueAt(activity, name));
  const hasChanged = typeof updated === 'string' && typeof created === 'string' && updated !== created;
  return wordAt(activity, 'status') === 'failed' && !isFilled(valueAt(activity, 'next_action')) && !hasChanged;
};

import { EXPIRY_LIMIT_MS, isMedium, MEDIUMS, type Medium } from '../../core/charge.ts';
import { didYouMean } from '../../core/text.ts';
import { durationWord, type Instant } from '../../core/time.ts';

/** Expiry of a bank_transfer account: at an instant, or after milliseconds. */
export type Expiry = { readonly at: Instant } | { readonly in: number };

/** Charge parameters, one variant per medium. No parameter can stand beside a medium that it isn't for. */
export type ChargeMedium =
  | { readonly medium: 'bank_transfer'; readonly expiry: Expiry | undefined }
  | { readonly medium: 'ussd'; readonly provider: string }
  | { readonly medium: 'mobile_money'; readonly provider: string; readonly phone: string }
  /** With --no-validate: the values as given. */
  | {
      readonly medium: 'unchecked';
      readonly name: string | undefined;
      readonly expiry: Expiry | undefined;
      readonly provider: string | undefined;
      readonly phone: string | undefined;
    };

/** Charge parameters as given, by flags or in the columns of a file. Each is a key of the body and a column. */
export interface ChargeWords {
  readonly medium?: string | undefined;
  readonly expires_at?: Instant | undefined;
  /** In milliseconds. */
  readonly expires_in?: number | undefined;
  readonly provider?: string | undefined;
  readonly phone?: string | undefined;
}
export type ChargeField = keyof ChargeWords;
export const CHARGE_FIELDS = ['medium', 'expires_at', 'expires_in', 'provider', 'phone'] as const;

/** A fault in the parameters: the field, and a sentence. */
export interface ChargeFault {
  readonly field: ChargeField;
  readonly what: string;
}

/** Names a parameter by its source: a flag or a column. */
export type NameOf = (field: ChargeField) => string;

const OWN: Readonly<Record<Medium, readonly ChargeField[]>> = {
  bank_transfer: ['expires_at', 'expires_in'],
  ussd: ['provider'],
  mobile_money: ['provider', 'phone'],
};

const foreignTo = (medium: Medium, words: ChargeWords, nameOf: NameOf): ChargeFault[] => {
  const given = CHARGE_FIELDS.filter((field) => field !== 'medium' && words[field] !== undefined);
  return given
    .filter((field) => !OWN[medium].includes(field))
    .map((field) => {
      const owners = MEDIUMS.filter((other) => OWN[other].includes(field)).join(' and ');
      return { field, what: `${nameOf(field)} can't be used with ${nameOf('medium')} ${medium}, only with ${owners}` };
    });
};

const WANTED: Readonly<Record<'ussd' | 'mobile_money', readonly (readonly [ChargeField, string])[]>> = {
  ussd: [['provider', "the bank's code such as gtb or zenith"]],
  mobile_money: [
    ['provider', "the provider's code"],
    ['phone', 'the number in international format'],
  ],
};

const missingFrom = (medium: 'ussd' | 'mobile_money', words: ChargeWords, nameOf: NameOf): ChargeFault[] =>
  WANTED[medium]
    .filter(([field]) => words[field] === undefined)
    .map(([field, what]) => ({ field, what: `${nameOf('medium')} ${medium} needs ${nameOf(field)}, ${what}` }));

const expiryOf = ({ expires_at, expires_in }: ChargeWords): Expiry | undefined => {
  if (expires_at !== undefined) return { at: expires_at };
  return expires_in === undefined ? undefined : { in: expires_in };
};

const expiryFaults = ({ expires_at, expires_in }: ChargeWords, nameOf: NameOf): ChargeFault[] => {
  const name = nameOf('expires_in');
  if (expires_at !== undefined && expires_in !== undefined) {
    return [{ field: 'expires_in', what: `${nameOf('expires_at')} and ${name} can't be used together` }];
  }
  if (expires_in === undefined || (expires_in > 0 && expires_in <= EXPIRY_LIMIT_MS)) return [];
  return [
    {
      field: 'expires_in',
      what: `${name} must be between 1s and ${durationWord(EXPIRY_LIMIT_MS)} (got ${durationWord(expires_in)})`,
    },
  ];
};

const noMedium = (name: string | undefined, nameOf: NameOf): ChargeFault => {
  const known = MEDIUMS.join(', ');
  if (name === undefined) return { field: 'medium', what: `${nameOf('medium')} is required: ${known}` };
  const meant = didYouMean(name, MEDIUMS);
  const guess = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return { field: 'medium', what: `"${name}" is not one of ${known}${guess}` };
};

/** The charge parameters, or all their faults. */
export type ReadWith = { readonly charge: ChargeMedium } | { readonly faults: readonly ChargeFault[] };

const chargeBy = (medium: Medium, words: ChargeWords): ChargeMedium => {
  const { provider = '', phone = '' } = words;
  switch (medium) {
    case 'bank_transfer':
      return { medium, expiry: expiryOf(words) };
    case 'ussd':
      return { medium, provider };
    case 'mobile_money':
      return { medium, provider, phone };
  }
};

export const readWith = (words: ChargeWords, nameOf: NameOf): ReadWith => {
  const { medium } = words;
  if (medium === undefined || !isMedium(medium)) return { faults: [noMedium(medium, nameOf)] };
  const own = medium === 'bank_transfer' ? expiryFaults(words, nameOf) : missingFrom(medium, words, nameOf);
  const faults = [...foreignTo(medium, words, nameOf), ...own];
  return faults.length > 0 ? { faults } : { charge: chargeBy(medium, words) };
};

/** Reads the parameters without checks; the service judges them. */
export const readUnchecked = (words: ChargeWords, nameOf: NameOf): ReadWith => {
  const { medium: name, provider, phone, expires_at, expires_in } = words;
  const faults = expires_at === undefined || expires_in === undefined ? [] : expiryFaults(words, nameOf);
  if (faults.length > 0) return { faults };
  return { charge: { medium: 'unchecked', name, expiry: expiryOf(words), provider, phone } };
};

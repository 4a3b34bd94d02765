import { EXPIRY_LIMIT_MS, isMedium, MEDIUMS, type Medium } from '../../core/charge.ts';
import { didYouMean } from '../../core/text.ts';
import { durationWord, type Instant } from '../../core/time.ts';

/** When a bank_transfer account stops accepting: at a moment, or after milliseconds. */
export type Expiry = { readonly at: Instant } | { readonly in: number };

/** What is charged with: one variant a medium, so that no parameter can stand beside a medium it isn't for. */
export type ChargeMedium =
  | { readonly medium: 'bank_transfer'; readonly expiry: Expiry | undefined }
  | { readonly medium: 'ussd'; readonly provider: string }
  | { readonly medium: 'mobile_money'; readonly provider: string; readonly phone: string }
  /** --no-validate: as given, whatever it is. */
  | {
      readonly medium: 'unchecked';
      readonly name: string | undefined;
      readonly expiry: Expiry | undefined;
      readonly provider: string | undefined;
      readonly phone: string | undefined;
    };

/** The parameters of a charge as somebody gave them, by flags or in the columns of a file. */
export interface ChargeWords {
  readonly medium?: string | undefined;
  readonly expiresAt?: Instant | undefined;
  /** In milliseconds. */
  readonly expiresIn?: number | undefined;
  readonly provider?: string | undefined;
  readonly phone?: string | undefined;
}
export type ChargeField = keyof ChargeWords;

/** What is wrong with the parameters: the one at fault, and a sentence. */
export interface ChargeFault {
  readonly field: ChargeField;
  readonly what: string;
}

/** How a parameter is called where it was given: a flag, a column. */
export type NameOf = (field: ChargeField) => string;

/** The key of each parameter in the body, which is its column too. */
export const KEY_OF: Readonly<Record<ChargeField, string>> = {
  medium: 'medium',
  expiresAt: 'expires_at',
  expiresIn: 'expires_in',
  provider: 'provider',
  phone: 'phone',
};

/** The flag of each parameter. */
export const flagName: NameOf = (field) => `--${KEY_OF[field].replaceAll('_', '-')}`;

const OWN: Readonly<Record<Medium, readonly ChargeField[]>> = {
  bank_transfer: ['expiresAt', 'expiresIn'],
  ussd: ['provider'],
  mobile_money: ['provider', 'phone'],
};

const foreignTo = (medium: Medium, words: ChargeWords, nameOf: NameOf): ChargeFault[] => {
  const given = (Object.keys(KEY_OF) as ChargeField[]).filter(
    (field) => field !== 'medium' && words[field] !== undefined,
  );
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

const expiryOf = ({ expiresAt, expiresIn }: ChargeWords): Expiry | undefined => {
  if (expiresAt !== undefined) return { at: expiresAt };
  return expiresIn === undefined ? undefined : { in: expiresIn };
};

const expiryFaults = ({ expiresAt, expiresIn }: ChargeWords, nameOf: NameOf): ChargeFault[] => {
  const name = nameOf('expiresIn');
  if (expiresAt !== undefined && expiresIn !== undefined) {
    return [{ field: 'expiresIn', what: `${nameOf('expiresAt')} and ${name} can't be used together` }];
  }
  if (expiresIn === undefined || (expiresIn > 0 && expiresIn <= EXPIRY_LIMIT_MS)) return [];
  return [
    {
      field: 'expiresIn',
      what: `${name} must be between 1s and ${durationWord(EXPIRY_LIMIT_MS)} (got ${durationWord(expiresIn)})`,
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

/** What is charged with, or all that is wrong with it. */
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

/** The same without any check: the service is to judge. */
export const readUnchecked = (words: ChargeWords, nameOf: NameOf): ReadWith => {
  const { medium: name, provider, phone, expiresAt, expiresIn } = words;
  const faults = expiresAt === undefined || expiresIn === undefined ? [] : expiryFaults(words, nameOf);
  if (faults.length > 0) return { faults };
  return { charge: { medium: 'unchecked', name, expiry: expiryOf(words), provider, phone } };
};

import { EXPIRY_LIMIT_MS, isMedium, MEDIUMS, type Medium } from '../../core/charge.ts';
import { didYouMean } from '../../core/text.ts';
import { durationWord, type Instant } from '../../core/time.ts';

/** Fields of a charge. Each has the name of its option and of its column. */
export interface ChargeFields {
  readonly medium?: string | undefined;
  readonly expires_at?: Instant | undefined;
  /** In milliseconds. */
  readonly expires_in?: number | undefined;
  readonly provider?: string | undefined;
  readonly phone?: string | undefined;
}
type ChargeField = keyof ChargeFields;
export const CHARGE_FIELDS = ['medium', 'expires_at', 'expires_in', 'provider', 'phone'] as const;

/** A fault in the fields: the field, and a sentence. */
export interface ChargeFault {
  readonly field: ChargeField;
  readonly what: string;
}

/** Names a field by its source: a flag or a column. */
export type NameOf = (field: ChargeField) => string;

/** Fields of each medium. A text describes the value of a required one. */
const OWN: Readonly<Record<Medium, Readonly<Partial<Record<ChargeField, string>>>>> = {
  bank_transfer: { expires_at: '', expires_in: '' },
  ussd: { provider: "the bank's code such as gtb or zenith" },
  mobile_money: { provider: "the provider's code", phone: 'the number in international format' },
};

const foreignTo = (medium: Medium, fields: ChargeFields, nameOf: NameOf): ChargeFault[] =>
  CHARGE_FIELDS.filter((field) => field !== 'medium' && fields[field] !== undefined && !(field in OWN[medium])).map(
    (field) => {
      const owners = MEDIUMS.filter((other) => field in OWN[other]).join(' and ');
      return { field, what: `${nameOf(field)} can't be used with ${nameOf('medium')} ${medium}, only with ${owners}` };
    },
  );

const missingFrom = (medium: Medium, fields: ChargeFields, nameOf: NameOf): ChargeFault[] =>
  CHARGE_FIELDS.filter((field) => fields[field] === undefined && OWN[medium][field]).map((field) => ({
    field,
    what: `${nameOf('medium')} ${medium} needs ${nameOf(field)}, ${OWN[medium][field]}`,
  }));

const expiryFaults = ({ expires_at, expires_in }: ChargeFields, nameOf: NameOf): ChargeFault[] => {
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

/** All faults of the fields. No field can stand beside a medium that it isn't for. */
export const faultsOf = (fields: ChargeFields, nameOf: NameOf): readonly ChargeFault[] => {
  const { medium } = fields;
  if (medium === undefined || !isMedium(medium)) return [noMedium(medium, nameOf)];
  const own = medium === 'bank_transfer' ? expiryFaults(fields, nameOf) : missingFrom(medium, fields, nameOf);
  return [...foreignTo(medium, fields, nameOf), ...own];
};

/** Faults of fields that only the service judges (--no-validate): there is one expiry at most. */
export const faultsUnchecked = (fields: ChargeFields, nameOf: NameOf): readonly ChargeFault[] =>
  fields.expires_at === undefined || fields.expires_in === undefined ? [] : expiryFaults(fields, nameOf);

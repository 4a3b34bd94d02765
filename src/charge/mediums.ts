import { readNextAction, wordAt } from '../core/charge.ts';
import { pick, valueAt } from '../core/json.ts';
import { didYouMean } from '../core/text.ts';
import { durationWord, formatDateAtom, type Instant, MINUTE_MS, parseDuration, parseInstant } from '../core/time.ts';

// A medium is described here and nowhere else. Options, columns, questions, bodies, ids of jobs, --reuse, the guard, the
// matching of activities and the emulator follow from this list.

/** The longest, and the default, life of an account in milliseconds (docs/service.md, Activities). */
export const EXPIRY_LIMIT_MS = 15 * MINUTE_MS;
const EXPIRY_LIMIT = `${EXPIRY_LIMIT_MS / MINUTE_MS}m`;

type Value = string | number | Instant;

/** Values of a charge by the names of their fields. */
export interface ChargeFields {
  readonly medium?: string | undefined;
  readonly [name: string]: Value | undefined;
}

/** A property of a charge's `data`. Several fields may set one property; then only one of them can be given. */
export interface ChargeField {
  /** Name of its option and of its column. */
  readonly name: string;
  /** The property, if it has another name. */
  readonly property?: string;
  /** The value in the option's usage. */
  readonly takes: string;
  readonly about: string;
  /** Advice after a wrong value. */
  readonly hint?: string;
  /** Shown with --all only. */
  readonly rare?: true;
  /** The default value, as it would be typed. */
  readonly default?: string;
  /** Form of the value; text if omitted. The contract leaves out a duration, which sets another field's property. */
  readonly form?: 'time' | 'duration' | 'phone';
  /** Describes a required value. */
  readonly needs?: string;
  /** Question for a required value, in a few words. */
  readonly question?: string;
  /** A text code of a bank, of which paycli knows some. */
  readonly bank?: true;
  /** Codes of the emulator; the first one is used for examples. */
  readonly examples?: readonly string[];
  /** Longest time ahead, in milliseconds. */
  readonly within?: number;
  /** Converts a value to the property, at a moment in milliseconds; undefined leaves it to the service. */
  readonly bodyOf?: (value: never, now: number) => string | undefined;
}

export interface Medium {
  readonly name: string;
  readonly fields: readonly ChargeField[];
  /**
   * The customer's part: a transfer, a code to dial, an approval on the phone, or a page of the provider. If two mediums
   * share a step, an answer that names no medium shows neither.
   */
  readonly step: 'transfer' | 'dial' | 'approve' | 'redirect';
  /** Currency of the emulator's checkout that offers it. */
  readonly currency: string;
}

const EXPIRES: readonly ChargeField[] = [
  {
    name: 'expires_at',
    takes: 'time',
    about: 'when the account stops accepting; ISO 8601 with an offset',
    form: 'time',
    hint: 'or give a duration: --expires-in 10m',
    rare: true,
    within: EXPIRY_LIMIT_MS,
    bodyOf: (at: Instant) => formatDateAtom(at),
  },
  {
    name: 'expires_in',
    property: 'expires_at',
    takes: 'duration',
    about: `how long the account accepts; at most ${EXPIRY_LIMIT}, the default`,
    form: 'duration',
    default: EXPIRY_LIMIT,
    within: EXPIRY_LIMIT_MS,
    // Leaves out the service's default: its time runs by its clock, not by ours.
    bodyOf: (ms: number, now) => (ms === EXPIRY_LIMIT_MS ? undefined : formatDateAtom({ ms: now + ms, offset: 0 })),
  },
];

const BANK: ChargeField = {
  name: 'provider',
  takes: 'code',
  about: "the bank's code (gtb, zenith, …)",
  needs: "the bank's code such as gtb or zenith",
  question: 'Which bank',
  bank: true,
  examples: ['gtb'],
};

const OPERATOR: ChargeField = {
  name: 'provider',
  takes: 'code',
  about: "the provider's",
  needs: "the provider's code",
  question: "The provider's code",
  examples: ['mtn', 'telecel', 'at'],
};

const PHONE: ChargeField = {
  name: 'phone',
  takes: 'number',
  about: 'in international format, +233…',
  form: 'phone',
  needs: 'the number in international format',
  question: "The customer's phone number, +233…",
  examples: ['+233241234567'],
};

/** The mediums that paycli knows (docs/service.md, Activities). A service may have more, and answers may name any. */
export const MEDIUMS: readonly Medium[] = [
  { name: 'bank_transfer', fields: EXPIRES, step: 'transfer', currency: 'NGN' },
  { name: 'ussd', fields: [BANK], step: 'dial', currency: 'NGN' },
  { name: 'mobile_money', fields: [OPERATOR, PHONE], step: 'approve', currency: 'GHS' },
];

/** A field of one name, as all mediums have it. */
interface SharedField extends ChargeField {
  readonly mediums: readonly string[];
  /** Help for its option: `ussd: the bank's code; mobile_money: the provider's`. */
  readonly help: string;
}

const [mediums, shared] = [new Map<unknown, Medium>(), new Map<string, SharedField>()];
const columns = new Map<string, string>();
/** Properties with a column in the ledger. Of others it stores a keyed digest, enough to tell charges apart. */
export const STORED_PROPERTIES: readonly string[] = ['medium', 'provider', 'phone', 'expires_at'];

for (const medium of MEDIUMS) {
  mediums.set(medium.name, medium);
  for (const field of medium.fields) {
    const { name, property = name, about } = field;
    const [earlier, help] = [shared.get(name), `${medium.name}: ${about}`];
    if (earlier === undefined) {
      const column = columns.get(property);
      columns.set(property, column === undefined ? name : `${column} or ${name}`);
      shared.set(name, { ...field, mediums: [medium.name], help });
    } else {
      shared.set(name, { ...earlier, mediums: [...earlier.mediums, medium.name], help: `${earlier.help}; ${help}` });
    }
  }
}

export const MEDIUM_NAMES = [...mediums.keys()] as readonly string[];

/** One field of each name, in the order of options, columns and bodies. */
export const MEDIUM_FIELDS: readonly SharedField[] = [...shared.values()];

/** Names of everything that `data` has an option for. */
export const MEDIUM_FIELD_NAMES: readonly string[] = ['medium', ...shared.keys()];

/** Columns of a file: fields of one property are alternatives. */
export const MEDIUM_COLUMNS: readonly string[] = [...columns.values()];

/** The property of `data` that a field sets. */
export const propertyOf = ({ name, property = name }: ChargeField): string => property;

/** The medium of this name; undefined if paycli doesn't know it. */
export const mediumNamed = (name: unknown): Medium | undefined => mediums.get(name);

interface FieldParser {
  readonly read: (text: string) => Value | undefined;
  readonly wanted: string;
}

/** Parsers of texts by form, with the form that they want. Any text is a value of another form. */
export const FIELD_PARSERS: { readonly [form in NonNullable<ChargeField['form']> | 'text']?: FieldParser } = {
  time: { read: parseInstant, wanted: 'a time with an offset such as 2026-11-20T14:05:00+01:00' },
  duration: { read: parseDuration, wanted: 'a duration such as 90s, 10m or 1h' },
};

/** A fault in the fields: the field, and a sentence. */
interface ChargeFault {
  readonly field: string;
  readonly what: string;
}

/** Names a field by its source: a flag or a column. */
export type NameOf = (field: string) => string;

/** Fields that set the property of an earlier one. */
const setTwice = (fields: ChargeFields, nameOf: NameOf): ChargeFault[] => {
  const [first, faults] = [new Map<string, string>(), [] as ChargeFault[]];
  for (const { name, property = name } of MEDIUM_FIELDS) {
    if (fields[name] === undefined) continue;
    const earlier = first.get(property);
    if (earlier === undefined) first.set(property, name);
    else faults.push({ field: name, what: `${nameOf(earlier)} and ${nameOf(name)} can't be used together` });
  }
  return faults;
};

const faultIn = ({ name }: Medium, field: ChargeField, fields: ChargeFields, nameOf: NameOf): string | undefined => {
  const { form, within = Number.POSITIVE_INFINITY, needs } = field;
  const value = fields[field.name];
  if (value === undefined) {
    return needs === undefined ? undefined : `${nameOf('medium')} ${name} needs ${nameOf(field.name)}, ${needs}`;
  }
  if (form !== 'duration' || typeof value !== 'number' || (value > 0 && value <= within)) return undefined;
  return `${nameOf(field.name)} must be between 1s and ${durationWord(within)} (got ${durationWord(value)})`;
};

const noMedium = (name: string | undefined, nameOf: NameOf): ChargeFault => {
  const known = MEDIUM_NAMES.join(', ');
  if (name === undefined) return { field: 'medium', what: `${nameOf('medium')} is required: ${known}` };
  const meant = didYouMean(name, MEDIUM_NAMES);
  const guess = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return { field: 'medium', what: `"${name}" is not one of ${known}${guess}` };
};

/**
 * All faults of the fields. No field can stand beside a medium that it isn't for. The service judges a medium that
 * paycli doesn't know if it has parameters of its own (`isOpen`).
 */
export const findFaults = (fields: ChargeFields, isOpen: boolean, nameOf: NameOf): readonly ChargeFault[] => {
  const medium = mediumNamed(fields.medium);
  const twice = setTwice(fields, nameOf);
  if (medium === undefined) {
    return isOpen && fields.medium !== undefined ? twice : [noMedium(fields.medium, nameOf)];
  }
  const faults: ChargeFault[] = [];
  for (const { name, mediums } of MEDIUM_FIELDS) {
    if (fields[name] === undefined || mediums.includes(medium.name)) continue;
    const only = `only with ${mediums.join(' and ')}`;
    faults.push({
      field: name,
      what: `${nameOf(name)} can't be used with ${nameOf('medium')} ${medium.name}, ${only}`,
    });
  }
  if (twice.length > 0) return [...faults, ...twice];
  for (const field of medium.fields) {
    const what = faultIn(medium, field, fields, nameOf);
    if (what !== undefined) faults.push({ field: field.name, what });
  }
  return faults;
};

/** Faults of fields that only the service judges (--no-validate): each property is set once. */
export const findUncheckedFaults = (fields: ChargeFields, _isOpen: boolean, nameOf: NameOf): readonly ChargeFault[] =>
  setTwice(fields, nameOf);

/** `data` of the body of a charge. */
export type Data = Readonly<Record<string, unknown>>;

/** `data` as far as the fields set it (docs/service.md, Activities). `now` is in milliseconds. */
export const buildData = (fields: ChargeFields, now: number): Data => {
  const data = new Map<string, unknown>();
  if (fields.medium !== undefined) data.set('medium', fields.medium);
  for (const { name, property = name, bodyOf } of MEDIUM_FIELDS) {
    const value = fields[name] as never;
    const sent: unknown = value === undefined || bodyOf === undefined ? value : bodyOf(value, now);
    if (sent !== undefined) data.set(property, sent);
  }
  return Object.fromEntries(data);
};

/** `data` of a charge by the emulator's examples. */
export const buildExample = ({
  name,
  fields,
}: Medium): { readonly medium: string } & Readonly<Record<string, string>> => ({
  medium: name,
  ...Object.fromEntries(
    fields.flatMap((field) => field.examples?.slice(0, 1).map((one) => [propertyOf(field), one]) ?? []),
  ),
});

/** The options that shape every row, for the id of a job: it never changes, so neither do these names. */
export const jobOptionsOf = (fields: ChargeFields): Record<string, unknown> => {
  const inCamels = (name: string): string => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const options = MEDIUM_FIELD_NAMES.map((name) => {
    const value = fields[name];
    return [inCamels(name), typeof value === 'object' ? value.ms : value] as const;
  });
  return Object.fromEntries(options);
};

/**
 * Terms of a charge that have no column in the ledger: charges with other terms are others. They are the fields of the
 * medium, or all of `data` if paycli doesn't know the medium.
 */
export const findOtherTerms = (data: Data): Data => {
  const names = mediumNamed(data['medium'])?.fields.map(propertyOf) ?? Object.keys(data);
  return pick(
    data,
    names.filter((name) => !STORED_PROPERTIES.includes(name)),
  );
};

/** `data` without the values of which the ledger stores a keyed digest alone. */
export const withoutPrivate = (data: Data): Data => {
  const hidden = mediumNamed(data['medium']) === undefined ? {} : findOtherTerms(data);
  return Object.fromEntries(Object.entries(data).filter(([name]) => !Object.hasOwn(hidden, name)));
};

/** The service sends an empty object as `[]`. */
export const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/**
 * The step that an activity shows for certain. An undocumented type proves nothing: the service may have a new one.
 */
const stepShown = (activity: unknown): Medium['step'] | undefined => {
  const action = readNextAction(activity);
  if (action !== undefined && action.kind !== 'other') return action.kind;
  return /^redirect/i.test(wordAt(activity, 'next_action.type') ?? '') ? 'redirect' : undefined;
};

/** Medium that an activity names, or that its next action implies (docs/service.md, Next actions); null if it shows neither. */
export const mediumShown = (activity: unknown): string | null => {
  const named = wordAt(activity, 'medium');
  if (named !== null) return named;
  const step = stepShown(activity);
  const [only, ...others] = MEDIUMS.filter((medium) => medium.step === step);
  return others.length > 0 ? null : (only?.name ?? null);
};

/** True if the next action belongs to another step than the medium's. The step of an approval is not documented. */
export const hasForeignStep = (activity: unknown, name: string): boolean => {
  const step = mediumNamed(name)?.step ?? 'approve';
  const shown = wordAt(activity, 'next_action.type') === null ? undefined : stepShown(activity);
  return step !== 'approve' && shown !== undefined && shown !== step;
};

/** True if another medium certainly made the activity. */
export const isOtherMedium = (activity: unknown, name: string): boolean => {
  const medium = mediumNamed(name);
  if (medium === undefined) return false;
  // A stored card or wallet goes on in a browser.
  if (medium.step !== 'redirect' && isFilled(valueAt(activity, 'ugwo_medium'))) return true;
  const named = wordAt(activity, 'medium');
  return named === null ? hasForeignStep(activity, name) : named !== name;
};

/** True if both are known mediums and differ. An unknown medium may be any medium. */
export const areDifferent = (one: string, other: string): boolean =>
  one !== other && mediumNamed(one) !== undefined && mediumNamed(other) !== undefined;

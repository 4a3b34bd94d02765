import { attempt } from './async.ts';
import { usageError } from './error.ts';
import { FORMATS } from './result.ts';
import { shellLine } from './shell.ts';
import { didYouMean } from './text.ts';
import { formatAnywhere } from './time.ts';

/** Settings that a profile may store for people at a terminal; a script never gets them. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  output: FORMATS,
  color: ['auto', 'never'],
};

/** The setting of the medium of a charge. */
const MEDIUM = 'medium';

/** True for a name that the system knows, such as `Africa/Lagos`. */
export const isTimeZone = (name: string): boolean => attempt(() => formatAnywhere(0, name)) !== undefined;

/** Settings of a text that must pass a test, and the fault of another one. */
const TESTED: Readonly<Record<string, { readonly test: (text: string) => boolean; readonly fault: string }>> = {
  currency: { test: (text) => /^[A-Z]{3}$/i.test(text), fault: 'is not a code, such as NGN' },
  // An offset such as +01:00 would be UTC for the process.
  time_zone: {
    test: (text) => /^[A-Z]/i.test(text) && isTimeZone(text),
    fault: 'is not a time zone, such as Africa/Lagos',
  },
};

/** Settings that `config list` shows even if they are not set. */
export const ALWAYS_LISTED: readonly string[] = [...Object.keys(CHOICES), MEDIUM, ...Object.keys(TESTED)];

const COLUMNS_PREFIX = 'columns.';

/** Commands that print a table with configurable columns, by their words. */
const WITH_COLUMNS = [
  'ugwo.list',
  'onye.list',
  'checkout.list',
  'checkout.providers',
  'ledger.list',
  'ledger.jobs',
  'policy.list',
  'profile.list',
  'webhook.events.list',
] as const;

export const columnsSetting = (path: readonly string[]): string => COLUMNS_PREFIX + path.join('.');

export const SETTINGS: readonly string[] = [...ALWAYS_LISTED, ...WITH_COLUMNS.map((name) => COLUMNS_PREFIX + name)];

/** Returns the name of an existing setting; throws a usage error for any other name. */
export const asSetting = (name: string): string => {
  if (SETTINGS.includes(name)) return name;
  const meant = didYouMean(name, SETTINGS);
  throw usageError(`no setting ${JSON.stringify(name)}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`, {
    hint: `known: ${SETTINGS.join(', ')}`,
  });
};

/** Problem with a value; undefined for a valid one. `mediums` are the known ones. */
export const settingProblem = (name: string, value: unknown, mediums: readonly string[]): string | undefined => {
  const choices = name === MEDIUM ? mediums : CHOICES[name];
  if (typeof value !== 'string') return 'is not a text';
  if (choices !== undefined) return choices.includes(value) ? undefined : `is not one of ${choices.join(', ')}`;
  const tested = TESTED[name];
  if (tested !== undefined) return tested.test(value) ? undefined : tested.fault;
  return value.split(',').some((column) => column.trim() === '') ? 'has an empty name' : undefined;
};

/** Stored settings of a profile, unchecked: the file may have been edited. */
export interface StoredDefaults {
  readonly profile: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Command that removes a setting. */
export const unsetHint = (name: string, profile: string): string =>
  `remove it: ${shellLine(['paycli', 'config', 'unset', name, '--profile', profile])}`;

/** A valid stored value; undefined without one. Throws a usage error for an invalid value. */
export const storedValue = (
  { profile, values }: StoredDefaults,
  name: string,
  mediums: readonly string[],
): string | undefined => {
  if (!Object.hasOwn(values, name)) return undefined;
  const value = values[name];
  const problem = settingProblem(name, value, mediums);
  if (problem === undefined) return value as string;
  throw usageError(`the setting ${name} of the profile "${profile}" ${problem}: ${JSON.stringify(value)}`, {
    hint: unsetHint(name, profile),
  });
};

import { bothUnits } from './amount.ts';
import type { Violation } from './error.ts';
import { PayError } from './error.ts';
import { didYouMean } from './suggest.ts';

/** The flag that a property of the body came from. */
export type FlagOf = (propertyPath: string) => string | undefined;

/** What a user may have meant by a value that the service did not take; undefined when nothing is near. */
export type Guess = (propertyPath: string) => { readonly typed: string; readonly known: readonly string[] } | undefined;

/** Where an amount is typed with its decimals. */
const DECIMALS: readonly (string | undefined)[] = ['--amount', 'amount'];

/** The title with each whole number, which is a count of the minor unit, in decimals too. */
const inDecimals = ({ title }: Violation, currency: string): string =>
  title.includes(currency)
    ? title
    : title.replaceAll(/(?<![\d.,])\d{1,15}(?!\d|[.,]\d)/g, (minor) => bothUnits(Number(minor), currency));

const nameOne = (violation: Violation, flagOf: FlagOf, guess: Guess, currency: string | undefined): Violation => {
  const option = flagOf(violation.propertyPath);
  const about = guess(violation.propertyPath);
  const meant = about === undefined ? undefined : didYouMean(about.typed, about.known);
  return {
    ...violation,
    ...(option === undefined ? {} : { option }),
    ...(currency !== undefined && DECIMALS.includes(option) ? { inDecimals: inDecimals(violation, currency) } : {}),
    ...(meant === undefined || meant === about?.typed ? {} : { suggestion: meant }),
  };
};

/**
 * The same error, whose violations name the flag behind each property path, with a "did you mean" where one is near, and with
 * decimals where an amount in this currency was typed so.
 */
export const namingFlags = (
  thrown: unknown,
  flagOf: FlagOf,
  guess: Guess = () => undefined,
  currency?: string,
): unknown => {
  if (!(thrown instanceof PayError) || thrown.detail.violations === undefined) return thrown;
  return thrown.with({
    violations: thrown.detail.violations.map((violation) => nameOne(violation, flagOf, guess, currency)),
  });
};

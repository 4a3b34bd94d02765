import type { Violation } from './error.ts';
import { PayError } from './error.ts';
import { didYouMean } from './suggest.ts';

/** The flag that a property of the body came from. */
export type FlagOf = (propertyPath: string) => string | undefined;

/** What a user may have meant by a value that the service did not take; undefined when nothing is near. */
export type Guess = (propertyPath: string) => { readonly typed: string; readonly known: readonly string[] } | undefined;

const nameOne = (violation: Violation, flagOf: FlagOf, guess: Guess): Violation => {
  const option = flagOf(violation.propertyPath);
  const about = guess(violation.propertyPath);
  const meant = about === undefined ? undefined : didYouMean(about.typed, about.known);
  return {
    ...violation,
    ...(option === undefined ? {} : { option }),
    ...(meant === undefined || meant === about?.typed ? {} : { suggestion: meant }),
  };
};

/** The same error, whose violations name the flag behind each property path, with a "did you mean" where one is near. */
export const namingFlags = (thrown: unknown, flagOf: FlagOf, guess: Guess = () => undefined): unknown => {
  if (!(thrown instanceof PayError) || thrown.detail.violations === undefined) return thrown;
  return thrown.with({ violations: thrown.detail.violations.map((violation) => nameOne(violation, flagOf, guess)) });
};

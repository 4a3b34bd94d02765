import { parseDuration } from '../core/duration.ts';
import { usageError } from '../core/error.ts';
import type { Pair } from '../core/pairs.ts';
import { parsePair } from '../core/pairs.ts';
import type { Rate } from '../core/rate.ts';
import { parseRate } from '../core/rate.ts';
import type { Source } from '../core/source.ts';
import { sourceOf } from '../core/source.ts';
import { didYouMean } from '../core/suggest.ts';
import type { Parse } from './define.ts';
import { taking } from './define.ts';

/** Texts of options into values. Each throws a usage error that says what is wanted; the flag is named by the caller. */
export const asText = (text: string): string => text;

/** A duration in milliseconds. */
export const asDuration: Parse<number> = taking({ type: 'duration' }, (text) => {
  const ms = parseDuration(text);
  if (ms === undefined) throw usageError(`"${text}" is not a duration such as 90s, 10m or 1h`);
  return ms;
});

/** How long a payment is waited for where nothing else is said, in milliseconds: the life of an account. */
export const WAIT_DEFAULT_MS = 15 * 60_000;
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** A duration to wait for a payment. */
export const asWaitTimeout: Parse<number> = taking({ type: 'duration' }, (text) => {
  const ms = asDuration(text);
  if (ms >= 1000 && ms <= LONGEST_WAIT_MS) return ms;
  throw usageError(`must be between 1s and 24h (got ${text})`);
});

/** How many in how long. A bare number says no time, and is refused. */
export const asRate: Parse<Rate> = taking({ type: 'rate' }, (text) => {
  const rate = parseRate(text);
  if (rate === undefined) throw usageError(`"${text}" is not a rate such as 50/s, 100/m or 1000/h`);
  return rate;
});

const notOneOf = (text: string, known: readonly string[], meant: string | undefined): string =>
  `"${text}" is not one of ${known.join(', ')}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;

export const asOneOf = <T extends string>(known: readonly T[]): Parse<T> =>
  taking({ choices: known }, (text) => {
    const found = known.find((value) => value === text);
    if (found !== undefined) return found;
    throw usageError(notOneOf(text, known, didYouMean(text, known)));
  });

/** Throws where a filter names none of these: nothing would be found, which looks like an answer. */
export const refuseUnknown = (text: string, known: readonly string[]): void => {
  if (known.includes(text)) return;
  throw usageError(notOneOf(text, known, didYouMean(text, known)), {
    hint: `to look for "${text}" all the same, add --no-validate`,
  });
};

/**
 * Throws where a word is probably one of these, mistyped. One that is like none of them may be new to paycli, and is for the
 * service to judge.
 */
export const refuseTypo = (text: string, known: readonly string[]): void => {
  const meant = known.includes(text) ? undefined : didYouMean(text, known);
  if (meant === undefined) return;
  throw usageError(notOneOf(text, known, meant), {
    hint: `if you mean ${text}, add --no-validate`,
  });
};

/** A whole number from `min` to `max`. */
export const asInteger = (min: number, max: number): Parse<number> =>
  taking({ type: 'integer' }, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw usageError(`"${text}" is not a whole number from ${min} to ${max}`);
    return value;
  });

/** Names parted by commas. */
export const asNames: Parse<string[]> = taking({ list: true }, (text) => {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw usageError(`"${text}" has an empty name`);
  return names;
});

/** A name and its value, `k=v`, or `k:=json`. */
export const asPair: Parse<Pair> = taking({ type: 'pair' }, parsePair);

/** JSON in place, in a file (`@file`) or from standard input (`-`). */
export const asSource: Parse<Source> = taking({ type: 'json', completes: 'source' }, sourceOf);

/** The name of a file. */
export const asFile: Parse<string> = taking({ completes: 'file' }, asText);

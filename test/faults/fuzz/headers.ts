import fc from 'fast-check';
import { cacheAge, httpDate, retryAfter } from '../../../src/core/time.ts';
import { mutatedText } from './mutate.ts';
import { HEADERS } from './seeds.ts';
import { must, mustEqual, target } from './target.ts';

const NOW = Date.UTC(2026, 10, 20, 13);
const TEN_YEARS = 10 * 366 * 24 * 3600 * 1000;
const HUNDRED_YEARS = 100 * 365 * 86_400_000;

const isSpan = (value: number | undefined, most: number): boolean =>
  value === undefined || (Number.isFinite(value) && value >= 0 && value <= most);

/** A date in HTTP's format with any numbers. */
const date = fc
  .tuple(
    fc.nat(99),
    fc.constantFrom('Jan', 'Feb', 'Apr', 'Nov', 'Foo', 'nov'),
    fc.nat(9999),
    fc.nat(99),
    fc.nat(99),
    fc.nat(99),
  )
  .map(([day, month, year, ...clock]) => {
    const two = (value: number): string => String(value).padStart(2, '0');
    return `Fri, ${two(day)} ${month} ${String(year).padStart(4, '0')} ${clock.map(two).join(':')} GMT`;
  });

const text = fc.oneof(mutatedText(HEADERS, 3), date);

/** The time in a header is a bounded duration, or exactly the written moment; otherwise nothing. */
export const headers = target(
  'headers',
  () => text,
  (header) => {
    const wait = retryAfter(header, NOW);
    must(isSpan(wait, HUNDRED_YEARS), () => `Retry-After: ${wait}`);
    const age = cacheAge(header);
    must(isSpan(age, TEN_YEARS), () => `Age: ${age}`);
    const at = httpDate(header);
    if (at === undefined) return;
    must(Number.isFinite(at), () => `Date: ${at}`);
    // Except the day of the week, which nothing reads.
    mustEqual(new Date(at).toUTCString().slice(3).toLowerCase(), header.slice(3).toLowerCase(), 'Date');
  },
);

import { httpDate } from './http-date.ts';

/** No date is as far away as what a header can ask for. */
const LONGEST_MS = 100 * 365 * 86_400_000;

/**
 * `Retry-After` (RFC 9110 section 10.2.3) as milliseconds from now: seconds, with a fraction or without, or an HTTP date. Absent,
 * not readable or negative: undefined, as if the header were not there.
 */
export const retryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : (httpDate(text) ?? Number.NaN) - now;
  return ms >= 0 ? Math.min(ms, LONGEST_MS) : undefined;
};

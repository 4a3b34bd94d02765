import { httpDate } from './http-date.ts';

/**
 * `Retry-After` (RFC 9110 section 10.2.3) as milliseconds from now: a whole number of seconds, or an HTTP date. Absent,
 * not readable, negative, or further away than `limit`: undefined, as if the header were not there.
 */
export const retryAfter = (header: string | undefined, now: number, limit: number): number | undefined => {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : (httpDate(text) ?? Number.NaN) - now;
  return ms >= 0 && ms <= limit ? ms : undefined;
};

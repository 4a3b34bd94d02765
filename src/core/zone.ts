import { formatDateAtom } from './time.ts';

/** Which days are meant: this machine's, as its tables show times, or those of UTC. */
export type Zone = 'local' | 'utc';

const two = (value: number): string => String(value).padStart(2, '0');

/** The day of an instant: `2026-11-20`. */
export const dayIn = (zone: Zone, ms: number): string => {
  const date = new Date(ms);
  const [year, month, day] =
    zone === 'utc'
      ? [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
      : [date.getFullYear(), date.getMonth(), date.getDate()];
  return `${String(year).padStart(4, '0')}-${two(month + 1)}-${two(day)}`;
};

/** The first moment of a minute as tables show it, `2026-11-20 14:05`, or of one so many minutes later; undefined for one that there is not. */
const startOfMinute = (zone: Zone, text: string, later: number): number | undefined => {
  const [, day, hours, minutes] = /^(\d{4}-\d\d-\d\d) ([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  const start = day === undefined ? undefined : startOf(zone, day);
  if (start === undefined) return undefined;
  const date = new Date(start);
  const [hour, minute] = [Number(hours), Number(minutes) + later];
  return zone === 'utc' ? date.setUTCHours(hour, minute) : date.setHours(hour, minute);
};

/** The first moment of a day or a minute, or of one so many later; undefined for one that there is not. */
export const startOf = (zone: Zone, text: string, later = 0): number | undefined => {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (match === null) return startOfMinute(zone, text, later);
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const start = (add: number): Date =>
    zone === 'utc' ? new Date(Date.UTC(year, month - 1, day + add)) : new Date(year, month - 1, day + add);
  return dayIn(zone, start(0).getTime()) === text ? start(later).getTime() : undefined;
};

/** An instant with the offset that it has there. */
export const atomIn = (zone: Zone, ms: number): string =>
  formatDateAtom({ ms, offset: zone === 'utc' ? 0 : -new Date(ms).getTimezoneOffset() });

/** What the zone is called: `Africa/Lagos`, `UTC`. */
export const nameOf = (zone: Zone, ms: number): string => {
  if (zone === 'utc') return 'UTC';
  const named = new Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  return named ?? atomIn(zone, ms).slice(-6);
};

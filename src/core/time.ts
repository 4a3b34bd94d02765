/**
 * Instants on the wire are ISO 8601 with an offset (interface.md section 2.4). Instants in the program are milliseconds
 * since the epoch. Local time is used for people only.
 */
const ISO = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})$/i;

const two = (value: number): string => String(value).padStart(2, '0');

const offsetMinutes = (text: string): number | undefined => {
  if (text.toUpperCase() === 'Z') return 0;
  const digits = text.slice(1).replace(':', '');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
};

/** An instant with the offset that it was written with, in minutes east of UTC. */
export interface Instant {
  readonly ms: number;
  readonly offset: number;
}

/** Milliseconds since the epoch; Date.UTC would take the years before 100 for those of the last century. */
const utc = (year: number, month: number, day: number): Date => {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (year < 100) date.setUTCFullYear(year, month - 1, day);
  return date;
};

/** Reads an ISO 8601 instant that says its offset; undefined for any other text, impossible dates (31 April) included. */
export const parseInstant = (text: string): Instant | undefined => {
  const match = ISO.exec(text.trim());
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6] ?? 0)];
  const offset = offsetMinutes(match[8] ?? 'Z');
  if (offset === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  const millis = match[7] === undefined ? 0 : Number(match[7].padEnd(3, '0').slice(0, 3));
  const date = utc(year, month, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return { ms: date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + millis, offset };
};

/** DATE_ATOM: seconds and a numeric offset, `2026-11-20T14:05:00+01:00`. A fraction of a second is dropped. */
export const formatDateAtom = ({ ms, offset }: Instant): string => {
  const local = new Date(ms + offset * 60_000).toISOString().slice(0, 19);
  const size = Math.abs(offset);
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
};

/** For people: `14:05` when it is on the day of `now`, else `2026-11-20 14:05`; in the machine's time zone. */
export const formatLocal = (ms: number, now: number): string => {
  const [date, today] = [new Date(ms), new Date(now)];
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (date.toDateString() === today.toDateString()) return clock;
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock}`;
};

/** For people, in a table where every row has the same shape: `2026-11-20 14:05`. */
export const formatLocalFull = (ms: number): string => formatLocal(ms, Number.NaN);

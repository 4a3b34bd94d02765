/**
 * Instants on the wire are ISO 8601 with an offset (interface.md section 2.4). Instants in the program are milliseconds
 * since the epoch. Local time is used for people only.
 */
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/i;

const two = (value: number): string => String(value).padStart(2, '0');

/** The number that two digits are. Read by place, since a walk reads instants by the million. */
const pair = (text: string, at: number): number => (text.charCodeAt(at) - 0x30) * 10 + text.charCodeAt(at + 1) - 0x30;

/** What stands at the end: `Z`, `+01:00` or `+0100`. */
const offsetMinutes = (text: string): number | undefined => {
  const end = text.length;
  if (/z/i.test(text)) return 0;
  const from = text.charAt(end - 3) === ':' ? end - 6 : end - 5;
  const [hours, minutes] = [pair(text, from + 1), pair(text, end - 2)];
  if (hours > 23 || minutes > 59) return undefined;
  return (text.charAt(from) === '-' ? -1 : 1) * (hours * 60 + minutes);
};

/** Thousandths of a second; further digits of a fraction are dropped. */
const millisIn = (text: string): number => {
  const [, fraction = ''] = /[.,](\d+)/.exec(text) ?? [];
  return Number(fraction.padEnd(3, '0').slice(0, 3));
};

/** An instant with the offset that it was written with, in minutes east of UTC. */
export interface Instant {
  readonly ms: number;
  readonly offset: number;
}

/** Midnight; Date.UTC would take the years before 100 for those of the last century. */
const dayOf = (year: number, month: number, day: number): Date => {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (year < 100) date.setUTCFullYear(year, month - 1, day);
  return date;
};

/** What can be written with a year of four digits in UTC, too. */
const [EARLIEST, LATEST] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/** Reads an ISO 8601 instant that says its offset; undefined for any other text, impossible dates (31 April) included. */
export const parseInstant = (untrimmed: string): Instant | undefined => {
  const text = untrimmed.trim();
  if (!ISO.test(text)) return undefined;
  const [month, day, hour, minute] = [pair(text, 5), pair(text, 8), pair(text, 11), pair(text, 14)];
  const second = text.charAt(16) === ':' ? pair(text, 17) : 0;
  const millis = /[.,]/.test(text.charAt(19)) ? millisIn(text) : 0;
  const offset = offsetMinutes(text);
  if (offset === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = dayOf(pair(text, 0) * 100 + pair(text, 2), month, day);
  // A day that a month has not is one of another month.
  if (date.getUTCMonth() !== month - 1) return undefined;
  const ms = date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + millis;
  return ms < EARLIEST || ms > LATEST ? undefined : { ms, offset };
};

const NO_T = /^(\d{4}-\d\d-\d\d) +(?=\d)/;

/**
 * An instant in an answer, in milliseconds, for people: as `parseInstant`, with a blank for the T too, and in UTC where no
 * offset is said. Nothing may be concluded from one that `parseInstant` does not take.
 */
export const readInstant = (value: unknown): number | undefined => {
  if (typeof value !== 'string') return undefined;
  const text = value.trim().replace(NO_T, '$1T');
  return (parseInstant(text) ?? parseInstant(`${text}Z`))?.ms;
};

/** DATE_ATOM: seconds and a numeric offset, `2026-11-20T14:05:00+01:00`. A fraction of a second is dropped. */
export const formatDateAtom = ({ ms, offset }: Instant): string => {
  const local = new Date(ms + offset * 60_000).toISOString().slice(0, 19);
  const size = Math.abs(offset);
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
};

/** The same of milliseconds, in UTC. */
export const utcAtom = (ms: number): string => formatDateAtom({ ms, offset: 0 });

/** The same, null where there is none. */
export const atom = (ms: number | undefined): string | null => (ms === undefined ? null : utcAtom(ms));

/** For people: `14:05` when it is on the day of `now`, else `2026-11-20 14:05`; in the machine's time zone. */
export const formatLocal = (ms: number, now: number): string => {
  const [date, today] = [new Date(ms), new Date(now)];
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (date.toDateString() === today.toDateString()) return clock;
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock}`;
};

/** For people who may be elsewhere: `2026-11-20 14:05 (UTC+01:00)`, in the machine's time zone. */
export const formatAnywhere = (ms: number): string => {
  const atom = formatDateAtom({ ms, offset: -new Date(ms).getTimezoneOffset() });
  return `${atom.slice(0, 10)} ${atom.slice(11, 16)} (UTC${atom.slice(-6)})`;
};

/** For people, in a table where every row has the same shape: `2026-11-20 14:05`. */
export const formatLocalFull = (ms: number): string => formatLocal(ms, Number.NaN);

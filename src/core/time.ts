/** Durations, in milliseconds. */
export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** The number at two digits. Read by position for speed, since a walk reads millions of instants. */
const twoDigitsAt = (text: string, at: number): number =>
  (text.charCodeAt(at) - 0x30) * 10 + text.charCodeAt(at + 1) - 0x30;

/** Offset at the end of the text: `Z`, `+01:00` or `+0100`. */
const offsetMinutes = (text: string): number | undefined => {
  const end = text.length;
  if (/z/i.test(text)) return 0;
  const from = text.charAt(end - 3) === ':' ? end - 6 : end - 5;
  const [hours, minutes] = [twoDigitsAt(text, from + 1), twoDigitsAt(text, end - 2)];
  if (hours > 23 || minutes > 59) return undefined;
  return (text.charAt(from) === '-' ? -1 : 1) * (hours * 60 + minutes);
};

/** Thousandths of a second; further digits of a fraction are dropped. */
const millisIn = (text: string): number => {
  const [, fraction = ''] = /[.,](\d+)/.exec(text) ?? [];
  return Number(fraction.padEnd(3, '0').slice(0, 3));
};

/** An instant with its written offset, in minutes east of UTC. */
export interface Instant {
  readonly ms: number;
  readonly offset: number;
}

/** Midnight in UTC. Date.UTC alone would move the years before 100 to the 20th century. */
const utcDay = (year: number, month: number, day: number): Date => {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (year < 100) date.setUTCFullYear(year, month - 1, day);
  return date;
};

/** Range of instants that have a year of four digits in UTC too. */
const [EARLIEST, LATEST] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/**
 * Reads an ISO 8601 instant with an offset, as instants are on the wire (docs/service.md, Activities); undefined for
 * any other text, including impossible dates (31 April). Instants in the program are milliseconds since the epoch.
 * Local time is used for people only.
 */
export const parseInstant = (untrimmed: string): Instant | undefined => {
  const text = untrimmed.trim();
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/i.test(text)) return undefined;
  const [month, day, hour, minute] = [
    twoDigitsAt(text, 5),
    twoDigitsAt(text, 8),
    twoDigitsAt(text, 11),
    twoDigitsAt(text, 14),
  ];
  const second = text.charAt(16) === ':' ? twoDigitsAt(text, 17) : 0;
  const millis = /[.,]/.test(text.charAt(19)) ? millisIn(text) : 0;
  const offset = offsetMinutes(text);
  if (offset === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = utcDay(twoDigitsAt(text, 0) * 100 + twoDigitsAt(text, 2), month, day);
  // An impossible day ends up in another month.
  if (date.getUTCMonth() !== month - 1) return undefined;
  const ms = date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + millis;
  return ms < EARLIEST || ms > LATEST ? undefined : { ms, offset };
};

/**
 * Reads an instant in an answer, in milliseconds, for display: like `parseInstant`, but also with a blank for the T,
 * and as UTC without an offset. Make no decisions on a text that `parseInstant` rejects.
 */
export const readInstant = (value: unknown): number | undefined => {
  if (typeof value !== 'string') return undefined;
  const text = value.trim().replace(/^(\d{4}-\d\d-\d\d) +(?=\d)/, '$1T');
  return (parseInstant(text) ?? parseInstant(`${text}Z`))?.ms;
};

/** DATE_ATOM: seconds and a numeric offset, `2026-11-20T14:05:00+01:00`. A fraction of a second is dropped. */
export const formatDateAtom = ({ ms, offset }: Instant): string => {
  const local = new Date(ms + offset * MINUTE_MS).toISOString().slice(0, 19);
  const size = Math.abs(offset);
  return `${local}${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
};

/** DATE_ATOM of milliseconds, in UTC. */
export const utcAtom = (ms: number): string => formatDateAtom({ ms, offset: 0 });

/** DATE_ATOM in UTC; null for undefined. */
export const atom = (ms: number | undefined): string | null => (ms === undefined ? null : utcAtom(ms));

/** For people: `14:05` on the day of `now`, else `2026-11-20 14:05`; in the machine's time zone. */
export const formatLocal = (ms: number, now: number): string => {
  const [date, today] = [new Date(ms), new Date(now)];
  const clock = `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
  if (date.toDateString() === today.toDateString()) return clock;
  return `${String(date.getFullYear()).padStart(4, '0')}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())} ${clock}`;
};

/**
 * For people in any time zone: `2026-11-20 14:05 (UTC+01:00)`, by default in the machine's. Throws for an unknown one.
 */
export const formatAnywhere = (ms: number, timeZone?: string): string => {
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const text = new Intl.DateTimeFormat('sv', { ...digits, timeZone, timeZoneName: 'longOffset' }).format(ms);
  return `${text.replace('GMT', '(UTC').replace('\u2212', '-')})`;
};

/** For people, in a table where every row has the same shape: `2026-11-20 14:05`. */
export const formatLocalFull = (ms: number): string => formatLocal(ms, Number.NaN);

/** Time zone of days: this machine's, as its tables show times, or UTC. */
export type Zone = 'local' | 'utc';

/** The day of an instant: `2026-11-20`. */
export const dayIn = (zone: Zone, ms: number): string => {
  const date = new Date(ms);
  const [year, month, day] =
    zone === 'utc'
      ? [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
      : [date.getFullYear(), date.getMonth(), date.getDate()];
  return `${String(year).padStart(4, '0')}-${twoDigits(month + 1)}-${twoDigits(day)}`;
};

/**
 * The first moment of a minute as tables show it, `2026-11-20 14:05`, plus `later` minutes; undefined for an invalid
 * one.
 */
const startOfMinute = (zone: Zone, text: string, later: number): number | undefined => {
  const [, day, hours, minutes] = /^(\d{4}-\d\d-\d\d) ([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  const start = day === undefined ? undefined : startOfDay(zone, day);
  if (start === undefined) return undefined;
  const date = new Date(start);
  const [hour, minute] = [Number(hours), Number(minutes) + later];
  return zone === 'utc' ? date.setUTCHours(hour, minute) : date.setHours(hour, minute);
};

/** The first moment of a day or a minute, plus `later` days or minutes; undefined for an invalid one. */
export const startOfDay = (zone: Zone, text: string, later = 0): number | undefined => {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (match === null) return startOfMinute(zone, text, later);
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const start = (add: number): Date =>
    zone === 'utc' ? new Date(Date.UTC(year, month - 1, day + add)) : new Date(year, month - 1, day + add);
  return dayIn(zone, start(0).getTime()) === text ? start(later).getTime() : undefined;
};

/** DATE_ATOM with the zone's offset at that instant. */
export const atomIn = (zone: Zone, ms: number): string =>
  formatDateAtom({ ms, offset: zone === 'utc' ? 0 : -new Date(ms).getTimezoneOffset() });

/** Name of the zone: `Africa/Lagos`, `UTC`. */
export const zoneName = (zone: Zone, ms: number): string => {
  if (zone === 'utc') return 'UTC';
  const named = new Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  return named ?? atomIn(zone, ms).slice(-6);
};

const UNITS = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS } as const;

/** Parses `90s`, `10m`, `1h` to milliseconds; undefined for anything else. */
export const parseDuration = (text: string): number | undefined => {
  const match = /^(\d{1,6})(s|m|h)$/.exec(text.trim());
  if (match === null) return undefined;
  return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
};

/** Formats milliseconds as a word for `parseDuration`, rounded up to whole units: `90s`, `15m`, `1h`. */
export const durationWord = (ms: number): string => {
  const [unit, size] = Object.entries(UNITS).findLast(([, size]) => ms >= size && ms % size === 0) ?? ['s', UNITS.s];
  return `${Math.ceil(ms / size)}${unit}`;
};

/** Formats milliseconds for people, with up to two units: `12 min`, `45 s`, `1 h 5 min`. */
export const formatDuration = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  const hours = Math.floor(minutes / 60);
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
};

/**
 * Parses an HTTP date (RFC 9110 section 5.6.7, the form that servers must send) to milliseconds since the epoch;
 * undefined for any other text, and for an impossible date, which Date.parse turns into another one.
 */
export const httpDate = (text: string): number | undefined => {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) || date.toUTCString() !== text ? undefined : date.getTime();
};

/** Upper limit, since a header can ask for more than a Date can hold. */
const LONGEST_RETRY_MS = 100 * 365 * DAY_MS;

/**
 * `Retry-After` (RFC 9110 section 10.2.3) as milliseconds from now: seconds, with a fraction or without, or an HTTP
 * date. A header that is unreadable or negative is undefined, as an absent one.
 */
export const retryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : (httpDate(text) ?? Number.NaN) - now;
  return ms >= 0 ? Math.min(ms, LONGEST_RETRY_MS) : undefined;
};

const LONGEST_AGE_S = 10 * 365 * 24 * 3600;

/**
 * Time that an answer spent in a cache (`Age`, RFC 9111 section 5.1), in milliseconds. Undefined for an answer from
 * the service itself, and for a header that is not a whole number of seconds or exceeds ten years.
 */
export const cacheAge = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined;
  const text = header.trim();
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return seconds > 0 && seconds <= LONGEST_AGE_S ? seconds * 1000 : undefined;
};

/** A rate limit: at most `count` starts in any `ms` milliseconds. */
export interface Rate {
  readonly count: number;
  readonly ms: number;
}

/** Parses `50/s`, `100/m`, `1000/h`; undefined for anything else. */
export const parseRate = (text: string): Rate | undefined => {
  const [, count, unit] = /^([1-9]\d{0,5})\/([smh])$/.exec(text.trim()) ?? [];
  const ms = parseDuration(`1${unit}`);
  return ms === undefined ? undefined : { count: Number(count), ms };
};

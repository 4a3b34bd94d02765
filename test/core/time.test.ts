import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { formatDateAtom, formatLocal, formatLocalFull, parseInstant, readInstant } from '../../src/core/time.ts';

const YEAR_2 = Date.UTC(2026, 0, 1) - 2024 * 365.2425 * 86_400_000;
const YEAR_9998 = Date.UTC(9998, 0, 1);
const ms = fc.integer({ min: Math.ceil(YEAR_2), max: YEAR_9998 });
const seconds = ms.map((at) => Math.floor(at / 1000) * 1000);
const offset = fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 });

const ZONES = ['UTC', 'Africa/Lagos', 'Pacific/Kiritimati', 'America/St_Johns', 'Asia/Kathmandu', 'Europe/Bratislava'];

describe('readInstant', () => {
  it.each([
    ['2026-11-20T14:05:00.123456+0100', '2026-11-20T13:05:00.123Z'],
    ['2026-11-20T13:05:00.123456', '2026-11-20T13:05:00.123Z'],
    ['2026-11-20 13:05:00', '2026-11-20T13:05:00.000Z'],
    ['2026-11-20 13:05:00.123456', '2026-11-20T13:05:00.123Z'],
    ['2026-11-20 14:05:00+01:00', '2026-11-20T13:05:00.000Z'],
    [' 2026-11-20 13:05:00\n', '2026-11-20T13:05:00.000Z'],
    ['2026-11-20  13:05:00', '2026-11-20T13:05:00.000Z'],
  ])('reads %j, in UTC where no offset is said', (text, utc) => {
    expect(readInstant(text)).toBe(Date.parse(utc));
  });

  it.each(['2026-11-20', '13:05:00', '2026-11-31 13:05:00', 'soon', '', 1_795_179_900, null, ['2026-11-20T13:05:00Z']])(
    'does not read %j',
    (value) => {
      expect(readInstant(value)).toBeUndefined();
    },
  );

  it('leaves the strict reader strict', () => {
    expect(parseInstant('2026-11-20 13:05:00')).toBeUndefined();
    expect(parseInstant('2026-11-20T13:05:00')).toBeUndefined();
  });
});

describe('parseInstant', () => {
  it.each([
    ['2026-11-20T14:05:00+01:00', '2026-11-20T13:05:00.000Z', 60],
    ['2026-11-20T14:05:00+0100', '2026-11-20T13:05:00.000Z', 60],
    ['2026-11-20T13:05:00Z', '2026-11-20T13:05:00.000Z', 0],
    ['2026-11-20t13:05:00z', '2026-11-20T13:05:00.000Z', 0],
    ['2026-11-20T13:05Z', '2026-11-20T13:05:00.000Z', 0],
    ['2026-11-20T13:05:07.25Z', '2026-11-20T13:05:07.250Z', 0],
    ['2026-11-20T13:05:07,2Z', '2026-11-20T13:05:07.200Z', 0],
    ['2026-11-20T13:05:07.123456789Z', '2026-11-20T13:05:07.123Z', 0],
    ['2026-11-20T23:59:59.999999Z', '2026-11-20T23:59:59.999Z', 0],
    ['2026-11-20T00:00:00-09:30', '2026-11-20T09:30:00.000Z', -570],
    ['2026-01-01T00:30:00+14:00', '2025-12-31T10:30:00.000Z', 840],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z', 0],
    ['2000-02-29T12:00:00Z', '2000-02-29T12:00:00.000Z', 0],
    ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z', 0],
    ['2026-11-20T14:05:00+23:59', '2026-11-19T14:06:00.000Z', 1439],
    [' 2026-11-20T13:05:00Z\n', '2026-11-20T13:05:00.000Z', 0],
  ])('reads %j', (text, utc, minutesEast) => {
    expect(parseInstant(text)).toEqual({ ms: Date.parse(utc), offset: minutesEast });
  });

  it.each([
    ['31 April', '2026-04-31T00:00:00Z'],
    ['29 February of a common year', '2026-02-29T00:00:00Z'],
    ['29 February of 1900, which was a common year', '1900-02-29T00:00:00Z'],
    ['30 February', '2024-02-30T00:00:00Z'],
    ['a month 0', '2026-00-10T00:00:00Z'],
    ['a month 13', '2026-13-10T00:00:00Z'],
    ['a day 0', '2026-11-00T00:00:00Z'],
    ['a day 32', '2026-12-32T00:00:00Z'],
    ['an hour 24', '2026-11-20T24:00:00Z'],
    ['a minute 60', '2026-11-20T12:60:00Z'],
    ['a second 60', '2026-11-20T12:00:60Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['an offset of 24 hours', '2026-11-20T12:00:00+24:00'],
    ['an offset with 60 minutes', '2026-11-20T12:00:00+01:60'],
    ['no offset', '2026-11-20T14:05:00'],
    ['an offset of hours alone', '2026-11-20T14:05:00+01'],
    ['a date alone', '2026-11-20'],
    ['a blank for the T', '2026-11-20 14:05:00Z'],
    ['a year of two digits', '26-11-20T14:05:00Z'],
    ['a year of six digits', '+002026-11-20T14:05:00Z'],
    ['a day of one digit', '2026-11-2T14:05:00Z'],
    ['a dot without a fraction', '2026-11-20T14:05:00.Z'],
    ['more digits than nanoseconds', '2026-11-20T14:05:00.1234567890Z'],
    ['a zone by name', '2026-11-20T14:05:00 Africa/Lagos'],
    ['text around it', 'at 2026-11-20T14:05:00Z'],
    ['two lines', '2026-11-20T14:05:00Z\n2026-11-20T14:05:00Z'],
    ['what is in the year before 0 in UTC', '0000-01-01T00:00:00+23:59'],
    ['what is in the year 10000 in UTC', '9999-12-31T23:59:59-23:59'],
    ['seconds since the epoch', '1795179900'],
    ['nothing', ''],
    ['a word', 'tomorrow'],
  ])('refuses %s: %j', (_what, text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it('agrees with the engine about every instant that it writes', () => {
    fc.assert(
      fc.property(ms, (at) => {
        expect(parseInstant(new Date(at).toISOString())).toEqual({ ms: at, offset: 0 });
      }),
    );
  });

  it('takes a date exactly when the calendar has it', () => {
    const part = (max: number): fc.Arbitrary<string> => fc.nat(max).map((value) => String(value).padStart(2, '0'));
    fc.assert(
      fc.property(fc.integer({ min: 1600, max: 2400 }), part(14), part(33), (year, month, day) => {
        const lengths = [31, year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28, 31, 30, 31, 30];
        const length = [...lengths, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? 0;
        const exists = Number(day) >= 1 && Number(day) <= length;
        expect(parseInstant(`${year}-${month}-${day}T12:00:00Z`) !== undefined).toBe(exists);
      }),
    );
  });
});

describe('formatDateAtom', () => {
  it.each([
    ['2026-11-20T13:05:00Z', 60, '2026-11-20T14:05:00+01:00'],
    ['2026-11-20T13:05:00Z', 0, '2026-11-20T13:05:00+00:00'],
    ['2026-11-20T13:05:00.999Z', 0, '2026-11-20T13:05:00+00:00'],
    ['1969-12-31T23:59:59.500Z', 0, '1969-12-31T23:59:59+00:00'],
    ['2026-11-20T13:05:00Z', -570, '2026-11-20T03:35:00-09:30'],
    ['2026-11-20T13:05:00Z', -30, '2026-11-20T12:35:00-00:30'],
    ['2026-12-31T23:30:00Z', 840, '2027-01-01T13:30:00+14:00'],
  ])('writes %s at %d minutes east as %s', (utc, minutesEast, text) => {
    expect(formatDateAtom({ ms: Date.parse(utc), offset: minutesEast })).toBe(text);
  });

  it('is read back as the same instant with the same offset', () => {
    fc.assert(
      fc.property(seconds, offset, (at, minutesEast) => {
        expect(parseInstant(formatDateAtom({ ms: at, offset: minutesEast }))).toEqual({ ms: at, offset: minutesEast });
      }),
    );
  });

  it('gives back the text it was read from', () => {
    fc.assert(
      fc.property(seconds, offset, (at, minutesEast) => {
        const text = formatDateAtom({ ms: at, offset: minutesEast });
        const read = parseInstant(text);
        expect(read && formatDateAtom(read)).toBe(text);
      }),
    );
  });
});

describe('the time zone of the machine', () => {
  it.each(ZONES)('%s changes nothing about instants on the wire', (zone) => {
    vi.stubEnv('TZ', zone);
    const read = parseInstant('2026-03-29T02:30:00+01:00');
    expect(read).toEqual({ ms: Date.UTC(2026, 2, 29, 1, 30), offset: 60 });
    expect(formatDateAtom({ ms: Date.UTC(2026, 2, 29, 1, 30), offset: 60 })).toBe('2026-03-29T02:30:00+01:00');
  });

  it.each([
    ['UTC', '13:05', '2026-11-20 13:05'],
    ['Africa/Lagos', '14:05', '2026-11-20 14:05'],
    ['Pacific/Kiritimati', '03:05', '2026-11-21 03:05'],
    ['America/St_Johns', '09:35', '2026-11-20 09:35'],
    ['Asia/Kathmandu', '18:50', '2026-11-20 18:50'],
  ])('%s is what people see times in', (zone, clock, full) => {
    vi.stubEnv('TZ', zone);
    const at = Date.UTC(2026, 10, 20, 13, 5);
    expect(formatLocal(at, at)).toBe(clock);
    expect(formatLocalFull(at)).toBe(full);
  });
});

describe('formatLocal', () => {
  const noon = new Date(2026, 0, 2, 12, 0).getTime();

  it.each([
    ['the first minute of the day', new Date(2026, 0, 2, 0, 0), '00:00'],
    ['the last minute of the day', new Date(2026, 0, 2, 23, 59, 59), '23:59'],
    ['an hour and a minute of one digit', new Date(2026, 0, 2, 9, 5), '09:05'],
    ['the last minute of the day before', new Date(2026, 0, 1, 23, 59), '2026-01-01 23:59'],
    ['the first minute of the day after', new Date(2026, 0, 3, 0, 0), '2026-01-03 00:00'],
    ['the same day of another month', new Date(2026, 1, 2, 12, 0), '2026-02-02 12:00'],
    ['the same day of another year', new Date(2025, 0, 2, 12, 0), '2025-01-02 12:00'],
    ['a day in December', new Date(2026, 11, 31, 7, 8), '2026-12-31 07:08'],
  ])('shows %s as people write it, seen at noon of 2 January 2026', (_what, date, text) => {
    expect(formatLocal(date.getTime(), noon)).toBe(text);
  });

  it('shows a year before 1000 with four digits', () => {
    const date = new Date(2026, 0, 2, 12, 0);
    date.setFullYear(987);
    expect(formatLocalFull(date.getTime())).toBe('0987-01-02 12:00');
  });
});

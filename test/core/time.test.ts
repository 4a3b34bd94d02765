import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { backoff } from '../../src/core/async.ts';
import {
  atomIn,
  cacheAge,
  dayIn,
  durationWord,
  formatDateAtom,
  formatDuration,
  formatLocal,
  formatLocalFull,
  httpDate,
  parseDuration,
  parseInstant,
  parseRate,
  readInstant,
  retryAfter,
  startOfDay,
  zoneName,
} from '../../src/core/time.ts';
import { HOUR } from '../support/units.ts';

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
  ])('reads %j, in UTC without an offset', (text, utc) => {
    expect(readInstant(text)).toBe(Date.parse(utc));
  });

  it.each(['2026-11-20', '13:05:00', '2026-11-31 13:05:00', 'soon', '', 1_795_179_900, null, ['2026-11-20T13:05:00Z']])(
    'rejects %j',
    (value) => {
      expect(readInstant(value)).toBeUndefined();
    },
  );

  it('does not weaken parseInstant', () => {
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
    ['0000-02-29T12:00:00Z', '0000-02-29T12:00:00.000Z', 0],
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
    ['an offset of hours only', '2026-11-20T14:05:00+01'],
    ['a date only', '2026-11-20'],
    ['a space for the T', '2026-11-20 14:05:00Z'],
    ['a year of two digits', '26-11-20T14:05:00Z'],
    ['a year of six digits', '+002026-11-20T14:05:00Z'],
    ['a day of one digit', '2026-11-2T14:05:00Z'],
    ['a dot without a fraction', '2026-11-20T14:05:00.Z'],
    ['more digits than nanoseconds', '2026-11-20T14:05:00.1234567890Z'],
    ['a zone by name', '2026-11-20T14:05:00 Africa/Lagos'],
    ['text around it', 'at 2026-11-20T14:05:00Z'],
    ['two lines', '2026-11-20T14:05:00Z\n2026-11-20T14:05:00Z'],
    ['a time before year 0 in UTC', '0000-01-01T00:00:00+23:59'],
    ['a time in year 10000 in UTC', '9999-12-31T23:59:59-23:59'],
    ['seconds since the epoch', '1795179900'],
    ['an empty text', ''],
    ['a word', 'tomorrow'],
  ])('rejects %s: %j', (_what, text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it('agrees with Date for every time', () => {
    fc.assert(
      fc.property(ms, (at) => {
        expect(parseInstant(new Date(at).toISOString())).toEqual({ ms: at, offset: 0 });
      }),
    );
  });

  it('accepts only existing dates', () => {
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
  ])('prints %s with an offset of %d minutes as %s', (utc, minutesEast, text) => {
    expect(formatDateAtom({ ms: Date.parse(utc), offset: minutesEast })).toBe(text);
  });

  it('preserves time and offset', () => {
    fc.assert(
      fc.property(seconds, offset, (at, minutesEast) => {
        expect(parseInstant(formatDateAtom({ ms: at, offset: minutesEast }))).toEqual({ ms: at, offset: minutesEast });
      }),
    );
  });

  it('reverses parseInstant', () => {
    fc.assert(
      fc.property(seconds, offset, (at, minutesEast) => {
        const text = formatDateAtom({ ms: at, offset: minutesEast });
        const read = parseInstant(text);
        expect(read && formatDateAtom(read)).toBe(text);
      }),
    );
  });
});

describe('the local time zone', () => {
  it.each(ZONES)('%s does not affect times in requests', (zone) => {
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
  ])('%s is used for display', (zone, clock, full) => {
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
  ])('prints %s, seen on 2 January 2026 at noon', (_what, date, text) => {
    expect(formatLocal(date.getTime(), noon)).toBe(text);
  });

  it('prints a year before 1000 with four digits', () => {
    const date = new Date(2026, 0, 2, 12, 0);
    date.setFullYear(987);
    expect(formatLocalFull(date.getTime())).toBe('0987-01-02 12:00');
  });
});

describe('parseDuration', () => {
  it.each([
    ['90s', 90_000],
    ['10m', 600_000],
    ['1h', 3_600_000],
    ['0s', 0],
    ['007m', 420_000],
    [' 15m\n', 900_000],
    ['999999h', 3_599_996_400_000],
  ])('reads %j as %d milliseconds', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    '',
    's',
    '10',
    '10 m',
    '10M',
    '1.5h',
    '1,5h',
    '-5s',
    '+5s',
    '1h30m',
    '10min',
    '10d',
    '1e3s',
    '٥s',
    '1000000s',
  ])('rejects %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('reads any number below a million in any unit', () => {
    const units = fc.constantFrom(['s', 1000] as const, ['m', 60_000] as const, ['h', 3_600_000] as const);
    fc.assert(
      fc.property(fc.nat(999_999), units, (count, [unit, ms]) => {
        expect(parseDuration(`${count}${unit}`)).toBe(count * ms);
      }),
    );
  });
});

describe('durationWord', () => {
  it.each([
    [1000, '1s'],
    [90_000, '90s'],
    [900_000, '15m'],
    [86_400_000, '24h'],
  ])('prints %d ms in the largest exact unit: %j', (ms, word) => {
    expect(durationWord(ms)).toBe(word);
    expect(parseDuration(word)).toBe(ms);
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0 s'],
    [499, '0 s'],
    [500, '1 s'],
    [45_000, '45 s'],
    [59_499, '59 s'],
    [59_500, '1 min'],
    [60_000, '1 min'],
    [119_499, '1 min'],
    [720_000, '12 min'],
    [3_599_499, '59 min'],
    [3_600_000, '1 h'],
    [3_900_000, '1 h 5 min'],
    [86_400_000, '24 h'],
    [90_061_000, '25 h 1 min'],
    [-1, '0 s'],
    [-900_000, '0 s'],
  ])('prints %d milliseconds as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('reverses parseDuration for whole minutes and hours', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 1, max: 59 }), (hours, minutes) => {
        expect(formatDuration((parseDuration(`${hours}h`) ?? 0) + (parseDuration(`${minutes}m`) ?? 0))).toBe(
          `${hours} h ${minutes} min`,
        );
      }),
    );
  });
});

it.each([
  ['Fri, 20 Nov 2026 13:05:00 GMT', Date.UTC(2026, 10, 20, 13, 5)],
  ['Thu, 29 Feb 2024 23:59:59 GMT', Date.UTC(2024, 1, 29, 23, 59, 59)],
])('httpDate reads %s', (text, ms) => {
  expect(httpDate(text)).toBe(ms);
});

it.each([
  ['31 February, which Date.parse takes for 3 March', 'Tue, 31 Feb 2026 13:05:00 GMT'],
  ['29 February of a common year', 'Sun, 29 Feb 2026 13:05:00 GMT'],
  ['an hour 24', 'Fri, 20 Nov 2026 24:00:00 GMT'],
  ['the year 26, which Date.parse takes for 2026', 'Fri, 20 Nov 0026 13:05:00 GMT'],
  ['the year 1, which Date.parse takes for 2001', 'Mon, 01 Jan 0001 00:00:00 GMT'],
  ['an unknown month', 'Fri, 20 Foo 2026 13:05:00 GMT'],
  ['the wrong day of the week', 'Mon, 20 Nov 2026 13:05:00 GMT'],
  ['the words for no date', 'Invalid Date'],
  ['a minute 60', 'Fri, 20 Nov 2026 13:60:00 GMT'],
  ['a second 60', 'Sat, 31 Dec 2016 23:59:60 GMT'],
  ['the format of RFC 850', 'Sunday, 06-Nov-94 08:49:37 GMT'],
  ['the format of asctime', 'Fri Nov 20 10:00:30 2026'],
  ['text before a date', 'on Fri, 20 Nov 2026 10:00:30 GMT'],
  ['a date in another zone', 'Fri, 20 Nov 2026 10:00:30 GMT+0100'],
  ['an empty text', ''],
])('httpDate rejects %s', (_what, text) => {
  expect(httpDate(text)).toBeUndefined();
});

it.each([
  ['50/s', { count: 50, ms: 1000 }],
  ['100/m', { count: 100, ms: 60_000 }],
  ['1000/h', { count: 1000, ms: 3_600_000 }],
  [' 1/s\n', { count: 1, ms: 1000 }],
  ['999999/h', { count: 999_999, ms: 3_600_000 }],
])('parseRate reads %j', (text, rate) => {
  expect(parseRate(text)).toEqual(rate);
});

it.each([
  '',
  '50',
  '0/s',
  '00/s',
  '05/s',
  '-5/s',
  '1.5/s',
  '1e3/s',
  '50/',
  '/s',
  '50/d',
  '50/S',
  '50s',
  '50/sec',
  '50/s 5',
  'a 50/s',
  '50 /s',
  '5/10s',
  '1000000/s',
  'NaN/s',
])('parseRate rejects %j', (text) => {
  expect(parseRate(text)).toBeUndefined();
});

const NOW = Date.parse('2026-11-20T10:00:00Z');

describe('retryAfter', () => {
  it.each([
    ['0', 0],
    ['7', 7000],
    [' 120 ', 120_000],
    ['121', 121_000],
    ['3600.5', 3_600_500],
    ['Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 3_600_000],
    ['999999999999', 100 * 365 * 86_400_000],
    ['9'.repeat(400), 100 * 365 * 86_400_000],
  ])('reads %j', (header, ms) => {
    expect(retryAfter(header, NOW)).toBe(ms);
  });

  it.each([undefined, '', '-1', '1.', '1e2', 'soon', 'NaN', 'Fri, 20 Nov 2026 09:59:59 GMT', '2026-11-20T10:00:30Z'])(
    'ignores %j',
    (header) => {
      expect(retryAfter(header, NOW)).toBeUndefined();
    },
  );
});

describe('backoff', () => {
  it.each([
    [0, 500],
    [1, 1000],
    [2, 2000],
    [5, 16_000],
    [6, 20_000],
    [60, 20_000],
  ])('before retry %i is uniform below %i ms', (retry, cap) => {
    expect(backoff(retry, () => 0)).toBe(0);
    expect(backoff(retry, () => 0.25)).toBe(cap / 4);
    expect(backoff(retry, () => 0.999)).toBeLessThan(cap);
  });
});

const before = process.env['TZ'];
const setZone = (zone: string | undefined): void => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
};
afterEach(() => setZone(before));

// Windows does not read the zone from the environment.
describe.skipIf(process.platform === 'win32')('the days of the local time zone', () => {
  it('start and end by the local clock, with 23 to 25 hours', () => {
    setZone('America/New_York');
    const hours = (day: string): number =>
      ((startOfDay('local', day, 1) ?? 0) - (startOfDay('local', day) ?? 0)) / HOUR;
    expect(['2026-03-08', '2026-11-01', '2026-11-02'].map(hours)).toEqual([23, 25, 24]);
    expect(startOfDay('local', '2026-11-01')).toBe(Date.parse('2026-11-01T04:00:00Z'));
    expect(dayIn('local', Date.parse('2026-11-02T04:59:59.999Z'))).toBe('2026-11-01');
    expect(dayIn('local', Date.parse('2026-11-02T05:00:00Z'))).toBe('2026-11-02');
    expect(atomIn('local', Date.parse('2026-11-01T04:00:00Z'))).toBe('2026-11-01T00:00:00-04:00');
    expect(zoneName('local', 0)).toBe('America/New_York');
  });
});

describe('days of UTC', () => {
  it('are the same in every zone', () => {
    for (const zone of ['Africa/Lagos', 'Pacific/Kiritimati']) {
      setZone(zone);
      expect(startOfDay('utc', '2026-11-01')).toBe(Date.UTC(2026, 10, 1));
      expect(startOfDay('utc', '2026-12-31', 1)).toBe(Date.UTC(2027, 0, 1));
      expect(startOfDay('utc', '2026-11-20 14:05')).toBe(Date.UTC(2026, 10, 20, 14, 5));
      expect(dayIn('utc', Date.UTC(2026, 10, 1) - 1)).toBe('2026-10-31');
      expect(atomIn('utc', Date.UTC(2026, 10, 1))).toBe('2026-11-01T00:00:00+00:00');
      expect(zoneName('utc', 0)).toBe('UTC');
    }
  });
});

it('startOf reads a minute as printed in tables', () => {
  const at = Date.UTC(2026, 10, 20, 14, 5);
  expect([0, 1].map((later) => startOfDay('utc', '2026-11-20 14:05', later))).toEqual([at, at + 60_000]);
  const local = new Date(2026, 10, 20, 23, 59).getTime();
  expect([0, 1].map((later) => startOfDay('local', '2026-11-20 23:59', later))).toEqual([local, local + 60_000]);
});

describe('startOf', () => {
  it.each([
    '2026-02-29',
    '2026-11-31',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    'today',
    '2026-11-01T00:00',
    '2026-11-31 10:00',
    '2026-11-01 24:00',
  ])('rejects %s', (text) => {
    expect(startOfDay('utc', text)).toBeUndefined();
    expect(startOfDay('local', text)).toBeUndefined();
  });
});

describe('cacheAge', () => {
  it.each([
    ['1', 1000],
    [' 60 ', 60_000],
    ['315360000', 315_360_000_000],
  ])('reads %j', (header, ms) => {
    expect(cacheAge(header)).toBe(ms);
  });

  it.each([undefined, '', '0', '-1', '1.5', '1e3', '5 s', 'old', '315360001', '1000000000'])('ignores %j', (header) => {
    expect(cacheAge(header)).toBeUndefined();
  });
});

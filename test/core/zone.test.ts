import { afterEach, describe, expect, it } from 'vitest';
import { atomIn, dayIn, nameOf, startOf } from '../../src/core/time.ts';

const before = process.env['TZ'];
const setZone = (zone: string | undefined): void => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
};
afterEach(() => setZone(before));

const HOUR = 3_600_000;

// Windows takes no zone from its environment.
describe.skipIf(process.platform === 'win32')("the days of this machine's zone", () => {
  it('begin and end where its clocks say so, and have as many hours', () => {
    setZone('America/New_York');
    const hours = (day: string): number => ((startOf('local', day, 1) ?? 0) - (startOf('local', day) ?? 0)) / HOUR;
    expect(['2026-03-08', '2026-11-01', '2026-11-02'].map(hours)).toEqual([23, 25, 24]);
    expect(startOf('local', '2026-11-01')).toBe(Date.parse('2026-11-01T04:00:00Z'));
    expect(dayIn('local', Date.parse('2026-11-02T04:59:59.999Z'))).toBe('2026-11-01');
    expect(dayIn('local', Date.parse('2026-11-02T05:00:00Z'))).toBe('2026-11-02');
    expect(atomIn('local', Date.parse('2026-11-01T04:00:00Z'))).toBe('2026-11-01T00:00:00-04:00');
    expect(nameOf('local', 0)).toBe('America/New_York');
  });
});

describe('days of UTC', () => {
  it('are the same everywhere', () => {
    for (const zone of ['Africa/Lagos', 'Pacific/Kiritimati']) {
      setZone(zone);
      expect(startOf('utc', '2026-11-01')).toBe(Date.UTC(2026, 10, 1));
      expect(startOf('utc', '2026-12-31', 1)).toBe(Date.UTC(2027, 0, 1));
      expect(dayIn('utc', Date.UTC(2026, 10, 1) - 1)).toBe('2026-10-31');
      expect(atomIn('utc', Date.UTC(2026, 10, 1))).toBe('2026-11-01T00:00:00+00:00');
      expect(nameOf('utc', 0)).toBe('UTC');
    }
  });
});

it('knows a minute as tables show it', () => {
  const at = Date.UTC(2026, 10, 20, 14, 5);
  expect([0, 1].map((later) => startOf('utc', '2026-11-20 14:05', later))).toEqual([at, at + 60_000]);
  const local = new Date(2026, 10, 20, 23, 59).getTime();
  expect([0, 1].map((later) => startOf('local', '2026-11-20 23:59', later))).toEqual([local, local + 60_000]);
});

describe('a day that there is not', () => {
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
  ])('is none: %s', (text) => {
    expect(startOf('utc', text)).toBeUndefined();
    expect(startOf('local', text)).toBeUndefined();
  });
});

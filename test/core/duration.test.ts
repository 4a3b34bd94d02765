import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationWord, formatDuration, parseDuration } from '../../src/core/time.ts';

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
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('reads any count below a million in any unit', () => {
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
  ])('says %d ms in the largest unit that holds it whole: %j', (ms, word) => {
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
  ])('writes %d milliseconds as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('gives back what parseDuration read, in whole minutes and hours', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 1, max: 59 }), (hours, minutes) => {
        expect(formatDuration((parseDuration(`${hours}h`) ?? 0) + (parseDuration(`${minutes}m`) ?? 0))).toBe(
          `${hours} h ${minutes} min`,
        );
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { ageOf } from '../../src/client/transport.ts';
import { httpDate } from '../../src/core/time.ts';

describe('Age', () => {
  it.each([
    ['1', 1000],
    [' 60 ', 60_000],
    ['315360000', 315_360_000_000],
  ])('%j is how long an answer has lain in a cache', (header, ms) => {
    expect(ageOf(header)).toBe(ms);
  });

  it.each([undefined, '', '0', '-1', '1.5', '1e3', '5 s', 'old', '315360001', '1000000000'])(
    '%j says nothing of a cache',
    (header) => {
      expect(ageOf(header)).toBeUndefined();
    },
  );
});

describe('an HTTP date', () => {
  it('is read in the form that is sent', () => {
    expect(httpDate('Fri, 20 Nov 2026 10:00:30 GMT')).toBe(Date.UTC(2026, 10, 20, 10, 0, 30));
  });

  it.each([
    '',
    'yesterday',
    'Fri, 99 Nov 2026 10:00:30 GMT',
    'on Fri, 20 Nov 2026 10:00:30 GMT',
    'Fri, 20 Nov 2026 10:00:30 GMT+0100',
    'Friday, 20-Nov-26 10:00:30 GMT',
    'Fri Nov 20 10:00:30 2026',
    '2026-11-20T10:00:30Z',
  ])('is none of %j', (text) => {
    expect(httpDate(text)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { ageOf } from '../../src/client/transport.ts';

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

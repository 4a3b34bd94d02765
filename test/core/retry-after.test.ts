import { describe, expect, it } from 'vitest';
import { backoff } from '../../src/core/async.ts';
import { retryAfter } from '../../src/core/time.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');

describe('Retry-After', () => {
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
  ])('%j is taken', (header, ms) => {
    expect(retryAfter(header, NOW)).toBe(ms);
  });

  it.each([undefined, '', '-1', '1.', '1e2', 'soon', 'NaN', 'Fri, 20 Nov 2026 09:59:59 GMT', '2026-11-20T10:00:30Z'])(
    '%j counts as absent',
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

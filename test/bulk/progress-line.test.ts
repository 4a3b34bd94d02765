import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Progress, progressLine } from '../../src/bulk/progress.ts';
import { SECOND } from '../support/units.ts';

const TALLY = { accepted: 1200, failed: 30, unknown: 4 };
const line = (more: Partial<Progress> = {}): string =>
  progressLine({ done: 1234, total: 10_000, tally: TALLY, startedAt: 500, now: 500 + 25.7 * SECOND, ...more });

const WHOLE = '1,234 of 10,000 (12%), 48/s, 3 min left; 1,200 accepted, 30 failed, 4 unknown';

describe('the progress line', () => {
  it('shows position, speed, remaining time and counts', () => {
    expect(line()).toBe(WHOLE);
  });

  it('shows the known values if the number of rows is unknown', () => {
    expect(line({ total: undefined })).toBe('1,234, 48/s; 1,200 accepted, 30 failed, 4 unknown');
  });

  it('shows no speed at the start', () => {
    expect(line({ done: 0, tally: {} })).toBe('0 of 10,000 (0%)');
    expect(line({ now: 1400 })).toBe('1,234 of 10,000 (12%); 1,200 accepted, 30 failed, 4 unknown');
  });

  it('omits zero counts and labels states', () => {
    expect(line({ tally: { accepted: 0, not_sent: 2 } })).toBe('1,234 of 10,000 (12%), 48/s, 3 min left; 2 not sent');
  });

  it('computes the speed from the rows of this run', () => {
    expect(line({ before: 1000, done: 1257 })).toContain('1,257 of 10,000 (12%), 10/s, 14 min left');
    expect(line({ before: 1234 })).toBe('1,234 of 10,000 (12%); 1,200 accepted, 30 failed, 4 unknown');
  });

  it.each([
    [1, 100, '1/min'],
    [1, 59, '1/min'],
    [30, 60, '30/min'],
    [59, 60, '59/min'],
    [60, 60, '1.0/s'],
    [4810, 1000, '4.8/s'],
    [9949, 1000, '9.9/s'],
    [9950, 1000, '10/s'],
    [1_234_000, 1000, '1,234/s'],
  ])('%d rows in %d seconds are %s', (done, seconds, rate) => {
    const text = line({ done, total: undefined, tally: {}, startedAt: 0, now: seconds * SECOND });
    expect(text.split(', ').at(-1)).toBe(rate);
  });

  it.each([
    [9999, 10_000, '(99%)'],
    [10_000, 10_000, '(100%)'],
    [999_999, 1_000_000, '(99%)'],
    [0, 0, '(100%)'],
    [11, 10, '(100%)'],
  ])('%d of %d are %s; only the end is 100%', (done, total, share) => {
    expect(line({ done, total })).toContain(share);
  });

  it('shows no remaining time at the end, and at least one second before it', () => {
    expect(line({ done: 10_000 })).not.toContain('left');
    expect(line({ done: 9999 })).toContain(', 1 s left;');
  });

  it.each([
    [WHOLE.length, WHOLE],
    [WHOLE.length - 1, '1,234 of 10,000 (12%), 3 min left; 1,200 accepted, 30 failed, 4 unknown'],
    [70, '1,234 of 10,000 (12%); 1,200 accepted, 30 failed, 4 unknown'],
    [57, '1,234 of 10,000 (12%), 3 min left; 30 failed, 4 unknown'],
    [50, '1,234 of 10,000 (12%); 30 failed, 4 unknown'],
    [40, '1,234 of 10,000 (12%), 3 min left'],
    [30, '1,234 of 10,000 (12%)'],
    [10, '1,234'],
    [4, ''],
  ])('omits the least important parts in %d columns', (width, text) => {
    expect(line({ width })).toBe(text);
  });

  it('fits every width in one line', () => {
    const progress = fc.record({
      done: fc.nat(10_000_000),
      total: fc.option(fc.nat(10_000_000), { nil: undefined }),
      tally: fc.dictionary(fc.constantFrom('accepted', 'rejected', 'not_sent', 'unknown'), fc.nat(1_000_000)),
      startedAt: fc.nat(1_000_000),
      now: fc.nat(100_000_000),
      width: fc.nat(120),
    });
    fc.assert(
      fc.property(progress, (made) => {
        const text = progressLine(made);
        expect(text.length).toBeLessThanOrEqual(made.width);
        expect(text).not.toMatch(/NaN|Infinity|undefined|-|\n/);
      }),
    );
  });
});

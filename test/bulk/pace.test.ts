import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pace } from '../../src/bulk/pace.ts';
import { paceOf } from './run-world.ts';

const startMany = (pace: Pace, count: number): number[] => Array.from({ length: count }, () => pace.start());

/** Starts and completes this many rows. */
const getThrough = (pace: Pace, count: number): void => {
  for (const start of startMany(pace, count)) pace.succeed(start);
};

describe('the concurrency of a run', () => {
  it('is halved by a 429, but never zero', async () => {
    const { pace } = await paceOf({ concurrency: 9 });
    const widths = Array.from({ length: 5 }, () => {
      pace.slowDown(pace.start(), 0);
      return pace.limit;
    });
    expect(widths).toEqual([4, 2, 1, 1, 1]);
  });

  it('is halved once by a burst of 429s', async () => {
    const { pace } = await paceOf();
    const burst = startMany(pace, 16);
    for (const start of burst) pace.slowDown(start, 1000);
    expect(pace.limit).toBe(8);
    pace.slowDown(pace.start(), 1000);
    expect(pace.limit).toBe(4);
  });

  it('grows by one as rows succeed', async () => {
    const { pace } = await paceOf();
    pace.slowDown(pace.start(), 0);
    for (const needed of [10, 10, 10, 11, 12, 13, 14, 15]) {
      const before = pace.limit;
      getThrough(pace, needed - 1);
      expect(pace.limit).toBe(before);
      getThrough(pace, 1);
      expect(pace.limit).toBe(before + 1);
    }
    getThrough(pace, 100);
    expect(pace.limit).toBe(16);
  });

  it('stays within limits and grows by at most one per ten rows', async () => {
    const steps = fc.array(fc.record({ refused: fc.boolean(), age: fc.nat(20) }), { maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 64 }), async (all, concurrency) => {
        const { pace } = await paceOf({ concurrency });
        let since = Infinity;
        for (const { refused, age } of all) {
          const [before, start] = [pace.limit, pace.start()];
          if (refused && age < 3) pace.slowDown(Math.max(1, start - age), 0);
          else pace.succeed(Math.max(1, start - age));
          since += 1;
          expect(pace.limit).toBeGreaterThanOrEqual(1);
          expect(pace.limit).toBeLessThanOrEqual(concurrency);
          if (pace.limit === before) continue;
          const [growth, least] = [pace.limit - before, Math.max(1, Math.floor(before / 2))];
          if (growth < 0) expect(pace.limit).toBe(least);
          else expect([growth, since >= 10]).toEqual([1, true]);
          since = 0;
        }
      }),
    );
  });
});

describe('the pause after a 429', () => {
  it('lasts as long as requested, plus at most a fifth', async () => {
    for (const [chance, wait] of [
      [0, 4000],
      [0.5, 4400],
      [0.999, 4799.2],
    ] as const) {
      const { pace, clock } = await paceOf({ random: () => chance });
      pace.slowDown(pace.start(), 4000);
      expect(pace.wait()).toBeCloseTo(wait, 1);
      await clock.pass(3999);
      expect(pace.wait()).toBeGreaterThan(0);
      await clock.pass(801);
      expect(pace.wait()).toBe(0);
    }
  });

  it('is not shortened by a shorter request', async () => {
    const { pace } = await paceOf();
    const [first = 0, second = 0] = startMany(pace, 2);
    pace.slowDown(first, 10_000);
    pace.slowDown(second, 0);
    expect(pace.wait()).toBe(10_000);
  });

  it('grows without a requested time until a row succeeds', async () => {
    const { pace } = await paceOf({ random: () => 0.999_999 });
    const waits = Array.from({ length: 9 }, () => {
      pace.slowDown(pace.start(), 0);
      return Math.round(pace.wait());
    });
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]);
    const { pace: other } = await paceOf({ random: () => 0.999_999 });
    other.slowDown(other.start(), 0);
    other.succeed(other.start());
    other.slowDown(other.start(), 0);
    expect(Math.round(other.wait())).toBe(250);
  });

  it.each([Number.NaN, Infinity, -5])('has the default length for an invalid time: %d', async (ms) => {
    const { pace } = await paceOf();
    pace.slowDown(pace.start(), ms);
    expect(pace.wait()).toBe(125);
  });

  it('is never zero by chance', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.constantFrom(0, 1, 90_000),
        async (chance, ms) => {
          const { pace } = await paceOf({ random: () => chance });
          pace.slowDown(pace.start(), ms);
          expect(pace.wait()).toBeGreaterThanOrEqual(ms === 0 ? 125 : ms);
          expect(pace.wait()).toBeLessThanOrEqual(ms === 0 ? 250 : ms * 1.2);
        },
      ),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rate } from '../../src/core/time.ts';
import { paceOf, plain, world } from './run-world.ts';

/** The start times of `count` rows, each as early as allowed plus its lateness. */
const startsOf = async (rate: Rate | undefined, lateness: readonly number[]): Promise<number[]> => {
  const { pace, clock } = await paceOf({ rate });
  return lateness.map((late) => {
    clock.time += pace.wait() + late;
    pace.start();
    return clock.time;
  });
};

const inFullestWindow = (starts: readonly number[], ms: number): number =>
  Math.max(...starts.map((from) => starts.filter((at) => at >= from && at < from + ms - 1e-6).length));

describe('a rate', () => {
  it('of undefined starts everything at once', async () => {
    expect(await startsOf(undefined, [0, 0, 0])).toEqual([0, 0, 0]);
  });

  it.each([
    { count: 1, ms: 1000 },
    { count: 50, ms: 1000 },
    { count: 7, ms: 60_000 },
    { count: 1, ms: 3_600_000 },
  ])('is never exceeded in any window, and reached in the fullest: %j', async (rate) => {
    const starts = await startsOf(rate, Array(rate.count * 4).fill(0));
    expect(inFullestWindow(starts, rate.ms)).toBe(rate.count);
  });

  it('is never exceeded, however late the starts are', async () => {
    const rate = fc.record({ count: fc.integer({ min: 1, max: 60 }), ms: fc.constantFrom(1, 50, 1000, 60_000) });
    const lateness = fc.array(fc.oneof(fc.nat(5), fc.nat(100), fc.nat(5000)), { minLength: 1, maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(rate, lateness, async (made, late) => {
        expect(inFullestWindow(await startsOf(made, late), made.ms)).toBeLessThanOrEqual(made.count);
      }),
    );
  });

  it('does not accumulate while nothing starts', async () => {
    const starts = await startsOf({ count: 100, ms: 1000 }, [0, 3_600_000, ...Array(200).fill(0)]);
    const later = starts.slice(1).map((at) => at - (starts[1] ?? 0));
    expect(later.filter((at) => at < 100).length).toBeLessThanOrEqual(13);
  });

  it('is nearly reached with late timers', async () => {
    const { clock, ended } = world(plain(500), { rate: { count: 50, ms: 1000 }, concurrency: 16, late: () => 5 });
    await clock.until(ended);
    expect(clock.time).toBeGreaterThan(9_900);
    expect(clock.time).toBeLessThan(10_500);
  });
});

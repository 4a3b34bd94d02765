import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showProgress } from '../../src/bulk/progress.ts';
import type { RowCounts } from '../../src/core/charge.ts';
import { SECOND } from '../support/units.ts';
import { settled } from './virtual-clock.ts';

const TALLY = { accepted: 1200, failed: 30, unknown: 4 };
interface Progress {
  readonly done: number;
  /** Rows among them with a result from before this run. */
  readonly before: number;
  readonly total: number;
  readonly tally: RowCounts;
  readonly startedAt: number;
  readonly now: number;
  readonly width: number;
}

/** The line at the instant `now`, of work that started at `startedAt`, on a terminal that has been drawn on before. */
const line = async (more: Partial<Progress> = {}): Promise<string> => {
  const times = { startedAt: 500, now: 500 + 25.7 * SECOND };
  const { done, before, total, tally, startedAt, now, width } = {
    ...{ done: 1234, before: 0, total: 10_000, tally: TALLY, width: Number.POSITIVE_INFINITY, ...times, ...more },
  };
  let [ticks, shown] = [startedAt - SECOND, ''];
  let wake = (): void => undefined;
  const sleep = (_ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      wake = resolve;
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  const show = async (text: string): Promise<void> => {
    shown = text;
  };
  const clear = async (): Promise<void> => undefined;
  const progress = showProgress({ rewrites: true, width, show, clear }, { ticks: () => ticks, sleep });
  progress.reading(0);
  ticks = startedAt;
  progress.working({ done, skipped: before, counts: tally } as Parameters<typeof progress.working>[0], total);
  ticks = now;
  wake();
  await settled();
  await progress.end();
  return shown;
};

const WHOLE = '1,234 of 10,000 (12%), 48/s, 3 min left; 1,200 accepted, 30 failed, 4 unknown';

describe('the progress line', () => {
  it('shows position, speed, remaining time and counts', async () => {
    expect(await line()).toBe(WHOLE);
  });

  it('shows no speed at the start', async () => {
    expect(await line({ done: 0, tally: {} })).toBe('0 of 10,000 (0%)');
    expect(await line({ now: 1400 })).toBe('1,234 of 10,000 (12%); 1,200 accepted, 30 failed, 4 unknown');
  });

  it('omits zero counts and labels states', async () => {
    expect(await line({ tally: { accepted: 0, not_sent: 2 } })).toBe(
      '1,234 of 10,000 (12%), 48/s, 3 min left; 2 not sent',
    );
  });

  it('computes the speed from the rows of this run', async () => {
    expect(await line({ before: 1000, done: 1257 })).toContain('1,257 of 10,000 (12%), 10/s, 14 min left');
    expect(await line({ before: 1234 })).toBe('1,234 of 10,000 (12%); 1,200 accepted, 30 failed, 4 unknown');
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
  ])('%d rows in %d seconds are %s', async (done, seconds, rate) => {
    const text = await line({ done, total: done, tally: {}, startedAt: 0, now: seconds * SECOND });
    expect(text.split(', ').at(-1)).toBe(rate);
  });

  it.each([
    [9999, 10_000, '(99%)'],
    [10_000, 10_000, '(100%)'],
    [999_999, 1_000_000, '(99%)'],
    [0, 0, '(100%)'],
    [11, 10, '(100%)'],
  ])('%d of %d are %s; only the end is 100%', async (done, total, share) => {
    expect(await line({ done, total })).toContain(share);
  });

  it('shows no remaining time at the end, and at least one second before it', async () => {
    expect(await line({ done: 10_000 })).not.toContain('left');
    expect(await line({ done: 9999 })).toContain(', 1 s left;');
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
  ])('omits the least important parts in %d columns', async (width, text) => {
    expect(await line({ width })).toBe(text);
  });

  it('fits every width in one line', async () => {
    const progress = fc.record({
      done: fc.nat(10_000_000),
      total: fc.nat(10_000_000),
      tally: fc.dictionary(fc.constantFrom('accepted', 'rejected', 'not_sent', 'unknown'), fc.nat(1_000_000)),
      startedAt: fc.nat(1_000_000),
      now: fc.integer({ min: 1_000_000, max: 100_000_000 }),
      width: fc.nat(120),
    });
    await fc.assert(
      fc.asyncProperty(progress, async (made) => {
        const text = await line(made);
        expect(text.length).toBeLessThanOrEqual(made.width);
        expect(text).not.toMatch(/NaN|Infinity|undefined|-|\n/);
      }),
    );
  });
});

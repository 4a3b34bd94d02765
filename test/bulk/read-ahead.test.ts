import { describe, expect, it } from 'vitest';
import { readAhead } from '../../src/bulk/read-ahead.ts';
import { type PaceOptions, paceOf } from './run-world.ts';
import { settled } from './virtual-clock.ts';

const SECOND_MS = 1000;

/** Numbered rows: `rows` of them, or endless. Each read takes `takes` milliseconds. */
const opened = async (options: Partial<PaceOptions> & { readonly rows?: number; readonly takes?: number } = {}) => {
  const { rows: count = Infinity, takes = 100 } = options;
  const { pace, clock } = await paceOf({ concurrency: 4, ...options });
  const reads: { row: number; at: number; slowDown: (ms: number) => void }[] = [];
  let [pulled, closed, running, most] = [0, false, 0, 0];
  async function* all(): AsyncGenerator<number> {
    try {
      for (pulled = 1; pulled <= count; pulled += 1) yield pulled;
    } finally {
      closed = true;
    }
  }
  const read = async (row: number, slowDown: (ms: number) => void): Promise<void> => {
    reads.push({ row, at: clock.time, slowDown });
    running += 1;
    most = Math.max(most, running);
    await clock.sleep(takes);
    running -= 1;
  };
  const rows = readAhead({ rows: all(), read, pace, clock });
  const take = async (some: number): Promise<(number | undefined)[]> => {
    const taken: (number | undefined)[] = [];
    for (let left = some; left > 0; left -= 1) {
      pace.start();
      taken.push((await rows.next()).value ?? undefined);
    }
    return taken;
  };
  const state = () => ({ pulled, closed, running, most });
  return { clock, pace, rows, reads, take, state, readRows: () => reads.map(({ row }) => row) };
};

describe('readAhead', () => {
  it('reads for the next rows while earlier ones are in flight', async () => {
    const { clock, take, readRows } = await opened();
    expect(await take(4)).toEqual([1, 2, 3, 4]);
    await clock.pass(150);
    expect(readRows()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await take(1)).toEqual([5]);
    await clock.pass(150);
    expect(readRows()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('limits the reads in progress and the waiting rows to the number of rows in flight', async () => {
    const { clock, take, state } = await opened();
    for (let rows = 0; rows < 100; rows += 1) {
      await take(1);
      await clock.pass(30);
      expect(state().pulled).toBeLessThanOrEqual(rows + 1 + 4);
    }
    expect(state().most).toBe(4);
  });

  it('reads fewer rows ahead once the pace is reduced', async () => {
    const { clock, pace, take, reads, readRows } = await opened();
    await take(4);
    reads[0]?.slowDown(SECOND_MS);
    expect(pace.limit).toBe(2);
    await clock.pass(2 * SECOND_MS);
    await take(1);
    await clock.pass(SECOND_MS);
    expect(readRows()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it.each([
    [100, 4],
    [1000, 2],
    [3000, 0],
  ])(
    'reads for no more rows than are sent in half of five seconds: with one in %i ms, for %i',
    async (apart, ahead) => {
      const { clock, take, readRows } = await opened();
      const rows = 60;
      for (let row = 0; row < rows; row += 1) {
        await take(1);
        await clock.pass(apart);
      }
      expect(readRows().filter((row) => row > rows)).toHaveLength(ahead);
      expect(readRows().includes(rows)).toBe(ahead > 0);
    },
  );

  it('reads nothing during a pause that the service asked for', async () => {
    const { clock, take, reads, readRows } = await opened();
    await take(2);
    reads[1]?.slowDown(SECOND_MS);
    await clock.pass(SECOND_MS / 2);
    const before = readRows();
    await take(1);
    await clock.pass(SECOND_MS / 4);
    expect(readRows()).toEqual(before);
    await clock.pass(SECOND_MS);
    await take(1);
    await settled();
    expect(readRows().length).toBeGreaterThan(before.length);
  });

  it('halves the limit once if all requests in flight get a 429', async () => {
    const { clock, pace, take, reads } = await opened({ concurrency: 8 });
    await take(8);
    await clock.pass(150);
    for (const { slowDown } of reads) slowDown(10);
    pace.slowDown(1, 10);
    expect(pace.limit).toBe(4);
  });

  it('does not exceed the rate', async () => {
    const { clock, take, reads } = await opened({ rate: { count: 5, ms: SECOND_MS }, takes: 10 });
    for (let rows = 0; rows < 40; rows += 1) {
      await take(1);
      await clock.pass(70);
    }
    const fullest = Math.max(
      ...reads.map(({ at: from }) => reads.filter(({ at }) => at >= from && at < from + SECOND_MS).length),
    );
    expect(fullest).toBe(5);
  });

  it('passes a row on without waiting for its read', async () => {
    const { take } = await opened({ rate: { count: 1, ms: 3600 * SECOND_MS }, takes: 3600 * SECOND_MS });
    // Time stands still.
    expect(await take(3)).toEqual([1, 2, 3]);
  });

  it('ends with the source', async () => {
    const { clock, take, state } = await opened({ rows: 3 });
    expect(await clock.until(take(5))).toEqual([1, 2, 3, undefined, undefined]);
    expect(state().closed).toBe(true);
  });

  it('closes the source and waits for the reads in progress when it is closed', async () => {
    const { clock, rows, take, state } = await opened();
    await take(1);
    const left = rows.return(undefined);
    await clock.until(left);
    expect(state()).toMatchObject({ closed: true, running: 0 });
  });

  it('throws an error of the source after the rows before it', async () => {
    const fault = new Error('row 3 is broken');
    async function* broken(): AsyncGenerator<number> {
      yield 1;
      yield 2;
      throw fault;
    }
    const { pace, clock } = await paceOf({ concurrency: 4 });
    const rows = readAhead({ rows: broken(), read: async () => undefined, pace, clock });
    await settled();
    expect([(await rows.next()).value, (await rows.next()).value]).toEqual([1, 2]);
    await expect(rows.next()).rejects.toBe(fault);
  });
});

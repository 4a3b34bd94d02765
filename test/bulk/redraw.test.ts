import { describe, expect, it } from 'vitest';
import { showProgress } from '../../src/bulk/progress.ts';
import { HOUR, SECOND } from '../support/units.ts';
import { settled, VirtualClock } from './virtual-clock.ts';

const redrawOn = (isTerminal: boolean, taken: () => Promise<void> = async () => undefined) => {
  const clock = new VirtualClock();
  const shown: number[] = [];
  const show = (): Promise<void> => {
    shown.push(clock.time);
    return taken();
  };
  const line = { rewrites: isTerminal, width: 80, show, clear: async () => undefined };
  const progress = showProgress(line, clock);
  progress.reading(0);
  const tell = (done: number, total?: number): void =>
    total === undefined ? progress.reading(done) : progress.checking(done, total);
  return { clock, shown, redraw: { tell, end: progress.end } };
};

describe('on a terminal', () => {
  it('a line is drawn every second, even without progress', async () => {
    const { clock, shown, redraw } = redrawOn(true);
    await clock.pass(4500);
    expect(shown).toEqual([1000, 2000, 3000, 4000]);
    await redraw.end();
  });

  it('no line is drawn earlier, whatever the progress', async () => {
    const { clock, shown, redraw } = redrawOn(true);
    for (let done = 1; done <= 100; done += 1) {
      await clock.pass(25);
      redraw.tell(done, 100);
    }
    expect(shown).toEqual([1000, 2000]);
    await redraw.end();
  });
});

describe('in a pipe', () => {
  it('a line is printed every 30 seconds', async () => {
    const { clock, shown, redraw } = redrawOn(false);
    for (let done = 1; done <= 100; done += 1) {
      await clock.pass(SECOND);
      redraw.tell(done);
    }
    expect(shown).toEqual([30_000, 60_000, 90_000]);
    await redraw.end();
  });

  it('a line is printed at each tenth except the last, which restarts the 30 seconds', async () => {
    const { clock, shown, redraw } = redrawOn(false);
    for (let done = 1; done <= 50; done += 1) {
      await clock.pass(2 * SECOND);
      redraw.tell(done, 50);
    }
    expect(shown).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90].map((seconds) => seconds * SECOND));
    await clock.pass(30 * SECOND);
    expect(shown.slice(9)).toEqual([120_000]);
    await redraw.end();
  });

  it('a short run prints nothing', async () => {
    const { clock, shown, redraw } = redrawOn(false);
    for (let done = 1; done <= 10; done += 1) {
      await clock.pass(90);
      redraw.tell(done, 10);
    }
    await redraw.end();
    expect(shown).toEqual([]);
  });
});

describe('redraw', () => {
  it('leaves no timer that keeps the program alive', async () => {
    const { clock, redraw } = redrawOn(false);
    await redraw.end();
    expect(await clock.step()).toBe(false);
  });

  it('draws nothing after its end, and ends at once', async () => {
    for (const isTerminal of [true, false]) {
      const { clock, shown, redraw } = redrawOn(isTerminal);
      await clock.pass(30 * SECOND);
      const before = shown.length;
      await clock.until(redraw.end());
      expect(clock.time).toBe(30 * SECOND);
      await clock.pass(SECOND);
      await clock.pass(HOUR);
      expect(shown).toHaveLength(before);
    }
  });

  it.each([
    ['a tenth', 5],
    ['time', 31],
  ])('waits for a slow reader without queueing lines: triggered by %s', async (_what, seconds) => {
    const read = Promise.withResolvers<void>();
    const { clock, shown, redraw } = redrawOn(false, () => read.promise);
    for (let done = 1; done <= 9; done += 1) {
      await clock.pass(seconds * SECOND);
      redraw.tell(done, 10);
    }
    expect(shown).toHaveLength(1);
    let over = false;
    const end = redraw.end().then(() => {
      over = true;
    });
    await settled();
    expect(over).toBe(false);
    read.resolve();
    await end;
    expect(shown).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { median } from '../../scripts/bench/run/line.ts';
import { race, takeTurns } from '../../scripts/bench/run/race.ts';

const compared = { row: 1, name: 'name', work: 'work', against: 'other' };

describe('takeTurns', () => {
  it('rotates the first runner in each round', async () => {
    const order: string[] = [];
    const runner = (name: string, ms: number) => (): number => {
      order.push(name);
      return ms;
    };
    const times = await takeTurns(3, { a: runner('a', 1), b: runner('b', 2) });
    expect(order).toEqual(['a', 'b', 'b', 'a', 'a', 'b']);
    expect(times).toEqual({ a: [1, 1, 1], b: [2, 2, 2] });
  });
});

describe('race', () => {
  const counting = (...ms: readonly number[]) => {
    const left = [...ms];
    return (): number => left.shift() ?? Number.NaN;
  };

  it('returns the median of the ratios of its pairs, without the warm-up round', async () => {
    const lines = await race({
      rounds: 3,
      warmUp: true,
      contenders: { slow: counting(99, 8, 60, 9), quick: counting(1, 2, 10, 3) },
      comparisons: [{ ...compared, goal: { bound: '≥', value: 2 }, ratio: ['slow', 'quick'] }],
    });
    expect(lines).toEqual([
      { ...compared, goal: { bound: '≥', value: 2 }, value: 4, seen: { slow: 9, quick: 3 }, seenIn: 'ms' },
    ]);
  });

  it('converts times to rates if asked', async () => {
    const unit = { name: '/s', of: (ms: number) => 1000 / ms };
    const [line] = await race({
      rounds: 1,
      warmUp: false,
      contenders: { a: counting(10), b: counting(20) },
      comparisons: [{ ...compared, ratio: ['a', 'b'], unit }],
    });
    expect(line).toEqual({ ...compared, value: 0.5, seen: { a: 100, b: 50 }, seenIn: '/s' });
  });

  it('reports a missing tool, and measures the others', async () => {
    const lines = await race({
      rounds: 1,
      warmUp: true,
      contenders: { a: counting(1, 6), b: counting(1, 3), c: { missing: 'no c' } },
      comparisons: [
        { ...compared, ratio: ['a', 'c'] },
        { ...compared, ratio: ['a', 'b'] },
      ],
    });
    expect(lines).toEqual([
      { ...compared, missing: 'no c' },
      { ...compared, value: 2, seen: { a: 6, b: 3 }, seenIn: 'ms' },
    ]);
  });
});

describe('median', () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 2, 10], 3],
    [[7], 7],
  ])('of %j is %d', (values, middle) => {
    expect(median(values)).toBe(middle);
  });
});

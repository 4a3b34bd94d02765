import { describe, expect, it } from 'vitest';
import { idsFrom, newId } from '../../src/ledger/id.ts';

const LAST = 2n ** 60n - 1n;
const some = (start: bigint, count = 5000): string[] => {
  const next = idsFrom(start);
  return Array.from({ length: count }, () => next('chg'));
};

const differing = (one: string, other: string): number => [...one].filter((letter, at) => letter !== other[at]).length;

describe('the names of what one process sends', () => {
  it.each([0n, 1n, 123_456_789_012_345_678n])('are twelve letters of which none look alike (from %s)', (start) => {
    for (const id of some(start)) expect(id).toMatch(/^chg-[0-9a-hj-km-np-tv-z]{12}$/);
  });

  it('are another for each', () => {
    expect(new Set(some(LAST - 1000n)).size).toBe(5000);
  });

  it('ascend, so that an index has them side by side', () => {
    const ids = some(7n);
    expect(ids).toEqual([...ids].sort());
  });

  it('differ in more than one letter from those beside them', () => {
    const ids = some(7n);
    for (const [at, id] of ids.slice(1).entries()) expect(differing(id, ids[at] ?? '')).toBeGreaterThan(2);
  });

  it('begin elsewhere for each process, and say what is sent', () => {
    expect(some(1n)).not.toContain(some(2n)[0]);
    expect(newId('refund')).toMatch(/^refund-.{12}$/);
    expect(newId('charge')).toMatch(/^chg-.{12}$/);
  });
});

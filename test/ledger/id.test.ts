import { describe, expect, it } from 'vitest';
import { idsFrom, newId } from '../../src/ledger/guard.ts';

const LAST = 2 ** 30 - 1;
const some = (first: number, second: number): string[] => {
  const next = idsFrom(first, second);
  return Array.from({ length: 5000 }, () => next('charge'));
};

const differing = (one: string, other: string): number => [...one].filter((letter, at) => letter !== other[at]).length;

describe('the ids of what one process sends', () => {
  it.each([
    [0, 0],
    [7, LAST],
    [7, LAST + 1 - 20_706_943],
    [LAST, LAST],
  ])('are twelve letters each, of which none look alike (from %i, %i)', (first, second) => {
    const ids = some(first, second);
    for (const id of ids) expect(id).toMatch(/^chg-[0-9a-hj-km-np-tv-z]{12}$/);
    expect(new Set(ids).size).toBe(5000);
  });

  it('ascend, so that an index has them side by side', () => {
    const ids = some(7, LAST + 1 - 20_706_943);
    expect(ids).toEqual([...ids].sort());
  });

  it('differ in more than two letters from those beside them', () => {
    const ids = some(7, 7);
    for (const [at, id] of ids.slice(1).entries()) expect(differing(id, ids[at] ?? '')).toBeGreaterThan(2);
  });

  it('begin elsewhere for each process, and say what is sent', () => {
    expect(some(1, 1)).not.toContain(some(1, 2)[0]);
    expect(newId('refund')).toMatch(/^refund-.{12}$/);
    expect(newId('charge')).toMatch(/^chg-.{12}$/);
  });
});

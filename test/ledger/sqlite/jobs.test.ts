import { describe, expect, it } from 'vitest';
import { LAST_ENTRIES } from '../../../src/ledger/sqlite/backend.ts';
import { beside, MINUTE, NOON, newPath, open, SELF } from '../support/charges.ts';
import { begin, ID, job } from '../support/jobs.ts';

describe('a job', () => {
  it('is counted from an index, without reading charges', async () => {
    const path = newPath();
    await open(path);
    expect(beside(path, `EXPLAIN QUERY PLAN ${LAST_ENTRIES}`)).toMatchObject([
      { detail: expect.stringContaining('COVERING INDEX charge_of_job') },
    ]);
  });

  it('is shown even if its stored adjustments are invalid', async () => {
    const path = newPath();
    const ledger = await open(path);
    await ledger.jobs.open(job(), 8);
    for (const [text, adjustments] of [
      ['{', undefined],
      ['[]', undefined],
      ['{"refused":1,"invalid":"2","failed":1.5,"__proto__":3}', { refused: 1 }],
    ] as const) {
      beside(path, `UPDATE job SET adjustments = '${text}'`);
      expect((await ledger.jobs.get(ID))?.adjustments).toEqual(adjustments);
    }
  });
});

describe('a slice of a job', () => {
  const OTHER = { ...SELF, pid: 4712 };

  it('is free a minute after its lease', async () => {
    const path = newPath();
    const [one, later] = [await open(path), await open(path, { self: OTHER, now: () => NOON + MINUTE })];
    expect(await one.jobs.lease(ID, 0)).toBe(true);
    expect(await later.jobs.workers(ID)).toEqual([]);
    expect(await later.jobs.lease(ID, 0)).toBe(true);
    const again = await open(path, { now: () => NOON + MINUTE });
    expect(await again.jobs.lease(ID, 0)).toBe(false);
  });

  it('is free after the clock was set back by more than a lease', async () => {
    const path = newPath();
    const [one, earlier] = [await open(path), await open(path, { self: OTHER, now: () => NOON - 1 })];
    expect(await one.jobs.lease(ID, 0)).toBe(true);
    expect(await earlier.jobs.workers(ID)).toEqual([]);
    expect(await earlier.jobs.lease(ID, 0)).toBe(true);
  });

  it('is not free while its process is out of sight', async () => {
    const path = newPath();
    const hasEnded = (_sender: object, overdue: boolean): boolean => overdue;
    const [hidden, other] = [await open(path), await open(path, { self: OTHER, hasEnded })];
    expect(await hidden.jobs.lease(ID, 0)).toBe(true);
    expect(await other.jobs.workers(ID)).toMatchObject([{ slices: 1 }]);
    expect(await other.jobs.lease(ID, 0)).toBe(false);
  });

  it('is free once its process has ended', async () => {
    const path = newPath();
    const hasEnded = ({ pid }: typeof SELF): boolean => pid === SELF.pid;
    const [killed, other] = [await open(path), await open(path, { self: OTHER, hasEnded })];
    expect(await killed.jobs.lease(ID, 0)).toBe(true);
    expect(await other.jobs.workers(ID)).toEqual([]);
    expect(await other.jobs.lease(ID, 0)).toBe(true);
  });
});

describe('a row', () => {
  it('is started by only one of two concurrent processes', async () => {
    const path = newPath();
    const [one, two] = [await open(path), await open(path, { self: { ...SELF, pid: 4712 } })];
    const rows = Array.from({ length: 50 }, (_, index) => index + 1);
    const results = await Promise.all(rows.flatMap((row) => [begin(one, row), begin(two, row)]));
    expect(results.filter(({ kind }) => kind === 'begun')).toHaveLength(rows.length);
    expect(beside(path, 'SELECT count(DISTINCT row) AS n FROM charge')).toEqual([{ n: rows.length }]);
  });
});

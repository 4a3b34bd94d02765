import { describe, expect, it } from 'vitest';
import { openReads } from '../../src/bulk/read-ahead.ts';
import type { Moment } from '../../src/ledger/entry.ts';
import { momentAt, NOON } from '../ledger/support/charges.ts';

const FRESH_MS = 5000;

/**
 * Starts a read at noon and takes it at another moment. Unit tests, since a black-box test would wait for seconds and can't set
 * both clocks.
 */
const takenAt = async (taken: Moment, early: Promise<string> = Promise.resolve('early')): Promise<string> => {
  let now = momentAt(NOON);
  const [reads, item] = [openReads<object, string>({ moment: () => now }), {}];
  void reads.start(item, () => early);
  await new Promise((resolve) => setImmediate(resolve));
  now = taken;
  const { since, result } = reads.take(item, async () => 'new');
  const got = await result;
  expect(since).toEqual(got === 'early' ? momentAt(NOON) : taken);
  return got;
};

describe('an early read', () => {
  it('is used for five seconds', async () => {
    expect(await takenAt(momentAt(NOON + FRESH_MS))).toBe('early');
    expect(await takenAt(momentAt(NOON + FRESH_MS + 1))).toBe('new');
  });

  it('is too old if either clock says so', async () => {
    const { at, mark } = momentAt(NOON + FRESH_MS + 1);
    const noon = momentAt(NOON);
    expect(await takenAt({ at, mark: noon.mark })).toBe('new');
    expect(await takenAt({ at: noon.at, mark })).toBe('new');
  });

  it('is too old after five seconds also if it is still in progress', async () => {
    const slow = new Promise<string>(() => undefined);
    expect(await takenAt(momentAt(NOON + FRESH_MS + 1), slow)).toBe('new');
  });

  it('is used once: a row that is sent anew reads anew', async () => {
    const [reads, item] = [openReads<object, string>({ moment: () => momentAt(NOON) }), {}];
    await reads.start(item, async () => 'early');
    expect(await reads.take(item, async () => 'new').result).toBe('early');
    expect(await reads.take(item, async () => 'new').result).toBe('new');
  });

  it('keeps its error for the row', async () => {
    await expect(takenAt(momentAt(NOON), Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await takenAt(momentAt(NOON + FRESH_MS + 1), Promise.reject(new Error('no')))).toBe('new');
  });

  it('is used for its own item only', async () => {
    const reads = openReads<object, string>({ moment: () => momentAt(NOON) });
    await reads.start({}, async () => 'of another');
    expect(await reads.take({}, async () => 'new').result).toBe('new');
  });
});

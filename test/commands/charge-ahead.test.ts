import { describe, expect, it } from 'vitest';
import { openReads } from '../../src/commands/ugwo/charge-ahead.ts';
import type { Moment } from '../../src/ledger/entry.ts';
import { momentAt, NOON } from '../ledger/support/charges.ts';

const FRESH_MS = 5000;

/**
 * Begins a read at noon and takes it at another moment. Unit tests, since a black-box test would wait for seconds and can't set
 * both clocks.
 */
const takenAt = async (taken: Moment, early: Promise<string> = Promise.resolve('early')): Promise<string> => {
  let now = momentAt(NOON);
  const [ledger, reads, item] = [{ moment: () => now }, openReads<object, string>(), {}];
  const begun = reads.begin(item, () => early, ledger);
  void begun;
  await new Promise((resolve) => setImmediate(resolve));
  now = taken;
  const { since, result } = reads.take(item, async () => 'new', ledger);
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
    const [ledger, reads, item] = [{ moment: () => momentAt(NOON) }, openReads<object, string>(), {}];
    await reads.begin(item, async () => 'early', ledger);
    expect(await reads.take(item, async () => 'new', ledger).result).toBe('early');
    expect(await reads.take(item, async () => 'new', ledger).result).toBe('new');
  });

  it('keeps its error for the row', async () => {
    await expect(takenAt(momentAt(NOON), Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await takenAt(momentAt(NOON + FRESH_MS + 1), Promise.reject(new Error('no')))).toBe('new');
  });

  it('is used for its own item only', async () => {
    const ledger = { moment: () => momentAt(NOON) };
    const reads = openReads<object, string>();
    await reads.begin({}, async () => 'of another', ledger);
    expect(await reads.take({}, async () => 'new', ledger).result).toBe('new');
  });
});

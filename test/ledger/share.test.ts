import { describe, expect, it } from 'vitest';
import { claimSharing, noteSharing, sharedOf } from '../../src/ledger/share.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, beginCharge, NOON } from './support/charges.ts';

describe.each(BACKENDS)('sharing a message with a ledger %s', (_name, newPlace) => {
  it('gives one of several processes the claim, and no other until it has failed', async () => {
    const place = newPlace();
    let [now, isOver] = [NOON, false];
    const world = { now: () => now, hasEnded: (_sender: unknown, overdue: boolean) => isOver || overdue };
    const [ledger, other] = [await open(place, world), await open(place, world)];
    const id = await beginCharge(ledger);
    await ledger.record(id, { state: 'accepted', exitCode: 0, activity: account() });
    const claims = async () => Promise.all([ledger, other, ledger, other].map((one) => claimSharing(one, id)));
    const shown = async () => {
      const entry = await ledger.get(id);
      return entry && sharedOf(entry, ledger);
    };
    expect(await shown()).toEqual({ shared: 'no' });
    expect((await claims()).filter(Boolean)).toHaveLength(1);
    expect(await shown()).toEqual({ shared: 'sharing' });
    await noteSharing(ledger, id, { why: 'exit code 1', isKilled: false });
    expect(await shown()).toEqual({ shared: 'no', why: 'exit code 1' });
    expect((await claims()).filter(Boolean)).toHaveLength(1);
    isOver = true;
    expect(await shown()).toMatchObject({ shared: 'unknown', why: expect.stringContaining('was ended at 2026-11-20') });
    expect(await claims()).toEqual([false, false, false, false]);
    [isOver, now] = [false, NOON + 7 * 60_000];
    expect(await shown()).toMatchObject({ shared: 'unknown' });
    await noteSharing(ledger, id, undefined);
    expect(await shown()).toEqual({ shared: 'yes' });
    expect(await claims()).toEqual([false, false, false, false]);
  });
});

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evidenceOf } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { claimSharing, noteSharing, noteUnshared, sharedOf } from '../../src/ledger/share.ts';
import { ugwoOf } from '../support/ids.ts';
import { newFolder } from '../support/program.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, beginCharge, MINUTE, NOON } from './support/charges.ts';

describe.each(BACKENDS)('sharing a message with a ledger %s', (_name, newPlace) => {
  it('gives one of several processes the claim, and no other until it has failed', async () => {
    const place = newPlace();
    let [now, isOver] = [NOON, false];
    const world = { now: () => now, hasEnded: (_sender: unknown, overdue: boolean) => isOver || overdue };
    const [ledger, other] = [await open(place, world), await open(place, world)];
    const id = await beginCharge(ledger);
    await ledger.record(id, { state: 'accepted', exitCode: 0, activity: account() });
    const claims = async () => Promise.all([ledger, other, ledger, other].map((one) => claimSharing(one, id, '')));
    const shown = async () => {
      const entry = await ledger.get(id);
      return entry && sharedOf(entry, ledger);
    };
    expect(await shown()).toEqual({ shared: 'no' });
    expect((await claims()).filter(Boolean)).toHaveLength(1);
    expect(await shown()).toEqual({ shared: 'sharing' });
    expect(await noteUnshared(other, id, { why: 'SIGTERM came before' })).toBe(false);
    expect(await shown()).toEqual({ shared: 'sharing' });
    await noteSharing(ledger, id, { why: 'exit code 1', isKilled: false });
    expect(await shown()).toEqual({ shared: 'no', why: 'exit code 1' });
    expect((await claims()).filter(Boolean)).toHaveLength(1);
    isOver = true;
    expect(await shown()).toMatchObject({ shared: 'unknown', why: expect.stringContaining('was ended at 2026-11-20') });
    expect(await claims()).toEqual([false, false, false, false]);
    [isOver, now] = [false, NOON + 6 * MINUTE];
    expect(await shown()).toEqual({ shared: 'sharing' });
    now += 1;
    expect(await shown()).toMatchObject({ shared: 'unknown' });
    await noteSharing(ledger, id, undefined);
    expect(await shown()).toEqual({ shared: 'yes' });
    expect(await claims()).toEqual([false, false, false, false]);
  });

  it('frees the claim of a process that has certainly ended before its program was started', async () => {
    const place = newPlace();
    const file = join(newFolder('claim'), 'unstarted');
    let [now, isOver] = [NOON, false];
    const world = { now: () => now, hasEnded: (_sender: unknown, overdue: boolean) => isOver || overdue };
    const boot = { pid: 1, boot: 'other', started: '1' };
    const [ledger, later, restarted] = [
      await open(place, world),
      await open(place, world),
      await open(place, { ...world, self: boot }),
    ];
    const id = await beginCharge(ledger);
    await ledger.record(id, { state: 'accepted', exitCode: 0, activity: account() });
    const shown = async (to: Ledger) => {
      const entry = await to.get(id);
      return entry && sharedOf(entry, to).shared;
    };
    writeFileSync(file, '');
    expect(await claimSharing(ledger, id, file)).toBe(true);
    expect(await shown(later)).toBe('sharing');
    // It may still start the program: it may only have been suspended.
    now += 7 * 60_000;
    expect(await shown(later)).toBe('unknown');
    [isOver, now] = [true, NOON];
    // The machine was restarted meanwhile: the file may be back after its removal.
    expect(await shown(restarted)).toBe('unknown');
    // Nor is it known where a machine doesn't tell its starts.
    const untold = await open(place, { ...world, self: { pid: 1, boot: '', started: '1' } });
    const its = await beginCharge(untold, { about: ugwoOf(2) });
    await claimSharing(untold, its, file);
    const [one] = await untold.list({ about: ugwoOf(2), limit: 1 });
    expect(one && sharedOf(one, untold).shared).toBe('unknown');
    expect(await shown(later)).toBe('no');
    rmSync(file);
    expect(await shown(later)).toBe('unknown');
    expect(await claimSharing(later, id, '')).toBe(false);
    writeFileSync(file, '');
    expect(await claimSharing(later, id, '')).toBe(true);
  });

  it.each([
    ['asks something of the customer', account(), 'the run was ended before its program was started'],
    ['asks nothing of the customer', account({ nextAction: null }), undefined],
    ['may not have been made', undefined, undefined],
  ])('names the message of a charge that %s, if its run has ended', async (_, activity, why) => {
    const place = newPlace();
    let [now, isOver] = [NOON, false];
    const ledger = await open(place, { now: () => now, hasEnded: (_sender, overdue) => isOver || overdue });
    const id = await beginCharge(ledger, { evidence: [evidenceOf('to_share', NOON, {})] });
    if (activity !== undefined) await ledger.record(id, { state: 'accepted', exitCode: 0, activity });
    const shown = async () => {
      const entry = await ledger.get(id);
      return entry && sharedOf(entry, ledger);
    };
    const left = why === undefined ? { shared: 'no' } : { shared: 'no', why };
    now = ((await ledger.get(id))?.deadline ?? 0) + 6 * MINUTE;
    expect(await shown()).toEqual({ shared: 'no' });
    now += 1;
    expect(await shown()).toEqual(left);
    [isOver, now] = [true, NOON];
    expect(await shown()).toEqual(left);
  });
});

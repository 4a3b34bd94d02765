import { describe, expect, it } from 'vitest';
import { type ApiRecord, madeHere } from '../../src/core/record.ts';
import type { Charge } from '../../src/ledger/entry.ts';
import { refreshCharge } from '../../src/ledger/reconcile.ts';
import { charge, memoryLedger, SENT, UGWO } from './support/memory.ts';

const NOW = SENT + 60_000;
const UID = 'act.AbCd.000000000000000000000001';
const SHOWN = { uid: UID, status: 'requires_action', next_action: null };

const known = charge({
  state: 'accepted',
  activity: { uid: UID, status: 'requires_action', nextAction: null, createdAt: undefined },
});

/** What the service's clock is known to have shown, once the charge was read from an answer that came so. */
const toldAfter = async (values: Readonly<Record<string, unknown>>, came: Partial<ApiRecord>): Promise<unknown> => {
  const ledger = memoryLedger([known], () => NOW);
  const look = async (id: string) => (values[id] === undefined ? undefined : { ...madeHere(values[id]), ...came });
  expect(await refreshCharge(ledger, known, { look })).toBe(true);
  return ((await ledger.get(known.id)) as Charge).told?.service;
};

describe('what a read shows of a charge', () => {
  it.each([
    ['its payment request', { 'ugwo.get': { uid: UGWO, activities: [SHOWN] } }],
    ['itself, where that lists none', { 'ugwo.get': { uid: UGWO }, 'activity.get': SHOWN }],
  ])('is of the time at which the service gave it, with %s', async (_what, values) => {
    expect(await toldAfter(values, { servedAt: NOW })).toBe(NOW);
    // A front end has dated anew what lay in a cache.
    expect(await toldAfter(values, { servedAt: NOW, age: 80_000 })).toBe(NOW - 80_000);
  });
});

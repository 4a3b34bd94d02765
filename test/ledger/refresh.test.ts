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

/** The recorded service time after reading the charge from such an answer. */
const toldAfter = async (values: Readonly<Record<string, unknown>>, came: Partial<ApiRecord>): Promise<unknown> => {
  const ledger = memoryLedger([known], () => NOW);
  const look = async (id: string) => (values[id] === undefined ? undefined : { ...madeHere(values[id]), ...came });
  expect(await refreshCharge(ledger, known, { look })).toBe(true);
  return ((await ledger.get(known.id)) as Charge).told?.service;
};

describe('a refresh of a charge', () => {
  it.each([
    ['the payment request', { 'ugwo.get': { uid: UGWO, activities: [SHOWN] } }],
    ['the activity, if the payment request lists none', { 'ugwo.get': { uid: UGWO }, 'activity.get': SHOWN }],
  ])("records the service's time of the answer, with %s", async (_what, values) => {
    expect(await toldAfter(values, { servedAt: NOW })).toBe(NOW);
    // A gateway has renewed the date of a cached answer.
    expect(await toldAfter(values, { servedAt: NOW, age: 80_000 })).toBe(NOW - 80_000);
  });

  it.each([
    ['another activity', { ...SHOWN, uid: `${UID.slice(0, -1)}2` }],
    ['no status', { ...SHOWN, status: undefined }],
  ])('shows nothing of it if the answer has %s', async (_what, answer) => {
    const look = async (id: string) => (id === 'activity.get' ? madeHere(answer) : undefined);
    const ledger = memoryLedger([known], () => NOW);
    expect(await refreshCharge(ledger, known, { look })).toBe(false);
  });

  it('keeps the terms that the payment request shows, if only the activity is read after it', async () => {
    const ledger = memoryLedger([known], () => NOW);
    const answers: Readonly<Record<string, object>> = {
      'ugwo.get': { uid: UGWO, ref: 'INV-1' },
      'activity.get': SHOWN,
    };
    await refreshCharge(ledger, known, { look: async (id) => madeHere(answers[id]) });
    expect((await ledger.get(known.id))?.asked).toMatchObject({ ref: 'INV-1' });
  });

  it('reads the activity itself once the list of activities has disputed its payment', async () => {
    const paid = charge({
      state: 'accepted',
      activity: { uid: UID, status: 'successful', nextAction: null, createdAt: undefined },
    });
    const ledger = memoryLedger([paid], () => NOW);
    const asked: string[] = [];
    const look = async (id: string) => {
      asked.push(id);
      const one = { uid: UID, status: id === 'ugwo.get' ? 'failed' : 'successful' };
      return { ...madeHere(id === 'ugwo.get' ? { uid: UGWO, activities: [one] } : one), askedAt: NOW };
    };
    expect(await refreshCharge(ledger, paid, { look })).toBe(true);
    expect(asked).toEqual(['ugwo.get', 'activity.get']);
    expect((await ledger.get(paid.id))?.money).toMatchObject({ payment: 'paid', disputed: undefined });
  });
});

import { expect, it } from 'vitest';
import { BOUNDS } from '../../src/core/bounds.ts';
import { asActivity, keptActivity } from '../../src/ledger/snapshot.ts';

const NEXT = { type: 'user_action', headers: { ussd: '*737*1#' } };
const WHOLE = {
  uid: 'act.AbCd.1',
  activity_type: 'charge',
  status: ['requires_action', 'Requires action'],
  next_action: NEXT,
  created_at: '2026-11-20T12:00:00+01:00',
  psp: 'somebody',
};

it('of an activity its name, its machine value, what is to be done and when it was made are kept', () => {
  expect(keptActivity(WHOLE)).toStrictEqual({
    uid: 'act.AbCd.1',
    status: 'requires_action',
    nextAction: NEXT,
    createdAt: '2026-11-20T12:00:00+01:00',
  });
  expect(keptActivity(WHOLE, 5).servedAt).toBe(5);
  expect(keptActivity({ uid: 'act.AbCd.1', status: 'failed' })).toStrictEqual({
    uid: 'act.AbCd.1',
    status: 'failed',
    nextAction: null,
    createdAt: undefined,
  });
});

it('what is kept reads as an activity again', () => {
  const { psp: _, ...kept } = { ...WHOLE, status: 'requires_action' };
  expect(asActivity(keptActivity(WHOLE))).toStrictEqual(kept);
  expect(asActivity(keptActivity({ uid: 'act.AbCd.1', status: 'failed' }))).toStrictEqual({
    uid: 'act.AbCd.1',
    activity_type: 'charge',
    status: 'failed',
    next_action: null,
  });
});

it('what is too long to be a word, and more to do than anybody can, are not kept', () => {
  const times = ['x'.repeat(BOUNDS.word), 'x'.repeat(BOUNDS.word + 1), 7];
  expect(times.map((created_at) => keptActivity({ created_at }).createdAt)).toEqual([times[0], undefined, undefined]);
  // Printed, it has two quotes.
  const steps = ['x'.repeat(BOUNDS.kept - 2), 'x'.repeat(BOUNDS.kept - 1)];
  expect(steps.map((next_action) => keptActivity({ next_action }).nextAction)).toEqual([steps[0], null]);
});

it('what there is to do is counted as it would be printed, to the last character', () => {
  const step = (more: string): object => ({ 'a"b': [1, -0.5, true, null, {}, [], 'é\n'], more });
  const room = BOUNDS.kept - JSON.stringify(step('')).length;
  const steps = [step('x'.repeat(room)), step('x'.repeat(room + 1))];
  expect(steps.map((next_action) => keptActivity({ next_action }).nextAction)).toEqual([steps[0], null]);
});

it('what names no activity has no name, and nothing to do is null', () => {
  for (const nothing of [{}, { uid: 7, next_action: undefined }, null, []]) {
    expect(keptActivity(nothing)).toStrictEqual({ uid: '', status: '', nextAction: null, createdAt: undefined });
  }
});

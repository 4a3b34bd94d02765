import { describe, expect, it } from 'vitest';
import {
  CHARGE_STATES,
  isTakenUp,
  ROW_STATES,
  type RowState,
  rowStateOf,
  SUMMARY_COLUMNS,
} from '../../src/core/charge.ts';

describe('rowStateOf', () => {
  it.each(['failed', 'expired'])('an accepted charge whose activity is %s has failed', (status) => {
    expect(rowStateOf('accepted', status)).toBe('failed');
  });

  it('is the state of the charge in every other case', () => {
    for (const state of CHARGE_STATES) {
      for (const status of [undefined, 'requires_action', 'successful', 'what is not known']) {
        expect(rowStateOf(state, status)).toBe(state);
      }
    }
    expect(rowStateOf('unknown', 'failed')).toBe('unknown');
  });
});

describe('isTakenUp', () => {
  it.each<[RowState, plain: boolean, retry: boolean]>([
    ['accepted', false, false],
    // A signal while it was in flight, too: nobody knows.
    ['unknown', false, false],
    ['sending', false, false],
    ['refused', true, true],
    ['rejected', false, true],
    ['failed', false, true],
    ['not_sent', true, true],
    ['not_created', false, true],
  ])('%s: %s, with retry %s', (state, plain, retry) => {
    expect([isTakenUp(state, false), isTakenUp(state, true)]).toEqual([plain, retry]);
  });
});

describe('the summary of a job', () => {
  it('has its columns in the order that scripts read', () => {
    expect(SUMMARY_COLUMNS.map(({ path }) => path)).toEqual([
      ...['job', 'command', 'file', 'rows'],
      ...ROW_STATES,
      ...['not_started', 'skipped', 'report'],
    ]);
  });

  it('counts rows, always, and how they stand', () => {
    const counts = SUMMARY_COLUMNS.filter(({ kind }) => kind === 'count').map(({ path }) => path);
    expect(counts).toEqual(['rows', ...ROW_STATES, 'not_started', 'skipped']);
    expect(SUMMARY_COLUMNS.filter(({ always }) => always).map(({ path }) => path)).toEqual(['rows']);
  });

  it.each([
    ['not_sent', 'not sent'],
    ['not_created', 'not created'],
    ['not_started', 'not started'],
    ['skipped', 'done before'],
  ])('calls %s %s for people', (path, label) => {
    expect(SUMMARY_COLUMNS.find((column) => column.path === path)?.label).toBe(label);
  });
});

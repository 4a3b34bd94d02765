import { describe, expect, it } from 'vitest';
import { CHARGE_STATES } from '../../src/core/charge.ts';
import type { RowState } from '../../src/core/row.ts';
import { isTakenUp, ROW_STATES, rowStateOf, SUMMARY_COLUMNS } from '../../src/core/row.ts';

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
  it.each<[{ state: RowState; exitCode?: number }, plain: boolean, retry: boolean]>([
    [{ state: 'accepted', exitCode: 0 }, false, false],
    [{ state: 'unknown', exitCode: 6 }, false, false],
    [{ state: 'sending' }, false, false],
    [{ state: 'refused' }, true, true],
    [{ state: 'rejected', exitCode: 3 }, false, true],
    [{ state: 'failed', exitCode: 11 }, false, true],
    [{ state: 'not_sent', exitCode: 5 }, true, true],
    [{ state: 'not_sent', exitCode: 4 }, true, true],
    [{ state: 'not_created', exitCode: 6 }, false, true],
    [{ state: 'not_sent', exitCode: 130 }, true, true],
    [{ state: 'not_sent', exitCode: 143 }, true, true],
    // A signal while it was in flight: nobody knows.
    [{ state: 'unknown', exitCode: 130 }, false, false],
  ])('%j: %s, with retry %s', (end, plain, retry) => {
    expect([isTakenUp(end, false), isTakenUp(end, true)]).toEqual([plain, retry]);
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

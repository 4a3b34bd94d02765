import { describe, expect, it } from 'vitest';
import { BOUNDS } from '../../src/core/bounds.ts';
import {
  activitiesOf,
  FAILED_STATUSES,
  HIGHEST_FILE_NAME,
  isRefunded,
  LEDGER_FILE_NAME,
  paymentStatusOf,
  statusOf,
} from '../../src/core/charge.ts';
import { SHADOW_FILE_START } from '../../src/core/data-files.ts';

describe('how an activity stands', () => {
  it.each([
    ['successful', 'paid'],
    ['partially_refunded', 'paid'],
    ['refunded', 'paid'],
    ['failed', 'failed'],
    ['expired', 'failed'],
    ['requires_action', 'open'],
    ['processing', 'open'],
    ['', 'open'],
    ['SUCCESSFUL', 'open'],
    ['constructor', 'open'],
  ])('%s: %s', (status, standing) => {
    expect(paymentStatusOf(status)).toBe(standing);
    expect(FAILED_STATUSES.includes(status)).toBe(standing === 'failed');
  });

  it('is refunded with that status alone', () => {
    expect(['refunded', 'partially_refunded', 'successful', ''].map(isRefunded)).toEqual([true, false, false, false]);
  });
});

describe('the status of an activity', () => {
  it.each([
    [{ status: 'failed' }, 'failed'],
    [{ status: ['failed', 'Failed'] }, 'failed'],
    [{ status: 5 }, '5'],
    [{ status: {} }, ''],
    [{}, ''],
    [null, ''],
    [{ status: 'x'.repeat(BOUNDS.word) }, 'x'.repeat(BOUNDS.word)],
    [{ status: 'x'.repeat(BOUNDS.word + 1) }, ''],
  ])('of %j is %j', (activity, status) => {
    expect(statusOf(activity)).toBe(status);
  });
});

describe('the activities of a payment request', () => {
  const one = { uid: 'act.a.b' };
  it.each([
    ['a list', [one, one], [one, one]],
    ['an empty list', [], []],
    ['a list of anything', [5, null], [5, null]],
    ['a list with gaps', { 1: one, 3: one }, [one, one]],
    ['an empty object', {}, undefined],
    ['an object of other things', { 1: one, count: 1 }, undefined],
    ['an object with nothing', { 1: one, 2: null }, undefined],
    ['null', null, undefined],
    ['a text', 'ab', undefined],
    ['nothing', undefined, undefined],
  ])('in %s', (_what, activities, listed) => {
    expect(activitiesOf({ activities })).toEqual(listed);
  });

  it('are none where there is no request', () => {
    expect(activitiesOf(null)).toBeUndefined();
  });
});

it('keeps the names of the files that are on disks already', () => {
  expect([LEDGER_FILE_NAME, HIGHEST_FILE_NAME, SHADOW_FILE_START]).toEqual([
    'ledger.sqlite',
    'highest-charge',
    'shared-',
  ]);
});

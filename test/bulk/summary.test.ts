import { describe, expect, it } from 'vitest';
import { rowExit } from '../../src/bulk/row-end.ts';
import { type JobEnd, jobResult } from '../../src/bulk/summary.ts';
import type { RowState } from '../../src/core/charge.ts';
import { PayError } from '../../src/core/error.ts';

const end = (counts: Partial<Record<RowState, number>>, more: Partial<JobEnd> = {}): JobEnd => {
  const states = Object.keys(counts) as RowState[];
  const done = states.filter((state) => state !== 'sending').reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  return {
    id: 'job-0123456789abcdef',
    name: 'charges.csv',
    rows: 10,
    bad: 0,
    counts,
    done,
    skipped: 0,
    codes: new Set(states.map((state) => rowExit({ state }))),
    failedRows: [],
    unlisted: 0,
    again: false,
    unresolved: false,
    hints: new Set(),
    unrecorded: [],
    adjustments: {},
    ...more,
  };
};

const summed = (
  job: JobEnd,
  { unrecorded = [], signal }: { unrecorded?: readonly PayError[]; signal?: string } = {},
) => {
  const stop = new AbortController();
  if (signal !== undefined) stop.abort(signal);
  const words = {
    verb: 'Charge',
    one: 'payment request',
    done: 'charged',
    findOut: 'find out',
    refused: 'add --again',
  };
  const summing = { command: 'ugwo charge', words, bulk: {}, stop: stop.signal } as const;
  const result = jobResult({ ...job, unrecorded }, summing, { columns: [] });
  if (result.kind !== 'record') throw new Error('no record');
  return { record: result.record.value as Record<string, unknown>, failure: result.failure };
};

const line = (answer: string): PayError => new PayError('unrecorded', 'not noted', { answer });

describe('a summary', () => {
  it('counts every row once', () => {
    const { record } = summed(end({ accepted: 3, failed: 1, unknown: 2, invalid: 1 }, { bad: 1, skipped: 2 }));
    expect(record).toMatchObject({
      rows: 10,
      accepted: 3,
      failed: 1,
      unknown: 2,
      invalid: 2,
      not_started: 2,
      skipped: 2,
    });
  });

  it('has no failure if all rows succeeded', () => {
    expect(summed(end({ accepted: 10 })).failure).toBeUndefined();
  });

  it.each<[string, JobEnd, { unrecorded?: readonly PayError[]; signal?: string }, number, string]>([
    ['rejected', end({ accepted: 9, rejected: 1 }), {}, 3, 'rejected'],
    ['unknown before rejected', end({ unknown: 1, rejected: 9 }), {}, 6, 'unknown'],
    [
      'a failure to record before all others',
      end({ unknown: 1, accepted: 9 }),
      { unrecorded: [line('{}')] },
      7,
      'unrecorded',
    ],
    ['an unusable ledger', end({ accepted: 2 }, { stopped: new PayError('ledger', 'no') }), {}, 10, 'ledger'],
    [
      'a signal with remaining rows',
      end({ accepted: 2 }, { stopped: 'signal' }),
      { signal: 'SIGINT' },
      130,
      'interrupted',
    ],
    ['SIGTERM', end({ rejected: 2 }, { stopped: 'signal' }), { signal: 'SIGTERM' }, 143, 'interrupted'],
    ['a signal after an unknown row', end({ unknown: 2 }, { stopped: 'signal' }), { signal: 'SIGINT' }, 6, 'unknown'],
    [
      'an unwritable report',
      end({ rejected: 1 }, { stopped: new PayError('read_failed', 'full') }),
      {},
      8,
      'read_failed',
    ],
    ['rows of another process', end({ accepted: 9 }, { stopped: 'signal' }), { signal: 'SIGINT' }, 130, 'interrupted'],
  ])('exits with the most severe code: %s', (_name, job, how, code, kind) => {
    const { failure } = summed(job, how);
    expect([failure?.detail.exitCode, failure?.kind]).toEqual([code, kind]);
  });

  it('says in its first line what is wrong if every row is done', () => {
    const error = 'the next step of the customer is unreadable';
    const failedRows = [{ count: 1, rows: [4], error, reason: error }];
    const { failure } = summed(end({ accepted: 10 }, { codes: new Set([0, 7]), failedRows }));
    expect(failure?.message).toBe(`10 rows: 10 charged; row 4: ${error}`);
  });

  it('succeeds if the signal came after the last row', () => {
    expect(summed(end({ accepted: 10 }, { stopped: 'signal' }), { signal: 'SIGINT' }).failure).toBeUndefined();
  });

  const taken = { count: 1, rows: [4], error: 'is taken', reason: 'taken' };

  it('groups rows with the same reason in one line', () => {
    const failedRows = [
      { count: 2, rows: [1, 3], error: 'x', reason: 'cancelled' },
      { count: 12, rows: [2, 4, 5], error: 'y', reason: 'no checkout' },
    ];
    const { failure } = summed(end({ refused: 14 }, { rows: 14, failedRows }));
    expect(failure?.message.split('\n').slice(1)).toEqual([
      '2 × cancelled: rows 1 and 3',
      '12 × no checkout: rows 2, 4, 5 and 9 more',
    ]);
    expect(failure?.detail.hint).toBe('to see what to do about a refused row, run its command alone, with --dry-run');
  });

  it('suggests ledger sync if only an unknown charge blocks a row', () => {
    const { failure } = summed(end({ refused: 1 }, { rows: 1, failedRows: [taken], unresolved: true }));
    expect(failure?.detail.hint).toBe('find out');
  });

  it('names the job, the first rows with errors, and the next step for each kind', () => {
    const job = end({ unknown: 1, rejected: 1, refused: 1 }, { failedRows: [taken], again: true });
    const { failure } = summed(job);
    expect(failure?.message).toBe('10 rows: 1 unknown, 1 rejected, 1 refused, 7 not started\nrow 4: is taken');
    expect(failure?.detail.ledgerId).toBe('job-0123456789abcdef');
    expect(failure?.detail.hint?.split('\n')).toEqual([
      'find out',
      expect.stringContaining('run the same command again'),
      expect.stringContaining('--retry-failed'),
      expect.stringContaining('--again'),
    ]);
  });

  it.each<[string, JobEnd, string | undefined, string[]]>([
    ['a signal', end({ accepted: 1 }, { stopped: 'signal' }), 'SIGINT', ['stopped early by Ctrl-C']],
    [
      'an unknown row',
      end({ unknown: 1 }, { stopped: new PayError('unknown', 'may have been made') }),
      undefined,
      ['stopped early: may have been made'],
    ],
    ['an unknown last row', end({ unknown: 10 }, { stopped: new PayError('unknown', 'x') }), undefined, []],
    [
      'another error',
      end({ refused: 1 }, { stopped: new PayError('auth', 'not authorised') }),
      undefined,
      ['stopped early: not authorised'],
    ],
  ])('explains remaining rows after %s', (_name, job, signal, why) => {
    const { failure } = summed(job, signal === undefined ? {} : { signal });
    expect(failure?.message.split('\n').slice(1)).toEqual(why);
    expect(failure?.detail.hint).not.toContain('run its command alone');
  });

  it('suggests --continue-on-unknown only to a run stopped by one', () => {
    const stopped = new PayError('unknown', 'may have been made');
    const hintOf = (job: JobEnd): string | undefined => summed(job).failure?.detail.hint;
    expect(hintOf(end({ unknown: 1 }, { stopped }))).toContain('--continue-on-unknown');
    expect(hintOf(end({ unknown: 1 }))).not.toContain('--continue-on-unknown');
  });

  it('says how many errors are not shown, and where to find them', () => {
    const { failure } = summed(end({ rejected: 10 }, { failedRows: [taken], unlisted: 9 }));
    expect(failure?.message).toBe(
      '10 rows: 10 rejected\nrow 4: is taken\nand 9 more: add --report FILE to list all of them',
    );
  });

  it('contains every recovery line as one JSON text', () => {
    const unrecorded = [line('{"a":1}'), line('{"b":2}')];
    expect(summed(end({ accepted: 2 }), { unrecorded }).failure?.detail.answer).toBe('[{"a":1},{"b":2}]');
    expect(summed(end({ accepted: 2 }), { unrecorded: [line('{"a":1}')] }).failure?.detail.answer).toBe('{"a":1}');
  });
});

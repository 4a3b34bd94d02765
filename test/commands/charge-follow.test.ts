import { describe, expect, it } from 'vitest';
import { followCharges } from '../../src/commands/ugwo/charge-follow.ts';
import { interrupted, PayError } from '../../src/core/error.ts';
import { madeHere } from '../../src/core/record.ts';
import type { Charge } from '../../src/ledger/entry.ts';
import { charge, memoryLedger, SENT } from '../ledger/support/memory.ts';
import { SECOND } from '../support/units.ts';
import { numbered } from './ledger-call.ts';
import { globals } from './profile-call.ts';

const JOB = 'job-1';
const open = (seq: number, some: Partial<Charge> = {}): Charge => {
  const activity = { uid: `act.AbCd.${seq}`, status: 'requires_action', nextAction: null, createdAt: undefined };
  const asked = { amount: 500, currency: 'NGN', ref: undefined, customer: undefined };
  return charge(numbered(seq, { state: 'accepted', job: JOB, exitCode: 0, asked, activity, ...some }));
};

/** Follows charges with a clock that only pauses move. Returns the numbers read in each second, and the outcome. */
const follow = async (
  charges: readonly Charge[],
  limit: number,
  answer: (number: number, at: number, stop: AbortController) => string | PayError,
) => {
  let now = 0;
  const stop = new AbortController();
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    now += ms;
  };
  const clock = { now: () => SENT + now, ticks: () => SENT + now, sleep };
  const reads = new Map<number, number[]>();
  const look = async (_id: string, { params: { uid = '' } }: { readonly params: { readonly uid?: string } }) => {
    const number = Number(uid.split('.').at(-1));
    reads.set(now, [...(reads.get(now) ?? []), number]);
    const said = answer(number, now, stop);
    if (said instanceof PayError) throw said;
    return madeHere({ uid, amount: 500, activities: [{ uid: `act.AbCd.${number}`, status: said, amount: 500 }] });
  };
  const listed = charges.map(({ about }) => madeHere({ uid: about, status: 'requires_ugwo', total_amount_paid: 0 }));
  let lists = 0;
  const pages = async function* () {
    lists += 1;
    yield { records: listed, cursor: undefined, nextCursor: null };
  };
  const random = (): number => 0.5;
  const ended = await followCharges({
    ...{ job: JOB, others: [], limit },
    progress: { following: () => undefined, end: async () => undefined },
    rowDeps: { ledger: memoryLedger(charges, clock.now), client: { look, pages } },
    run: { io: { clock, random, signals: { stop: stop.signal } }, globals },
  } as unknown as Parameters<typeof followCharges>[0]);
  return { ...ended, codes: [...new Set(ended.codes)], reads: [...reads], lists };
};

const some = [open(1), open(2), open(3, { job: 'another job' })];

describe('a wait for the charges of a file', () => {
  it('reads each open one of its job at growing intervals, and at the limit', async () => {
    const ended = await follow(some, 15 * SECOND, (number, at) => (number === 2 && at > 0 ? 'failed' : 'processing'));
    expect(ended.reads).toEqual([
      [0, [1, 2]],
      [2000, [1, 2]],
      [5000, [1]],
      [9500, [1]],
      [15_000, [1]],
    ]);
    expect(ended.codes).toEqual([12, 11]);
  });

  it('reads many by the list, and a few of the unchanged ones in turn', async () => {
    const many = Array.from({ length: 40 }, (_none, at) => open(at + 1));
    const ended = await follow(many, 4 * SECOND, () => 'processing');
    expect(ended.lists).toBe(3);
    expect(ended.reads).toEqual([
      [0, [1, 2, 3, 4]],
      [2000, [5, 6, 7, 8]],
      [4000, [9, 10, 11, 12]],
    ]);
  });

  it('pauses for at most 15 seconds', async () => {
    const { reads } = await follow([open(1)], 80 * SECOND, () => 'processing');
    expect(reads.map(([at]) => at)).toEqual([0, 2000, 5000, 9500, 16_250, 26_375, 41_375, 56_375, 71_375, 80_000]);
  });

  it('ends with the last payment, and reads nothing if none is open', async () => {
    const ended = await follow(some, 60 * SECOND, (_, at) => (at < 5000 ? 'processing' : 'successful'));
    expect([ended.reads.length, ended.codes, ended.text]).toEqual([3, [], '2 paid (NGN 10.00)']);
    const last = await follow(some, 5 * SECOND, (_, at) => (at < 5000 ? 'processing' : 'successful'));
    expect([last.codes, last.text]).toEqual([[], '2 paid (NGN 10.00)']);
    expect((await follow([], 60 * SECOND, () => 'failed')).reads).toEqual([]);
  });

  it('reads again after a failed read, and ends for a rejected key', async () => {
    const lost = new PayError('read_failed', 'no answer');
    const again = await follow([open(1)], 60 * SECOND, (_, at) => (at === 0 ? lost : 'successful'));
    expect([again.reads.map(([at]) => at), again.codes]).toEqual([[0, 2000], []]);
    const rejected = await follow(some, 60 * SECOND, () => new PayError('auth', 'no such key'));
    expect([rejected.reads.length, rejected.codes, rejected.text]).toEqual([
      ...[1, [12]],
      '2 open (NGN 10.00)\nthe last check failed: no such key',
    ]);
  });

  it('ends early if the service asks for a pause beyond the limit', async () => {
    const held = new PayError('read_failed', 'too many requests', { retryAt: SENT + 61 * SECOND });
    const ended = await follow([open(1)], 60 * SECOND, () => held);
    expect([ended.reads.map(([at]) => at), ended.codes]).toEqual([[0], [12]]);
    const short = new PayError('read_failed', 'too many requests', { retryAt: SENT + 3 * SECOND });
    expect((await follow([open(1)], 4 * SECOND, () => short)).reads.map(([at]) => at)).toEqual([0, 2000, 4000]);
  });

  it('ends at a signal, with its code if a charge is open', async () => {
    const ended = await follow(some, 60 * SECOND, (_, at, stop) => {
      if (at === 0) return 'processing';
      stop.abort('SIGINT');
      return interrupted('SIGINT');
    });
    expect(ended.reads.map(([at]) => at)).toEqual([0, 2000]);
    expect([ended.codes, ended.text]).toEqual([[12, 130], '2 open (NGN 10.00)']);
  });
});

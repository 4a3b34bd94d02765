import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { Observer } from '../../src/commands/observer.ts';
import { endFailure } from '../../src/commands/watch/watch.ts';
import { CHARGE } from '../../src/core/charge.ts';
import { EXIT_CODES, PayError } from '../../src/core/error.ts';
import { madeHere } from '../../src/core/record.ts';
import type { Charge } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Now } from '../../src/ledger/tail.ts';
import { momentAt } from '../ledger/support/memory.ts';

const ugwoOf = (number: number): string => `ugw.AbCd.${number}`;
const START = Date.UTC(2026, 10, 20, 12);
/** A charge whose account expires this many ms after the start. */
const charge = (number: number, expiresIn = 3_600_000): Charge => {
  const nextAction = { type: 'user_action', headers: { account_number: '0123456789', expires_at: isoOf(expiresIn) } };
  const activity = { uid: `act.AbCd.${number}`, status: 'requires_action', nextAction };
  const told = { ...momentAt(START), service: START };
  return {
    kind: CHARGE,
    state: 'accepted',
    id: `${number}`,
    about: ugwoOf(number),
    activity,
    told,
  } as unknown as Charge;
};
/** The same charge, after a read that showed this of it and of its payment request. */
const readAs = (one: Charge, status: string, requestStatus: string, requestTotal?: number): Charge =>
  ({
    ...one,
    activity: { ...one.activity, status },
    money: { payment: 'open', requestStatus, requestTotal },
  }) as Charge;
const isoOf = (after: number): string => new Date(START + after).toISOString();
const charges = (count: number): Charge[] => Array.from({ length: count }, (_, at) => charge(at + 1));

/** A service whose list has this many payment requests, 100 per page, and its received requests. */
const open = (listed: number) => {
  const [pages, reads]: [number[], number[]] = [[], []];
  const changed = new Map<number, object>();
  const ended = new Map<string, Charge>();
  let [now, failing, unlisted] = [START, undefined as PayError | undefined, undefined as PayError | undefined];
  const client = {
    look: async (_id: string, { params: { uid = '' } }: { params: { uid: string } }) => {
      if (failing !== undefined) throw failing;
      const number = Number(uid.split('.').at(-1));
      reads.push(number);
      return madeHere({ uid, activities: [{ uid: `act.AbCd.${number}`, status: 'requires_action' }] });
    },
    pages: async function* (_id: string, _input: object, { pages: most }: { pages: number }) {
      if (unlisted !== undefined) throw unlisted;
      for (let page = 0; page * 100 < listed && page < most; page += 1) {
        pages.push(page);
        const numbers = Array.from({ length: Math.min(100, listed - page * 100) }, (_, at) => page * 100 + at + 1);
        const records = numbers.map((number) =>
          madeHere({ uid: ugwoOf(number), status: 'requires_ugwo', total_amount_paid: 0, ...changed.get(number) }),
        );
        yield { records, cursor: undefined, nextCursor: null };
      }
    },
  } as unknown as Client;
  const sleep = async (ms: number): Promise<void> => {
    now += ms;
  };
  const clock = { now: () => now, ticks: () => now, sleep };
  const observer = new Observer({
    ...{ client, stop: new AbortController().signal, io: { clock, random: () => 0.5 } },
    ledger: {
      moment: () => momentAt(now),
      get: async (id: string) => ended.get(id),
      observe: async () => undefined,
    } as unknown as Ledger,
  });
  return {
    ...{ observer, pages, changed, ended },
    /** The single reads since the last call. */
    reads: (): number[] => reads.splice(0).sort((a, b) => a - b),
    pass: (ms: number): void => {
      now += ms;
    },
    fail: (error: PayError | undefined): void => {
      failing = error;
    },
    failList: (error: PayError | undefined): void => {
      unlisted = error;
    },
  };
};

describe('an observer of open charges', () => {
  it('reads a few one by one, without the list', async () => {
    const { observer, pages, reads } = open(1000);
    await observer.look(charges(10));
    expect([pages, reads()]).toEqual([[], charges(10).map((_, at) => at + 1)]);
  });

  it('reads none whose end another read has found', async () => {
    const { observer, reads, ended } = open(1000);
    ended.set('2', { ...charge(2), money: { payment: 'paid' } } as Charge);
    await observer.look(charges(3));
    expect(reads()).toEqual([1, 3]);
  });

  it('reads many by the list: changed ones, and a few others in turn', async () => {
    const { observer, pages, reads, changed, pass } = open(40);
    await observer.look(charges(40));
    expect([pages, reads()]).toEqual([[0], [1, 2, 3, 4]]);
    pass(1000);
    changed.set(30, { status: 'ugwo_successful', total_amount_paid: 5 });
    changed.set(31, { lastest_ugwo_activity: { uid: 'act.AbCd.31', status: 'failed' } });
    await observer.look(charges(40));
    expect(reads()).toEqual([5, 6, 7, 8, 30, 31]);
    pass(1000);
    // A change is read again until a read shows it, too.
    const read = charges(40).with(30, readAs(charge(31), 'failed', 'requires_ugwo', 0));
    await observer.look(read);
    expect(reads()).toEqual([9, 10, 11, 12, 30]);
    pass(1000);
    await observer.look(read.with(29, readAs(charge(30), 'requires_action', 'ugwo_successful', 5)));
    expect(reads()).toEqual([13, 14, 15, 16]);
  });

  it('reads one whose request the list shows with another status, and takes a missing field for no change', async () => {
    const { observer, reads, changed } = open(40);
    const read = charges(40).map((one) => readAs(one, 'requires_action', 'processing', 0));
    for (const one of read) changed.set(Number(one.id), { status: 'processing' });
    changed.set(20, { status: 'processing', total_amount_paid: null });
    changed.set(21, { status: 'cancelled' });
    changed.set(22, { status: null });
    // Its activity has failed, and the latest one is another.
    changed.set(23, { status: 'requires_ugwo', lastest_ugwo_activity: { uid: 'act.AbCd.99', status: 'failed' } });
    // No reading of it has shown a total.
    read[24] = readAs(charge(25), 'requires_action', 'processing');
    changed.set(25, { status: 'processing', total_amount_paid: 5 });
    await observer.look(read);
    expect(reads()).toEqual([1, 2, 3, 4, 21, 23]);
  });

  it('takes a request that is processed for an unpaid one while nothing has shown its status', async () => {
    const { observer, reads, changed } = open(40);
    changed.set(20, { status: 'processing' });
    await observer.look(charges(40));
    expect(reads()).toEqual([1, 2, 3, 4]);
  });

  it('first reads requests that the list shows as paid, or different from the ledger', async () => {
    const { observer, reads, changed } = open(40);
    changed.set(20, { status: ['ugwo_successful', 'enum.ugwo_status.ugwo_successful'] });
    changed.set(21, { total_amount_paid: '5' });
    changed.set(22, { lastest_ugwo_activity: { uid: 'act.AbCd.22', status: 'failed' } });
    changed.set(23, { lastest_ugwo_activity: { uid: 'act.AbCd.22', status: 'failed' } });
    // Each charge of a request that has several.
    await observer.look([...charges(40), charge(20)]);
    expect(reads()).toEqual([1, 2, 3, 4, 20, 20, 21, 22]);
  });

  it('reads at most one list page per ten charges, and later ones in turn', async () => {
    const { observer, pages, reads } = open(0);
    await observer.look(charges(40));
    expect(reads()).toEqual([1, 2, 3, 4]);
    const far = open(10_000);
    await far.observer.look(charges(25).map((_, at) => charge(9000 + at)));
    expect([pages, far.pages]).toEqual([[], [0, 1, 2]]);
  });

  it('reads expired ones once a minute', async () => {
    const { observer, reads, pass } = open(40);
    const some = [...charges(38), charge(39, -15_000), charge(40, 45_000)];
    await observer.look(some);
    expect(reads()).toEqual([1, 2, 3, 4, 39]);
    pass(59_999);
    await observer.lookAtOverdue(some);
    expect(reads()).toEqual([]);
    pass(1);
    await observer.lookAtOverdue(some);
    expect(reads()).toEqual([39, 40]);
  });

  it('returns the error and retries unread ones, also after a first look', async () => {
    const { observer, reads, changed, fail } = open(40);
    changed.set(30, { status: 'ugwo_successful' });
    const fault = new PayError('read_failed', 'no answer');
    fail(fault);
    expect(await observer.look(charges(40))).toBe(fault);
    fail(undefined);
    expect(await observer.look(charges(40))).toBeUndefined();
    expect(reads()).toContain(30);
  });
});

describe('an observer whose list of payment requests fails', () => {
  it.each([
    new PayError('read_failed', 'the service answered 500'),
    new PayError('auth', 'the service answered 403: no permission to list'),
  ])('reads each one by one: $message', async (fault) => {
    const { observer, reads, failList } = open(40);
    failList(fault);
    expect(await observer.look(charges(40))).toBeUndefined();
    expect(reads()).toEqual(charges(40).map((_, at) => at + 1));
    failList(undefined);
    await observer.look(charges(40));
    expect(reads()).toHaveLength(4);
  });

  it('reads none while the service asks for a pause', async () => {
    const { observer, reads, failList } = open(40);
    const fault = new PayError('read_failed', 'too many requests', { retryAt: START + 60_000 });
    failList(fault);
    expect(await observer.look(charges(40))).toBe(fault);
    expect(reads()).toEqual([]);
  });
});

describe('the end of a watch', () => {
  const sumOf = (payment: Now) => ({
    ...{ payment, currency: 'NGN', count: 1, amount: 500n, received: undefined },
    ...{ short: 0, paidTwice: 0 },
  });

  it.each<[readonly Now[], number | undefined, string | undefined]>([
    [[], undefined, undefined],
    [['paid'], undefined, undefined],
    [['paid', 'open'], 12, 'pending'],
    [['expired'], 12, 'pending'],
    [['sending'], 12, 'pending'],
    [['not_created', 'open'], 5, 'not_sent'],
    [['failed', 'expired', 'not_sent'], 11, 'charge_failed'],
    [['refunded'], 11, 'charge_failed'],
    [['reversed', 'underpaid'], 11, 'charge_failed'],
    [['underpaid', 'not_sent', 'open'], 13, 'underpaid'],
    [['overpaid', 'partially_refunded'], undefined, undefined],
    [['rejected', 'failed'], 3, 'rejected'],
    [['unknown', 'rejected', 'failed', 'open'], 6, 'unknown'],
  ])('with charges that are %j has the code %s', (nows, code, kind) => {
    const failure = endFailure(nows.map(sumOf));
    expect(failure?.detail.hint).toBe(kind === 'unknown' ? 'find out: `paycli ledger sync`' : undefined);
    expect(failure?.kind).toBe(kind);
    expect(failure && EXIT_CODES[failure.kind]).toBe(code);
  });

  it('counts a part refund as part paid if a part of the money never came', () => {
    expect(endFailure([{ ...sumOf('partially_refunded'), short: 1, received: undefined }])?.kind).toBe('underpaid');
  });
});

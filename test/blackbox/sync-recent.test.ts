import { describe, expect, it, vi } from 'vitest';
import { atom } from '../support/activity.ts';
import { clock } from '../support/clock.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder, type RunOptions, runBefore } from '../support/program.ts';
import { ACTIVITY, json, type Seen, serveAllBy, ugwo } from '../support/service.ts';
import { activityOf, charged, chargeFrom, numberIn, ussdFile } from './bulk-support.ts';

/** Payment requests of NGN 5,000.00, whose activities the test ends. */
const openShop = async (count: number) => {
  const created = { created_at: atom(Date.now()) };
  const now = new Map<
    number,
    { readonly status: string; readonly total: number; readonly more?: object; readonly later?: number }
  >();
  const requestOf = (number: number) => {
    const { status = 'requires_action', total = 0, more, later = 0 } = now.get(number) ?? {};
    const ends = status === 'failed' ? { error: { code: 'psp.error.expired', message: 'Expired' } } : {};
    const activity = {
      ...ACTIVITY,
      ...created,
      uid: activityOf(number),
      updated_at: atom(Date.now() + later + 1000 * service.seen.length),
      status,
      ...ends,
    };
    return {
      ...ugwo(number),
      checkout: { uid: 'chk.AbCd.1' },
      status: status === 'successful' && total > 500_000 ? 'ugwo_successful' : 'requires_ugwo',
      total_amount_paid: total,
      activities:
        status === 'requires_action' && !now.has(number) ? [] : [activity, ...(more === undefined ? [] : [more])],
    };
  };
  const numbers = Array.from({ length: count }, (_none, index) => index + 1);
  let [ahead, listStatus] = [0, 200];
  const service = await serveAllBy((seen: Seen) => {
    if (seen.method === 'POST') return charged(numberIn(seen), created);
    const date = new Date(Date.now() + ahead).toUTCString();
    return seen.url.startsWith('/v1/ugwo?')
      ? json(listStatus, { data: numbers.map(requestOf), next_cursor: null }, { date })
      : json(200, requestOf(numberIn(seen)), { date });
  });
  const options: RunOptions = { service, home: newFolder() };
  const ended = await chargeFrom(ussdFile(...numbers), options);
  expect(ended.code, ended.stderr).toBe(0);
  /**
   * Syncs `later` milliseconds from now, also by the service's clock. Returns the lines of the sums, and the requests that
   * it sent.
   */
  const sync = async (later = 0, serviceLater = later, ids: readonly string[] = []) => {
    const before = service.seen.length;
    ahead = serviceLater;
    const env = runBefore(`const { now } = Date; Date.now = () => now() + ${later};`);
    const words = ['ledger', 'sync', ...ids, '-o', 'tsv', '--columns', 'payment,count'];
    const moved = vi.spyOn(clock, 'now').mockImplementation(() => Date.now() + later);
    const ended = await inProcess(words, { ...options, env }).finally(() => moved.mockRestore());
    expect(ended.code, ended.stderr).toBe(listStatus === 200 ? 0 : 3);
    const sent = service.seen.slice(before).map(({ url }) => url.replace(/\?.*/, '').replace(/^\/v1\/ugwo/, ''));
    return [ended.stdout.split('\n').filter(Boolean), sent.map((path) => path.replace(/^\/ugw\.\w+\.0*/, ''))];
  };
  /** Ids of the charges, and that of their job. */
  const ids = async (verb: 'list' | 'jobs'): Promise<string[]> =>
    (await inProcess(['ledger', verb, '-o', 'tsv', '--columns', 'id'], options)).stdout.split('\n').filter(Boolean);
  const listsWith = (status: number): void => {
    listStatus = status;
  };
  return { now, sync, ids, listsWith };
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('ledger sync of codes that nobody dialled', () => {
  it('reads them a last time after eight days, and then counts them without a read', async () => {
    const { now, sync, ids } = await openShop(2);
    for (const number of [1, 2]) now.set(number, { status: 'requires_action', total: 0 });
    expect(await sync()).toEqual([['open\t2'], ['1', '2']]);
    expect(await sync(7 * DAY)).toEqual([['open\t2'], ['1', '2']]);
    expect(await sync(9 * DAY)).toEqual([['open\t2'], ['1', '2']]);
    expect(await sync(9 * DAY + HOUR)).toEqual([['open\t2'], []]);
    now.set(1, { status: 'successful', total: 500_001 });
    expect(await sync(9 * DAY + HOUR, undefined, await ids('jobs'))).toEqual([
      ['paid\t1', 'open\t1'],
      ['1', '2'],
    ]);
    now.set(2, { status: 'successful', total: 500_002 });
    expect(await sync(9 * DAY + HOUR, undefined, (await ids('list')).slice(0, 1))).toEqual([['paid\t1'], ['2']]);
  });

  it.each([
    ["this machine's", 9 * DAY, 0],
    ["the service's", 0, 9 * DAY],
  ])('reads them again while only %s clock is so far ahead', async (_whose, later, serviceLater) => {
    const { now, sync } = await openShop(1);
    now.set(1, { status: 'requires_action', total: 0 });
    for (const _run of [1, 2]) expect(await sync(later, serviceLater)).toEqual([['open\t1'], ['1']]);
  });
});

describe('ledger sync of charges that are final', () => {
  it('finds a reversal through one page of the list, and never ends with 13', async () => {
    const { now, sync } = await openShop(3);
    for (const number of [1, 2, 3])
      now.set(number, { status: 'successful', total: number === 3 ? 40_000 : 500_000 + number });
    expect(await sync()).toEqual([
      ['paid\t2', 'underpaid\t1'],
      ['1', '2', '3'],
    ]);
    expect(await sync()).toEqual([[], ['']]);
    now.set(2, { status: 'failed', total: 0 });
    expect(await sync()).toEqual([['reversed\t1'], ['', '2']]);
    expect(await sync()).toEqual([[], ['']]);
  });

  it('ends with the error of the list if it cannot be read', async () => {
    const { now, sync, listsWith } = await openShop(2);
    now.set(1, { status: 'successful', total: 500_001 });
    await sync();
    listsWith(404);
    expect((await sync())[0]).toEqual(['open\t1']);
  });

  it('reads each paid one again after six hours, for three days', async () => {
    const { now, sync } = await openShop(1);
    now.set(1, { status: 'successful', total: 500_001 });
    await sync();
    expect(await sync(7 * HOUR)).toEqual([[], ['1']]);
    expect(await sync(8 * HOUR)).toEqual([[], ['']]);
    expect(await sync(71 * HOUR)).toEqual([[], ['1']]);
    expect(await sync(73 * HOUR)).toEqual([[], []]);
  });

  it('finds a late transfer to an account that expired within a day', async () => {
    const { now, sync } = await openShop(1);
    now.set(1, { status: 'failed', total: 0 });
    expect(await sync()).toEqual([['expired\t1'], ['1']]);
    now.set(1, { status: 'successful', total: 500_001 });
    expect(await sync()).toEqual([['paid\t1'], ['', '1']]);
  });

  it('leaves an expired account alone after a day', async () => {
    const { now, sync } = await openShop(1);
    now.set(1, { status: 'failed', total: 0 });
    await sync();
    expect(await sync(23 * HOUR)).toEqual([[], ['1']]);
    expect(await sync(25 * HOUR)).toEqual([[], []]);
  });

  it.each([
    ['expired', 'failed', 0, 7, 7.9],
    ['paid', 'successful', 500_001, 6, 8.9],
  ])('counts the days from when it was %s, not from its start', async (payment, status, total, end, last) => {
    const { now, sync } = await openShop(1);
    now.set(1, { status, total, later: end * DAY });
    expect(await sync(end * DAY)).toEqual([[`${payment}\t1`], ['1']]);
    expect(await sync(last * DAY)).toEqual([[], ['1']]);
    expect(await sync((Math.ceil(last) + 0.1) * DAY)).toEqual([[], []]);
  });

  it('counts a paid charge again once its payment request was paid twice', async () => {
    const { now, sync } = await openShop(1);
    now.set(1, { status: 'successful', total: 500_001 });
    await sync();
    const more = { ...ACTIVITY, uid: activityOf(2), status: 'successful', charged_amount: 500_001 };
    now.set(1, { status: 'successful', total: 1_000_002, more });
    expect(await sync()).toEqual([['paid\t1'], ['', '1']]);
    expect(await sync()).toEqual([[], ['']]);
  });
});

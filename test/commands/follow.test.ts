import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openFollowing } from '../../src/commands/activity/follow-shared.ts';
import type { Activity } from '../../src/contract/activity.ts';
import { valueAt } from '../../src/core/json.ts';
import type { ApiRecord } from '../../src/core/record.ts';
import type { Waiting } from '../../src/core/result.ts';
import { type Bench, bench, thrownBy } from '../client/support.ts';
import { ACTIVITY, type Answer, DEAD_ORIGIN, hang, json, problem, reset, serve, UGWO_ID } from '../support/service.ts';
import { MINUTE } from '../support/units.ts';

const PARAMS = { ugwoUid: UGWO_ID, activityUid: ACTIVITY.uid };

const shows = (status: unknown, more: object = {}): Answer => json(200, { ...ACTIVITY, status, ...more });
const known = (more: object = {}, servedAt?: number): ApiRecord<Activity> => {
  const value = { ...ACTIVITY, ...more };
  const received = { value: value as unknown as Activity, text: JSON.stringify(value) };
  return servedAt === undefined ? received : { ...received, servedAt };
};

/** The next action of a transfer with this expiry. */
const account = (expiresAt: number): object => ({
  next_action: {
    type: 'user_action',
    instruction: null,
    headers: {
      bank_name: 'Test Bank',
      account_name: 'Shop',
      account_number: '0123456789',
      expires_at: new Date(expiresAt).toISOString(),
    },
  },
});

/** Follows an activity and collects the reports and answers. Nothing is known of it unless `known` says so. */
const followOn = ({ client, io }: Bench, more: Partial<Parameters<typeof openFollowing>[0]> = {}) => {
  const reports: Waiting[] = [];
  const seen: unknown[] = [];
  const observe = async (_of: string, { value }: ApiRecord): Promise<void> => void seen.push(valueAt(value, 'status'));
  const following = openFollowing({ params: PARAMS, limit: 15 * MINUTE, ...more }, { client, io, observe });
  const follow = async () => {
    if (more.known === undefined) await following.read();
    return following.end((waiting) => void reports.push(waiting));
  };
  const followed = follow();
  // Handled where awaited.
  followed.catch(() => undefined);
  return { followed, reports, seen };
};

/** Lets time pass only in waits, not while the machine works. */
const freeze = (): void => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
};

describe('follow', () => {
  it('reads at growing intervals until the status is final', async () => {
    const open = Array.from({ length: 8 }, () => shows('processing'));
    const service = await serve([...open, shows('successful')]);
    const place = bench(service.origin);
    const { followed, reports, seen } = followOn(place);
    expect(await followed).toMatchObject({ payment: 'paid', record: { value: { status: 'successful' } } });
    expect(place.waits).toEqual([1000, 1500, 2250, 3375, 5062.5, 7593.75, 10_000, 10_000]);
    expect(seen).toEqual([...open.map(() => 'processing'), 'successful']);
    expect(reports.map(({ status }) => status)).toEqual(open.map(() => 'processing'));
    expect(service.seen[0]?.url).toBe(`/v1/ugwo/${UGWO_ID}/activities/${ACTIVITY.uid}`);
  });

  it.each([
    ['successful', 'paid'],
    ['partially_refunded', 'partially_refunded'],
    ['refunded', 'refunded'],
    ['failed', 'failed'],
    ['expired', 'expired'],
    [['successful', 'Paid'], 'paid'],
  ])('ends at once for %j', async (status, how) => {
    const service = await serve([shows(status)]);
    const place = bench(service.origin);
    expect(await followOn(place).followed).toMatchObject({ payment: how });
    expect(place.waits).toEqual([]);
  });

  it('knows that an account has expired from its earlier answer', async () => {
    const until = Date.now() + MINUTE;
    const ended = { next_action: null, updated_at: new Date(until).toISOString() };
    const service = await serve([shows('failed', ended)]);
    const { followed } = followOn(bench(service.origin), { known: known(account(until)) });
    expect(await followed).toMatchObject({ payment: 'expired' });
  });

  it('sends nothing if the known status is final', async () => {
    const service = await serve([]);
    const { followed, reports, seen } = followOn(bench(service.origin), { known: known({ status: 'failed' }) });
    expect(await followed).toMatchObject({ payment: 'failed', record: { value: { uid: ACTIVITY.uid } } });
    expect([reports, seen]).toEqual([[], []]);
  });

  it('pauses before the first read if the activity is known', async () => {
    const service = await serve([shows('successful')]);
    const place = bench(service.origin);
    const { followed, seen } = followOn(place, { known: known() });
    expect(await followed).toMatchObject({ payment: 'paid' });
    expect([place.waits, seen]).toEqual([[1000], ['successful']]);
  });

  it('reports an unknown status and continues', async () => {
    const service = await serve([shows(['on_hold', 'On hold']), shows('successful')]);
    const { followed, reports } = followOn(bench(service.origin));
    expect(await followed).toMatchObject({ payment: 'paid' });
    expect(reports.at(-1)).toMatchObject({ status: 'on_hold', failing: false });
  });

  it('ignores an answer about another activity', async () => {
    const other = { uid: 'act.AbCd.ffffffffffffffffffffffff' };
    const service = await serve([shows('successful', other), shows('failed')]);
    expect(await followOn(bench(service.origin)).followed).toMatchObject({ payment: 'failed' });
  });
});

describe('follow with failing reads', () => {
  it('continues and reports the failure', async () => {
    const service = await serve([
      shows('processing'),
      reset,
      ...[reset, reset, reset, reset],
      problem(404, 'Not found'),
      json(200, { nothing: true }),
      shows('successful'),
    ]);
    const { followed, reports, seen } = followOn(bench(service.origin));
    expect(await followed).toMatchObject({ payment: 'paid' });
    expect(reports.map(({ failing }) => failing)).toEqual([false, true, true, true]);
    expect(seen).toEqual(['processing', 'successful']);
  });

  it('continues if nothing is known yet', async () => {
    const service = await serve([reset, reset, reset, reset, shows('successful')]);
    const { followed, reports } = followOn(bench(service.origin));
    expect(await followed).toMatchObject({ payment: 'paid' });
    expect(reports.at(-1)).toMatchObject({ status: undefined, failing: true });
  });

  it.each([
    [404, 'rejected'],
    [401, 'auth'],
  ])("ends with the service's rejection if nothing is known: %i", async (status, kind) => {
    const service = await serve([problem(status, 'No')]);
    expect(await thrownBy(followOn(bench(service.origin)).followed)).toMatchObject({ kind, detail: { status } });
  });

  it('sends nothing for invalid ids', async () => {
    const service = await serve([]);
    const params = { ugwoUid: '..', activityUid: ACTIVITY.uid };
    expect(await thrownBy(followOn(bench(service.origin), { params }).followed)).toMatchObject({ kind: 'usage' });
  });

  it('ends with the last activity if the key is rejected', async () => {
    const service = await serve([shows('processing'), problem(401, 'Unauthorized')]);
    expect(await followOn(bench(service.origin)).followed).toMatchObject({
      payment: 'open',
      record: { value: { status: 'processing' } },
      fault: { kind: 'auth' },
    });
  });

  it('ends at its limit with the last failure', async () => {
    const { followed } = followOn(bench(DEAD_ORIGIN), { known: known(), limit: MINUTE });
    expect(await followed).toMatchObject({
      payment: 'open',
      record: { value: { status: 'requires_action' } },
      fault: {
        kind: 'read_failed',
        message: expect.stringContaining('refused the connection'),
        detail: { code: 'ECONNREFUSED' },
      },
    });
  });
});

/** Answers without end and without a Date, because the bench's clock runs ahead. */
const serveAlways = async (answer: Answer) => {
  const looks: Answer[] = [];
  const service = await serve(looks);
  // The list grows with the requests.
  const more: Answer = (seen, response, socket) => {
    looks.push(more);
    response.sendDate = false;
    answer(seen, response, socket);
  };
  looks.push(more);
  return { ...service, done: () => void looks.pop() };
};

describe('the end of follow', () => {
  it('comes at the limit, with a read shortly before', async () => {
    freeze();
    const service = await serveAlways(shows('processing'));
    const place = bench(service.origin);
    const { followed, reports } = followOn(place, { limit: MINUTE });
    const { waited, ...rest } = await followed;
    service.done();
    expect(rest).toMatchObject({ payment: 'open' });
    expect(waited).toBeGreaterThanOrEqual(MINUTE);
    expect(waited).toBeLessThan(MINUTE + 1000);
    expect(place.waits.at(-1)).toBeGreaterThan(500);
    expect(place.waits.at(-1)).toBeLessThanOrEqual(1000);
    expect(new Set(reports.map(({ until }) => until)).size).toBe(1);
  });

  it('needs no extra read shortly after the previous one', async () => {
    freeze();
    const service = await serve([shows('processing')]);
    const place = bench(service.origin);
    await followOn(place, { known: known(), limit: 2900 }).followed;
    expect(place.waits).toHaveLength(2);
    expect(place.waits[0]).toBeGreaterThan(1800);
  });

  it('comes some time after the expiry, with a read right after it', async () => {
    freeze();
    const expiresAt = Date.now() + 25_000;
    const service = await serveAlways(shows('requires_action', account(expiresAt)));
    const place = bench(service.origin);
    const { followed } = followOn(place);
    const { waited, payment } = await followed;
    service.done();
    expect(payment).toBe('expired');
    expect(waited).toBeGreaterThanOrEqual(39_000);
    expect(waited).toBeLessThan(43_000);
    const until = place.waits.map((_wait, index) => place.waits.slice(0, index + 1).reduce((sum, ms) => sum + ms, 0));
    expect(until.some((ms) => ms > 24_000 && ms < 26_000)).toBe(true);
  });

  it('is open at a limit at which a payment of the last moment may not show yet', async () => {
    freeze();
    const service = await serveAlways(shows('requires_action', account(Date.now() + 25_000)));
    const { payment } = await followOn(bench(service.origin), { limit: 35_000 }).followed;
    service.done();
    expect(payment).toBe('open');
  });

  it('uses the monotonic clock', async () => {
    freeze();
    const service = await serveAlways((...request) => {
      place.setClock(-MINUTE);
      shows('processing')(...request);
    });
    const place = bench(service.origin);
    const { waited } = await followOn(place, { limit: 3000 }).followed;
    service.done();
    expect(waited).toBeGreaterThanOrEqual(3000);
    expect(waited).toBeLessThan(4000);
  });

  it.each(['processing', 'on_hold'])('ignores the expiry of another status: %s', async (status) => {
    const expired = account(Date.now() - MINUTE);
    const service = await serveAlways(shows(status, expired));
    const { waited } = await followOn(bench(service.origin), { limit: 2 * MINUTE }).followed;
    service.done();
    expect(waited).toBeGreaterThanOrEqual(2 * MINUTE);
  });

  it('ignores an earlier expiry once the customer has acted', async () => {
    freeze();
    const action = account(Date.now() + 25_000);
    const service = await serveAlways(shows('processing', action));
    const { waited } = await followOn(bench(service.origin), { known: known(action), limit: 2 * MINUTE }).followed;
    service.done();
    expect(waited).toBeGreaterThanOrEqual(2 * MINUTE);
  });

  it('comes after a few reads if the expiry is long past', async () => {
    freeze();
    const service = await serveAlways(shows('requires_action', account(Date.now() - 3600_000)));
    const { waited } = await followOn(bench(service.origin)).followed;
    service.done();
    expect(service.seen.length).toBeGreaterThan(1);
    expect(waited).toBeLessThan(20_000);
  });

  it.each<[string, Answer]>([
    ['was cut off', hang],
    ['has failed', problem(403, 'No')],
  ])('is open if the last read %s', async (_how, last) => {
    const service = await serve([shows('requires_action', account(Date.now() - MINUTE)), last]);
    const { followed } = followOn(bench(service.origin), { limit: 2000 });
    expect(await followed).toMatchObject({ payment: 'open' });
  });

  it.each([
    ['behind', -10 * MINUTE],
    ['ahead', 10 * MINUTE],
  ])('accounts for a service clock that is %s', async (_which, ahead) => {
    freeze();
    const service = await serve([]);
    const place = bench(service.origin);
    const now = Date.now();
    const record = known(account(now + ahead + 5 * MINUTE), now + ahead);
    const { followed, reports } = followOn(place, { known: record });
    place.stop.abort('SIGINT');
    await followed;
    const left = (reports[0]?.until ?? 0) - performance.now();
    expect(left).toBeGreaterThanOrEqual(5 * MINUTE + 12_000);
    expect(left).toBeLessThan(5 * MINUTE + 18_000);
  });

  it("uses the service's clock and tolerates jitter of seconds", async () => {
    freeze();
    const ahead = 3600_000;
    const action = account(Date.now() + ahead + 5 * MINUTE);
    let waits: readonly number[] = [];
    const answer =
      (offset: number): Answer =>
      (seen, response, socket) => {
        const now = Date.now() + waits.reduce((sum, ms) => sum + ms, 0);
        const date = new Date(now + ahead + offset).toUTCString();
        json(200, { ...ACTIVITY, ...action }, { date })(seen, response, socket);
      };
    const service = await serve([answer(0), answer(-500), answer(0), shows('successful')]);
    const place = bench(service.origin);
    waits = place.waits;
    const { followed, reports } = followOn(place);
    expect(await followed).toMatchObject({ payment: 'paid' });
    const left = (reports[1]?.until ?? 0) - performance.now();
    expect(left).toBeGreaterThan(4 * MINUTE);
    expect(left).toBeLessThan(6 * MINUTE);
    expect(new Set(reports.slice(1).map(({ until }) => until)).size).toBe(1);
  });

  it('aborts a hanging read without reporting a failure', async () => {
    const service = await serve([shows('processing'), hang]);
    const { fault, ...rest } = await followOn(bench(service.origin), { limit: 4000, known: known() }).followed;
    expect(rest).toMatchObject({ payment: 'open', record: { value: { status: 'processing' } }, unanswered: false });
    expect(fault).toBeUndefined();
    const silent = await serve([hang]);
    const { unanswered } = await followOn(bench(silent.origin), { limit: 2000, known: known() }).followed;
    expect(unanswered).toBe(true);
  });

  it('aborts the first read, too', async () => {
    const service = await serve([hang]);
    const { record, fault, waited } = await followOn(bench(service.origin), { limit: 1000 }).followed;
    expect([record, fault]).toEqual([undefined, undefined]);
    expect(waited).toBeGreaterThanOrEqual(990);
  });

  it('comes at once on a signal, in a pause or a read, and keeps the last activity', async () => {
    const service = await serve([shows('processing'), hang]);
    const place = bench(service.origin);
    const { followed } = followOn(place);
    while (service.seen.length < 2) await new Promise(setImmediate);
    place.stop.abort('SIGTERM');
    expect(await followed).toMatchObject({
      payment: 'open',
      record: { value: { status: 'processing' } },
      interrupted: { kind: 'interrupted', detail: { exitCode: 143 } },
    });
  });
});

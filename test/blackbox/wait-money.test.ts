import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, paycli, type RunOptions } from '../support/program.ts';
import type { Answer } from '../support/service.ts';
import { ACTIVITY, json, problem, raw, serveAllBy, UGWO_ID, ugwo } from '../support/service.ts';
import { activityOf, charged, chargeFrom, numberIn, postsOf, summaryOf, ugwoOf, ussdFile } from './bulk-support.ts';

const WAIT = ['activity', 'wait', UGWO_ID, ACTIVITY.uid];
const FIRST = 'act.AbCd.0000000000000000000first';

const standing = (status: string, more: object = {}) => ({ ...ACTIVITY, status, amount: 90_000, ...more });
const PAID = standing('successful');
const LATER = { updated_at: '2026-11-20T10:00:01+00:00' };
const requestOf = (more: object = {}): Answer =>
  json(200, { ...ugwo(1), uid: UGWO_ID, status: 'ugwo_successful', amount: 90_000, activities: [PAID], ...more });

/** Waits for an activity at a service that shows these answers. */
const waited = async (activity: object, request: Answer, args: readonly string[] = []) => {
  const service = await serveAllBy(({ url }) => (url.includes('/activities/') ? json(200, activity) : request));
  const ended = await inProcess([...WAIT, ...args], { service });
  return { ...ended, reads: service.seen.map(({ url }) => url.split('/').at(-1)) };
};

/** Messages of a run in one line. */
const said = ({ stderr }: { readonly stderr: string }): string => stderr.replaceAll(/\s+/g, ' ');

describe('activity wait, after a payment', () => {
  it('reads the payment request once', async () => {
    const ended = await waited(PAID, requestOf({ total_amount_paid: 90_000 }));
    expect(ended).toMatchObject({ code: 0, stderr: '', reads: [ACTIVITY.uid, UGWO_ID] });
  });

  it('ends a part payment with 13, and names what came and the command for the rest', async () => {
    const status = 'requires_ugwo';
    const ended = await waited(PAID, requestOf({ status, total_amount_paid: '40000' }), ['--json']);
    expect(ended.code).toBe(13);
    expect(JSON.parse(ended.stdout)).toMatchObject({ uid: ACTIVITY.uid, status: 'successful' });
    expect(errorOf(ended)).toMatchObject({
      kind: 'underpaid',
      message: 'part paid: NGN 400.00 of 900.00',
      hint: `charge the rest: paycli ugwo charge ${UGWO_ID} --remaining`,
    });
  });

  it('sums up several part payments', async () => {
    const first = standing('successful', { uid: FIRST, charged_amount: 40_000 });
    const second = (charged: number) => ({ ...PAID, charged_amount: charged });
    const request = (charged: number): Answer =>
      requestOf({ activities: [first, second(charged)], total_amount_paid: 40_000 + charged });
    expect(await waited(second(50_000), request(50_000))).toMatchObject({ code: 0, stderr: '' });
    const short = await waited(second(10_000), request(10_000));
    expect(short.code).toBe(13);
    expect(said(short)).toContain('part paid: NGN 500.00 of 900.00');
  });

  it('says what came too much', async () => {
    const ended = await waited(PAID, requestOf({ total_amount_paid: 100_000 }));
    expect(ended.code).toBe(0);
    expect(said(ended)).toContain('overpaid by NGN 100.00');
    expect(await waited(PAID, requestOf({ total_amount_paid: 100_000 }), ['--json'])).toMatchObject({ stderr: '' });
  });

  it.each([
    ['partially_refunded', 90_000, 0],
    ['partially_refunded', 40_000, 13],
    ['refunded', 90_000, 11],
  ])('ends with a payment that is %s, of which %i came, with %i', async (status, total, code) => {
    const activity = standing(status, { charged_amount: total });
    const ended = await waited(activity, requestOf({ status, activities: [activity], total_amount_paid: total }));
    expect(ended.code).toBe(code);
  });

  it('needs no amount to know that all of it was refunded', async () => {
    expect(await waited(standing('refunded'), problem(401, 'No'))).toMatchObject({ code: 11, reads: [ACTIVITY.uid] });
  });

  it('ends with 11 if the request shows that the provider took the money back', async () => {
    const activities = [standing('failed', { ...LATER, charged_amount: 0, error: { code: 'psp.error' } })];
    const ended = await waited(PAID, requestOf({ status: 'requires_ugwo', activities, total_amount_paid: 0 }));
    expect(ended.code).toBe(11);
    expect(said(ended)).toContain('the payment was reversed: the provider took the money back');
  });

  it('believes the activity if the request shows an older one', async () => {
    const old = standing('processing', { updated_at: '2026-11-20T10:00:00Z' });
    const now = { ...PAID, updated_at: '2026-11-20T10:00:09Z' };
    expect(await waited(now, requestOf({ activities: [old] }))).toMatchObject({ code: 0, stderr: '' });
  });

  it.each<[string, object]>([
    ['', {}],
    [', and no list of activities', { activities: undefined }],
    [', and no activities', { activities: [], total_amount_paid: 0, status: 'requires_ugwo' }],
  ])('believes a request that shows no total%s', async (_, more) => {
    expect(await waited(PAID, requestOf(more))).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([404, 405, 501])('believes a service without reads of payment requests (%i)', async (status) => {
    expect(await waited(PAID, problem(status, 'No'))).toMatchObject({ code: 0, stderr: '' });
  });

  it.each<[string, Answer]>([
    ['401', problem(401, 'No')],
    ['a cut answer', json(200, '{"uid": ')],
    ['garbage', raw('no HTTP\r\n\r\n')],
  ])('ends with 12 if the request could not be read: %s', async (_, request) => {
    const ended = await waited(PAID, request, ['--json']);
    expect(ended.code).toBe(12);
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'successful' });
    expect(errorOf(ended)).toMatchObject({
      kind: 'pending',
      message: expect.stringMatching(/^the customer has paid, but how much couldn't be read: ./),
      hint: `read it again with: paycli activity wait ${UGWO_ID} ${ACTIVITY.uid} --wait-timeout 15m`,
    });
  });
});

describe('activity wait, paid twice', () => {
  const first = standing('successful', { uid: FIRST, created_at: '2026-11-20T10:00:00Z' });
  const second = { ...PAID, created_at: '2026-11-20T11:00:00Z', is_double_charge: true };
  const twice = (asked: number, more: object = {}): Answer =>
    requestOf({ amount: asked, activities: [first, second], total_amount_paid: 2 * asked, ...more });

  it('names the excess and the command that pays it back', async () => {
    const ended = await waited(second, twice(90_000));
    expect(ended.code).toBe(0);
    expect(said(ended)).toContain(
      `paid twice: NGN 900.00 too much came; pay it back with: paycli refund create ${ACTIVITY.uid} --amount 900.00`,
    );
  });

  it('groups no digits in the command', async () => {
    const activities = [first, second].map((one) => ({ ...one, charged_amount: 190_000 }));
    expect(said(await waited(second, twice(190_000, { activities })))).toContain(' --amount 1900.00');
  });

  it('says that less than NGN 200.00 is not refunded', async () => {
    const small = await waited(second, twice(19_999));
    expect(small.code).toBe(0);
    expect(said(small)).toContain(
      "paid twice: NGN 199.99 too much came; it can't be refunded, since a refund is at least NGN 200.00",
    );
    expect(said(await waited(second, twice(20_000)))).toContain('--amount 200.00');
  });
});

describe('activity wait, without a payment', () => {
  it.each<[string, object, number, string]>([
    ['reversed', { charged_amount: 90_000 }, 11, 'the payment was reversed: the provider took the money back'],
    ['reversed', { error: { code: 'psp.error.reversed' } }, 11, 'brought no money; charge the payment request again'],
    ['expired', { error: { code: 'psp.error.expired' } }, 12, 'the time to pay is over, and nothing came'],
    ['expired', { error: 'expired' }, 12, `charge again: paycli ugwo charge ${UGWO_ID}`],
    ['failed', { error: { message: 'no funds' } }, 11, 'the charge failed: no funds'],
  ])('%s %j ends with %i', async (_, more, code, text) => {
    const ended = await waited(standing('failed', more), requestOf());
    expect(ended).toMatchObject({ code, reads: [ACTIVITY.uid] });
    expect(said(ended)).toContain(text);
  });
});

describe('ugwo charge --from --wait', () => {
  const failed = (more: object) => standing('failed', more);

  /** Charges a payment request for each of these later states of its activity. */
  const charging = async (...after: readonly (readonly [activity: object, total: number])[]) => {
    const service = await serveAllBy((seen) => {
      const number = numberIn(seen);
      if (seen.method === 'POST') return charged(number);
      const isMade = service.seen.some((one) => one.method === 'POST' && numberIn(one) === number);
      const [activity, total] = after[number - 1] as (typeof after)[number];
      const shown = isMade ? { activities: [{ ...activity, uid: activityOf(number) }], total_amount_paid: total } : {};
      return json(200, { ...ugwo(number), amount: 90_000, checkout: { uid: 'chk.AbCd.1' }, activities: [], ...shown });
    });
    const file = ussdFile(...after.map((_, index) => index + 1));
    const options = { service, home: newFolder() };
    return {
      ...{ service, file, options },
      run: (...args: string[]) => chargeFrom(file, options, '--wait', '--wait-timeout', '1s', ...args),
    };
  };

  it('ends with 13 if a payment lacks money, and with 12 if one has expired', async () => {
    const part = await charging([PAID, 90_000], [PAID, 40_000], [failed({ error: 'expired' }), 0]);
    expect((await part.run()).code).toBe(13);
    const late = await charging([PAID, 100_000], [failed({ error: 'expired' }), 0]);
    expect((await late.run()).code).toBe(12);
  });

  it('shows what was asked and what came', async () => {
    const { file, options } = await charging([PAID, 40_000]);
    const ended = await inProcess(['ugwo', 'charge', '--from', file, '--wait', '-o', 'table'], options);
    expect(ended.stdout).toMatch(/^part paid +1 +NGN 900\.00 +NGN 400\.00$/m);
  });

  it('ends once another process has found the last payment', async () => {
    let other: Promise<unknown> | undefined;
    const service = await serveAllBy((seen) => {
      if (seen.method === 'POST') return charged(1);
      const [isMade, isPaid] = [service.seen.some(({ method }) => method === 'POST'), other !== undefined];
      if (isMade) other ??= paycli(['ugwo', 'get', ugwoOf(1), '--json'], options);
      const activity = { ...standing(isPaid ? 'successful' : 'requires_action'), uid: activityOf(1) };
      const shown = { activities: isMade ? [activity] : [], total_amount_paid: isPaid ? 90_000 : 0 };
      return json(200, { ...ugwo(1), amount: 90_000, checkout: { uid: 'chk.AbCd.1' }, ...shown });
    });
    const options: RunOptions = { service, home: newFolder() };
    const ended = await chargeFrom(ussdFile(1), options, '--wait', '--wait-timeout', '8s');
    expect(ended.code, ended.stderr).toBe(0);
    expect(await other).toMatchObject({ code: 0 });
  });

  it.each([
    [40_000, 13],
    [90_000, 0],
  ])('ends a part refund of %i with %i', async (total, code) => {
    const { run } = await charging([standing('partially_refunded'), total]);
    expect((await run()).code).toBe(code);
  });

  it('counts an expired row as expired, and proposes to charge it again', async () => {
    const { options, run } = await charging([failed({ error: 'expired' }), 0], [PAID, 90_000]);
    expect((await run()).code).toBe(12);
    const again = await run();
    expect(again.code).toBe(12);
    expect(summaryOf(again)).toMatchObject({ expired: 1, failed: 0, accepted: 1 });
    expect(errorOf(again)['hint']).toBe('add --retry-failed to the same command to charge the expired rows again');
    const jobs = await inProcess(['ledger', 'jobs', '--json'], options);
    expect(JSON.parse(jobs.stdout).data).toMatchObject([{ expired: 1, failed: 0, accepted: 1 }]);
    expect(said(await inProcess(['ledger', 'show', summaryOf(again)['job'] as string], options))).toContain(
      '1 row is expired: run the same command again with --retry-failed',
    );
  });

  it('charges only failed and expired rows again with --retry-failed', async () => {
    const { service, run } = await charging(
      [PAID, 90_000],
      [PAID, 40_000],
      [failed({ error: 'declined' }), 0],
      [failed({ error: 'expired' }), 0],
      [failed({ charged_amount: 90_000 }), 0],
    );
    expect((await run()).code).toBe(11);
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1, 3: 1, 4: 1, 5: 1 });
    expect(summaryOf(await run('--retry-failed'))).toMatchObject({ skipped: 3, refused: 0 });
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1, 3: 2, 4: 2, 5: 1 });
  });
});

describe('ugwo charge --wait with the emulator', () => {
  const local = async (home: string, ...args: string[]) => {
    const ended = await paycli([...args, '--local', '-o', 'tsv', '--columns', 'uid'], { home });
    return { ...ended, uid: ended.stdout.trim() };
  };
  const paidBy = async (emulate: string) => {
    const home = newFolder();
    const asked = ['--amount', '900.00', '--currency', 'NGN', '--metadata', `emulate=${emulate}`];
    const { uid } = await local(home, 'ugwo', 'create', ...asked);
    return { ...(await local(home, 'ugwo', 'charge', uid, '--medium', 'bank_transfer', '--wait')), request: uid };
  };

  it('ends a part payment with 13', async () => {
    const ended = await paidBy('successful:1s:40000');
    expect(ended.code).toBe(13);
    expect(said(ended)).toContain('part paid: NGN 400.00 of 900.00');
    expect(said(ended)).toContain(`charge the rest: paycli ugwo charge ${ended.request} --remaining --local`);
  });

  it('ends an overpayment with 0', async () => {
    const ended = await paidBy('successful:1s:100000');
    expect(ended.code).toBe(0);
    expect(said(ended)).toContain('overpaid by NGN 100.00');
  });
});

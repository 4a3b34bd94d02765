import { describe, expect, it } from 'vitest';
import { paymentShown } from '../../src/charge/payment.ts';
import type { Followed } from '../../src/commands/activity/follow-shared.ts';
import {
  chargeFailed,
  notWaitedFor,
  stepUnreadable,
  type WaitOptions,
  waitedOf,
} from '../../src/commands/activity/followed-shared.ts';
import { about } from '../../src/core/charge.ts';
import { ERRORS, interrupted, PayError } from '../../src/core/error.ts';
import { madeHere } from '../../src/core/record.ts';

const UID = 'act.A.b';
const PLACE = { local: false, profile: undefined, baseUrl: undefined };
const OPTIONS: WaitOptions = { ugwoUid: 'ugw.A.b', limit: 90_000, place: PLACE };
const AGAIN = 'wait again with: paycli activity wait ugw.A.b act.A.b --wait-timeout 90s';

const activity = (status: string, error?: unknown) => ({ uid: UID, status, error });
const followed = (status: string, more: Partial<Followed> = {}, error?: unknown): Followed => ({
  record: madeHere(activity(status, error)),
  payment: paymentShown(activity(status, error)),
  fault: undefined,
  interrupted: undefined,
  waited: 90_000,
  unanswered: false,
  ...more,
});
/** A service that shows no payment requests. */
const DEPS: Parameters<typeof waitedOf>[2] = {
  client: { look: async () => undefined },
  observe: async () => undefined,
};
const ended = (of: Followed, options = OPTIONS, deps = DEPS) => waitedOf(of, options, deps);
const failureOf = async (...args: Parameters<typeof ended>) => (await ended(...args)).failure;
const hintOf = async (...args: Parameters<typeof ended>) => (await failureOf(...args))?.detail.hint;
const UNREAD: Partial<Followed> = { record: undefined };

describe('waitedOf', () => {
  it('returns only the record after a payment', async () => {
    const end = await ended(followed('successful'));
    expect(end).toEqual({ record: expect.objectContaining({ value: activity('successful') }) });
  });

  it('reports a charge that has failed', async () => {
    expect(await failureOf(followed('failed'))).toMatchObject({
      kind: 'charge_failed',
      message: 'the charge failed',
      detail: { hint: expect.stringContaining('with another medium') },
    });
  });

  it('suggests charging again after the time to pay', async () => {
    expect(await failureOf(followed('failed', {}, { code: 'psp.error.expired' }))).toMatchObject({
      kind: 'pending',
      message: 'the time to pay is over, and nothing came',
      detail: { hint: 'charge again: paycli ugwo charge ugw.A.b', ...about(activity('failed')) },
    });
  });

  it('reports that the provider took the money back', async () => {
    expect(await failureOf(followed('failed', {}, { code: 'psp.error.reversed' }))).toMatchObject({
      kind: 'charge_failed',
      message: 'the payment was reversed: the provider took the money back',
      detail: { hint: `${UID} brought no money; charge the payment request again`, ...about(activity('failed')) },
    });
  });

  it('reports an open payment with the last status, the time and the command to continue', async () => {
    expect(await failureOf(followed('on_hold'))).toMatchObject({
      kind: 'pending',
      message: 'the payment is still open after 1 min (last status: on_hold)',
      detail: { hint: AGAIN },
    });
  });

  it('reports the last read error', async () => {
    const fault = new PayError('read_failed', "couldn't read from the service: ECONNRESET");
    expect((await failureOf(followed('requires_action', { fault })))?.message).toBe(
      "the payment is still open after 1 min (last status: not paid); couldn't read from the service: ECONNRESET",
    );
  });

  it('suggests a read to continue', () => {
    expect(ERRORS.pending.again).toMatch(/^open: wait again with `paycli activity wait`\./);
  });

  it('suggests fixing a rejected key first', async () => {
    const fault = new PayError('auth', 'the service answered 401', { hint: 'log in again' });
    expect(await failureOf(followed('processing', { fault }))).toMatchObject({
      kind: 'pending',
      message: expect.stringContaining('the service answered 401'),
      detail: { hint: `log in again\n${AGAIN}` },
    });
  });

  it("keeps a signal's exit code and suggests how to continue", async () => {
    const stopped = interrupted('SIGTERM');
    expect(await failureOf(followed('processing', { interrupted: stopped }))).toMatchObject({
      kind: 'interrupted',
      detail: { exitCode: 143, hint: expect.stringContaining(AGAIN) },
    });
    await expect(ended(followed('', { ...UNREAD, interrupted: stopped }))).rejects.toThrow(stopped);
  });

  it('says after a signal that this run created the charge', async () => {
    const made = { ...OPTIONS, made: true };
    const failure = await failureOf(followed('processing', { interrupted: interrupted('SIGTERM') }), made);
    expect(failure).toMatchObject({
      kind: 'interrupted',
      message: 'stopped waiting; the charge was made and is in the ledger',
      detail: { exitCode: 143, hint: AGAIN },
    });
  });

  it('treats a refund as a failed charge and says that the money is back', async () => {
    expect(await failureOf(followed('refunded'))).toMatchObject({
      kind: 'charge_failed',
      message: 'the payment was refunded',
      detail: { hint: `the customer paid ${UID} and got the money back`, ...about(activity('refunded')) },
    });
    expect(await failureOf(followed('partially_refunded'))).toBeUndefined();
  });

  it('says once that nobody answered', async () => {
    const open = (more: Partial<Followed>) => failureOf(followed('processing', more));
    const seen = 'the payment is still open after 1 min (last status: processing)';
    expect((await open({ unanswered: true }))?.message).toBe(`${seen}; the service stopped answering`);
    const fault = new PayError('read_failed', 'no route');
    expect((await open({ unanswered: true, fault }))?.message).toBe(`${seen}; no route`);
    expect((await open({ fault }))?.detail).toMatchObject({ cause: fault, hint: AGAIN });
    expect((await open({}))?.detail).not.toHaveProperty('cause');
  });

  it('suggests continuing at once after other errors', async () => {
    const open = (fault: PayError) => hintOf(followed('processing', { fault }));
    expect(await open(new PayError('auth', 'no'))).toBe(AGAIN);
    expect(await open(new PayError('read_failed', 'no', { hint: 'log in' }))).toBe(AGAIN);
  });

  it('says that the status is unreadable', async () => {
    expect((await failureOf(followed('')))?.message).toBe(
      'the payment is still open after 1 min (last status: unreadable)',
    );
  });

  it('names the activity in every failure', async () => {
    const stopped = interrupted('SIGINT');
    const ends = [
      failureOf(followed('failed')),
      failureOf(followed('failed', { interrupted: stopped })),
      failureOf(followed('failed', { interrupted: stopped }), { ...OPTIONS, made: true }),
      notWaitedFor(activity('failed'), 'SIGINT', OPTIONS),
      stepUnreadable(madeHere(activity('failed'))),
    ];
    for (const end of await Promise.all(ends)) expect(end?.detail.activity).toBe('{"uid":"act.A.b","status":"failed"}');
  });

  it('says after a signal that the payment continues', async () => {
    const failure = await failureOf(followed('processing', { interrupted: interrupted('SIGINT') }));
    expect(failure?.detail.hint).toBe(`the payment itself goes on; ${AGAIN}`);
  });

  it('notWaitedFor is pending', () => {
    expect(notWaitedFor(activity('requires_action'), 'SIGINT', OPTIONS)).toMatchObject({
      kind: 'pending',
      message: 'stopped by Ctrl-C before waiting; the charge was made and is in the ledger',
      detail: { hint: AGAIN.replace('wait again', 'wait for the payment') },
    });
  });

  it('suggests a command with the same target', async () => {
    const place = { local: false, profile: 'my shop', baseUrl: 'http://127.0.0.1:1' };
    expect(await hintOf(followed('processing'), { ...OPTIONS, limit: 3_600_000, place })).toBe(
      "wait again with: paycli activity wait ugw.A.b act.A.b --wait-timeout 1h --profile 'my shop' --base-url http://127.0.0.1:1",
    );
  });

  it('throws the read error if nothing was ever read', async () => {
    const fault = new PayError('read_failed', "couldn't read from the service: ECONNREFUSED");
    await expect(ended(followed('', { ...UNREAD, fault }))).rejects.toThrow(fault);
    await expect(ended(followed('', UNREAD))).rejects.toThrow(
      expect.objectContaining({
        kind: 'read_failed',
        message: "couldn't reach the service: no answer within 1 min (--wait-timeout)",
      }),
    );
  });
});

describe('chargeFailed', () => {
  it.each([
    [{ message: 'no funds', code: 'x' }, ': no funds'],
    [{ title: 'No funds' }, ': No funds'],
    [{ code: 'no_funds' }, ': no_funds'],
    ['no funds', ': no funds'],
    [{ message: '' }, ''],
    [{ reason: 7 }, ''],
    [null, ''],
  ])("contains the service's reason: %j", (error, said) => {
    expect(chargeFailed(activity('failed', error)).message).toBe(`the charge failed${said}`);
  });

  it('says so if the money came and went back', () => {
    const reversed = { ...activity('failed', { message: 'Reversed' }), charged_amount: 500 };
    expect(chargeFailed(reversed).message).toBe('the payment was reversed: the provider took the money back');
  });

  it('suggests another medium', () => {
    expect(chargeFailed(activity('failed')).detail.hint).toMatch(/ with another medium$/);
  });

  it('names the failed medium if known', () => {
    expect(chargeFailed(activity('failed'), 'ussd').detail.hint).toBe(
      `the customer can't pay ${UID} any more; charge the payment request again with a medium other than ussd`,
    );
  });
});

it('stepUnreadable keeps the answer and advises against charging again', () => {
  const { kind, message, detail } = stepUnreadable(madeHere(activity('requires_action')));
  expect([kind, message]).toEqual(['unrecorded', "the charge was made, but its next action couldn't be read"]);
  expect(detail).toMatchObject({
    hint: `do not charge again; see the answer shown here, and ${UID} in the dashboard`,
    answer: '{"uid":"act.A.b","status":"requires_action"}',
  });
});

import { describe, expect, it } from 'vitest';
import type { Followed } from '../../src/client/follow.ts';
import {
  chargeFailed,
  notWaitedFor,
  stepUnreadable,
  type WaitOptions,
  waitedOf,
} from '../../src/commands/activity/followed-shared.ts';
import { about } from '../../src/core/charge.ts';
import { EXIT_MEANINGS, interrupted, PayError } from '../../src/core/error.ts';
import { madeHere } from '../../src/core/record.ts';

const UID = 'act.A.b';
const PLACE = { local: false, profile: undefined, baseUrl: undefined };
const OPTIONS: WaitOptions = { ugwoUid: 'ugw.A.b', limit: 90_000, place: PLACE };
const AGAIN = 'wait again with: paycli activity wait ugw.A.b act.A.b --wait-timeout 90s';

const activity = (status: string, error?: unknown) => ({ uid: UID, status, error });
type Activity = ReturnType<typeof activity>;
const followed = (status: string, more: Partial<Followed<Activity>> = {}): Followed<Activity> => ({
  record: madeHere(activity(status)),
  payment: 'open',
  fault: undefined,
  interrupted: undefined,
  waited: 90_000,
  expired: false,
  unanswered: false,
  ...more,
});
const UNREAD: Partial<Followed<Activity>> = { record: undefined };

describe('waitedOf', () => {
  it('returns only the record after a payment', () => {
    const end = waitedOf(followed('successful', { payment: 'paid' }), OPTIONS);
    expect(end).toEqual({ record: expect.objectContaining({ value: activity('successful') }) });
  });

  it.each([
    ['failed', 'the charge failed'],
    ['expired', 'the charge expired'],
  ])('reports a charge that has %s', (status, message) => {
    expect(waitedOf(followed(status, { payment: 'failed' }), OPTIONS).failure).toMatchObject({
      kind: 'charge_failed',
      message,
      detail: { hint: expect.stringContaining('with another medium') },
    });
  });

  it('reports an open payment with the last status, the time and the command to continue', () => {
    expect(waitedOf(followed('on_hold'), OPTIONS).failure).toMatchObject({
      kind: 'pending',
      message: 'the payment is still open after 1 min (last status: on_hold)',
      detail: { hint: AGAIN },
    });
  });

  it('reports that the account expired, and the last read error', () => {
    const fault = new PayError('read_failed', "couldn't read from the service: ECONNRESET");
    expect(waitedOf(followed('requires_action', { expired: true, fault }), OPTIONS).failure?.message).toBe(
      'the payment is still open after 1 min (last status: not paid); the time to pay is over; ' +
        "couldn't read from the service: ECONNRESET",
    );
  });

  it('suggests a read to continue, never another charge', () => {
    expect(EXIT_MEANINGS.pending[1]).toBe('yes, wait again: `paycli activity wait`');
  });

  it('suggests fixing a rejected key first', () => {
    const fault = new PayError('auth', 'the service answered 401', { hint: 'log in again' });
    expect(waitedOf(followed('processing', { fault }), OPTIONS).failure).toMatchObject({
      kind: 'pending',
      message: expect.stringContaining('the service answered 401'),
      detail: { hint: `log in again\n${AGAIN}` },
    });
  });

  it("keeps a signal's exit code and suggests how to continue", () => {
    const stopped = interrupted('SIGTERM');
    expect(waitedOf(followed('processing', { interrupted: stopped }), OPTIONS).failure).toMatchObject({
      kind: 'interrupted',
      detail: { exitCode: 143, hint: expect.stringContaining(AGAIN) },
    });
    expect(() => waitedOf(followed('', { ...UNREAD, interrupted: stopped }), OPTIONS)).toThrow(stopped);
  });

  it('says after a signal that this run created the charge', () => {
    const made = { ...OPTIONS, made: true };
    const { failure } = waitedOf(followed('processing', { interrupted: interrupted('SIGTERM') }), made);
    expect(failure).toMatchObject({
      kind: 'interrupted',
      message: 'stopped waiting; the charge was made and is in the ledger',
      detail: { exitCode: 143, hint: AGAIN },
    });
  });

  it('treats a refund as a failed charge and says that the money is back', () => {
    expect(waitedOf(followed('refunded', { payment: 'paid' }), OPTIONS).failure).toMatchObject({
      kind: 'charge_failed',
      message: 'the payment was refunded',
      detail: { hint: `the customer paid ${UID} and got the money back`, ...about(activity('refunded')) },
    });
    expect(waitedOf(followed('partially_refunded', { payment: 'paid' }), OPTIONS)).not.toHaveProperty('failure');
  });

  it('says once that nobody answered', () => {
    const open = (more: Partial<Followed<Activity>>) => waitedOf(followed('processing', more), OPTIONS).failure;
    const seen = 'the payment is still open after 1 min (last status: processing)';
    expect(open({ unanswered: true })?.message).toBe(`${seen}; the service stopped answering`);
    const fault = new PayError('read_failed', 'no route');
    expect(open({ unanswered: true, fault })?.message).toBe(`${seen}; no route`);
    expect(open({ fault })?.detail).toMatchObject({ cause: fault, hint: AGAIN });
    expect(open({})?.detail).not.toHaveProperty('cause');
  });

  it('suggests continuing at once after other errors', () => {
    const open = (fault: PayError) => waitedOf(followed('processing', { fault }), OPTIONS).failure?.detail.hint;
    expect(open(new PayError('auth', 'no'))).toBe(AGAIN);
    expect(open(new PayError('read_failed', 'no', { hint: 'log in' }))).toBe(AGAIN);
  });

  it('says that the status is unreadable', () => {
    expect(waitedOf(followed(''), OPTIONS).failure?.message).toBe(
      'the payment is still open after 1 min (last status: unreadable)',
    );
  });

  it('names the activity in every failure', () => {
    const stopped = interrupted('SIGINT');
    const ends = [
      waitedOf(followed('failed', { payment: 'failed' }), OPTIONS).failure,
      waitedOf(followed('failed'), OPTIONS).failure,
      waitedOf(followed('failed', { interrupted: stopped }), OPTIONS).failure,
      waitedOf(followed('failed', { interrupted: stopped }), { ...OPTIONS, made: true }).failure,
      notWaitedFor(activity('failed'), 'SIGINT', OPTIONS),
      stepUnreadable(madeHere(activity('failed'))),
    ];
    for (const end of ends) expect(end?.detail.activity).toBe('{"uid":"act.A.b","status":"failed"}');
  });

  it('says after a signal that the payment continues', () => {
    const { failure } = waitedOf(followed('processing', { interrupted: interrupted('SIGINT') }), OPTIONS);
    expect(failure?.detail.hint).toBe(`the payment itself goes on; ${AGAIN}`);
  });

  it('notWaitedFor is pending', () => {
    expect(notWaitedFor(activity('requires_action'), 'SIGINT', OPTIONS)).toMatchObject({
      kind: 'pending',
      message: 'stopped by Ctrl-C before waiting; the charge was made and is in the ledger',
      detail: { hint: AGAIN.replace('wait again', 'wait for the payment') },
    });
  });

  it('suggests a command with the same target', () => {
    const place = { local: false, profile: 'my shop', baseUrl: 'http://127.0.0.1:1' };
    expect(waitedOf(followed('processing'), { ...OPTIONS, limit: 3_600_000, place }).failure?.detail.hint).toBe(
      "wait again with: paycli activity wait ugw.A.b act.A.b --profile 'my shop' --base-url http://127.0.0.1:1 --wait-timeout 1h",
    );
  });

  it('throws the read error if nothing was ever read', () => {
    const fault = new PayError('read_failed', "couldn't read from the service: ECONNREFUSED");
    expect(() => waitedOf(followed('', { ...UNREAD, fault }), OPTIONS)).toThrow(fault);
    expect(() => waitedOf(followed('', UNREAD), OPTIONS)).toThrow(
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

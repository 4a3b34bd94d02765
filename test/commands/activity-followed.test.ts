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

describe('a wait', () => {
  it('that ended with a payment leaves nothing to be said', () => {
    const end = waitedOf(followed('successful', { payment: 'paid' }), OPTIONS);
    expect(end).toEqual({ record: expect.objectContaining({ value: activity('successful') }) });
  });

  it.each([
    ['failed', 'the charge failed'],
    ['expired', 'the charge expired'],
  ])('that ended with a charge that has %s says so', (status, message) => {
    expect(waitedOf(followed(status, { payment: 'failed' }), OPTIONS).failure).toMatchObject({
      kind: 'charge_failed',
      message,
      detail: { hint: expect.stringContaining('with another medium') },
    });
  });

  it('that ended open says what was seen, for how long was waited, and how to go on', () => {
    expect(waitedOf(followed('on_hold'), OPTIONS).failure).toMatchObject({
      kind: 'pending',
      message: 'the payment is still open after 1 min (last status: on_hold)',
      detail: { hint: AGAIN },
    });
  });

  it('that ended open says that the time to pay is over, and what the last read failed of', () => {
    const fault = new PayError('read_failed', "couldn't read from the service: ECONNRESET");
    expect(waitedOf(followed('requires_action', { expired: true, fault }), OPTIONS).failure?.message).toBe(
      'the payment is still open after 1 min (last status: not paid); the time to pay is over; ' +
        "couldn't read from the service: ECONNRESET",
    );
  });

  it('that ended open is gone on with by a read, never by charging again', () => {
    expect(EXIT_MEANINGS.pending[1]).toBe('yes, wait again: `paycli activity wait`');
  });

  it('that ended since the key was not taken any more says how to mend that first', () => {
    const fault = new PayError('auth', 'the service answered 401', { hint: 'log in again' });
    expect(waitedOf(followed('processing', { fault }), OPTIONS).failure).toMatchObject({
      kind: 'pending',
      message: expect.stringContaining('the service answered 401'),
      detail: { hint: `log in again\n${AGAIN}` },
    });
  });

  it('that a signal ended keeps the code of the signal, and is told how to go on', () => {
    const stopped = interrupted('SIGTERM');
    expect(waitedOf(followed('processing', { interrupted: stopped }), OPTIONS).failure).toMatchObject({
      kind: 'interrupted',
      detail: { exitCode: 143, hint: expect.stringContaining(AGAIN) },
    });
    expect(() => waitedOf(followed('', { ...UNREAD, interrupted: stopped }), OPTIONS)).toThrow(stopped);
  });

  it('that a signal ended says what this run has made', () => {
    const made = { ...OPTIONS, made: true };
    const { failure } = waitedOf(followed('processing', { interrupted: interrupted('SIGTERM') }), made);
    expect(failure).toMatchObject({
      kind: 'interrupted',
      message: 'stopped waiting; the charge was made and is in the ledger',
      detail: { exitCode: 143, hint: AGAIN },
    });
  });

  it('of a payment that was refunded ends as a charge that failed, and says that the money is back', () => {
    expect(waitedOf(followed('refunded', { payment: 'paid' }), OPTIONS).failure).toMatchObject({
      kind: 'charge_failed',
      message: 'the payment was refunded',
      detail: { hint: `the customer paid ${UID} and got the money back`, ...about(activity('refunded')) },
    });
    expect(waitedOf(followed('partially_refunded', { payment: 'paid' }), OPTIONS)).not.toHaveProperty('failure');
  });

  it('that nobody answered says so, once', () => {
    const open = (more: Partial<Followed<Activity>>) => waitedOf(followed('processing', more), OPTIONS).failure;
    const seen = 'the payment is still open after 1 min (last status: processing)';
    expect(open({ unanswered: true })?.message).toBe(`${seen}; the service stopped answering`);
    const fault = new PayError('read_failed', 'no route');
    expect(open({ unanswered: true, fault })?.message).toBe(`${seen}; no route`);
    expect(open({ fault })?.detail).toMatchObject({ cause: fault, hint: AGAIN });
    expect(open({})?.detail).not.toHaveProperty('cause');
  });

  it('that failed for a key without a hint, or for another reason with one, is gone on with at once', () => {
    const open = (fault: PayError) => waitedOf(followed('processing', { fault }), OPTIONS).failure?.detail.hint;
    expect(open(new PayError('auth', 'no'))).toBe(AGAIN);
    expect(open(new PayError('read_failed', 'no', { hint: 'log in' }))).toBe(AGAIN);
  });

  it('that saw no status says that', () => {
    expect(waitedOf(followed(''), OPTIONS).failure?.message).toBe(
      'the payment is still open after 1 min (last status: unreadable)',
    );
  });

  it('that ended otherwise than with a payment is about its activity', () => {
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

  it('that a signal ended changes nothing, and says so', () => {
    const { failure } = waitedOf(followed('processing', { interrupted: interrupted('SIGINT') }), OPTIONS);
    expect(failure?.detail.hint).toBe(`the payment itself goes on; ${AGAIN}`);
  });

  it('that was never begun is pending', () => {
    expect(notWaitedFor(activity('requires_action'), 'SIGINT', OPTIONS)).toMatchObject({
      kind: 'pending',
      message: 'stopped by Ctrl-C before waiting; the charge was made and is in the ledger',
      detail: { hint: AGAIN.replace('wait again', 'wait for the payment') },
    });
  });

  it('goes on at the same place', () => {
    const place = { local: false, profile: 'my shop', baseUrl: 'http://127.0.0.1:1' };
    expect(waitedOf(followed('processing'), { ...OPTIONS, limit: 3_600_000, place }).failure?.detail.hint).toBe(
      "wait again with: paycli activity wait ugw.A.b act.A.b --profile 'my shop' --base-url http://127.0.0.1:1 --wait-timeout 1h",
    );
  });

  it('in which nothing was ever read throws why', () => {
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

describe('a failed charge', () => {
  it.each([
    [{ message: 'no funds', code: 'x' }, ': no funds'],
    [{ title: 'No funds' }, ': No funds'],
    [{ code: 'no_funds' }, ': no_funds'],
    ['no funds', ': no funds'],
    [{ message: '' }, ''],
    [{ reason: 7 }, ''],
    [null, ''],
  ])('says what the service says: %j', (error, said) => {
    expect(chargeFailed(activity('failed', error)).message).toBe(`the charge failed${said}`);
  });

  it('names none where it is not known', () => {
    expect(chargeFailed(activity('failed')).detail.hint).toMatch(/ with another medium$/);
  });

  it('names the medium that was tried, where that is known', () => {
    expect(chargeFailed(activity('failed'), 'ussd').detail.hint).toBe(
      `the customer can't pay ${UID} any more; charge the payment request again with a medium other than ussd`,
    );
  });
});

it('a step that nobody can read keeps the answer, and is not charged again', () => {
  const { kind, message, detail } = stepUnreadable(madeHere(activity('requires_action')));
  expect([kind, message]).toEqual(['unrecorded', "the charge was made, but its next action couldn't be read"]);
  expect(detail).toMatchObject({
    hint: `do not charge again; see the answer shown here, and ${UID} in the dashboard`,
    answer: '{"uid":"act.A.b","status":"requires_action"}',
  });
});

import { describe, expect, it } from 'vitest';
import { addsTo, asking, markStale, observed, started } from '../../src/ledger/transitions.ts';
import { account, charge, intent, MINUTE, momentAt, NOON, SELF } from './support/charges.ts';

const LATER = momentAt(NOON + MINUTE);

describe('a charge', () => {
  it('begins with nothing known of it', () => {
    const { mark } = momentAt(NOON);
    const { bound: _bound, ...terms } = intent();
    expect(started('chg-1', intent({ bound: 7 }), SELF, momentAt(NOON))).toStrictEqual({
      ...terms,
      ...{ id: 'chg-1', seq: 0, state: 'sending', sender: SELF, createdAt: NOON, begun: mark, deadline: NOON + 7 },
      ...{ took: undefined, told: undefined, recordedAt: undefined, exitCode: undefined, activity: undefined },
      evidence: [],
    });
  });

  it('whose process is gone is unknown, with the reason behind what was seen of it', () => {
    const before = { kind: 'look', at: '2026-11-20T12:00:00+00:00' };
    const sending = charge({ state: 'sending', recordedAt: undefined, evidence: [before] });
    expect(markStale(sending, LATER)).toMatchObject({
      state: 'unknown',
      recordedAt: LATER.at,
      evidence: [
        before,
        {
          kind: 'process_gone',
          at: '2026-11-20T12:01:00+00:00',
          pid: SELF.pid,
          why: 'its process ended before it could save the result',
        },
      ],
    });
  });
});

describe('an activity that was observed', () => {
  const seen = { uid: account().uid, status: 'successful', nextAction: null, createdAt: '2026-11-20T13:00:00+00:00' };

  it('stands as it was seen; what the customer was asked to do, and when it was made, stay known', () => {
    const before = charge();
    expect(observed(before, seen, LATER)).toStrictEqual({
      ...before,
      activity: { ...account(), status: 'successful' },
    });
  });

  it('is told when the service told it, where it did', () => {
    const told = { ...seen, nextAction: account().nextAction, servedAt: NOON + 7 };
    const { activity, told: when } = observed(charge({ activity: account({ nextAction: null }) }), told, LATER);
    expect(activity).toStrictEqual(account({ status: 'successful' }));
    expect(when).toEqual({ service: NOON + 7, at: LATER.at, mark: LATER.mark });
  });

  it('is all that is known where none was', () => {
    expect(observed(charge({ activity: undefined }), seen, LATER).activity).toEqual(seen);
  });
});

describe('what a payment request asks for', () => {
  const [none, some] = [charge(), charge({ asked: { amount: 5, currency: 'NGN' } })];

  it.each([
    ['nothing', none, {}, false],
    ['anything', none, { ref: 'A' }, true],
    ['the same', some, { amount: 5, currency: 'NGN' }, false],
    ['another amount', some, { amount: 6 }, false],
    ['one thing more', some, { amount: 6, customer: 'ony.AbCd.1' }, true],
  ])('is known better where %s is shown', (_what, before, shown, adds) => {
    expect(addsTo(before, shown)).toBe(adds);
  });

  it('is kept as it was said first', () => {
    expect(asking(none, { amount: 5, ref: 'A' }).asked).toEqual({ amount: 5, ref: 'A' });
    expect(asking(some, { amount: 6, customer: 'ony.AbCd.1' }).asked).toEqual({
      amount: 5,
      currency: 'NGN',
      customer: 'ony.AbCd.1',
    });
  });
});

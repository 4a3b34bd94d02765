import { describe, expect, it } from 'vitest';
import { afterActivity, afterRecord, type RefundState, refundShown } from '../../src/charge/refund.ts';

const [OPEN, BACK, FAILED, DISPUTED] = ['refund_open', 'paid_back', 'refund_failed', 'refund_disputed'] as const;
interface Seen {
  readonly state: RefundState;
  readonly amount: number | undefined;
  readonly isFirst: boolean;
}
const of = (state: RefundState, amount = 300): Seen => ({ state, amount, isFirst: true });
const whole = (state: RefundState): Seen => ({ state, amount: undefined, isFirst: true });
const later = (one: Seen): Seen => ({ ...one, isFirst: false });

describe("a refund's own record", () => {
  it.each([
    ['successful', BACK],
    ['failed', FAILED],
    ['processing', OPEN],
    ['something_new', OPEN],
    ['constructor', OPEN],
  ] as const)('with the status %s shows %s', (status, state) => expect(refundShown(status)).toBe(state));

  it.each<[before: RefundState, shown: RefundState, after: RefundState]>([
    [OPEN, OPEN, OPEN],
    [OPEN, BACK, BACK],
    [OPEN, FAILED, FAILED],
    [BACK, OPEN, BACK],
    [BACK, BACK, BACK],
    [BACK, FAILED, DISPUTED],
    [FAILED, OPEN, FAILED],
    [FAILED, BACK, DISPUTED],
    [DISPUTED, BACK, DISPUTED],
  ])('%s: %s leaves %s', (before, shown, after) => expect(afterRecord(of(before), shown, [], 900)).toBe(after));

  it('disputes a refund with which more went back than came', () => {
    expect(afterRecord(of(OPEN), BACK, [of(BACK, 600)], 900)).toBe(BACK);
    expect(afterRecord(of(OPEN), BACK, [of(BACK, 601)], 900)).toBe(DISPUTED);
    expect(afterRecord(of(OPEN), BACK, [of(BACK, 601), of(BACK, 0)], 900)).toBe(DISPUTED);
    expect(afterRecord(of(OPEN), BACK, [of(FAILED, 601), of(OPEN, 601)], 900)).toBe(BACK);
    expect(afterRecord(of(OPEN), BACK, [of(BACK, 601)], undefined)).toBe(BACK);
    expect(afterRecord(whole(OPEN), BACK, [], 900)).toBe(BACK);
    expect(afterRecord(whole(OPEN), BACK, [of(BACK, 1)], 900)).toBe(DISPUTED);
    expect(afterRecord(of(OPEN, 1), BACK, [whole(BACK)], 900)).toBe(DISPUTED);
  });
});

describe('the activity of refunds', () => {
  it.each<[what: string, status: string, before: Seen[], after: RefundState[]]>([
    ['proves the only one, in part', 'partially_refunded', [of(OPEN)], [BACK]],
    ['proves none of two, in part', 'partially_refunded', [of(OPEN), of(OPEN)], [OPEN, OPEN]],
    ['proves no second one, in part', 'partially_refunded', [of(BACK), of(OPEN)], [BACK, OPEN]],
    ['proves the only one that has not failed', 'partially_refunded', [of(FAILED), of(OPEN)], [FAILED, BACK]],
    ['proves none of all of it, in part', 'partially_refunded', [of(OPEN, 900)], [OPEN]],
    ['proves none without an amount, in part', 'partially_refunded', [whole(OPEN)], [OPEN]],
    ['proves all whose sum it brought', 'refunded', [of(OPEN), of(OPEN, 600)], [BACK, BACK]],
    ['proves one that pays all back', 'refunded', [whole(OPEN)], [BACK]],
    ['proves none after another part', 'partially_refunded', [later(of(OPEN))], [OPEN]],
    ['proves none of the rest after another part', 'refunded', [later(of(OPEN, 600))], [OPEN]],
    ['proves none without an amount after another part', 'refunded', [later(whole(OPEN))], [OPEN]],
    ['proves the rest after a part of ours', 'refunded', [of(BACK), later(of(OPEN, 600))], [BACK, BACK]],
    ['proves none of another sum', 'refunded', [of(OPEN), of(OPEN, 500)], [OPEN, OPEN]],
    ['proves none of more than it brought', 'refunded', [of(OPEN), of(OPEN, 700)], [OPEN, OPEN]],
    ['proves none before anything went back', 'successful', [of(OPEN)], [OPEN]],
    ['disputes the only failure if a part went back', 'partially_refunded', [of(FAILED)], [DISPUTED]],
    ['leaves a failure after a disputed one', 'refunded', [of(DISPUTED, 900), of(FAILED)], [DISPUTED, FAILED]],
    ['never proves a failure', 'successful', [of(OPEN), of(BACK), of(FAILED)], [OPEN, BACK, FAILED]],
    ['disputes the last failure that alone explains it', 'refunded', [of(FAILED), of(FAILED)], [FAILED, DISPUTED]],
    ['leaves a failure beside another refund', 'refunded', [of(FAILED), of(BACK, 900)], [FAILED, BACK]],
    ['has none', 'refunded', [], []],
  ])('%s', (_what, status, before, after) => expect(afterActivity(status, 900, before)).toEqual(after));

  it.each([0, undefined])('proves a part of an unknown sum: %s', (received) =>
    expect(afterActivity('partially_refunded', received, [of(OPEN)])).toEqual([BACK]),
  );
});

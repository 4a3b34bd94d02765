import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHARGE_STATES } from '../../src/core/charge.ts';
import type { Charge, Entry } from '../../src/ledger/entry.ts';
import { asShown, elsewhereOf, guard as guardOf, idsFrom, newId } from '../../src/ledger/guard.ts';
import type { RefusalReason } from '../../src/ledger/ledger.ts';
import { account, charge, guard, intent, MINUTE, momentAt, NOON } from './support/charges.ts';

const dial = account({ nextAction: { type: 'user_action', headers: { ussd: '*737#' } } });
const unreadable = account({ nextAction: { type: 'x', headers: { account_number: '1', expires_at: 'soon' } } });
const FIRST = { again: false };

const ofStatus = (status: string, more: Partial<Charge> = {}): Charge =>
  charge({ activity: account({ status }), ...more });

describe('the guard', () => {
  it.each<[string, Charge, RefusalReason | undefined, RefusalReason | undefined]>([
    ['an unknown charge', charge({ state: 'unknown', activity: undefined }), 'unresolved', 'unresolved'],
    ['an unknown charge by another medium', charge({ state: 'unknown', medium: 'ussd' }), 'unresolved', 'unresolved'],
    ['a charge being sent', charge({ state: 'sending', recordedAt: undefined }), 'in_progress', 'in_progress'],
    [
      'a charge being sent by another medium',
      charge({ state: 'sending', medium: 'ussd' }),
      'in_progress',
      'in_progress',
    ],
    ['an open account', charge(), 'payable', undefined],
    ['a dial string, which never expires', charge({ activity: dial }), 'payable', undefined],
    ['an open charge by another medium', charge({ medium: 'ussd', activity: dial }), undefined, undefined],
    ['a charge without an activity', charge({ activity: undefined }), 'payable', undefined],
    ['an account with an unreadable expiry', charge({ activity: unreadable }), 'payable', undefined],
    ['a charge without a next action', charge({ activity: account({ nextAction: null }) }), 'payable', undefined],
    ['an unknown status', ofStatus('on_the_moon'), 'payable', undefined],
    ['a processing charge', ofStatus('processing'), 'payable', undefined],
    ['a paid charge', ofStatus('successful'), 'paid', undefined],
    ['a refunded charge', ofStatus('refunded'), 'paid', undefined],
    ['a charge paid by another medium', ofStatus('successful', { medium: 'ussd' }), 'paid', undefined],
    ['a failed charge', ofStatus('failed'), undefined, undefined],
    ['an expired charge', ofStatus('expired'), undefined, undefined],
    ['a rejected charge', charge({ state: 'rejected', activity: undefined }), undefined, undefined],
    ['a charge that was not sent', charge({ state: 'not_sent', activity: undefined }), undefined, undefined],
    ['a charge that was not created', charge({ state: 'not_created', activity: undefined }), undefined, undefined],
  ])('with %s answers %s, and with --again %s', (_what, by, why, again) => {
    expect(guard([by], 'bank_transfer', FIRST, momentAt(NOON))).toEqual(
      why === undefined ? undefined : { why, by, activity: by.activity },
    );
    expect(guard([by], 'bank_transfer', { again: true }, momentAt(NOON))?.why).toBe(again);
  });

  it('lets other kinds pass accepted charges, and failed entries of their own kind', () => {
    const update = { kind: 'update' };
    expect(guardOf([charge()], update, FIRST, momentAt(NOON))).toBeUndefined();
    const before = (state: Entry['state']) =>
      guardOf([{ ...charge({ state }), kind: 'update' }], update, { ...FIRST, once: true }, momentAt(NOON))?.why;
    expect(CHARGE_STATES.filter((state) => before(state) === 'made')).toEqual(['accepted']);
    expect((['rejected', 'not_sent', 'not_created'] as const).map(before)).toEqual([undefined, undefined, undefined]);
    const both = [charge({ seq: 2 }), charge({ state: 'unknown' })].map((one) => ({ ...one, kind: 'update' }));
    expect(guardOf(both, update, { ...FIRST, once: true }, momentAt(NOON))?.why).toBe('unresolved');
  });

  it('refuses for a paid account even after its expiry', () => {
    expect(guard([ofStatus('successful')], 'bank_transfer', FIRST, momentAt(NOON + 60 * MINUTE))?.why).toBe('paid');
  });

  it('names the most severe reason, and the newest charge for it', () => {
    const [payable, newer] = [charge({ id: 'a', seq: 1 }), charge({ id: 'b', seq: 2 })];
    const unknown = charge({ id: 'c', seq: 3, state: 'unknown' });
    for (const charges of [
      [payable, newer, unknown],
      [unknown, newer, payable],
    ]) {
      expect(guard(charges, 'bank_transfer', FIRST, momentAt(NOON))?.by?.id).toBe('c');
    }
    for (const charges of [
      [newer, payable],
      [payable, newer],
    ]) {
      expect(guard(charges, 'bank_transfer', FIRST, momentAt(NOON))?.by?.id).toBe('b');
    }
    const sending = charge({ id: 'd', seq: 4, state: 'sending', recordedAt: undefined });
    expect(guard([sending, unknown], 'bank_transfer', FIRST, momentAt(NOON))?.by?.id).toBe('c');
    const paid = ofStatus('successful', { id: 'e', seq: 0 });
    expect(guard([payable, paid, newer], 'bank_transfer', FIRST, momentAt(NOON))?.by?.id).toBe('e');
  });

  it('never lets --again pass an unresolved charge, whatever else exists', () => {
    const any = fc
      .record({
        state: fc.constantFrom(...CHARGE_STATES),
        medium: fc.constantFrom('bank_transfer', 'ussd'),
        seq: fc.integer(),
        status: fc.constantFrom('requires_action', 'successful', 'failed', 'new'),
      })
      .map(({ status, ...more }) => ofStatus(status, more));
    fc.assert(
      fc.property(fc.array(any), fc.boolean(), (charges, again) => {
        const isOpen = charges.some(({ state }) => state === 'unknown' || state === 'sending');
        const why = guard(charges, 'bank_transfer', { again }, momentAt(NOON))?.why;
        const allowed = isOpen ? ['unresolved', 'in_progress'] : again ? [undefined] : [undefined, 'paid', 'payable'];
        expect(allowed).toContain(why);
      }),
    );
  });
});

describe('elsewhereOf', () => {
  it.each<[string, Charge, boolean]>([
    ['unresolved', charge({ state: 'unknown' }), true],
    ['being sent', charge({ state: 'sending' }), true],
    ['payable', charge(), true],
    ['payable by another medium', charge({ medium: 'ussd', activity: dial }), false],
    ['paid', ofStatus('successful'), false],
    ['failed', ofStatus('failed'), false],
    ['expired, which nobody has seen', charge(), false],
    ['rejected', charge({ state: 'rejected' }), false],
  ])('reports a charge at another service that is %s: %#', (what, one, told) => {
    const at = what.startsWith('expired') ? NOON + 60 * MINUTE : NOON;
    const others = [ofStatus('failed', { id: 'a' }), one];
    expect(elsewhereOf(others, intent(), momentAt(at))).toBe(told ? one : undefined);
  });
});

describe('asShown', () => {
  const LATER = momentAt(NOON + MINUTE);
  const seen = { ...account({ status: 'processing', nextAction: null }), servedAt: NOON + 5 };

  it('updates status and time, and keeps the next action', () => {
    expect(asShown(charge(), seen, LATER)).toEqual({
      ...charge(),
      told: { ...LATER, service: NOON + 5 },
      activity: { ...seen, nextAction: account().nextAction },
    });
  });

  it('keeps the old time if the read has none', () => {
    const { servedAt: _, ...untimed } = seen;
    expect(asShown(charge(), untimed, LATER).told).toEqual(charge().told);
  });

  it('uses the next action of the read, or null without any', () => {
    expect(asShown(charge(), { ...seen, nextAction: dial.nextAction }, LATER).activity?.nextAction).toEqual(
      dial.nextAction,
    );
    expect(asShown(charge({ activity: undefined }), seen, LATER).activity?.nextAction).toBeNull();
  });
});

const LAST = 2 ** 30 - 1;
const some = (first: number, second: number): string[] => {
  const next = idsFrom(first, second);
  return Array.from({ length: 5000 }, () => next('charge'));
};

const differing = (one: string, other: string): number => [...one].filter((letter, at) => letter !== other[at]).length;

describe('newId', () => {
  it.each([
    [0, 0],
    [7, LAST],
    [7, LAST + 1 - 20_706_943],
    [LAST, LAST],
  ])('makes ids of twelve letters without look-alikes (from %i, %i)', (first, second) => {
    const ids = some(first, second);
    for (const id of ids) expect(id).toMatch(/^chg-[0-9a-hj-km-np-tv-z]{12}$/);
    expect(new Set(ids).size).toBe(5000);
  });

  it('makes ascending ids, so that an index stores them side by side', () => {
    const ids = some(7, LAST + 1 - 20_706_943);
    expect(ids).toEqual([...ids].sort());
  });

  it('makes ids that differ from their neighbours in more than two letters', () => {
    const ids = some(7, 7);
    for (const [at, id] of ids.slice(1).entries()) expect(differing(id, ids[at] ?? '')).toBeGreaterThan(2);
  });

  it('starts differently per process and begins with the kind', () => {
    expect(some(1, 1)).not.toContain(some(1, 2)[0]);
    expect(newId('refund')).toMatch(/^refund-.{12}$/);
    expect(newId('charge')).toMatch(/^chg-.{12}$/);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Payment } from '../../src/charge/payment.ts';
import type { RefusalReason } from '../../src/charge/refusals.ts';
import { CHARGE_STATES } from '../../src/core/charge.ts';
import type { Backend } from '../../src/ledger/backend.ts';
import type { Charge, Entry, KeptActivity } from '../../src/ledger/entry.ts';
import { begin, guard as guardOf, newEntryId } from '../../src/ledger/guard.ts';
import { withReading, withWord } from '../../src/ledger/transitions.ts';
import { uidOf } from '../support/ids.ts';
import { account, charge, guard, intent, MINUTE, momentAt, NOON, PLACE, SELF } from './support/charges.ts';
import { NOW, watched } from './support/watched.ts';

const dial = account({ nextAction: { type: 'user_action', headers: { ussd: '*737#' } } });
const unreadable = account({ nextAction: { type: 'x', headers: { account_number: '1', expires_at: 'soon' } } });
const FIRST = { again: false };

const ofStatus = (status: string, more: Partial<Charge> = {}): Charge =>
  charge({ activity: account({ status }), ...more });

const withMoney = (payment: Payment, received: number): Charge =>
  charge({
    activity: account({ status: 'successful' }),
    asked: { amount: 900, currency: 'NGN', ref: undefined, customer: undefined },
    money: { payment, received, receivedAssumed: false, refunded: 0 },
  });

describe('the guard', () => {
  it.each<[string, Partial<Entry>, RefusalReason | undefined]>([
    ['an equal row of another job', {}, 'made'],
    ['one at the beginning of the time', { createdAt: NOON }, 'made'],
    ['one before it', { createdAt: NOON - 1 }, undefined],
    ['one that asked for something else', { digest: 'other' }, undefined],
    ['one of another kind', { kind: 'customer' }, undefined],
    ['one of another workspace', { workspace: 'EfGh' }, undefined],
    ['one of the same job', { job: 'job-2' }, undefined],
    ['one of no file', { job: undefined }, undefined],
    ['one without an outcome', { state: 'unknown' }, 'unresolved'],
  ])('compares a row that keeps equal ones with %s', (_what, more, why) => {
    const kind = 'payment_request';
    const earlier = {
      ...charge(),
      kind,
      digest: 'same',
      job: 'job-1',
      createdAt: NOON + 1,
      activity: undefined,
      ...more,
    };
    const wanted = { kind, digest: 'same', job: 'job-2', workspace: PLACE.workspace };
    expect(guardOf([earlier], wanted, { ...FIRST, equalSince: NOON }, momentAt(NOON + MINUTE))?.why).toBe(why);
  });

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
    ['an open account, before another medium', charge({ medium: 'ussd' }), 'other_medium', undefined],
    ['a code of another medium', charge({ medium: 'ussd', activity: dial }), 'other_medium', undefined],
    [
      'a code of another medium that is 29 minutes old',
      charge({ medium: 'ussd', activity: dial, begun: momentAt(NOON - 29 * MINUTE).mark }),
      'other_medium',
      undefined,
    ],
    [
      'a code of another medium that is 30 minutes old',
      charge({ medium: 'ussd', activity: dial, begun: momentAt(NOON - 30 * MINUTE).mark }),
      undefined,
      undefined,
    ],
    [
      'a code of another medium that was sent before a restart, 29 minutes ago',
      charge({ medium: 'ussd', activity: dial, begun: { boot: 'other', uptime: 0 }, createdAt: NOON - 29 * MINUTE }),
      'other_medium',
      undefined,
    ],
    [
      'a code of another medium that was sent before a restart, 30 minutes ago',
      charge({ medium: 'ussd', activity: dial, begun: { boot: 'other', uptime: 0 }, createdAt: NOON - 30 * MINUTE }),
      undefined,
      undefined,
    ],
    [
      'a code of the same medium that is a day old',
      charge({ activity: dial, begun: momentAt(NOON - 24 * 60 * MINUTE).mark }),
      'payable',
      undefined,
    ],
    [
      'a processing charge by another medium that is a day old',
      ofStatus('processing', { medium: 'ussd', begun: momentAt(NOON - 24 * 60 * MINUTE).mark }),
      'other_medium',
      undefined,
    ],
    ['a charge without an activity', charge({ activity: undefined }), 'payable', undefined],
    ['an account with an unreadable expiry', charge({ activity: unreadable }), 'payable', undefined],
    ['a charge without a next action', charge({ activity: account({ nextAction: null }) }), 'payable', undefined],
    ['an unknown status', ofStatus('on_the_moon'), 'payable', undefined],
    ['a processing charge', ofStatus('processing'), 'payable', undefined],
    ['a paid charge', ofStatus('successful'), 'paid', 'paid'],
    ['a refunded charge', ofStatus('refunded'), 'paid', 'paid'],
    ['a charge paid by another medium', ofStatus('successful', { medium: 'ussd' }), 'paid', 'paid'],
    ['an overpaid charge', withMoney('overpaid', 950), 'paid', 'paid'],
    ['a charge that is partly refunded', withMoney('partially_refunded', 900), 'paid', 'paid'],
    ['a charge that is paid in part', withMoney('underpaid', 400), 'underpaid', 'underpaid'],
    ['a reversed charge', withMoney('reversed', 0), undefined, undefined],
    ['a failed charge', ofStatus('failed'), undefined, undefined],
    ['an expired charge', ofStatus('expired'), undefined, undefined],
    ['a rejected charge', charge({ state: 'rejected', activity: undefined }), undefined, undefined],
    ['a charge that was not sent', charge({ state: 'not_sent', activity: undefined }), undefined, undefined],
    ['a charge that was not created', charge({ state: 'not_created', activity: undefined }), undefined, undefined],
  ])('with %s answers %s, and with --again %s', (_what, by, why, again) => {
    const found = guard([by], 'bank_transfer', FIRST, momentAt(NOON));
    if (why === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ why, by, activity: by.activity });
    expect(guard([by], 'bank_transfer', { again: true }, momentAt(NOON))?.why).toBe(again);
  });

  it('names what is missing from a request that is paid in part', () => {
    const part = withMoney('underpaid', 400);
    expect(guard([part], 'ussd', FIRST, momentAt(NOON))).toMatchObject({ missing: 500 });
    const beside = { ...part, money: part.money && { ...part.money, missing: 200 } };
    expect(guard([beside], 'ussd', FIRST, momentAt(NOON))).toMatchObject({ missing: 200 });
  });

  it('lets a charge pass beside the activities that a person named, and no others', () => {
    const other = charge({ id: 'b', seq: 2, medium: 'ussd', activity: { ...dial, uid: 'act.AbCd.2' } });
    const both = [charge({ medium: 'ussd' }), other];
    const beside = (...uids: string[]) =>
      guard(both, 'bank_transfer', { ...FIRST, beside: uids }, momentAt(NOON))?.by?.id;
    expect(beside()).toBe('b');
    expect(beside('act.AbCd.2')).toBe(charge().id);
    expect(beside('act.AbCd.2', account().uid)).toBeUndefined();
    const same = guard([charge()], 'bank_transfer', { ...FIRST, beside: [account().uid] }, momentAt(NOON));
    expect(same?.why).toBe('payable');
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
        const settled = again ? [undefined, 'paid'] : [undefined, 'paid', 'payable', 'other_medium'];
        expect(isOpen ? ['unresolved', 'in_progress'] : settled).toContain(why);
      }),
    );
  });
});

describe('a charge at another service', () => {
  /** The entry of another service that may lead to a second payment, if the ledger holds these. */
  const elsewhere = async (others: readonly Charge[], at: number): Promise<Entry | undefined> => {
    const change = async (_what: string, _queries: unknown, decide: (found: unknown) => { result: object }) =>
      decide([others, []]).result;
    const backend = { now: () => at, moment: () => momentAt(at), self: SELF, slack: 0, hasEnded: () => false, change };
    const result = await begin(backend as unknown as Backend, intent(), FIRST);
    return result.kind === 'begun' ? result.elsewhere : expect.fail(result.why);
  };

  it.each<[string, Charge, boolean]>([
    ['unresolved', charge({ state: 'unknown' }), true],
    ['being sent', charge({ state: 'sending' }), true],
    ['payable', charge(), true],
    ['payable by another medium', charge({ medium: 'ussd', activity: dial }), true],
    ['paid', ofStatus('successful'), false],
    ['failed', ofStatus('failed'), false],
    ['expired, which nobody has seen', charge(), false],
    ['rejected', charge({ state: 'rejected' }), false],
  ])('is reported if it is %s: %#', async (what, entry, told) => {
    const one = { ...entry, service: 'https://other.example' };
    const now = what.startsWith('expired') ? NOON + 60 * MINUTE : NOON;
    const failed = ofStatus('failed', { id: 'a', service: one.service });
    expect(await elsewhere([failed, one], now)).toEqual(told ? one : undefined);
  });
});

it('a charge ends later where the clocks of those who share the ledger may differ', async () => {
  const { backend, get } = watched([]);
  const begun = await begin({ ...backend, slack: 5 }, intent({ bound: MINUTE }), FIRST);
  expect(get(begun.kind === 'begun' ? begun.id : '')).toMatchObject({ deadline: NOW.at + MINUTE + 5 });
});

describe('withReading', () => {
  const LATER = momentAt(NOON + MINUTE);
  const read = (charge: Entry, activity: KeptActivity): Entry => withReading(charge, { activity, moment: LATER });
  const seen = { ...account({ status: 'processing', nextAction: null }), servedAt: NOON + 5 };

  it('updates status and time, and keeps the next action', () => {
    expect(read(charge(), seen)).toMatchObject({
      told: { ...LATER, service: NOON + 5 },
      activity: { status: 'processing', nextAction: account().nextAction },
      money: { payment: 'open', readAt: LATER.at },
    });
  });

  it('keeps the old time if the read has none', () => {
    const { servedAt: _, ...untimed } = seen;
    expect(read(charge(), untimed).told).toEqual(charge().told);
  });

  it('uses the next action of the read, or null without any', () => {
    expect(read(charge(), { ...seen, nextAction: dial.nextAction }).activity?.nextAction).toEqual(dial.nextAction);
    expect(read(charge({ activity: undefined }), seen).activity?.nextAction).toBeNull();
  });

  const paid = read(charge(), { ...seen, status: 'successful' });
  const back = { ...seen, status: 'failed' };

  it('keeps a payment that a newer read no longer shows, and notes once what that showed', () => {
    const disputed = read(paid, { ...back, askedAt: LATER.at });
    expect(disputed.money).toMatchObject({ payment: 'paid', disputed: { payment: 'reversed', received: 0 } });
    expect(disputed.evidence.at(-1)).toMatchObject({ kind: 'reading', payment: 'reversed' });
    expect(read(disputed, { ...back, askedAt: LATER.at })).toBe(disputed);
    expect(read(disputed, { ...seen, status: 'successful' }).money?.disputed).toBeUndefined();
    expect(read(paid, { ...back, servedAt: NOON + 6 })).toBe(paid);
  });

  it('keeps the date of money that an answer without a date shows again', () => {
    const dated = (status: string, updatedAt?: number) => ({
      ...{ ...seen, status, askedAt: LATER.at },
      facts: { uid: seen.uid, status, updatedAt },
    });
    const first = read(charge(), dated('successful', 5));
    expect(read(first, dated('successful')).money?.updatedAt).toBe(5);
    expect(read(read(first, dated('successful')), dated('failed', 6)).money?.payment).toBe('reversed');
    const open = read(charge(), dated('processing', 5));
    const failed = read(open, dated('failed'));
    expect(read(failed, dated('successful', 4)).money).toMatchObject({ payment: 'paid', updatedAt: 4 });
    expect(read(read(open, dated('successful')), dated('failed', 6)).money).toMatchObject({
      ...{ payment: 'paid', updatedAt: undefined, disputed: { payment: 'reversed' } },
    });
  });

  it('keeps what came by the payment request when a read of the activity alone shows nothing new', () => {
    const facts = { uid: account().uid, status: 'successful', charged: 400 };
    const part = { ...seen, status: 'successful', facts, askedAt: LATER.at };
    const request = {
      status: 'ugwo_successful',
      amount: 900,
      total: 900,
      activities: [facts, { ...facts, uid: 'act.2' }],
    };
    const before = withReading(charge({ asked: { amount: 900 } }), { activity: part, request, moment: LATER });
    expect(before.money).toMatchObject({ payment: 'paid', received: 400, missing: 0 });
    for (const charged of [400, undefined]) {
      const after = read(before, { ...part, facts: { ...facts, charged } });
      expect(after.money).toMatchObject({ payment: 'paid', received: 400, missing: 0 });
    }
    const more = read(before, { ...part, facts: { ...facts, charged: 900 } });
    expect(more.money).toMatchObject({ received: 900, missing: undefined });
  });

  it('forgets what is missing when a read of the activity alone shows that money came', () => {
    const facts = { uid: account().uid, status: 'requires_action' };
    const request = { status: 'processing', amount: 900, total: 0, activities: [facts] };
    const before = withReading(charge({ asked: { amount: 900 } }), {
      activity: { ...seen, facts, askedAt: LATER.at },
      ...{ request, moment: LATER },
    });
    expect(before.money?.missing).toBe(900);
    const came = { uid: account().uid, status: 'successful', charged: 900 };
    const after = read(before, { ...seen, status: 'successful', facts: came, askedAt: LATER.at });
    expect(after.money).toMatchObject({ payment: 'paid', received: 900, missing: undefined });
  });

  it.each<[string, Partial<KeptActivity['facts']>, hasClock: boolean, number]>([
    ["the activity's date", { createdAt: 4, updatedAt: 5 }, true, 5],
    ["the service's clock", { createdAt: 4 }, true, NOON + 5],
    ["the ledger's clock", { createdAt: 4 }, false, LATER.at],
  ])('dates a payment by %s, and keeps that date while it is refunded or reversed', (_what, times, hasClock, at) => {
    const { servedAt: _, ...untimed } = seen;
    const timed = hasClock ? seen : untimed;
    const as = (status: string, updatedAt?: number): KeptActivity => ({
      ...{ ...timed, status, askedAt: LATER.at },
      facts: { uid: seen.uid, status, charged: 900, ...times, ...(updatedAt && { updatedAt }) },
    });
    const first = read(charge(), as('successful'));
    const refunded = read(first, as('refunded', NOON + 8));
    const reversed = read(first, as('failed', NOON + 9));
    expect([first, refunded, reversed].map(({ money }) => money?.paidAt)).toEqual([at, at, at]);
    const again = read(reversed, as('failed', NOON + 10));
    expect(again.money).toMatchObject({ payment: 'reversed', reversed: { payment: 'paid', received: 900 } });
  });

  it('takes the latest names of a payment, and keeps those that a later read lacks', () => {
    const names = (end: number) => ({
      ...{ psp: `psp${end}`, pspReference: `ref${end}`, accountLast4: `000${end}`, accountDigest: `digest${end}` },
    });
    const twice = read(read(charge(), { ...seen, ...names(1) }), { ...seen, ...names(2) });
    expect(twice.money).toMatchObject(names(2));
    expect(read(twice, seen).money).toMatchObject(names(2));
  });

  it('forgets the failure, and the mark of a double charge, that a later read no longer shows', () => {
    const facts = { uid: seen.uid, status: 'failed', failureCode: 'declined', isDoubleCharge: true };
    const failed = read(charge(), { ...seen, status: 'failed', facts });
    expect(failed.money).toMatchObject({ failureCode: 'declined', isDoubleCharge: true });
    const came = { uid: seen.uid, status: 'successful', isDoubleCharge: false };
    expect(read(failed, { ...seen, status: 'successful', facts: came }).money).toMatchObject({
      ...{ payment: 'paid', failureCode: undefined, isDoubleCharge: false },
    });
  });

  it("tells by the account's known end, where a failed activity no longer shows it, that it expired", () => {
    const failed = (updatedAt: number) => ({
      ...{ ...seen, status: 'failed', facts: { uid: seen.uid, status: 'failed', updatedAt } },
    });
    const until = NOON + 15 * MINUTE;
    expect([until - 1, until].map((at) => read(charge(), failed(at)).money?.payment)).toEqual(['failed', 'expired']);
  });

  it('forgets what came too much when a read of the activity alone shows that money went back', () => {
    const facts = { uid: account().uid, status: 'successful', charged: 900 };
    const request = { status: 'ugwo_successful', total: 900, activities: [facts] };
    const activity = { ...seen, status: 'successful', facts };
    const before = withReading(charge({ asked: { amount: 800 } }), { activity, request, moment: LATER });
    expect(before.money).toMatchObject({ payment: 'overpaid', excess: 100 });
    const back = { ...facts, status: 'partially_refunded' };
    const paidBack = new Map([[facts.uid, 100]]);
    const returned = { activity: { ...activity, status: back.status, facts: back }, paidBack, moment: LATER };
    expect(withReading(before, returned).money).toMatchObject({ received: 900, refunded: 100, excess: undefined });
    const whole = withReading(before, { ...returned, request: { ...request, activities: [back] } });
    expect(whole.money).toMatchObject({ received: 900, refunded: 100, excess: 0 });
  });

  it('knows no balance of a payment request while nothing says what it asks for', () => {
    const facts = { uid: account().uid, status: 'successful', amount: 400, charged: 400 };
    const request = { status: 'requires_ugwo', total: 900, activities: [facts, { ...facts, uid: uidOf(2) }] };
    const activity = { ...seen, status: 'successful', facts };
    expect(withReading(charge(), { activity, request, moment: LATER }).money).toMatchObject({
      ...{ payment: 'paid', received: 400, missing: undefined, excess: undefined },
    });
  });

  it('notes each sum that disputes a payment, and what a person says leaves no balance', () => {
    const shows = (charged: number) => ({
      ...{ ...seen, status: 'successful', askedAt: LATER.at },
      facts: { uid: seen.uid, status: 'successful', charged },
    });
    const part = (charged: number) => read(disputed, shows(charged));
    const request = { status: 'ugwo_successful', amount: 800, total: 900, activities: [shows(900).facts] };
    const first = withReading(charge(), { activity: shows(900), request, moment: LATER });
    const disputed = read(first, shows(400));
    expect(disputed.money).toMatchObject({ payment: 'overpaid', disputed: { received: 400 } });
    expect(part(400)).toBe(disputed);
    expect(part(300).money).toMatchObject({ payment: 'overpaid', disputed: { received: 300 } });
    const word = { kind: 'settled', at: '' };
    expect(withWord(disputed, 'paid', word, LATER).money).toMatchObject({ received: 900, excess: 100 });
    expect(withWord(disputed, 'reversed', word, LATER).money).toMatchObject({
      ...{ payment: 'reversed', received: 0, excess: undefined, missing: undefined },
      reversed: { payment: 'overpaid', received: 900, at: LATER.at },
    });
  });

  it('ignores an older read', () => {
    expect(read(paid, { ...back, servedAt: NOON + 4, askedAt: LATER.at })).toBe(paid);
  });
});

const differing = (one: string, other: string): number => [...one].filter((letter, at) => letter !== other[at]).length;

describe('newId', () => {
  const ids = Array.from({ length: 5000 }, () => newEntryId('charge'));

  it('makes ids of twelve letters without look-alikes', () => {
    for (const id of ids) expect(id).toMatch(/^chg-[0-9a-hj-km-np-tv-z]{12}$/);
    expect(new Set(ids).size).toBe(5000);
  });

  it('makes ascending ids, so that an index stores them side by side', () => {
    expect(ids).toEqual([...ids].sort());
  });

  it('makes ids that differ from their neighbours in more than two letters', () => {
    for (const [at, id] of ids.slice(1).entries()) expect(differing(id, ids[at] ?? '')).toBeGreaterThan(2);
  });

  it('begins with the kind', () => {
    expect(newEntryId('refund')).toMatch(/^refund-.{12}$/);
  });
});

import { describe, expect, it } from 'vitest';
import { keptAccount, type Sender, type StoredOutcome, termsDigestOf } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { asActivity, snapshotOf } from '../../src/ledger/snapshot.ts';
import { thrownBy } from '../client/support.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, beginCharge, intent, MINUTE, momentAt, NOON, SELF } from './support/charges.ts';
import { shown } from './support/shown.ts';

const FIRST = { again: false };
const ACCEPTED: StoredOutcome = { state: 'accepted', exitCode: 0, activity: account() };

describe.each(BACKENDS)('a ledger %s', (_where, newPlace) => {
  describe('a charge in the ledger', () => {
    it('is the only open one of its payment request, for every process', async () => {
      const place = newPlace();
      const [first, second] = [await open(place), await open(place)];
      const id = await beginCharge(first);
      for (const how of [{ again: false }, { again: true }]) {
        for (const medium of ['bank_transfer', 'ussd']) {
          expect(await second.begin(intent({ medium }), how)).toMatchObject({
            kind: 'refused',
            why: 'in_progress',
            by: { id },
          });
        }
      }
      await first.record(id, { state: 'unknown', exitCode: 6 });
      expect(await second.begin(intent(), { again: true })).toMatchObject({ kind: 'refused', why: 'unresolved' });
      await beginCharge(second, { about: 'ugw.AbCd.other' });
      await beginCharge(second, { service: 'https://other.example' });
    });

    it('keeps all its values after reopening', async () => {
      const place = newPlace();
      const ledger = await open(place);
      const more = {
        medium: 'mobile_money',
        provider: 'mtn',
        phone: '+234 803 999 4567',
        digest: 'ab',
        expiresAt: NOON + MINUTE,
        asked: { amount: 500_000, currency: 'NGN', ref: 'INV-1', customer: 'ony.AbCd.1', email: 'ada@example.com' },
        operator: 'ada',
      };
      const id = await beginCharge(ledger, more);
      const evidence = { kind: 'answer', at: '2026-11-20T12:00:00+00:00', skew_ms: 1 };
      await ledger.record(id, { ...ACCEPTED, activity: account({ servedAt: NOON + 5 }), evidence });
      await ledger.close();
      const { bound, ...rest } = intent(more);
      expect(await (await open(place)).get(id)).toEqual({
        ...rest,
        phone: '…4567',
        termsDigest: termsDigestOf(more.phone, {}, ledger.digest),
        deadline: NOON + bound,
        id,
        seq: 1,
        state: 'accepted',
        job: undefined,
        row: undefined,
        createdAt: NOON,
        sender: SELF,
        begun: momentAt(NOON).mark,
        took: 0,
        told: { ...momentAt(NOON), service: NOON + 5 },
        recordedAt: NOON,
        exitCode: 0,
        activity: account(),
        money: {
          payment: 'open',
          received: 0,
          receivedAssumed: false,
          refunded: 0,
          readAt: NOON,
          isDoubleCharge: false,
          accountLast4: '6789',
          accountDigest: keptAccount('0123456789', ledger.digest).accountDigest,
        },
        evidence: [evidence],
      });
    });

    it.each<[StoredOutcome['state'], number]>([
      ['accepted', 0],
      ['rejected', 3],
      ['not_sent', 5],
      ['unknown', 6],
    ])('that ended as %s is listed with that state', async (state, exitCode) => {
      const ledger = await open(newPlace());
      const id = await beginCharge(ledger);
      await ledger.record(id, { state, exitCode });
      expect(await ledger.list({ states: [state], limit: 9 })).toMatchObject([{ id, exitCode }]);
      expect(await ledger.unknown()).toHaveLength(state === 'unknown' ? 1 : 0);
    });

    it('becomes unknown for every process once its own has died', async () => {
      const place = newPlace();
      const id = await beginCharge(await open(place));
      const asked: Sender[] = [];
      const gone = { self: { ...SELF, pid: 1 }, hasEnded: (sender: Sender) => asked.push(sender) > 0 };
      expect(await (await open(place)).unknown()).toEqual([]);
      expect(await (await open(place, gone)).begin(intent(), { again: true })).toMatchObject({
        kind: 'refused',
        why: 'unresolved',
      });
      expect(asked.at(-1)).toEqual(SELF);
      expect(await (await open(place)).unknown()).toMatchObject([
        { id, recordedAt: NOON, exitCode: undefined, evidence: [{ kind: 'process_gone', pid: SELF.pid }] },
      ]);
    });

    it('becomes unknown although another one is still being sent', async () => {
      const place = newPlace();
      const [first, second] = [await open(place), await open(place, { self: { ...SELF, pid: 4712 } })];
      const gone = await beginCharge(first);
      const running = await beginCharge(second, { about: 'ugw.AbCd.2' });
      const other = await open(place, { hasEnded: ({ pid }) => pid === SELF.pid });
      const why = 'its process ended before it could save the result';
      expect(await other.unknown()).toMatchObject([{ id: gone, evidence: [{ kind: 'process_gone', why }] }]);
      expect(await other.get(running)).toMatchObject({ state: 'sending' });
    });

    it('keeps its outcome after its process has died', async () => {
      const place = newPlace();
      const ledger = await open(place);
      await ledger.record(await beginCharge(ledger), ACCEPTED);
      const next = await open(place, { hasEnded: () => true });
      expect(await next.begin(intent(), FIRST)).toMatchObject({ kind: 'refused', why: 'payable' });
      expect(await next.unknown()).toEqual([]);
    });

    it('is overdue after its deadline, which is passed to the process check', async () => {
      const place = newPlace();
      await beginCharge(await open(place));
      const overdue = { hasEnded: (_sender: unknown, late: boolean) => late };
      expect(await (await open(place, { ...overdue, now: () => NOON + 10 * MINUTE })).unknown()).toEqual([]);
      expect(await (await open(place, { ...overdue, now: () => NOON + 10 * MINUTE + 1 })).unknown()).toHaveLength(1);
    });

    it('counts as unknown in begin and resolve, without an earlier read', async () => {
      const late = { hasEnded: (_sender: unknown, overdue: boolean) => overdue, now: () => NOON + 10 * MINUTE + 1 };
      const [first, second] = [newPlace(), newPlace()];
      await beginCharge(await open(first));
      const inTime = await open(first, { ...late, now: () => NOON + 10 * MINUTE });
      expect(await inTime.begin(intent(), FIRST)).toMatchObject({ kind: 'refused', why: 'in_progress' });
      expect(await (await open(first, late)).begin(intent(), FIRST)).toMatchObject({ why: 'unresolved' });
      const id = await beginCharge(await open(second));
      const evidence = { kind: 'resolved', at: '2026-11-20T12:00:00+00:00' };
      expect(await (await open(second, late)).resolve(id, { state: 'not_created', evidence })).toBe(true);
    });

    it("that is refused comes with the guard's time", async () => {
      const ledger = await open(newPlace());
      await beginCharge(ledger);
      expect(await ledger.begin(intent(), FIRST)).toMatchObject({ kind: 'refused', moment: momentAt(NOON) });
    });

    it("that does not exist can't get an outcome", async () => {
      const ledger = await open(newPlace());
      expect(await thrownBy(ledger.record('chg-none', ACCEPTED))).toMatchObject({ kind: 'unrecorded' });
    });

    it.each([
      ['by the monotonic clock', SELF, 7000],
      ['by the wall clock, without a monotonic one', { ...SELF, boot: '' }, MINUTE],
    ])('stores the duration of the sending, %s', async (_which, self, took) => {
      let [now, up] = [NOON, 0];
      const ledger = await open(newPlace(), { self, now: () => now, uptime: () => up });
      const id = await beginCharge(ledger);
      [now, up] = [NOON + MINUTE, 7000];
      await ledger.record(id, { state: 'unknown', exitCode: 6 });
      expect(await ledger.get(id)).toMatchObject({ took, recordedAt: NOON + MINUTE });
      await ledger.resolve(id, { state: 'not_created', evidence: { kind: 'look', at: '2026-11-20T12:00:00+00:00' } });
      expect(await ledger.get(id)).toMatchObject({ took });
    });

    it('stores no key from evidence and no phone number from a next action', async () => {
      const ledger = await open(newPlace(), { clean: (text) => text.replaceAll('sk.Test.secret', '[secret]') });
      const said = 'sk.Test.secret: confirm on +233 24 123 4567';
      const evidence = { kind: 'answer', at: '2026-11-20T12:00:00+00:00', message: said };
      const activity = account({ nextAction: { type: 'prompt', instruction: said } });
      const asked = { amount: 5, ref: 'sk.Test.secret of +234 803 999 4567' };
      const masked = await beginCharge(ledger, { phone: '+2348039994567', about: 'ugw.AbCd.3', asked });
      expect((await ledger.get(masked))?.asked).toMatchObject({ amount: 5, ref: '[secret] of …4567' });
      const settled = await beginCharge(ledger, { phone: '…4567' });
      await ledger.record(settled, { state: 'accepted', exitCode: 0, activity, evidence });
      const resolved = await beginCharge(ledger, { phone: '…4567', about: 'ugw.AbCd.2' });
      await ledger.record(resolved, { state: 'unknown', exitCode: 6 });
      await ledger.note(resolved, { ...evidence, kind: 'look' });
      expect((await ledger.get(resolved))?.evidence).toMatchObject([{ message: expect.stringMatching(/^\[secret\]/) }]);
      const other = { ...activity, uid: 'act.AbCd.2' };
      await ledger.resolve(resolved, { state: 'accepted', activity: other, evidence });
      for (const id of [settled, resolved]) {
        expect(await ledger.get(id)).toMatchObject({
          activity: { nextAction: { instruction: '[secret]: confirm on …4567' } },
          evidence: expect.arrayContaining([
            expect.objectContaining({ message: expect.stringMatching(/^\[secret\]/) }),
          ]),
        });
        expect(JSON.stringify(await ledger.get(id))).not.toContain('sk.Test');
      }
    });
  });

  describe('a late outcome after others considered the process dead', () => {
    const evidence = { kind: 'answer', at: '2026-11-20T12:00:00+00:00' };
    const takenForDead = async () => {
      const place = newPlace();
      const [sender, other] = [await open(place), await open(place, { hasEnded: () => true })];
      const id = await beginCharge(sender);
      expect(await other.unknown()).toMatchObject([{ id }]);
      const conclude = () => other.resolve(id, { state: 'not_created', evidence: { ...evidence, kind: 'look' } });
      return { sender, id, conclude };
    };

    it('replaces the state unknown', async () => {
      const { sender, id } = await takenForDead();
      await sender.record(id, { state: 'rejected', exitCode: 3, evidence });
      expect(await sender.get(id)).toMatchObject({ state: 'rejected', exitCode: 3 });
    });

    it('overrides an earlier conclusion if the service accepted the charge', async () => {
      const { sender, id, conclude } = await takenForDead();
      expect(await conclude()).toBe(true);
      await sender.record(id, ACCEPTED);
      expect(await sender.get(id)).toMatchObject({ state: 'accepted', activity: { uid: account().uid } });
    });

    it.each([
      ['reopened by an unknown outcome', 'unknown', false, 'unknown'],
      ['not reopened beside another open charge', 'unknown', true, 'not_created'],
      ['a failure is only added to the evidence', 'rejected', false, 'not_created'],
    ] as const)('after the conclusion "not created": %s', async (_what, state, another, after) => {
      const { sender, id, conclude } = await takenForDead();
      expect(await conclude()).toBe(true);
      if (another) await beginCharge(sender);
      await sender.record(id, { state, exitCode: 6, evidence });
      const kinds = (await sender.get(id))?.evidence.map(({ kind }) => kind);
      expect([(await sender.get(id))?.state, kinds]).toEqual([after, ['process_gone', 'look', 'answer']]);
    });

    it("is in the evidence, and can't be overruled with ledger resolve", async () => {
      const { sender, id } = await takenForDead();
      const said = { kind: 'resolved', at: '2026-11-20T12:00:00+00:00' };
      expect(await sender.resolve(id, { state: 'not_created', evidence: said })).toBe(true);
      await sender.record(id, ACCEPTED);
      expect((await sender.get(id))?.evidence.at(-1)).toMatchObject({ kind: 'answer' });
      expect(await sender.resolve(id, { state: 'not_created', evidence: said })).toBe(false);
    });

    it('does not undo a payment', async () => {
      const { sender, id } = await takenForDead();
      const look = { ...evidence, kind: 'look' };
      await sender.resolve(id, { state: 'accepted', activity: account({ status: 'successful' }), evidence: look });
      await sender.record(id, ACCEPTED);
      expect(await sender.get(id)).toMatchObject({ activity: { status: 'successful' } });
    });
  });

  describe('resolve', () => {
    const evidence = { kind: 'resolved', at: '2026-11-20T12:00:00+00:00' };

    it('changes an unknown charge once, and no other', async () => {
      const ledger = await open(newPlace());
      const id = await beginCharge(ledger);
      expect(await ledger.resolve(id, { state: 'not_created', evidence })).toBe(false);
      await ledger.record(id, { state: 'unknown', exitCode: 6 });
      const seen = { ...evidence, kind: 'look' };
      expect(await ledger.resolve(id, { state: 'not_created', evidence: seen })).toBe(true);
      expect(await ledger.resolve(id, { state: 'accepted', activity: account(), evidence })).toBe(false);
      expect(await ledger.resolve('chg-none', { state: 'not_created', evidence })).toBe(false);
      expect(await ledger.get(id)).toMatchObject({ state: 'not_created', exitCode: 6, evidence: [seen] });
    });

    it('by a person can be corrected by a person, and by nothing else', async () => {
      const ledger = await open(newPlace());
      const id = await beginCharge(ledger);
      await ledger.record(id, { state: 'unknown', exitCode: 6 });
      for (const activity of [undefined, account(), account()]) {
        const how = { state: 'accepted' as const, evidence, ...(activity === undefined ? {} : { activity }) };
        expect(await ledger.resolve(id, how)).toBe(true);
      }
      expect(await ledger.resolve(id, { state: 'not_created', evidence: { ...evidence, kind: 'look' } })).toBe(false);
      expect(await ledger.resolve(id, { state: 'not_created', evidence })).toBe(true);
      expect(await ledger.get(id)).toMatchObject({ state: 'not_created', activity: undefined });
    });

    it.each([undefined, account()])('as created once more keeps the payment that was seen since', async (activity) => {
      const ledger = await open(newPlace());
      const id = await beginCharge(ledger);
      await ledger.record(id, { state: 'unknown', exitCode: 6 });
      const [state, unread] = ['accepted', { ...account(), status: '', nextAction: null }] as const;
      expect(await ledger.resolve(id, { state, activity: unread, evidence })).toBe(true);
      await ledger.observe(shown([account({ status: 'successful' })]));
      const named = activity === undefined ? {} : { activity: unread };
      expect(await ledger.resolve(id, { state, evidence, ...named })).toBe(true);
      expect(await ledger.get(id)).toMatchObject({ activity: { status: 'successful' }, money: { payment: 'paid' } });
      expect(await ledger.begin(intent(), { again: true })).toMatchObject({ kind: 'refused', why: 'paid' });
    });

    it('never gives one activity two owners', async () => {
      const ledger = await open(newPlace());
      await ledger.record(await beginCharge(ledger), ACCEPTED);
      const second = await beginCharge(ledger, { about: 'ugw.AbCd.2' });
      await ledger.record(second, { state: 'unknown', exitCode: 6 });
      expect(await ledger.resolve(second, { state: 'accepted', activity: account(), evidence })).toBe(false);
      expect(await ledger.owned([account().uid, 'act.x'])).toEqual(new Set([account().uid]));
    });
  });

  describe('observe of an activity', () => {
    it('updates its status for the guard and keeps its next action', async () => {
      const ledger = await open(newPlace());
      const id = await beginCharge(ledger);
      await ledger.record(id, ACCEPTED);
      await ledger.observe(shown([account({ status: 'successful', nextAction: null })]));
      expect(await ledger.get(id)).toMatchObject({
        state: 'accepted',
        activity: { status: 'successful', nextAction: account().nextAction },
      });
      expect(await ledger.begin(intent(), FIRST)).toMatchObject({ kind: 'refused', why: 'paid' });
    });

    const dated = (status: string, at: number | undefined) => {
      const time = at === undefined ? {} : { updated_at: new Date(at).toISOString() };
      return snapshotOf(
        { activities: [{ ...asActivity(account({ status })), ...time }] },
        { askedAt: NOON + 60 * MINUTE },
      );
    };

    it.each(['paid', 'reversed'] as const)('stores what disputes a payment until a person says %s', async (as) => {
      const place = newPlace();
      const ledger = await open(place);
      const id = await beginCharge(ledger);
      await ledger.record(id, ACCEPTED);
      await ledger.observe(dated('successful', undefined));
      await ledger.observe(dated('failed', undefined));
      await ledger.close();
      const reopened = await open(place);
      const disputed = async () => (await reopened.list({ limit: 9, disputed: true })).map((one) => one.id);
      expect(await disputed()).toEqual([id]);
      expect(await reopened.list({ limit: 9, payments: ['paid'] })).toMatchObject([{ id }]);
      expect(await reopened.settle(id, as, { kind: 'settled', at: '' })).toBe(true);
      expect(await disputed()).toEqual([]);
      await reopened.observe(dated('failed', undefined));
      expect(await disputed()).toEqual([]);
      expect(await reopened.list({ limit: 9, payments: [as] })).toMatchObject([{ id }]);
      expect(await reopened.settle(id, 'paid', { kind: 'settled', at: '' })).toBe(as === 'paid');
    });

    it('stores a reversal, which stays after reopening', async () => {
      const place = newPlace();
      const ledger = await open(place);
      const id = await beginCharge(ledger);
      await ledger.record(id, ACCEPTED);
      await ledger.observe(dated('successful', NOON + 1000));
      await ledger.observe(dated('failed', NOON + 2000));
      await ledger.observe(dated('failed', NOON + 120_000));
      await ledger.close();
      const reopened = await open(place);
      const reversed = { payment: 'reversed', received: 0, paidAt: NOON + 1000 };
      expect((await reopened.get(id))?.money).toMatchObject(reversed);
      expect(await reopened.list({ limit: 9, payments: ['reversed'] })).toMatchObject([{ id, money: reversed }]);
      expect(await reopened.list({ limit: 9, payments: ['paid', 'failed'] })).toEqual([]);
    });

    it('adds the creation time if a person gave only its id; the first value stays', async () => {
      const ledger = await open(newPlace());
      const id = await beginCharge(ledger);
      await ledger.record(id, { state: 'unknown', exitCode: 6 });
      const named = account({ status: '', nextAction: null, createdAt: undefined });
      const evidence = { kind: 'resolved', at: '2026-11-20T12:00:00+00:00' };
      await ledger.resolve(id, { state: 'accepted', activity: named, evidence });
      const createdAt = account().createdAt ?? '';
      for (const read of [createdAt, '2026-11-20T13:00:00+00:00']) {
        await ledger.observe(shown([account({ createdAt: read })]));
        expect(await ledger.get(id)).toMatchObject({ activity: { createdAt } });
      }
    });

    it('keeps a payment where nothing tells which of two reads is newer', async () => {
      const ledger = await open(newPlace());
      const id = await beginCharge(ledger);
      await ledger.record(id, ACCEPTED);
      await ledger.observe(shown([account({ status: 'successful' })]));
      await ledger.observe(shown([account()]));
      expect(await ledger.get(id)).toMatchObject({ activity: { status: 'successful' } });
      await ledger.observe(shown([account({ status: 'refunded' })]));
      expect(await ledger.get(id)).toMatchObject({ activity: { status: 'refunded' } });
    });

    it("updates the service's time if the answer has it", async () => {
      let at = NOON;
      const ledger = await open(newPlace(), { now: () => at, uptime: () => at - NOON });
      const id = await beginCharge(ledger);
      await ledger.record(id, { ...ACCEPTED, activity: account({ servedAt: NOON }) });
      // Not at each read during a wait: a time less than a minute old suffices.
      for (const [passed, service] of [
        [59_999, NOON],
        [60_000, NOON + 60_005],
      ] as const) {
        at = NOON + passed;
        await ledger.observe(shown([account({ servedAt: at + 5 })]));
        expect(await ledger.get(id)).toMatchObject({ told: { service } });
      }
      // But at once if it differs from the expected time.
      for (const [ahead, service] of [
        [1999, NOON + 60_005],
        [2000, NOON + 62_005],
      ] as const) {
        await ledger.observe(shown([account({ servedAt: NOON + 60_005 + ahead })]));
        expect(await ledger.get(id)).toMatchObject({ told: { service } });
      }
      at = NOON + 200_000;
      await ledger.observe(shown([account()]));
      expect(await ledger.get(id)).toMatchObject({ told: { service: NOON + 62_005 } });
    });

    it('writes at once that an account has expired', async () => {
      let at = NOON;
      const ledger = await open(newPlace(), { now: () => at, uptime: () => at - NOON });
      const id = await beginCharge(ledger);
      const short = account({ servedAt: NOON }, 10_000);
      await ledger.record(id, { ...ACCEPTED, activity: short });
      for (const [passed, service] of [
        [20_000, NOON],
        [25_000, NOON + 25_000],
        [26_000, NOON + 25_000],
      ] as const) {
        at = NOON + passed;
        await ledger.observe(shown([{ ...short, servedAt: at }]));
        expect(await ledger.get(id)).toMatchObject({ told: { service } });
      }
    });

    it('without an owner changes nothing', async () => {
      const ledger = await open(newPlace());
      await ledger.observe(shown([account()]));
      expect(await ledger.list({ limit: 9 })).toEqual([]);
    });
  });

  describe('list', () => {
    it('sorts newest or oldest first, from a position, by state and payment request', async () => {
      const ledger = await open(newPlace());
      const ids: string[] = [];
      for (const number of [1, 2, 3, 4]) {
        const id = await beginCharge(ledger, { about: `ugw.AbCd.${number}` });
        await ledger.record(id, number % 2 === 0 ? ACCEPTED : { state: 'rejected', exitCode: 3 });
        ids.push(id);
      }
      const listed = async (filter: Partial<Parameters<Ledger['list']>[0]>): Promise<(number | undefined)[]> =>
        (await ledger.list({ limit: 9, ...filter })).map(({ id }) => ids.indexOf(id) + 1);
      expect(await listed({})).toEqual([4, 3, 2, 1]);
      expect(await listed({ limit: 2 })).toEqual([4, 3]);
      expect(await listed({ before: 3 })).toEqual([2, 1]);
      expect(await listed({ oldestFirst: true, after: 2 })).toEqual([3, 4]);
      expect(await listed({ states: ['rejected'] })).toEqual([3, 1]);
      expect(await listed({ states: [] })).toEqual([]);
      expect(await listed({ about: 'ugw.AbCd.2' })).toEqual([2]);
    });

    it('of unknown charges returns all, oldest first', async () => {
      const ledger = await open(newPlace());
      const ids: string[] = [];
      for (const number of [1, 2, 3]) {
        const id = await beginCharge(ledger, { about: `ugw.AbCd.${number}` });
        await ledger.record(id, { state: 'unknown', exitCode: 6 });
        ids.push(id);
      }
      expect((await ledger.unknown()).map(({ id }) => id)).toEqual(ids);
    });
  });
});

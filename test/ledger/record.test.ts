import { describe, expect, it } from 'vitest';
import type { Evidence, RequestTerms, StoredOutcome } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, beginCharge, intent, MINUTE, NOON } from './support/charges.ts';
import { shown } from './support/shown.ts';

const AT = '2026-11-20T12:00:00+00:00';
const ACCEPTED: StoredOutcome = { state: 'accepted', exitCode: 0, activity: account() };
const LOOK: Evidence = { kind: 'look', at: AT };

const evidenceOf = async (ledger: Ledger, id: string) => (await ledger.get(id))?.evidence;

describe.each(BACKENDS)('a ledger %s', (_where, newPlace) => {
  describe('record', () => {
    it('stores what is unusual about the answer in one sentence', async () => {
      const ledger = await open(newPlace());
      const id = await beginCharge(ledger);
      expect(await ledger.record(id, { ...ACCEPTED, odd: ['it is late', 'it is large'] })).toBeUndefined();
      expect(await evidenceOf(ledger, id)).toEqual([{ kind: 'odd', at: AT, message: 'it is late; it is large' }]);
    });

    it('stores no evidence if nothing is unusual', async () => {
      const ledger = await open(newPlace());
      const id = await beginCharge(ledger);
      await ledger.record(id, ACCEPTED);
      expect(await evidenceOf(ledger, id)).toEqual([]);
    });

    it('returns the charge that already owns the activity, and leaves it unchanged', async () => {
      const ledger = await open(newPlace());
      const [first, second] = [await beginCharge(ledger), await beginCharge(ledger, { about: 'ugw.AbCd.2' })];
      expect(await ledger.record(first, ACCEPTED)).toBeUndefined();
      expect(await ledger.record(second, ACCEPTED)).toMatchObject({ id: first });
      expect(await ledger.get(second)).toMatchObject({
        state: 'accepted',
        evidence: [{ kind: 'odd', message: `${account().uid} is the activity of ${first}, too` }],
      });
      // Recorded again, it still has one owner.
      expect(await ledger.record(first, ACCEPTED)).toMatchObject({ id: second });
    });

    it.each([
      ['open', undefined, 'not_created'],
      ['unknown', { state: 'unknown', exitCode: 6 } as StoredOutcome, 'not_created'],
      ['accepted', ACCEPTED, 'unknown'],
      ['rejected', { state: 'rejected', exitCode: 3 } as StoredOutcome, 'unknown'],
      ['open at another service', 'elsewhere', 'unknown'],
      ['open for another payment request', 'other', 'unknown'],
    ] as const)(
      'reopens a charge as unknown unless another is open: here one that is %s',
      async (_what, other, state) => {
        const place = newPlace();
        const [sender, watcher] = [await open(place), await open(place, { hasEnded: () => true })];
        const id = await beginCharge(sender);
        await watcher.unknown();
        await watcher.resolve(id, { state: 'not_created', evidence: LOOK });
        if (other === 'elsewhere') await beginCharge(sender, { service: 'https://other.example' });
        else if (other === 'other') await beginCharge(sender, { about: 'ugw.AbCd.2' });
        else {
          const another = await beginCharge(sender);
          if (other !== undefined) await sender.record(another, other);
        }
        await sender.record(id, { state: 'unknown', exitCode: 6 });
        expect(
          (await watcher.list({ about: intent().about, states: [state], limit: 9 })).map((one) => one.id),
        ).toContain(id);
        expect((await evidenceOf(watcher, id))?.at(-1)).toEqual({
          kind: 'answer',
          at: AT,
          message: 'the answer came after all',
        });
      },
    );

    it('accepts a late success despite an earlier conclusion, also beside another open charge', async () => {
      const place = newPlace();
      const [sender, watcher] = [await open(place), await open(place, { hasEnded: () => true })];
      const id = await beginCharge(sender);
      await watcher.unknown();
      await watcher.resolve(id, { state: 'not_created', evidence: LOOK });
      await beginCharge(sender);
      await sender.record(id, ACCEPTED);
      expect(await sender.get(id)).toMatchObject({ state: 'accepted', activity: { uid: account().uid } });
    });

    it('ignores a note for an unknown id', async () => {
      const ledger = await open(newPlace());
      await ledger.note('chg-none', LOOK);
      expect(await ledger.list({ limit: 9 })).toEqual([]);
    });
  });

  describe('observe', () => {
    const noted = async (some: Parameters<typeof account>[0] = {}) => {
      let at = NOON;
      const ledger = await open(newPlace(), { now: () => at, uptime: () => at - NOON });
      const id = await beginCharge(ledger);
      await ledger.record(id, { ...ACCEPTED, activity: account({ servedAt: NOON, ...some }) });
      const pass = (ms: number): void => {
        at = NOON + ms;
      };
      return { ledger, id, pass };
    };

    it('records a next action or creation time that was missing', async () => {
      const { ledger, id, pass } = await noted({ nextAction: null, createdAt: undefined });
      pass(1000);
      await ledger.observe(shown([account({ nextAction: null, createdAt: undefined, servedAt: NOON + 1000 })]));
      expect(await ledger.get(id)).toMatchObject({ told: { at: NOON }, activity: { nextAction: null } });
      await ledger.observe(shown([account({ createdAt: undefined, servedAt: NOON + 1000 })]));
      expect(await ledger.get(id)).toMatchObject({
        told: { at: NOON + 1000 },
        activity: account({ createdAt: undefined }),
      });
      pass(2000);
      await ledger.observe(shown([account({ servedAt: NOON + 2000 })]));
      expect(await ledger.get(id)).toMatchObject({ told: { at: NOON + 2000 }, activity: account() });
      pass(3000);
      await ledger.observe(shown([account({ servedAt: NOON + 3000 })]));
      expect(await ledger.get(id)).toMatchObject({ told: { at: NOON + 2000 } });
    });

    it('records a changed status at once', async () => {
      const { ledger, id, pass } = await noted();
      pass(1000);
      await ledger.observe(shown([account({ status: 'processing', servedAt: NOON + 1000 })]));
      expect(await ledger.get(id)).toMatchObject({ told: { at: NOON + 1000 }, activity: { status: 'processing' } });
    });

    it.each([
      ['by less than rounding explains', -1999, false],
      ['by more than rounding explains', -2000, true],
    ])('records a service clock that is behind: %s', async (_what, ahead, isNoted) => {
      const { ledger, id, pass } = await noted();
      pass(MINUTE / 2);
      await ledger.observe(shown([account({ servedAt: NOON + MINUTE / 2 + ahead })]));
      expect((await ledger.get(id))?.told?.at).toBe(isNoted ? NOON + MINUTE / 2 : NOON);
    });

    it('adds missing terms of the payment request, each once', async () => {
      const place = newPlace();
      const ledger = await open(place, { clean: (text) => text.replaceAll('sk.Test.secret', '[secret]') });
      const id = await beginCharge(ledger, { asked: { amount: 5 } });
      await ledger.record(id, ACCEPTED);
      const asks = async (asked: RequestTerms) => {
        await ledger.observe(shown([account()], asked));
        return (await ledger.get(id))?.asked;
      };
      expect(await asks({ amount: 7 })).toEqual({ amount: 5 });
      expect(await asks({ amount: 7, currency: 'NGN' })).toEqual({ amount: 5, currency: 'NGN' });
      expect(await asks({ ref: 'for sk.Test.secret' })).toEqual({ amount: 5, currency: 'NGN', ref: 'for [secret]' });
      expect(await asks({ ref: 'INV-2', customer: 'ony.AbCd.1' })).toEqual({
        amount: 5,
        currency: 'NGN',
        ref: 'for [secret]',
        customer: 'ony.AbCd.1',
      });
    });
  });
});

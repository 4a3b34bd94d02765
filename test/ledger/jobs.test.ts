import { describe, expect, it } from 'vitest';
import { ugwoOf } from '../support/ids.ts';
import { DAY } from '../support/units.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, begunOf, intent, MINUTE, NOON, SELF } from './support/charges.ts';
import { begin, ID, job } from './support/jobs.ts';

const begun = async (...args: Parameters<typeof begin>): Promise<string> => begunOf(await begin(...args)).id;
const activity = (row: number, status = 'requires_action') =>
  account({ uid: `act.AbCd.${String(row).padStart(24, '0')}`, status });

describe.each(BACKENDS)('a ledger %s', (_where, newPlace) => {
  describe('a job', () => {
    it('keeps its first values, and takes the new names of the file and the profile on resume', async () => {
      const place = newPlace();
      const first = await open(place);
      await first.jobs.open(job(), 8);
      const later = await open(place, { now: () => NOON + MINUTE });
      await later.jobs.open(job({ name: 'renamed.csv', profile: 'renamed' }), 8);
      expect(await later.jobs.get(ID)).toEqual({
        ...job(),
        name: 'renamed.csv',
        profile: 'renamed',
        createdAt: NOON,
        runAt: NOON + MINUTE,
      });
      expect(await later.jobs.get('job-1111111111111111')).toBeUndefined();
    });

    it('keeps the adjustments of its last run until the next run starts', async () => {
      const place = newPlace();
      const [one, other] = [await open(place), await open(place, { self: { ...SELF, pid: 4712 } })];
      await one.jobs.open(job(), 8);
      await other.jobs.open(job(), 8);
      expect((await one.jobs.get(ID))?.adjustments).toBeUndefined();
      await one.jobs.adjust(ID, { refused: 2, not_sent: -1 });
      await other.jobs.adjust(ID, { invalid: 1 });
      expect(await one.jobs.get(ID)).toMatchObject({ adjustments: { invalid: 1 } });
      await one.jobs.open(job(), 8);
      expect((await one.jobs.list({ limit: 1 }))[0]?.adjustments).toBeUndefined();
    });

    it('gives each slice of its rows to one process at a time, until released', async () => {
      const place = newPlace();
      const [one, other] = [await open(place), await open(place, { self: { ...SELF, pid: 4712 } })];
      expect(await one.jobs.lease(ID, 0)).toBe(true);
      expect(await one.jobs.lease(ID, 0)).toBe(true);
      expect(await other.jobs.lease(ID, 0)).toBe(false);
      expect(await other.jobs.lease(ID, 1)).toBe(true);
      expect(await other.jobs.lease(ID, 2)).toBe(true);
      expect(await other.jobs.lease('job-0000000000000002', 0)).toBe(true);
      expect(await one.jobs.workers(ID)).toEqual([
        { worker: expect.stringContaining('4711'), slices: 1 },
        { worker: expect.stringContaining('4712'), slices: 2 },
      ]);
      await one.jobs.release(ID);
      expect(await one.jobs.workers(ID)).toEqual([{ worker: expect.stringContaining('4712'), slices: 2 }]);
      expect(await other.jobs.lease(ID, 0)).toBe(true);
      expect(await one.jobs.lease(ID, 0)).toBe(false);
    });

    it('loses its text after a day if it is a plan, and stays if a charge or an update belongs to it', async () => {
      const place = newPlace();
      const ledger = await open(place);
      const plans = ['plan-old', 'plan-charged', 'plan-updated', ID];
      for (const id of plans) await ledger.jobs.open(job({ id, name: 'a text' }), 1);
      await begin(ledger, 1, {}, 'plan-charged');
      const update = { job: 'plan-updated', row: 1, onye: 'ony.AbCd.1', bound: MINUTE };
      await ledger.jobs.beginUpdate(update, { retry: false, looked: false });
      const later = await open(place, { now: () => NOON + 2 * DAY });
      await later.jobs.open(job({ id: 'plan-new', name: 'a text' }), 1);
      const total = { rows: 1, amounts: new Map(), unknown: 0 };
      for (const [plan, askedAt] of [
        ['plan-charged', NOON],
        ['plan-new', NOON],
        ['plan-unknown', NOON + DAY],
      ] as const)
        await later.policies.approve({ job: plan, total, askedBy: 'ada', askedAt });
      await later.jobs.endPlans(NOON + DAY);
      const approvals = ['plan-charged', 'plan-new', 'plan-unknown'].map(
        async (id) => (await later.policies.approval(id))?.askedBy,
      );
      expect(await Promise.all(approvals)).toEqual(['ada', 'ada', 'ada']);
      const names = ['plan-charged', 'plan-updated', ID, 'plan-new'].map(
        async (id) => (await later.jobs.get(id))?.name,
      );
      expect(await Promise.all(names)).toEqual(['', '', 'a text', 'a text']);
      expect((await later.jobs.get('plan-old'))?.name ?? '').toBe('');
      expect((await later.verify()).faults).toEqual([]);
    });

    it('is listed newest first, page by page', async () => {
      const ledger = await open(newPlace());
      const ids = ['a', 'b', 'c'].map((letter) => `job-${letter.repeat(16)}`);
      for (const id of ids) await ledger.jobs.open(job({ id }), 8);
      const first = await ledger.jobs.list({ limit: 2 });
      expect(first.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
      const rest = await ledger.jobs.list({ before: ids[1], limit: 2 });
      expect(rest.map(({ id }) => id)).toEqual([ids[0]]);
    });

    it('is listed for its workspace, and for each one before its first charge', async () => {
      const ledger = await open(newPlace());
      await ledger.jobs.open(job(), 8);
      const listed = async () =>
        (await Promise.all(['AbCd', 'EfGh'].map((workspace) => ledger.jobs.list({ limit: 9, workspace })))).map(
          ({ length }) => length,
        );
      expect(await listed()).toEqual([1, 1]);
      await begun(ledger, 1);
      expect(await listed()).toEqual([1, 0]);
    });

    it('counts an amount without its currency as unknown', async () => {
      const ledger = await open(newPlace());
      await ledger.jobs.open(job(), 8);
      for (const [row, asked] of [{ amount: 5, currency: 'NGN' }, { amount: 5 }, { currency: 'NGN' }].entries())
        begunOf(await ledger.begin(intent({ about: ugwoOf(row), job: ID, row, asked }), { again: false }));
      expect(await ledger.jobs.charged(ID)).toEqual({ rows: 3, amounts: new Map([['NGN', 5n]]), unknown: 2 });
    });

    it('counts a charge of a dead process as unknown at once', async () => {
      const place = newPlace();
      const ledger = await open(place);
      await ledger.jobs.open(job(), 8);
      await begun(ledger, 1);
      const later = await open(place, { hasEnded: () => true, self: { ...SELF, pid: 4712 } });
      expect(await later.jobs.tally({ ...job(), createdAt: 0, runAt: 0 })).toEqual({ unknown: 1 });
    });

    it('counts a refund that failed later as failed', async () => {
      const ledger = await open(newPlace());
      await ledger.jobs.open(job({ command: 'refund create' }), 8);
      const refund = { kind: 'refund', medium: undefined, path: '/v1/refunds', body: '{}', job: ID, row: 1 };
      const { id } = begunOf(await ledger.begin(intent(refund as never), { again: false }));
      const evidence = { kind: 'answer', at: '', uid: 'rfd.1', status: 'processing' };
      await ledger.record(id, { state: 'accepted', exitCode: 0, evidence });
      await ledger.observeRefund(intent().about, 'rfd.1', intent().origin, 'refund_failed');
      expect(await ledger.jobs.tally({ ...job(), createdAt: 0, runAt: 0 })).toEqual({ failed: 1 });
    });

    it('counts rows by their last charge', async () => {
      const ledger = await open(newPlace());
      await ledger.jobs.open(job(), 8);
      await ledger.record(await begun(ledger, 1), { state: 'accepted', exitCode: 0, activity: activity(1) });
      await ledger.record(await begun(ledger, 2), { state: 'accepted', exitCode: 11, activity: activity(2, 'failed') });
      await ledger.record(await begun(ledger, 3), { state: 'rejected', exitCode: 3 });
      await ledger.record(await begun(ledger, 3, { retry: true }), { state: 'unknown', exitCode: 6 });
      await begun(ledger, 4);
      await ledger.record(await begun(ledger, 5), { state: 'accepted', exitCode: 0, activity: activity(5, 'expired') });
      await ledger.record(await begun(ledger, 6), { state: 'accepted', exitCode: 11, activity: activity(6, 'failed') });
      await ledger.record(await begun(ledger, 6, { retry: true }), { state: 'not_sent', exitCode: 5 });
      await begin(ledger, 7, {}, 'job-1111111111111111');
      expect(await ledger.jobs.tally({ ...job(), createdAt: 0, runAt: 0 })).toEqual({
        accepted: 1,
        failed: 1,
        expired: 1,
        unknown: 1,
        sending: 1,
        not_sent: 1,
      });
    });

    it('returns the charges of the requested rows in order', async () => {
      const ledger = await open(newPlace());
      await ledger.record(await begun(ledger, 3), { state: 'rejected', exitCode: 3 });
      await begun(ledger, 2);
      await begun(ledger, 3, { retry: true });
      await begun(ledger, 4);
      await begin(ledger, 5, {}, 'job-1111111111111111');
      const found = await ledger.jobs.entries(ID, 2, 3);
      expect(found.map(({ row, state }) => [row, state])).toEqual([
        [2, 'sending'],
        [3, 'rejected'],
        [3, 'sending'],
      ]);
    });
  });

  describe('a row', () => {
    it('is sent once, even if its payment request could be charged again', async () => {
      const ledger = await open(newPlace());
      const id = await begun(ledger, 1);
      expect(await begin(ledger, 1)).toMatchObject({ kind: 'refused', why: 'done', by: { id, state: 'sending' } });
      await ledger.record(id, { state: 'accepted', exitCode: 0, activity: activity(1) });
      for (const how of [{}, { again: true }, { retry: true }]) {
        expect(await begin(ledger, 1, how)).toMatchObject({
          kind: 'refused',
          why: 'done',
          by: { id, state: 'accepted' },
        });
      }
    });

    it('is sent once by several processes, whatever payment request each has for it', async () => {
      const place = newPlace();
      const ledgers = [await open(place), await open(place, { self: { ...SELF, pid: 4712 } })];
      const all = Array.from({ length: 8 }, (_, at) =>
        ledgers[at % 2]?.begin(intent({ about: ugwoOf(at), job: ID, row: 1 }), { again: false }),
      );
      expect((await Promise.all(all)).filter((one) => one?.kind === 'begun')).toHaveLength(1);
    });

    it.each([
      ['rejected', { state: 'rejected', exitCode: 3 }],
      ['failed', { state: 'accepted', exitCode: 11, activity: activity(1, 'failed') }],
    ] as const)('that is %s is sent again only with retry, once', async (_name, outcome) => {
      const ledger = await open(newPlace());
      await ledger.record(await begun(ledger, 1), outcome);
      expect(await begin(ledger, 1, { again: true })).toMatchObject({ kind: 'refused', why: 'done' });
      const id = await begun(ledger, 1, { retry: true });
      await ledger.record(id, { state: 'accepted', exitCode: 0, activity: activity(2) });
      const third = await begin(ledger, 1, { again: true, retry: true });
      expect(third).toMatchObject({ kind: 'refused', why: 'done', by: { id } });
    });

    it('that was not sent is sent again without retry', async () => {
      const ledger = await open(newPlace());
      for (const exitCode of [130, 143, 5, 4]) {
        await ledger.record(await begun(ledger, 1), { state: 'not_sent', exitCode });
      }
      expect(await begin(ledger, 1)).toMatchObject({ kind: 'begun' });
    });

    it('that is unknown or whose process died is never sent again', async () => {
      const place = newPlace();
      const ledger = await open(place);
      await ledger.record(await begun(ledger, 1), { state: 'unknown', exitCode: 6 });
      await begun(ledger, 2);
      const next = await open(place, { hasEnded: () => true, self: { ...SELF, pid: 4712 } });
      for (const row of [1, 2]) {
        expect(await begin(next, row, { again: true, retry: true })).toMatchObject({
          kind: 'refused',
          why: 'done',
          by: { state: 'unknown' },
        });
      }
    });
  });

  describe('a row of updates', () => {
    const ONYE = 'ony.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
    const update = { job: ID, row: 1, onye: ONYE, bound: MINUTE };
    const plain = { retry: false, looked: false };

    it('is started once and completed', async () => {
      const ledger = await open(newPlace());
      expect(await ledger.jobs.beginUpdate(update, plain)).toBe(true);
      expect(await ledger.jobs.beginUpdate(update, { retry: true, looked: true })).toBe(false);
      await ledger.jobs.settleUpdate(update, { state: 'accepted', exitCode: 0 });
      expect(await ledger.jobs.beginUpdate(update, { retry: true, looked: true })).toBe(false);
      expect(await ledger.jobs.updates(ID, 1, 9)).toMatchObject([
        { job: ID, row: 1, onye: ONYE, state: 'accepted', exitCode: 0, message: undefined },
      ]);
    });

    it('that was not sent is started again', async () => {
      const ledger = await open(newPlace());
      await ledger.jobs.beginUpdate(update, plain);
      await ledger.jobs.settleUpdate(update, { state: 'not_sent', exitCode: 5, message: 'no' });
      expect(await ledger.jobs.beginUpdate(update, plain)).toBe(true);
    });

    it('that was rejected is started again only with retry', async () => {
      const ledger = await open(newPlace());
      await ledger.jobs.beginUpdate(update, plain);
      await ledger.jobs.settleUpdate(update, { state: 'rejected', exitCode: 3, message: 'no' });
      expect(await ledger.jobs.beginUpdate(update, { retry: false, looked: true })).toBe(false);
      expect(await ledger.jobs.beginUpdate(update, { retry: true, looked: false })).toBe(true);
      expect(await ledger.jobs.updates(ID, 1, 1)).toMatchObject([{ state: 'sending', exitCode: undefined }]);
    });

    it('whose process died is unknown, and started again only after a read', async () => {
      const place = newPlace();
      const first = await open(place);
      await first.jobs.beginUpdate(update, plain);
      await first.jobs.beginUpdate({ ...update, row: 2 }, plain);
      await first.jobs.settleUpdate({ ...update, row: 2 }, { state: 'unknown', exitCode: 6 });
      const next = await open(place, { hasEnded: () => true, self: { ...SELF, pid: 4712 } });
      expect(await next.jobs.updates(ID, 1, 1)).toMatchObject([{ state: 'unknown' }]);
      expect(
        await next.jobs.tally({ ...job({ kind: 'update', command: 'onye update' }), createdAt: 0, runAt: 0 }),
      ).toEqual({
        unknown: 2,
      });
      expect(await next.jobs.beginUpdate(update, { retry: true, looked: false })).toBe(false);
      expect(await next.jobs.beginUpdate(update, { retry: false, looked: true })).toBe(true);
    });

    it('stores no secret and no number from the name of the file, the customer and the message', async () => {
      const ledger = await open(newPlace(), { clean: (text) => text.replaceAll('s3cret', '…') });
      await ledger.jobs.open(job({ kind: 'update', name: 's3cret.csv' }), 1);
      await ledger.jobs.beginUpdate({ ...update, onye: 's3cret of +2348031234567' }, plain);
      const message = 'not with s3cret: 0123456789';
      await ledger.jobs.settleUpdate(update, { state: 'rejected', exitCode: 3, message });
      expect(await ledger.jobs.get(ID)).toMatchObject({ name: '….csv' });
      const [kept] = await ledger.jobs.updates(ID, 1, 1);
      expect(kept).toMatchObject({
        onye: expect.stringMatching(/^… of /),
        message: expect.stringMatching(/^not with …: /),
      });
      expect(JSON.stringify(kept)).not.toMatch(/803123|012345/);
    });
  });
});

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { digestUid, OTHER_BODY } from '../../src/webhook/event.ts';
import { openQueue } from '../../src/webhook/queue.ts';
import { newFolder } from '../support/program.ts';
import { ugwoOf, uidOf } from '../support/webhooks.ts';
import { delivery, newQueue } from './support.ts';

const KEPT = { state: 'kept', duplicates: false, due: 0 } as const;
const WAITING = { state: 'waiting', duplicates: false, due: 0 } as const;

describe('the queue', () => {
  it('stores an event once per uid, and counts repeats', async () => {
    const queue = newQueue();
    const [first, second] = await Promise.all([queue.keep(delivery(1), KEPT), queue.keep(delivery(1), KEPT)]);
    expect([first, second]).toEqual([{ kind: 'new' }, { kind: 'repeat', repeats: 1 }]);
    expect(await queue.keep(delivery(1), WAITING)).toEqual({ kind: 'repeat', repeats: 2 });
    expect(queue.find(uidOf(1))).toMatchObject({ repeats: 2, state: 'kept' });
    expect(Buffer.from(queue.find(uidOf(1))?.body ?? []).equals(Buffer.from(delivery(1).body))).toBe(true);
    expect(queue.heads(9)).toEqual([]);
    expect(queue.behind(0, 9)).toHaveLength(1);
  });

  it('waits at most two seconds for another program that has its file locked', () => {
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    onTestFinished(() => exec.mockRestore());
    newQueue();
    const file = exec.mock.contexts.at(-1) as DatabaseSync;
    expect(file.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 2000 });
  });

  it.each([false, true])(
    'stores another body under a known uid by its digest, once (with repeats: %s)',
    async (duplicates) => {
      const queue = newQueue();
      const other = delivery(1, { body: Buffer.from('{"uid":"evt.1"}') });
      const uid = digestUid(other.body);
      await queue.keep(delivery(1), KEPT);
      expect(await queue.keep(other, { ...WAITING, duplicates })).toEqual({ kind: 'other', uid });
      expect(await queue.keep(other, { ...KEPT, duplicates })).toEqual({ kind: 'repeat', repeats: 1 });
      expect(await queue.keep(delivery(1), KEPT)).toEqual({ kind: 'repeat', repeats: 1 });
      expect(queue.find(uid)).toMatchObject({
        uid,
        again: OTHER_BODY,
        repeats: 1,
        state: duplicates ? 'waiting' : 'kept',
      });
      expect(Buffer.from(queue.find(uid)?.body ?? []).equals(Buffer.from(other.body))).toBe(true);
      expect(queue.heads(9)).toHaveLength(duplicates ? 1 : 0);
      expect(queue.behind(0, 9).map(({ again }) => again)).toEqual([0, OTHER_BODY, ...(duplicates ? [1] : [])]);
    },
  );

  it('stores repeats if requested', async () => {
    const queue = newQueue();
    for (let times = 0; times < 3; times += 1) await queue.keep(delivery(1), { ...WAITING, duplicates: true });
    expect(queue.behind(0, 9).map(({ uid, again }) => [uid, again])).toEqual(
      [0, 1, 2].map((again) => [uidOf(1), again]),
    );
  });

  it('returns the first event of each payment request, and the next one when that is done', async () => {
    const queue = newQueue();
    for (const number of [1, 2, 3, 4, 5, 6]) await queue.keep(delivery(number, { ugwo: ugwoOf(number % 2) }), WAITING);
    const [odd, even] = queue.heads(9);
    expect([odd?.seq, even?.seq, queue.heads(9).length]).toEqual([1, 2, 2]);
    if (odd === undefined || even === undefined) throw new Error('no heads');
    await queue.delay(odd, { answer: '500', at: 5, due: 100, refusedSince: 5 });
    expect(queue.heads(9).map(({ seq, due }) => [seq, due])).toEqual([
      [2, 0],
      [1, 100],
    ]);
    await queue.done(even, { state: 'forwarded', answer: '200', at: 5, due: 6 });
    expect(queue.heads(9).map(({ seq }) => seq)).toEqual([4, 1]);
    expect(queue.at(1)).toMatchObject({ state: 'waiting', attempts: 1, answer: '500', refusedSince: 5 });
    expect(queue.at(2)).toMatchObject({ state: 'forwarded', attempts: 1, answer: '200', answeredAt: 5 });
    await queue.noLater(50, 7);
    expect(queue.heads(9).map(({ seq, due }) => [seq, due])).toEqual([
      [4, 6],
      [1, 7],
    ]);
    for (const seq of [4, 1, 3, 5, 6]) {
      const head = queue.heads(9).find((one) => one.seq === seq);
      if (head === undefined) throw new Error(`${seq} is no head`);
      await queue.done(head, { state: 'failed', answer: '400', at: 8, due: 8 });
    }
    expect(queue.heads(9)).toEqual([]);
  });

  it('returns a few megabytes of bodies at most, but always one event', async () => {
    const queue = newQueue();
    const large = Buffer.alloc(3 * 1024 * 1024, 'x');
    for (const number of [1, 2, 3]) await queue.keep(delivery(number, { body: large }), KEPT);
    expect(queue.behind(0, 100).map(({ seq }) => seq)).toEqual([1]);
    expect(queue.behind(1, 100).map(({ seq }) => seq)).toEqual([2]);
    expect(queue.before(9, {}, 9).map(({ seq }) => seq)).toEqual([3, 2, 1]);
  });

  it('finds events by payment request, state and name, newest first, among any number', async () => {
    const queue = newQueue();
    await Promise.all(
      Array.from({ length: 500 }, (_, number) =>
        queue.keep(
          delivery(number, {
            event: number % 250 === 7 ? 'refund.failed' : number === 9 ? 'ugwo.paid' : 'ugwo.updated',
          }),
          number % 2 ? KEPT : WAITING,
        ),
      ),
    );
    const isWanted = (event: string): boolean => event === 'refund.failed';
    expect(queue.before(10_000, { isWanted }, 9).map(({ uid }) => uid)).toEqual([uidOf(257), uidOf(7)]);
    expect(queue.before(10_000, { isWanted, states: ['waiting'] }, 9)).toEqual([]);
    expect(queue.before(10_000, { isWanted: (event) => event === 'ugwo.paid' }, 9)).toMatchObject([{ uid: uidOf(9) }]);
    expect(queue.before(10_000, { ugwo: ugwoOf(3) }, 9).map(({ uid }) => uid)).toEqual([uidOf(3)]);
    expect(queue.before(10_000, { states: ['waiting'] }, 2).map(({ uid }) => uid)).toEqual([uidOf(498), uidOf(496)]);
    const twice = { states: ['waiting', 'kept', 'waiting'], ugwo: undefined } as const;
    expect(queue.before(10_000, twice, 3).map(({ uid }) => uid)).toEqual([uidOf(499), uidOf(498), uidOf(497)]);
    expect(queue.before(10_000, { ugwo: ugwoOf(3), states: ['waiting'] }, 9)).toEqual([]);
  });

  it.each([
    ['a payment request', { ugwo: ugwoOf(1) }, /USING INDEX event_ugwo \(ugwo=\? AND/],
    ['a state', { states: ['failed'] }, /USING INDEX event_kind \(event=\? AND state=\? AND rowid<\?\)/],
    [
      'a name',
      { isWanted: () => true },
      /USING INDEX event_kind \(event=\? AND state=\? AND rowid<\?\)|^MERGE|^LEFT|^RIGHT/,
    ],
    ['any kind', {}, /USING INTEGER PRIMARY KEY \(rowid<\?\)/],
  ] as const)('finds events of %s through an index', async (_what, filter, index) => {
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
    onTestFinished(() => prepare.mockRestore());
    const folder = join(newFolder('queue'), 'data');
    const queue = newQueue(folder);
    await queue.keep(delivery(1), KEPT);
    const opened = prepare.mock.calls.length;
    queue.before(9, filter, 9);
    const calls = prepare.mock.calls.map(([sql]) => sql);
    const db = new DatabaseSync(join(folder, 'webhooks.db'));
    const planOf = (sql: string): string[] => {
      const holes = Array.from(sql.matchAll(/\?/g), () => null);
      return db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...holes)
        .map(({ detail }) => String(detail));
    };
    const list = calls.slice(opened).flatMap(planOf);
    const others = calls
      .slice(0, opened)
      .filter((sql) => sql.includes(' FROM event'))
      .flatMap(planOf);
    db.close();
    expect(list.length).toBeGreaterThan(0);
    expect(list.filter((step) => !index.test(step))).toEqual([]);
    // The recursion over names goes over a row per name, and the count of waiting events over their own index.
    expect(
      others.filter((step) =>
        /^SCAN (?!name$|event USING COVERING INDEX event_waiting$)|TEMP B-TREE|^SEARCH event$/.test(step),
      ),
    ).toEqual([]);
  });

  it('deletes events that are old, reported and done, and remembers their uids', async () => {
    const queue = newQueue();
    for (let number = 1; number <= 1200; number += 1) {
      void queue.keep(delivery(number, { receivedAt: number }), number % 2 ? KEPT : WAITING);
    }
    await queue.setPlace('printed', 1100);
    expect(queue.prunable(1001)).toEqual({ count: 500, waiting: 500, refused: 0 });
    expect(await queue.prune(1001, new AbortController().signal)).toBe(500);
    expect(queue.prunable(1001)).toEqual({ count: 0, waiting: 500, refused: 0 });
    expect([1, 2, 999, 1001].map((number) => queue.find(uidOf(number)) !== undefined)).toEqual([
      false,
      true,
      false,
      true,
    ]);
    expect(queue.prunable(9999)).toEqual({ count: 50, waiting: 550, refused: 0 });
    expect(await queue.keep(delivery(1, { body: Buffer.from('{}') }), WAITING)).toEqual({ kind: 'repeat', repeats: 0 });
    expect(queue.find(uidOf(1))).toBe(undefined);
    expect(await queue.prune(9999, AbortSignal.abort())).toBe(0);
    expect(await queue.compact()).toBe(true);
  });

  it('deletes those that wait, too, if all are meant; later ones of their payment request follow', async () => {
    const queue = newQueue();
    for (const number of [1, 2, 3])
      await queue.keep(delivery(number, { ugwo: ugwoOf(1), receivedAt: number }), { ...WAITING, due: 7 });
    expect(queue.prunable(3, 'all')).toEqual({ count: 0, waiting: 2, refused: 0 });
    expect(await queue.prune(3, new AbortController().signal, 'all')).toBe(2);
    expect(queue.heads(9)).toEqual([{ key: ugwoOf(1), seq: 3, due: 0 }]);
  });

  it('keeps the newest thousand rejected deliveries', async () => {
    const queue = newQueue();
    const one = { why: 'wrong signature', deliveryId: undefined, signature: '', size: 1, body: Buffer.from('x') };
    await Promise.all(Array.from({ length: 1010 }, (_, receivedAt) => queue.refuse({ ...one, receivedAt })));
    const refused = queue.refused(5000);
    expect([refused.length, refused[0]?.receivedAt, refused.at(-1)?.receivedAt]).toEqual([1000, 1009, 10]);
  });

  it('keeps events and positions when it is reopened', async () => {
    const folder = join(newFolder('queue'), 'data');
    const queue = openQueue(folder, process.geteuid?.());
    await queue.keep(delivery(1), WAITING);
    await queue.setPlace('printed', 1);
    await queue.set('target', 'http://127.0.0.1:1/');
    queue.close();
    const again = newQueue(folder);
    expect(again.find(uidOf(1))).toMatchObject({ ...delivery(1), body: expect.anything() });
    expect(Buffer.from(again.find(uidOf(1))?.body ?? []).equals(Buffer.from(delivery(1).body))).toBe(true);
    expect([again.place('printed'), again.place('printing'), again.setting('target')]).toEqual([
      1,
      0,
      'http://127.0.0.1:1/',
    ]);
  });

  it('is rejected if a paycli that was never released made it', () => {
    const folder = join(newFolder('queue'), 'data');
    openQueue(folder, process.geteuid?.()).close();
    const db = new DatabaseSync(join(folder, 'webhooks.db'));
    db.exec('PRAGMA user_version = 3');
    db.close();
    expect(() => openQueue(folder, process.geteuid?.())).toThrow(
      expect.objectContaining({
        kind: 'ledger',
        message: expect.stringContaining('never released (schema 3)'),
        detail: expect.objectContaining({ hint: expect.stringContaining('move it away; events that wait are lost') }),
      }),
    );
  });

  it('is not changed by a process that runs on after a newer paycli has upgraded it', async () => {
    const folder = join(newFolder('queue'), 'data');
    const queue = openQueue(folder, process.geteuid?.());
    await queue.set('place', 'before');
    const db = new DatabaseSync(join(folder, 'webhooks.db'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    await expect(queue.set('place', 'after')).rejects.toMatchObject({
      kind: 'ledger',
      message: expect.stringMatching(/webhooks\.db was upgraded by a newer paycli while in use$/),
      detail: { hint: expect.stringMatching(/^use the newer paycli/) },
    });
    expect(queue.setting('place')).toBe('before');
    queue.close();
  });

  it.skipIf(process.geteuid === undefined)('is rejected if others may change it', () => {
    const folder = newFolder('open');
    chmodSync(folder, 0o777);
    expect(() => openQueue(folder, process.geteuid?.())).toThrow(
      expect.objectContaining({ kind: 'ledger', message: expect.stringContaining('writable by other users') }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { expireStale, isStale, readResolved, resolveStale, staleAmong } from '../../src/ledger/guard.ts';
import { charge, SELF } from './support/charges.ts';
import { NOW, watched } from './support/watched.ts';

const DEAD = { ...SELF, pid: 13 };
const sending = charge({ id: 'chg-live', state: 'sending', recordedAt: undefined, exitCode: undefined });
const left = { ...sending, id: 'chg-left', seq: 2, sender: DEAD };
const done = charge({ id: 'chg-done', seq: 3, sender: DEAD });
const isGone = ({ pid }: typeof SELF): boolean => pid === DEAD.pid;
const world = { isGone, moment: () => NOW };

describe('a charge whose process died', () => {
  it('is lost only where it was being sent', () => {
    expect([sending, left, done].map((one) => isStale(one, world))).toEqual([false, true, false]);
  });

  it.each([
    [-1, true],
    [0, false],
    [1, false],
  ])('is asked for as overdue only after its deadline: %i ms from now', (after, overdue) => {
    const asked: unknown[] = [];
    const note = (...given: unknown[]): boolean => asked.push(given) < 0;
    expect(isStale({ ...left, deadline: NOW.at + after }, { ...world, isGone: note })).toBe(false);
    expect(asked).toEqual([[DEAD, overdue, left.id]]);
  });

  it('is unknown to whoever looks', () => {
    expect(resolveStale(sending, world)).toBe(sending);
    expect(resolveStale(left, world)).toMatchObject({ state: 'unknown', recordedAt: NOW.at });
    const lost = staleAmong([sending, left, done], world);
    expect(lost).toMatchObject([{ id: 'chg-left', state: 'unknown', evidence: [{ kind: 'process_gone', pid: 13 }] }]);
  });

  it('is written as unknown, and nothing is where none is lost', async () => {
    const living = watched([sending, done], isGone);
    await expireStale(living.backend);
    expect(living.changes).toEqual([]);
    const some = watched([sending, left, done], isGone);
    await expireStale(some.backend);
    const about = [{ states: ['sending'] }];
    expect(some.changes).toMatchObject([{ purpose: 'note', about, write: [{ id: 'chg-left', state: 'unknown' }] }]);
    expect(some.changes[0]?.write).toHaveLength(1);
  });

  it('is so in what is read', async () => {
    const { backend } = watched([sending, left, done], isGone);
    expect(await readResolved(backend, { states: ['unknown'] })).toMatchObject([{ id: 'chg-left' }]);
    expect(await readResolved(backend, { id: 'chg-live' })).toEqual([sending]);
  });
});

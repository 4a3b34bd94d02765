import { describe, expect, it } from 'vitest';
import type { EmergencyLine } from '../../src/ledger/backend.ts';
import type { Entry } from '../../src/ledger/entry.ts';
import { takeIn } from '../../src/ledger/outcome.ts';
import { account, charge, NOON } from './support/charges.ts';
import { watched } from './support/watched.ts';

const line = (more: Partial<EmergencyLine> & { readonly settled_at?: number } = {}): EmergencyLine => ({
  ...{ ledger_id: 'chg-a', ugwo: 'ugw.AbCd.1', medium: 'ussd', recorded_at: NOON + 5, state: 'rejected', exitCode: 3 },
  ...more,
});
const sending = (id: string): Entry =>
  charge({ id, state: 'sending', took: undefined, recordedAt: undefined, exitCode: undefined, activity: undefined });
const [A, B, C] = ['chg-a', 'chg-b', 'chg-c'].map(sending) as [Entry, Entry, Entry];

describe('lines of an emergency file', () => {
  it('that are none change nothing, and wait for nobody', async () => {
    const { backend, changes } = watched([A]);
    expect(await takeIn(backend, [])).toEqual(new Set());
    expect(changes).toEqual([]);
  });

  it('change the charges that they are about, and no other', async () => {
    const { backend, changes } = watched([A, B, C]);
    const lines = [line(), line({ ledger_id: 'chg-x' }), line({ ledger_id: 'chg-b' })];
    expect(await takeIn(backend, lines)).toEqual(new Set(['chg-a', 'chg-b']));
    const about = [{ id: 'chg-a' }, { id: 'chg-x' }, { id: 'chg-b' }];
    expect(changes).toMatchObject([{ purpose: 'note', about, write: [{ id: 'chg-a' }, { id: 'chg-b' }] }]);
  });

  it('say what became of one, by the machine’s clock alone', async () => {
    const { backend, get } = watched([A]);
    const given = line({ state: 'accepted', exitCode: 0, activity: account({ servedAt: NOON + 7 }) });
    await takeIn(backend, [given]);
    expect(get('chg-a')).toStrictEqual({
      ...A,
      ...{ state: 'accepted', exitCode: 0, took: undefined, recordedAt: NOON + 5, activity: account() },
      told: { service: NOON + 7, at: NOON + 5, mark: { boot: '', uptime: 0 } },
      evidence: [{ kind: 'emergency_line', at: '2026-11-20T12:00:00.005Z', line: given }],
    });
  });

  it('keep how long the sending took, and what was seen of it before', async () => {
    const before = { kind: 'process_gone', at: '2026-11-20T12:00:00+00:00' };
    const { backend, get } = watched([{ ...A, state: 'unknown', took: 70, evidence: [before] }]);
    const { evidence: _evidence, ...rest } = line();
    const seen = { kind: 'answer', at: '2026-11-20T12:00:01+00:00', status: 422 };
    await takeIn(backend, [{ ...rest, evidence: seen }]);
    expect(get('chg-a')).toMatchObject({ state: 'rejected', took: 70 });
    expect(get('chg-a')?.evidence).toEqual([before, { ...seen, line: rest }]);
  });

  it('are taken in once each: known by their moment', async () => {
    const { backend, changes, get } = watched([{ ...A, evidence: [{ kind: 'look', at: '' }] }]);
    await takeIn(backend, [line(), line({ recorded_at: NOON + 6 })]);
    expect(
      get('chg-a')?.evidence.map(({ line: one }) => (one as Partial<EmergencyLine> | undefined)?.recorded_at),
    ).toEqual([undefined, NOON + 5, NOON + 6]);
    expect(await takeIn(backend, [line(), line({ recorded_at: NOON + 6 })])).toEqual(new Set(['chg-a']));
    expect(changes.map(({ write }) => write.length)).toEqual([1, 0]);
  });

  it('are kept beside a charge whose state they can’t change', async () => {
    const accepted = charge({ id: 'chg-a' });
    const { backend, get } = watched([accepted]);
    await takeIn(backend, [line()]);
    const kept = { kind: 'emergency_line', at: '2026-11-20T12:00:00.005Z', line: line() };
    expect(get('chg-a')).toEqual({ ...accepted, evidence: [kept] });
  });

  it('do not make unpaid what was seen to be paid', async () => {
    const paid = account({ status: 'successful' });
    const { backend, get } = watched([charge({ id: 'chg-a', activity: paid })]);
    await takeIn(backend, [line({ state: 'accepted', exitCode: 0, activity: account() })]);
    expect(get('chg-a')?.activity?.status).toBe('successful');
  });

  it.each([
    ['an older paycli', { settled_at: NOON + 8, recorded_at: undefined }, NOON + 8],
    ['both', { settled_at: NOON + 8 }, NOON + 5],
    ['nobody', { recorded_at: undefined }, 0],
  ])('are of the moment that %s wrote', async (_who, moment, at) => {
    const { backend, get } = watched([A]);
    await takeIn(backend, [line(moment as Partial<EmergencyLine>)]);
    expect(get('chg-a')).toMatchObject({ recordedAt: at, evidence: [{ at: new Date(at).toISOString() }] });
    expect(get('chg-a')?.evidence[0]?.['line']).toEqual({ ...line(), recorded_at: at });
  });

  it('make no doubt of one beside which another is open by now', async () => {
    const ended: Entry = { ...A, state: 'not_created', recordedAt: NOON };
    const given = line({ state: 'unknown', exitCode: 6, ugwo: A.about });
    const beside = watched([ended, { ...B, about: A.about }]);
    await takeIn(beside.backend, [given]);
    expect(beside.get('chg-a')).toMatchObject({ state: 'not_created', evidence: [{ kind: 'emergency_line' }] });
    const alone = watched([ended]);
    await takeIn(alone.backend, [given]);
    expect(alone.get('chg-a')).toMatchObject({ state: 'unknown' });
  });
});

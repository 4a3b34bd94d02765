import { describe, expect, it } from 'vitest';
import type { Charge, Evidence, KeptActivity } from '../../src/ledger/entry.ts';
import { changesState, lateAnswer, latest, wasResolved } from '../../src/ledger/transitions.ts';
import { account, charge } from './support/charges.ts';

const AT = '2026-11-20T12:00:00+00:00';
const seen = (...kinds: readonly string[]): Evidence[] => kinds.map((kind) => ({ kind, at: AT }));

describe('the last word on a charge', () => {
  it.each<[readonly string[], boolean]>([
    [[], false],
    [['look', 'process_gone'], false],
    [['answer'], false],
    [['emergency_line'], false],
    [['resolved'], true],
    [['answer', 'resolved'], true],
    [['resolved', 'answer'], false],
    [['resolved', 'emergency_line'], false],
    [['emergency_line', 'resolved'], true],
    [['resolved', 'look', 'odd'], true],
  ])('after %j is a person’s: %s', (kinds, is) => {
    expect(wasResolved({ evidence: seen(...kinds) })).toBe(is);
  });
});

describe('what a process says of its own charge', () => {
  const STATES = ['sending', 'unknown', 'accepted', 'rejected', 'not_sent', 'not_created'] as const;
  const SAID = ['accepted', 'rejected', 'not_sent', 'unknown'] as const;
  /** The states that a word changes where the charge is not open any more. */
  const CHANGED: Readonly<Record<string, readonly string[]>> = {
    accepted: ['accepted', 'rejected', 'not_sent', 'not_created'],
    unknown: ['not_created'],
  };
  it.each(STATES.flatMap((state) => SAID.map((said) => [state, said] as const)))(
    'of a charge that is %s, namely %s, counts as the table says',
    (state, said) => {
      const isOpen = state === 'sending' || state === 'unknown';
      expect(changesState(charge({ state }), { state: said })).toBe(isOpen || (CHANGED[said] ?? []).includes(state));
    },
  );

  const [accepted, answer] = [{ state: 'accepted', exitCode: 0 } as const, seen('answer')[0]];
  it.each<[string, Charge['state'], Evidence | undefined, object | undefined]>([
    ['while it is being sent needs no evidence', 'sending', undefined, undefined],
    ['with evidence is that', 'sending', answer, answer],
    ['with evidence is that, late, too', 'unknown', answer, answer],
    ['that came late is seen', 'unknown', undefined, { kind: 'answer', at: AT, message: 'the answer came after all' }],
  ])('%s', (_what, state, evidence, word) => {
    const outcome = evidence === undefined ? accepted : { ...accepted, evidence };
    expect(lateAnswer(charge({ state }), outcome, Date.parse(AT))).toEqual(word);
  });
});

describe('how an activity stands', () => {
  const of = (status: string, some: Partial<KeptActivity> = {}): KeptActivity => account({ status, ...some });
  it.each<[string, KeptActivity | undefined, KeptActivity, string]>([
    ['where nothing was known', undefined, of('processing'), 'processing'],
    ['as it was told last', of('requires_action'), of('processing'), 'processing'],
    ['paid', of('processing'), of('successful'), 'successful'],
    ['paid, whatever an older word says', of('successful'), of('requires_action'), 'successful'],
    ['paid, though it is said to have failed', of('successful'), of('failed'), 'successful'],
    ['paid back', of('successful'), of('refunded'), 'refunded'],
    ['as another activity stands', of('successful', { uid: 'act.AbCd.2' }), of('failed'), 'failed'],
  ])('%s', (_what, known, told, status) => {
    expect(latest(known, told)).toEqual({ ...told, status });
  });

  it('keeps what else it was told', () => {
    expect(latest(of('successful', { servedAt: 1 }), of('failed', { servedAt: 2, nextAction: null }))).toEqual(
      of('successful', { servedAt: 2, nextAction: null }),
    );
  });
});

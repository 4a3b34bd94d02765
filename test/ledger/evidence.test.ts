import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Evidence, evidenceOf, withEvidence } from '../../src/ledger/entry.ts';
import { NOON } from './support/charges.ts';

const numbered = (number: number): Evidence => evidenceOf('look', NOON, { number });

describe('evidence', () => {
  it('says when it was seen, in DATE_ATOM', () => {
    expect(evidenceOf('answer', NOON + 999, { status: 500 })).toEqual({
      kind: 'answer',
      at: '2026-11-20T12:00:00+00:00',
      status: 500,
    });
  });

  it('is only added to', () => {
    expect(withEvidence([numbered(1)], numbered(2))).toEqual([numbered(1), numbered(2)]);
    expect(withEvidence([numbered(1)], undefined)).toEqual([numbered(1)]);
  });

  it('keeps the first ten and the last twenty, however much there is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), (size) => {
        const all = Array.from({ length: size }, (_, number) => numbered(number));
        const kept = all.reduce<readonly Evidence[]>((list, one) => withEvidence(list, one), []);
        expect(kept).toEqual(size <= 30 ? all : [...all.slice(0, 10), ...all.slice(-20)]);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BOUNDS, cutList, cutText, excessOf, grouped } from '../../src/core/bounds.ts';

describe('BOUNDS and excessOf', () => {
  it('allow 2 MiB per answer, and 64 KiB for display and storage', () => {
    expect([BOUNDS.bytes, BOUNDS.answer, BOUNDS.kept]).toEqual([2_097_152, 65_536, 65_536]);
  });

  const most = { depth: BOUNDS.depth, values: BOUNDS.values, name: BOUNDS.name };

  it('allow a value at the limit', () => {
    expect(excessOf(most)).toBeUndefined();
    expect(excessOf({ depth: 0, values: 0, name: 0 })).toBeUndefined();
  });

  it.each([
    ['depth', 'the answer is nested deeper than 64 levels'],
    ['values', 'the answer has more than 100,000 values'],
    ['name', 'the answer has a name of more than 1,000 bytes'],
  ] as const)('reject one more in %s', (name, said) => {
    expect(excessOf({ ...most, [name]: most[name] + 1 })).toBe(said);
  });
});

describe('truncation', () => {
  it('groups digits', () => {
    expect([grouped(0), grouped(999), grouped(1_234_567)]).toEqual(['0', '999', '1,234,567']);
  });

  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc… (1 more characters)'],
    ['ab👩', 3, 'ab… (2 more characters)'],
    ['a👩b', 3, 'a👩… (1 more characters)'],
    ['', 0, ''],
  ])('turns %j, limited to %i, into %j', (text, most, cut) => {
    expect(cutText(text, most)).toBe(cut);
  });

  it('of text keeps its beginning and splits no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, most) => {
        const [head = ''] = cutText(text, most).split('… (');
        expect(text.startsWith(head) && head.isWellFormed() && (text.length <= most || head.length <= most)).toBe(true);
      }),
    );
  });

  it('of a list keeps its first elements and counts the others', () => {
    expect(cutList([1, 2], 2)).toEqual({ first: [1, 2], more: 0 });
    expect(cutList([1, 2, 3, 4, 5], 2)).toEqual({ first: [1, 2], more: 3 });
    expect(cutList([], 2)).toEqual({ first: [], more: 0 });
  });
});

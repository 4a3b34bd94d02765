import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canBeName, ID_KINDS, type IdPrefix, idProblem, isId, isUnsafeSegment, nounOf } from '../../src/core/ids.ts';
import { ANY_CHARACTER } from '../support/text.ts';

const prefixes = Object.keys(ID_KINDS) as IdPrefix[];
const segment = fc.stringMatching(/^[A-Za-z0-9_]{1,24}$/);

describe('isId', () => {
  it.each([
    ['ony', 'ony.Kw9a.8Zp3Qr5Tt7Vv9Xx1Bb3Dd5F'],
    ['ugw', 'ugw.Kw9a.8Zp3Qr5Tt7Vv9Xx1Bb3_t'],
    ['act', 'act.a.b'],
    ['chk', 'chk.a.b.c.d'],
  ] as const)('accepts an id with the prefix %s: %s', (prefix, text) => {
    expect(isId(prefix, text)).toBe(true);
  });

  it.each([
    ['empty text', ''],
    ['the prefix alone', 'ony'],
    ['the prefix and a dot', 'ony.'],
    ['one segment only', 'ony.Kw9a'],
    ['an empty segment', 'ony.Kw9a.'],
    ['an empty segment in the middle', 'ony..Kw9a'],
    ['another kind', 'ugw.Kw9a.8Zp3'],
    ['a longer prefix', 'onye.Kw9a.8Zp3'],
    ['an upper-case prefix', 'ONY.Kw9a.8Zp3'],
    ['a line break at the end', 'ony.Kw9a.8Zp3\n'],
    ['a leading space', ' ony.Kw9a.8Zp3'],
    ['a slash', 'ony.Kw9a.8Zp3/x'],
    ['a path traversal', 'ony.Kw9a.8Zp3/../x'],
    ['an id after a space', 'ony. act.Kw9a.8Zp3'],
    ['an id after a path traversal', 'ony./../act.Kw9a.8Zp3'],
    ['a query', 'ony.Kw9a.8Zp3?x=1'],
    ['letters that look Latin', 'ony.Kw9a.\u0430bcd'],
  ])('rejects %s', (_what, text) => {
    expect(isId('ony', text)).toBe(false);
  });

  it('accepts any two or more segments of letters, digits and underscores after its prefix', () => {
    const segments = fc.array(segment, { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), segments, (prefix, parts) => {
        expect(isId(prefix, [prefix, ...parts].join('.'))).toBe(true);
      }),
    );
  });

  it('rejects characters that are special in a path, a query or a header', () => {
    const character = fc
      .oneof(
        fc.constantFrom(...'/\\?#%&=+:;@ -\t\r\n\0'),
        fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 1 }),
      )
      .filter((one) => !/[\w.]/.test(one));
    fc.assert(
      fc.property(segment, character, segment, (left, one, right) => {
        expect(isId('ony', `ony.Kw9a.${left}${one}${right}`)).toBe(false);
      }),
    );
  });
});

describe('idProblem', () => {
  it('names both kinds if the id has another kind', () => {
    expect(idProblem('ony', 'ugw.Kw9a.8Zp3')).toBe(
      'is the identifier of a payment request (ugwo), not of a customer (onye): ony.XXXX.YYYY…',
    );
  });

  it.each([
    ['ony.Kw9a', 'half an identifier of the right kind'],
    ['ada@example.com', 'something else'],
    ['', 'nothing'],
  ])('names the expected kind for %j (%s)', (text) => {
    expect(idProblem('ony', text)).toBe('is not the identifier of a customer (onye): ony.XXXX.YYYY…');
  });

  it('rejects an id above the length limit, however long', () => {
    const long = (length: number): string => `act.AbCd.${'1'.repeat(length - 9)}`;
    expect([256, 257].map((length) => isId('act', long(length)))).toEqual([true, false]);
    expect(isId('act', `act.${'a.'.repeat(4_000_000)}a`)).toBe(false);
  });

  it('finds a problem exactly if isId is false', () => {
    const text = fc.oneof(
      fc.string(),
      fc.tuple(fc.constantFrom(...prefixes, 'onye'), segment, segment).map((parts) => parts.join('.')),
    );
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), text, (prefix, given) => {
        expect(idProblem(prefix, given) === undefined).toBe(isId(prefix, given));
      }),
    );
  });
});

describe('nounOf', () => {
  it.each([
    ['ony', 'customer (onye)'],
    ['ugw', 'payment request (ugwo)'],
    ['act', 'activity'],
    ['chk', 'checkout'],
  ] as const)('names %s %s', (prefix, noun) => {
    expect(nounOf(prefix)).toBe(noun);
  });
});

describe('isUnsafeSegment', () => {
  it.each(['', '.', '..'])('rejects %j, which would change the path', (text) => {
    expect(isUnsafeSegment(text)).toBe(true);
  });

  it.each(['ony.Kw9a.8Zp3', '...', '.x', 'x.', '%2e', '/', ' '])('accepts %j, which can be encoded', (text) => {
    expect(isUnsafeSegment(text)).toBe(false);
  });
});

it.each(prefixes)('a text with the prefix %s, or the prefix alone, is no name', (prefix) => {
  expect([`${prefix}.`, prefix, `see ${prefix}.a.b`].filter((text) => canBeName('ugw', text))).toEqual([]);
});

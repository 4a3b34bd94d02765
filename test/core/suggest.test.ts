import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MEDIUM_NAMES } from '../../src/charge/mediums.ts';
import { BANK_CODES, bankMeant } from '../../src/core/banks.ts';
import { didYouMean } from '../../src/core/text.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz_78';

/** Every text with one typing error in a word. */
const typosOf = (word: string): string[] => {
  const typos = new Set<string>();
  for (let at = 0; at <= word.length; at += 1) {
    const [left, right] = [word.slice(0, at), word.slice(at)];
    for (const letter of LETTERS) {
      typos.add(left + letter + right);
      if (right !== '') typos.add(left + letter + right.slice(1));
    }
    if (right !== '') typos.add(left + right.slice(1));
    if (right.length > 1) typos.add(left + right.charAt(1) + right.charAt(0) + right.slice(2));
  }
  typos.delete(word);
  return [...typos];
};

describe('didYouMean', () => {
  it('suggests each bank code for each single typo, unless the typo is another code or its beginning', () => {
    const slips = new Map<string, string[]>();
    for (const code of BANK_CODES) {
      for (const typo of typosOf(code)) slips.set(typo, [...(slips.get(typo) ?? []), code]);
    }
    expect(slips.size).toBeGreaterThan(10_000);
    const wrong = [...slips].filter(([typo, codes]) => {
      const meant = didYouMean(typo, BANK_CODES) ?? '';
      const beginning = typo.length >= 3 && meant.startsWith(typo);
      return !codes.includes(meant) && !beginning && meant !== typo;
    });
    expect(wrong).toEqual([]);
  });

  it.each(BANK_CODES)('suggests %s for itself in capitals, with spaces or dashes', (code) => {
    expect(didYouMean(code, BANK_CODES)).toBe(code);
    expect(didYouMean(` ${code.toUpperCase()}\n`, BANK_CODES)).toBe(code);
    expect(didYouMean(code.replaceAll('_', '-'), BANK_CODES)).toBe(code);
    expect(didYouMean(code.replaceAll('_', '  '), BANK_CODES)).toBe(code);
  });

  it.each([
    ['gbt', 'gtb'],
    ['gtbank', 'gtb'],
    ['zenit', 'zenith'],
    ['zen', 'zenith'],
    ['ze', undefined],
    ['access', 'access'],
    ['acc', undefined],
    ['access_d', 'access_diamond'],
    ['Access Diamond', 'access_diamond'],
    ['optimum', 'optimum_trust_bank'],
    ['fidelty', 'fidelity'],
    ['sterlnig', 'sterling'],
    ['fb', 'fbn'],
    ['oay', 'opay'],
    ['palm pay', 'palmpay'],
    ['stanbic', 'stanbicibank'],
    ['pollarys', 'polaris'],
    ['pallorys', undefined],
    ['stanbykbenk', 'stanbicibank'],
  ])('suggests for %j: %j', (typed, meant) => {
    expect(didYouMean(typed, BANK_CODES)).toBe(meant);
  });

  it.each([
    ['bank_transfre', 'bank_transfer'],
    ['bank', 'bank_transfer'],
    ['banktransfer', 'bank_transfer'],
    ['USSD', 'ussd'],
    ['usd', 'ussd'],
    ['mobile money', 'mobile_money'],
    ['mobilemoney', 'mobile_money'],
    ['card', undefined],
  ])('works with any list of words: %j is %j', (typed, meant) => {
    expect(didYouMean(typed, MEDIUM_NAMES)).toBe(meant);
  });

  it.each(['', '   ', '-', 'hello', 'first bank of nigeria', 'x', 'null', '0000', '💸💸💸', 'a'.repeat(65)])(
    'suggests nothing for %j',
    (typed) => {
      expect(didYouMean(typed, BANK_CODES)).toBeUndefined();
    },
  );

  it('suggests nothing for text without common characters', () => {
    const strange = fc.string({ unit: fc.constantFrom(...'0123459.,;:!?#%&()*+/<>[]{}éßж汉'), minLength: 2 });
    fc.assert(
      fc.property(strange, (typed) => {
        expect(didYouMean(typed, BANK_CODES)).toBeUndefined();
      }),
    );
  });

  it('suggests only words of the list', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...LETTERS, '-', ' ') }), (typed) => {
        expect([undefined, ...BANK_CODES]).toContain(didYouMean(typed, BANK_CODES));
        expect(didYouMean(typed, [])).toBeUndefined();
      }),
    );
  });

  it.each(['a   b', 'a-b', 'A - B', 'a\t-\nb'])('reads the spaces and dashes in %j as one underscore', (typed) => {
    expect(didYouMean(typed, ['a_b'])).toBe('a_b');
    expect(didYouMean(typed, ['ab', 'a_b'])).toBe('a_b');
  });

  it('prefers the nearest word', () => {
    expect(didYouMean('wemas', ['wexast', 'wemax', 'wema'])).toBe('wemax');
    expect(didYouMean('kudaa', ['kudbb', 'kuda'])).toBe('kuda');
  });

  it('suggests the longest word that the text starts with, but none of two letters', () => {
    expect(didYouMean('gtbanking_plc', ['gtb', 'gtbank', 'gtban'])).toBe('gtbank');
    expect(didYouMean('gtbanking_plc', ['gt'])).toBeUndefined();
  });

  it.each(['', ' '])('suggests nothing for %j, whatever the list', (typed) => {
    expect(didYouMean(typed, ['a', '_'])).toBeUndefined();
  });

  it('accepts swapped letters only if both match', () => {
    expect(didYouMean('yxab', ['xzab'])).toBeUndefined();
  });

  it('ignores text of more than 64 characters', () => {
    const long = 'x'.repeat(64);
    expect(didYouMean(long, [long])).toBe(long);
    expect(didYouMean(`${long}x`, [`${long}x`])).toBeUndefined();
  });
});

describe('bankMeant', () => {
  it.each([
    ['058', 'gtb'],
    [' 044 ', 'access'],
    ['214', 'fcmb'],
    ['090267', 'kuda'],
    ['gtbank', 'gtb'],
    ['58', undefined],
    ['999', undefined],
    ['constructor', undefined],
  ])('suggests for %j: %s', (typed, meant) => {
    expect(bankMeant(typed)).toBe(meant);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pad, proseLines, shorten, shortenStart, widthOf, wrap } from '../../src/output/text.ts';
import { pipe } from './support.ts';

describe('widthOf', () => {
  it.each([
    ['\u001b[31m東\u001b[39m', 2],
    ['', 0],
    ['abc', 3],
    ['Ọjà', 3],
    ['e\u0301', 1],
    ['東京', 4],
    ['한국', 4],
    ['Ａ', 2],
    ['ｱ', 1],
    ['👩‍🚀', 2],
    ['🇳🇬', 2],
    ['❤️', 2],
    ['❤', 1],
    ['₦', 1],
    ['…', 1],
    ['नि', 2],
  ])('%j has width %d', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });
});

const word = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '東', '🫠', '👩‍🚀', 'e\u0301'), maxLength: 60 });

describe('shorten', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['東京都庁', 6, '東京…'],
    ['東京都庁', 5, '東京…'],
    ['東京都庁', 4, '東…'],
    ['a👩‍🚀b', 3, 'a…'],
  ])('shortens %j to %d columns: %j', (text, width, short) => {
    expect(shorten(text, width)).toBe(short);
  });

  it.each([
    ['INV-000120', 10, 'INV-000120'],
    ['INV-000120', 6, '…00120'],
    ['a東京', 4, '…京'],
  ])('shortens the start of %j to %d columns: %j', (text, width, short) => {
    expect(shortenStart(text, width)).toBe(short);
  });

  it('uses the given ellipsis', () => {
    expect([shorten('abcdef', 5, '...'), shortenStart('abcdef', 5, '...'), shorten('abcdef', 2, '...')]).toEqual([
      'ab...',
      '...ef',
      '..',
    ]);
  });

  it.each([shorten, shortenStart])('never exceeds the width: %o', (cut) => {
    fc.assert(
      fc.property(word, fc.integer({ min: 1, max: 20 }), fc.constantFrom('…', '...'), (text, width, ellipsis) => {
        expect(widthOf(cut(text, width, ellipsis))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

it('pad adds blanks and leaves longer text unchanged', () => {
  expect(pad('東', 4)).toBe('東  ');
  expect(pad('abcdef', 4)).toBe('abcdef');
});

describe('wrap', () => {
  it.each([
    ['to be or not', 80, ['to be or not']],
    ['to be or not', 5, ['to be', 'or', 'not']],
    ['abcdefgh', 3, ['abc', 'def', 'gh']],
    ['a abcdefgh', 4, ['a', 'abcd', 'efgh']],
    ['東京都庁', 5, ['東京', '都庁']],
    ['one\ntwo', 80, ['one', 'two']],
    ['a  b', 80, ['a  b']],
    ['', 10, ['']],
  ])('breaks %j at %d', (text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });

  it('keeps every character within the width', () => {
    fc.assert(
      fc.property(word, fc.integer({ min: 2, max: 30 }), (text, width) => {
        const lines = wrap(text, width);
        for (const line of lines) expect(widthOf(line.trimEnd())).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });

  it.each(['a', 'a b ', '東'])('is fast for a hundred thousand characters: %j', (piece) => {
    const text = piece.repeat(100_000 / piece.length);
    const started = performance.now();
    const lines = wrap(text, 40);
    // Measuring again for each piece took minutes.
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
  });
});

it('a message keeps a wider word whole, for copying', () => {
  expect(proseLines('POST /v1/ugwo/ugw.A.b: 422 no', 10, pipe())).toEqual(['POST', '/v1/ugwo/ugw.A.b:', '422 no']);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  colouredText,
  forSpreadsheet,
  forTerminal,
  fromSpreadsheet,
  visible,
  visibleExactly,
  visibleJson,
  visibleLines,
  visibleText,
  withoutFormula,
} from '../../src/core/text.ts';
import { mayBeRenamed } from '../support/engine.ts';

/** The characters of security.md row 7, repeated here so that a change in the source is noticed. */
const isHidden = (code: number): boolean =>
  code < 0x20 ||
  (code >= 0x7f && code <= 0x9f) ||
  [0x061c, 0x200e, 0x200f, 0x2028, 0x2029].includes(code) ||
  (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2066 && code <= 0x2069) ||
  (code >= 0xd800 && code <= 0xdfff);

const hiddenIn = (text: string): number[] => Array.from(text, (char) => char.codePointAt(0) ?? 0).filter(isHidden);

const EVERY_HIDDEN = Array.from({ length: 0x1_0000 }, (_, code) => code).filter(isHidden);

/** Text with many characters that must be escaped. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(...EVERY_HIDDEN).map((code) => String.fromCharCode(code)),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\u001b[31m', '\u001b]8;;http://evil\u0007', '\\', '"', '👩‍🚀'),
    ),
  )
  .map((parts) => parts.join(''));

describe('visible', () => {
  it.each([
    ['\u0000', '\\x00'],
    ['\u0007', '\\x07'],
    ['\u001b[2J', '\\x1b[2J'],
    ['\n', '\\n'],
    ['\r', '\\r'],
    ['\t', '\\t'],
    ['\u007f', '\\x7f'],
    ['\u009b31m', '\\x9b31m'],
    ['\u061c', '\\u061c'],
    ['\u202e', '\\u202e'],
    ['\u2066', '\\u2066'],
    ['\u2028', '\\u2028'],
    ['\ud800', '\\ud800'],
    ['a\udc00b', 'a\\udc00b'],
    // Invisible in ASCII: zero-width space, joiner, mark, soft hyphen, variation selector, tag.
    ['0736\u200b251840', '0736\\u200b251840'],
    ['ugw.\u200dAbCd', 'ugw.\\u200dAbCd'],
    ['\ufeff0736', '\\ufeff0736'],
    ['07\u00ad36', '07\\xad36'],
    ['0736\ufe0f', '0736\\ufe0f'],
    ['07\u{e0033}36', '07\\u{e0033}36'],
    ['07\u200b\u200d\u{e0033}36', '07\\u200b\\u200d\\u{e0033}36'],
    // Invisible beside other letters and emoji: tags, several in a row, variation selectors.
    ['é\u{e0041}é', 'é\\u{e0041}é'],
    ['é\u200b\u200cé', 'é\\u200b\\u200cé'],
    ['é\ufe01', 'é\\ufe01'],
    ['é\ufe0f', 'é\\ufe0f'],
    ['葛\u{e0100}', '葛\\u{e0100}'],
    ['😀\u{e0101}\u{e0102}', '😀\\u{e0101}\\u{e0102}'],
    ['😀\ufe0f\ufe01', '😀\ufe0f\\ufe01'],
    ['👍\u200d\u200d👍', '👍\\u200d\\u200d👍'],
    ['🏴\u{e0061}\u{e007f}', '🏴\\u{e0061}\\u{e007f}'],
    ['🏴󠁧󠁢󠁥󠁮󠁧󠁿\u{e0041}', '🏴󠁧󠁢󠁥󠁮󠁧󠁿\\u{e0041}'],
  ])('turns %j into %j', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it.each(['', 'Adaọbi', '東京', '👩‍🚀', '🇳🇬', 'e\u0301', 'می\u200cخواهم', '1\ufe0f\u20e3', '\\n'])(
    'leaves %j unchanged',
    (text) => {
      expect(visible(text)).toBe(text);
    },
  );

  it('leaves every emoji of Unicode unchanged', () => {
    const isEmoji = /^\p{RGI_Emoji}$/v;
    const parts = ['🏴', '👩', '👨', '❤️', '⚕️', '♂️', '🏽', '🚀', '🌈', '🏳️', '👁️', '🗨️', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🏴󠁧󠁢󠁷󠁬󠁳󠁿', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '☠️', '#️⃣', '🇳🇬'];
    const joined = parts.flatMap((one) => parts.flatMap((two) => [one, one + two, `${one}\u200d${two}`]));
    const emoji = joined.flatMap((one) => [one, `${one}\u200d👨`, `${one}\u200d♂️`]).filter((one) => isEmoji.test(one));
    expect(emoji.length).toBeGreaterThan(30);
    for (const one of emoji) expect(visible(`a${one}b`)).toBe(`a${one}b`);
  });

  it('escapes every hidden character', () => {
    for (const code of EVERY_HIDDEN) expect(hiddenIn(visible(String.fromCharCode(code)))).toEqual([]);
    fc.assert(
      fc.property(nasty, (text) => {
        expect(hiddenIn(visible(text))).toEqual([]);
      }),
    );
  });
});

it('visibleLines keeps newlines, visibleText newlines and tabs', () => {
  expect(visibleLines('a\nb\tc\r')).toBe('a\nb\\tc\\r');
  expect(visibleText('a\nb\tc\r')).toBe('a\nb\tc\\r');
  fc.assert(
    fc.property(nasty, (text) => {
      expect(hiddenIn(visibleLines(text)).filter((code) => code !== 10)).toEqual([]);
      expect(hiddenIn(visibleText(text)).filter((code) => code !== 10 && code !== 9)).toEqual([]);
    }),
  );
});

describe('visibleJson', () => {
  it('escapes characters that JSON.stringify leaves raw', () => {
    expect(visibleJson('"\u007f\u0085\u202e\u2028"')).toBe('"\\u007f\\u0085\\u202e\\u2028"');
    expect(visibleJson('"a\u200b\u{e0033}b"')).toBe('"a\\u200b\\udb40\\udc33b"');
  });

  it('preserves the value without hidden characters', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const json = visibleJson(JSON.stringify({ [text]: text }));
        expect(hiddenIn(json)).toEqual([]);
        expect(JSON.parse(visibleJson(JSON.stringify([text])))).toEqual([text]);
        if (!mayBeRenamed(json)) expect(JSON.parse(json)).toEqual({ [text]: text });
      }),
    );
  });
});

it('visibleExactly escapes invisible characters in any context', () => {
  expect(visibleExactly('٠٧\u200c٣')).toBe('٠٧\\u200c٣');
  expect(visibleExactly('*737*\u2060é#')).toBe('*737*\\u2060é#');
  expect(visibleExactly('0736251840')).toBe('0736251840');
});

describe('colouredText', () => {
  it.each(['\u001b[1m\u001b[0;31mred\u001b[39m\n', 'a\tb\r\n', 'Ụgwọ 😀'])(
    'keeps text, line ends and colours: %j',
    (text) => {
      expect(colouredText(text)).toBe(text);
    },
  );

  it.each([
    ['\u001b[12G\u001b[10Ax', '\\x1b[12G\\x1b[10Ax'],
    ['\u001b[2K\u001b[0J', '\\x1b[2K\\x1b[0J'],
    ['50 %\r51 %', '50 %\\r51 %'],
    ['a\b\u0007\u009b31m\u202e', 'a\\x08\\x07\\x9b31m\\u202e'],
  ])('escapes cursor movement and hidden text: %j to %j', (text, shown) => {
    expect(colouredText(text)).toBe(shown);
  });
});

describe('forTerminal', () => {
  it.each([
    '\u001b[1m\u001b[31merror:\u001b[39m\u001b[22m a\n',
    '\r\u001b[2K\u001b[2mwaiting\u001b[22m',
    '\u001b[1G\u001b[0Jtyped\u001b[6G',
    '\u001b[12G\u001b[10A\u001b[0;31mx',
    'a\tb\r\n',
  ])("keeps paycli's own drawing: %j", (text) => {
    expect(forTerminal(text)).toBe(text);
  });

  it.each([
    ['\u001b[2J\u001b[H', '\\x1b[2J\\x1b[H'],
    ['\u001b]0;title\u0007', '\\x1b]0;title\\x07'],
    ['\u001b]52;c;aGk=\u001b\\', '\\x1b]52;c;aGk=\\x1b\\'],
    ['NGN 9\rNGN 1', 'NGN 9\\rNGN 1'],
    ['\u009b31m\u202e', '\\x9b31m\\u202e'],
  ])('escapes anything else: %j to %j', (text, shown) => {
    expect(forTerminal(text)).toBe(shown);
  });
});

it.each(['=1+1', '+234803', '-5', '@SUM(A1)', "'=1", "'t Hooft", '＝1+1', '＋1', '－1', '＠A1'])(
  'a spreadsheet cell %j gets an apostrophe',
  (text) => {
    expect([withoutFormula(text), forSpreadsheet(text)]).toEqual([`'${text}`, `'${text}`]);
  },
);

it.each([
  ['x;=1+1', "x;'=1+1"],
  ['x;＝1+1;;@a;1', "x;'＝1+1;;'@a;1"],
  ["x;''-1", "x;'''-1"],
  ['x\t+1', "x\t'+1"],
  ['x\n=1\r\n=2', "x\n'=1\r\n'=2"],
  ['\t=1', "'\t'=1"],
  ['\r=1', "'\r=1"],
])('a spreadsheet cell %j gets an apostrophe at each formula: %j', (text, guarded) => {
  expect([withoutFormula(text), forSpreadsheet(text)]).toEqual([guarded, guarded]);
  expect(fromSpreadsheet(guarded)).toBe(text);
});

it.each(["x;'=1;=2", "it;'s", "'=1;=2"])('%j, which is no guarded cell, is read unchanged', (text) => {
  expect(fromSpreadsheet(text)).toBe(text);
});

it.each(['', 'a=1', ' =1', '5-5', 'x; =1', "a;'t", 'a,=1', 'a;b=1'])('a spreadsheet cell %j is unchanged', (text) => {
  expect([withoutFormula(text), forSpreadsheet(text)]).toEqual([text, text]);
});

describe('digits that a spreadsheet would change', () => {
  it.each(['0736251840', '00', '01', '1234567890123456', '0'.repeat(40)])('%j become a formula', (digits) => {
    expect(forSpreadsheet(digits)).toBe(`="${digits}"`);
    expect(withoutFormula(digits)).toBe(digits);
  });

  it.each(['0', '7', '123456789012345', '0.5', '0a', '0 1', '0\n', '\u0660\u0661'])('do not include %j', (text) => {
    expect(forSpreadsheet(text)).toBe(text);
  });

  it('are restored, and no other text is mistaken for them', () => {
    const any = fc.string({
      unit: fc.constantFrom('=', '"', '0', '1', 'a', '\n', "'", '+', '-', '@', '\t', ';', '＝'),
    });
    const digits = fc.oneof(any, fc.stringMatching(/^(0?[0-9]{1,20})$/));
    fc.assert(
      fc.property(digits, (text) => {
        expect(fromSpreadsheet(forSpreadsheet(text))).toBe(text);
      }),
    );
    fc.assert(
      fc.property(any, (text) => {
        const digits = fromSpreadsheet(text);
        expect(digits === text || forSpreadsheet(digits) === text).toBe(true);
      }),
    );
  });
});

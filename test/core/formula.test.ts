import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forSpreadsheet, fromSpreadsheet, withoutFormula } from '../../src/core/text.ts';

it.each(['=1+1', '+234803', '-5', '@SUM(A1)', '\t=1', '\r=1', "'=1", "'t Hooft"])('%j gets an apostrophe', (text) => {
  expect([withoutFormula(text), forSpreadsheet(text)]).toEqual([`'${text}`, `'${text}`]);
});

it.each(['', 'a=1', ' =1', '5-5'])('%j stays', (text) => {
  expect([withoutFormula(text), forSpreadsheet(text)]).toEqual([text, text]);
});

describe('digits that a spreadsheet would change', () => {
  it.each(['0736251840', '00', '01', '1234567890123456', '0'.repeat(40)])('%j are kept by a formula', (digits) => {
    expect(forSpreadsheet(digits)).toBe(`="${digits}"`);
    expect(withoutFormula(digits)).toBe(digits);
  });

  it.each(['0', '7', '123456789012345', '0.5', '0a', '0 1', '0\n', '\u0660\u0661'])('%j are none', (text) => {
    expect(forSpreadsheet(text)).toBe(text);
  });

  it('come back as any text does, and nothing else is taken for them', () => {
    const any = fc.string({ unit: fc.constantFrom('=', '"', '0', '1', 'a', '\n', "'", '+', '-', '@', '\t') });
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

import { expect, it } from 'vitest';
import { withoutFormula } from '../../src/core/formula.ts';

it.each(['=1+1', '+234803', '-5', '@SUM(A1)', '\t=1', '\r=1'])('%j gets an apostrophe', (text) => {
  expect(withoutFormula(text)).toBe(`'${text}`);
});

it.each(['', 'a=1', "'=1", ' =1', '5-5'])('%j stays', (text) => {
  expect(withoutFormula(text)).toBe(text);
});

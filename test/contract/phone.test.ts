import { expect, it } from 'vitest';
import { phoneFault } from '../../src/contract/phone.ts';

it.each(['123456', '123456789012345'])('%s needs nothing but a plus', (digits) => {
  expect(phoneFault(digits)).toBe(`needs a plus in front: +${digits}`);
});

it.each(['2.34803E+12', '2,34803E+12', '2E+12', '2E12', '2e12', '23E5'])('%s was rounded by a spreadsheet', (text) => {
  expect(phoneFault(text)).toBe('was rounded by a spreadsheet: format the column as text and type it again');
});

it.each(['x2.3E+12', '2.3E+12x', '2x3E+12', 'E+12', '2E+', '+2E5'])('%s was never a number', (text) => {
  expect(phoneFault(text)).toBe('should be a plus and digits only, such as +2348031234567');
});

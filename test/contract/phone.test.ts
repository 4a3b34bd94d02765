import { expect, it } from 'vitest';
import { phoneFault } from '../../src/contract/activity.ts';

it.each(['123456', '123456789012345'])('%s needs nothing but a plus', (digits) => {
  expect(phoneFault(digits)).toBe(`needs a plus in front: +${digits}`);
});

it.each(['x2.3E+12', '2.3E+12x', '2x3E+12', 'E+12', '2E+', '+2E5'])('%s was never a number', (text) => {
  expect(phoneFault(text)).toBe('should be a plus and digits only, such as +2348031234567');
});

import { expect, it } from 'vitest';
import { parseRate } from '../../src/core/time.ts';

it.each([
  ['50/s', { count: 50, ms: 1000 }],
  ['100/m', { count: 100, ms: 60_000 }],
  ['1000/h', { count: 1000, ms: 3_600_000 }],
  [' 1/s\n', { count: 1, ms: 1000 }],
  ['999999/h', { count: 999_999, ms: 3_600_000 }],
])('%j is a rate', (text, rate) => {
  expect(parseRate(text)).toEqual(rate);
});

it.each([
  '',
  '50',
  '0/s',
  '00/s',
  '05/s',
  '-5/s',
  '1.5/s',
  '1e3/s',
  '50/',
  '/s',
  '50/d',
  '50/S',
  '50s',
  '50/sec',
  '50/s 5',
  'a 50/s',
  '50 /s',
  '5/10s',
  '1000000/s',
  'NaN/s',
])('%j is none', (text) => {
  expect(parseRate(text)).toBeUndefined();
});

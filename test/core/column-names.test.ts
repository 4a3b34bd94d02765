import { expect, it } from 'vitest';
import { columnNames } from '../../src/core/column-names.ts';

const KNOWN = ['ugwo', 'medium', 'param', 'param.'];

it.each([
  [
    ['ugwo', 'medium'],
    ['ugwo', 'medium'],
  ],
  [
    ['UGWO', 'Medium'],
    ['ugwo', 'medium'],
  ],
  [
    [' Ugwo ', '\tmedium'],
    ['ugwo', 'medium'],
  ],
  [
    ['PARAM', 'Param.Tier', 'param.tier', ' PARAM.List: '],
    ['param', 'param.Tier', 'param.tier', 'param.List:'],
  ],
  [
    ['Note', 'note', ' note', 'Parameter'],
    ['Note', 'note', ' note', 'Parameter'],
  ],
  [
    ['u gwo', 'medium_', ''],
    ['u gwo', 'medium_', ''],
  ],
])('the columns %j are read as %j', (columns, names) => {
  expect(columnNames(columns, KNOWN)).toEqual(names);
});

it.each([
  [['ugwo', 'UGWO'], 'the columns "ugwo" and "UGWO" are both ugwo'],
  [['Param.k', 'a', 'param.k '], 'the columns "Param.k" and "param.k " are both param.k'],
])('the columns %j are refused', (columns, message) => {
  const wanted = { kind: 'usage', message, detail: { hint: 'leave one of them out' } };
  expect(() => columnNames(columns, KNOWN)).toThrow(expect.objectContaining(wanted));
});

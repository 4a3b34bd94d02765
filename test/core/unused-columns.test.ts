import { expect, it } from 'vitest';
import { unusedColumns, unusedNotices } from '../../src/core/unused-columns.ts';

const NAMES = ['ugwo', 'medium', 'provider', 'phone', 'expires_at', 'expires_in', 'param', 'param.', 'meta.'];
const known = (name: string): boolean => NAMES.includes(name) || /^(?:param|meta)\../.test(name);
const unused = (...columns: string[]) => unusedColumns(columns, known, NAMES);

it('are none where all are known', () => {
  expect(unused('ugwo', 'param.tier', 'meta.a:', 'medium')).toEqual([]);
});

it('are told in their order', () => {
  expect(unused('note', 'ugwo', 'amount')).toEqual([
    { name: 'note', meant: undefined },
    { name: 'amount', meant: undefined },
  ]);
});

it.each([
  ['Medium', 'medium'],
  [' phone', 'phone'],
  ['expires', 'expires_at'],
  ['amount', undefined],
  ['expires-at', 'expires_at'],
  ['provder', 'provider'],
  ['parm.tier', 'param.tier'],
  ['Meta.Tier', 'meta.Tier'],
  ['metadata.tier', 'meta.tier'],
  ['parma', 'param'],
  ['other.tier', undefined],
  ['.tier', undefined],
  ['metta', undefined],
])('%j may have been meant as %j', (name, meant) => {
  expect(unused(name)).toEqual([{ name, meant }]);
});

it('were not meant as what is there already', () => {
  expect(unused('medium', 'mediums', 'param.tier', 'parm.tier', 'parm.level')).toEqual([
    { name: 'mediums', meant: undefined },
    { name: 'parm.tier', meant: undefined },
    { name: 'parm.level', meant: 'param.level' },
  ]);
  expect(unused('expires_at', 'expires')).toEqual([{ name: 'expires', meant: 'expires_in' }]);
});

it('were not meant as one that is there, of those with a beginning neither', () => {
  expect(unused('param', 'parm.')).toEqual([{ name: 'parm.', meant: 'param.' }]);
  expect(unused('tier')).toEqual([{ name: 'tier', meant: undefined }]);
});

it('are guessed at up to a thousand', () => {
  const columns = ['provder', ...Array.from({ length: 999 }, (_, index) => `x${index}`)];
  expect(unused(...columns)[0]).toEqual({ name: 'provder', meant: 'provider' });
  expect(unused(...columns, 'y')[0]).toEqual({ name: 'provder', meant: undefined });
});

const notices = (...columns: string[]) => unusedNotices(columns, known, NAMES);

it('are told of in lines, a guess a line', () => {
  expect(notices('ugwo', 'medium')).toEqual([]);
  expect(notices('note', 'provder')).toEqual([
    'Ignored columns (copied to the report): note, provder',
    'provder: did you mean provider?',
  ]);
  const ten = Array.from({ length: 10 }, (_, index) => `x${index}`);
  expect(notices(...ten)).toEqual([`Ignored columns (copied to the report): ${ten.join(', ')}`]);
  expect(notices(...ten, 'y', 'z')).toEqual([`Ignored columns (copied to the report): ${ten.join(', ')} and 2 more`]);
});

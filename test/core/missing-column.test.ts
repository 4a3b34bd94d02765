import { expect, it } from 'vitest';
import { missingColumn } from '../../src/core/missing-column.ts';

const NEEDED = { name: 'ugwo', prefix: 'ugw.', aliases: ['uid'], all: 'ugwo, medium' };

it.each([
  [['uid', 'medium'], 'there is no column ugwo: uid, medium', 'rename column uid to ugwo'],
  [['UID', 'medium'], 'there is no column ugwo: UID, medium', 'rename column UID to ugwo'],
  [['ugwos', 'medium'], 'there is no column ugwo: ugwos, medium', 'rename column ugwos to ugwo'],
  [[' uid '], 'there is no column ugwo:  uid ', 'rename column  uid  to ugwo'],
  [[], 'there is no column ugwo: ', 'the first line names the columns: ugwo, medium'],
  [['a;b', 'c'], 'there is no column ugwo: a;b, c', 'the first line names the columns: ugwo, medium'],
  [['a', 'ugw.AbCd.1'], 'there is no column ugwo: a, ugw.AbCd.1', expect.stringContaining('a row already')],
  [['ugwo;medium'], 'there is no column ugwo: ugwo;medium', 'say what separates the cells: --delimiter'],
  [['medium'], 'there is no column ugwo: medium', 'the first line names the columns: ugwo, medium'],
  [
    ['ugw.AbCd.1', 'ussd'],
    'there is no column ugwo: ugw.AbCd.1, ussd',
    'the first line is a row already: write the names of the columns above it, such as ugwo',
  ],
])('a file of the columns %j is told what to do', (columns, message, hint) => {
  const error = missingColumn(columns, NEEDED);
  expect([error.kind, error.message, error.detail.hint]).toEqual(['usage', message, hint]);
});

it('a first line of any length is told in a few words', () => {
  const { message } = missingColumn(
    Array.from({ length: 1000 }, () => 'x'.repeat(1000)),
    NEEDED,
  );
  expect(message).toMatch(/^there is no column ugwo: x{60}…, .* and 990 more$/);
  expect(message.length).toBeLessThan(700);
});

it('of a key in the first line no part is told, wherever it is cut', () => {
  const key = `sk.AbCd.${'k3y'.repeat(30)}TAIL`;
  for (const before of ['', 'x'.repeat(45)]) {
    expect(missingColumn([`${before},${key}`], NEEDED).message).not.toContain('k3yk3y');
  }
});

it('ten columns are told, and those of 60 characters, in full', () => {
  const ten = Array.from({ length: 10 }, () => 'x'.repeat(60));
  expect(missingColumn(ten, NEEDED).message).toBe(`there is no column ugwo: ${ten.join(', ')}`);
  expect(missingColumn([...ten, 'y'], NEEDED).message).toMatch(/x and 1 more$/);
});

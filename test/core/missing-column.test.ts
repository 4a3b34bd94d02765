import { expect, it } from 'vitest';
import { missingColumn } from '../../src/core/missing-column.ts';

const NEEDED = { name: 'ugwo', prefix: 'ugw.', aliases: ['uid'], all: 'ugwo, medium' };

it.each([
  [['uid', 'medium'], 'no column ugwo (found: uid, medium)', 'rename column uid to ugwo'],
  [['UID', 'medium'], 'no column ugwo (found: UID, medium)', 'rename column UID to ugwo'],
  [['ugwos', 'medium'], 'no column ugwo (found: ugwos, medium)', 'rename column ugwos to ugwo'],
  [[' uid '], 'no column ugwo (found:  uid )', 'rename column  uid  to ugwo'],
  [[], 'no column ugwo', 'the first line must name the columns: ugwo, medium'],
  [['a;b', 'c'], 'no column ugwo (found: a;b, c)', 'the first line must name the columns: ugwo, medium'],
  [['a', 'ugw.AbCd.1'], 'no column ugwo (found: a, ugw.AbCd.1)', expect.stringContaining('is a row')],
  [['ugwo;medium'], 'no column ugwo (found: ugwo;medium)', 'set the column separator with --delimiter'],
  [['medium'], 'no column ugwo (found: medium)', 'the first line must name the columns: ugwo, medium'],
  [
    ['ugw.AbCd.1', 'ussd'],
    'no column ugwo (found: ugw.AbCd.1, ussd)',
    'the first line is a row: add a header above it with the column names, such as ugwo',
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
  expect(message).toMatch(/^no column ugwo \(found: x{60}…, .* and 990 more\)$/);
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
  expect(missingColumn(ten, NEEDED).message).toBe(`no column ugwo (found: ${ten.join(', ')})`);
  expect(missingColumn([...ten, 'y'], NEEDED).message).toMatch(/x and 1 more\)$/);
});

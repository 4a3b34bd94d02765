import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loginUidFrom, nameFrom, namespacedBy, operator, operatorText } from '../../src/ledger/sender.ts';
import { newFolder } from '../support/program.ts';

const ADA = { name: 'ada', uid: 1000, loginUid: undefined, host: 'laptop', namespaced: false };

it.each<[string, Partial<Parameters<typeof operatorText>[0]>, string]>([
  ['by the name of the account', {}, 'ada@laptop'],
  ['by that alone, where it is who has logged in', { loginUid: 1000 }, 'ada@laptop'],
  ['also by who has logged in, behind sudo', { name: 'ops', uid: 900, loginUid: 1000 }, 'uid 1000 as ops@laptop'],
  ['by a number, where the account has no name', { name: undefined }, 'uid 1000@laptop'],
  ['with where nobody can be known', { namespaced: true }, 'ada@laptop in a user namespace'],
  ['as nobody, where the system counts no users', { name: undefined, uid: undefined }, 'uid ?@laptop'],
])('who acts is known %s', (_how, more, text) => {
  expect(operatorText({ ...ADA, ...more })).toBe(text);
});

it('who acts here is known', () => {
  expect(operator()).toMatch(/.@./);
});

it.each([
  ['0', 0],
  ['1000\n', 1000],
  ['4294967295', undefined],
  ['', undefined],
  ['-1', undefined],
  ['x', undefined],
])('who has logged in is read as the kernel writes it: %j', (text, uid) => {
  const path = join(newFolder('login'), 'loginuid');
  writeFileSync(path, text);
  expect(loginUidFrom(path)).toBe(uid);
  expect(loginUidFrom(`${path}.none`)).toBeUndefined();
});

it('the name of an account comes from a passwd file, by its number', () => {
  const path = join(newFolder('passwd'), 'passwd');
  writeFileSync(path, 'root:x:0:0:root:/root:/bin/sh\nada:x:1000:100:1001:/home/ada:/bin/sh\n');
  expect([0, 1000, 100, 1001].map((uid) => nameFrom(path, uid))).toEqual(['root', 'ada', undefined, undefined]);
  expect(nameFrom(`${path}.none`, 0)).toBeUndefined();
});

it('a map of users counts only as the kernel’s own', () => {
  const path = join(newFolder('map'), 'uid_map');
  writeFileSync(path, '         0          0 4294967295\n');
  expect([path, `${path}.none`].map(namespacedBy)).toEqual([true, true]);
});

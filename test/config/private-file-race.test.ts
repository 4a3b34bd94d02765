import type * as fs from 'node:fs';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { realMachine } from '../../src/config/machine.ts';
import { openProfileStore } from '../../src/config/store.ts';
import { Redactor } from '../../src/core/secret.ts';
import { modeOf } from '../support/files.ts';
import { errorOf, newFolder } from './world.ts';

type Make = (path: string, options: fs.MakeDirectoryOptions) => string | undefined;

/** What another process does between the check of a folder and its creation. */
const between: { make: (make: Make) => Make } = { make: (make) => make };
vi.mock('node:fs', async (original) => {
  const actual = await original<typeof fs>();
  const mkdirSync: Make = (path, options) => between.make(actual.mkdirSync as Make)(path, options);
  return { ...actual, mkdirSync };
});

const storeKey = (folder: string): void =>
  openProfileStore(folder, realMachine, new Redactor()).write({ version: 1, profiles: {} });

it('a folder that another process creates in between keeps its mode, and is rejected if it is open', async () => {
  const folder = join(newFolder(), 'home');
  between.make = (make) => (path) => {
    make(path, {});
    chmodSync(path, 0o755);
    return make(path, {});
  };
  const error = await errorOf(() => storeKey(folder));
  expect(error.message).toBe(`${folder} is open to other users (mode 0755), so it was not used`);
  expect(error.detail.hint).toContain(`chmod 700 ${folder}`);
  expect(modeOf(folder)).toBe('755');
});

it('a folder that is deleted right after its creation is reported', async () => {
  between.make = () => () => undefined;
  const folder = join(newFolder(), 'home');
  const error = await errorOf(() => storeKey(folder));
  expect(error.message).toContain(`couldn't create ${folder}: ENOENT`);
});

it('a folder whose mode the umask reduced gets it back', () => {
  between.make = (make) => (path, options) => {
    const made = make(path, options);
    chmodSync(path, 0o600);
    return made;
  };
  const folder = join(newFolder(), 'home');
  storeKey(folder);
  expect(modeOf(folder)).toBe('700');
});

import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { contentOf, errorOf, folderWith, KEY, newFolder, openRoom, PIN, script } from './world.ts';

const helper = (key: string): string => script(join(newFolder(), 'helper'), `echo ${key}`);

describe('check of a profile', () => {
  it('returns the origin and the key, given or printed by a command', async () => {
    const { room } = openRoom();
    expect(await room.check({ name: 'a', origin: `${PIN}/`, secret: { key: KEY } })).toEqual({ origin: PIN, key: KEY });
    const secret = { commandLine: helper(KEY) };
    expect(await room.check({ name: 'a', origin: PIN, secret })).toEqual({ origin: PIN, key: KEY });
    expect(room.list()).toEqual([]);
  });

  it('rejects a key that must not go to the origin', async () => {
    const secret = { commandLine: helper(`sk.Lcal.${'x'.repeat(80)}`) };
    const error = await errorOf(() => openRoom().room.check({ name: 'a', origin: PIN, secret }));
    expect(error.message).toMatch(/^the key of the key command is the built-in emulator's/);
  });

  it('registers the key with the redactor, even if the name is invalid', async () => {
    const { room, io } = openRoom();
    await errorOf(() => room.check({ name: 'no name', origin: PIN, secret: { key: KEY } }));
    expect(io.redactor.clean(KEY)).not.toBe(KEY);
  });
});

describe('profiles', () => {
  it('show a key command as "command"', () => {
    const { room } = openRoom();
    expect(room.save({ name: 'a', origin: PIN, secret: { commandLine: helper(KEY) } }).key).toBe('command');
  });

  it('keep their default when another one is removed', () => {
    const folder = folderWith({ name: 'a' }, { name: 'b' });
    const { room, file } = openRoom({ folder });
    room.remove('b');
    expect(contentOf(file)).toMatchObject({ default: 'a' });
    room.remove('a');
    expect(contentOf(file)).toEqual({ version: 1, profiles: {} });
  });

  it('report the chosen profile without reading the file', () => {
    const { room } = openRoom({ env: { PAYCLI_PROFILE: 'b' } });
    expect(room.chosen({ profile: undefined, baseUrl: undefined })).toEqual({ name: 'b', origin: undefined });
  });

  it('reject an unsafe folder before the key is typed', async () => {
    const folder = newFolder();
    const { room } = openRoom({ folder });
    expect(room.checkFolder()).toBeUndefined();
    writeFileSync(join(folder, 'notes.txt'), '');
    chmodSync(folder, 0o755);
    expect((await errorOf(() => room.checkFolder())).message).toContain('no key is stored in it');
  });
});

it('a file that its owner may not read is reported as unreadable', async () => {
  const other = process.geteuid?.() === 0 ? 12_345 : process.geteuid?.();
  const { room, folder, file } = openRoom({ machine: { uid: other } });
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(file, '{}', { mode: 0o000 });
  if (other === 12_345) {
    for (const path of [folder, file]) chownSync(path, other, other);
    chmodSync(dirname(folder), 0o711);
    process.seteuid?.(other);
    onTestFinished(() => process.seteuid?.(0));
  }
  const error = await errorOf(() => room.list());
  expect(error.message).toMatch(/config\.json could not be read: EACCES.*; it was left as it is$/);
});

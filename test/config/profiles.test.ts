import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realMachine } from '../../src/config/machine.ts';
import { profileLedger } from '../../src/config/profiles.ts';
import { contentOf, errorOf, fakeIo, folderWith, KEY, keyOf, newFolder, openRoom, PIN, script } from './world.ts';

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

describe('the ledger of a profile', () => {
  const [LEDGER, OTHER] = ['postgres://ada@db.example/pay', 'postgres://ada@other.example/pay'];

  it('stays with its password command at a new key; a new ledger never gets the command of the old one', () => {
    const { room, file } = openRoom({ folder: folderWith({ name: 'a' }) });
    const stored = () => contentOf(file)['profiles'];
    room.useLedger(undefined, LEDGER, 'pass ledger');
    room.save({ name: 'a', origin: PIN, secret: { key: keyOf('new') } });
    const ledger = { ledger: LEDGER, ledger_password_command: ['pass', 'ledger'] };
    expect(stored()).toMatchObject({ a: { key: keyOf('new'), ...ledger } });
    room.useLedger(undefined, OTHER, undefined);
    expect(stored()).toMatchObject({ a: { ledger: OTHER } });
    expect(stored()).not.toHaveProperty('a.ledger_password_command');
  });

  it.each([
    [undefined, undefined, 'a'],
    ['b', undefined, 'b'],
    [undefined, 'b', 'b'],
    ['a', 'b', 'a'],
  ])('is that of the profile %s (PAYCLI_PROFILE: %s): %s', (profile, named, used) => {
    const folder = folderWith({ name: 'a' }, { name: 'b' });
    for (const name of ['a', 'b']) openRoom({ folder }).room.useLedger(name, `${LEDGER}_${name}`, undefined);
    const { io } = fakeIo({ PAYCLI_PROFILE: named });
    const asked = { profile, baseUrl: undefined };
    expect(profileLedger(asked, io, folder, realMachine)).toEqual({
      profile: used,
      url: `${LEDGER}_${used}`,
      command: undefined,
    });
  });

  it('is none without a default profile', () => {
    const folder = folderWith({ name: 'a' }, { name: 'b' });
    const { room, io } = openRoom({ folder });
    room.useLedger('b', LEDGER, undefined);
    room.remove('a');
    expect(profileLedger({ profile: undefined, baseUrl: undefined }, io, folder, realMachine)).toBeUndefined();
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

import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realMachine } from '../../src/config/machine.ts';
import { openProfileStore, stateOfFolder } from '../../src/config/store.ts';
import { PayError } from '../../src/core/error.ts';
import { Redactor } from '../../src/core/secret.ts';
import { modeOf } from '../support/files.ts';
import { errorOf, newFolder } from './world.ts';

const FOREIGN = 12_345;
const EMPTY = { version: 1, profiles: {} } as const;

const storeIn = (folder: string, machine: Partial<typeof realMachine> = {}) =>
  openProfileStore(folder, { ...realMachine, ...machine }, new Redactor());
const storeKey = (folder: string, machine: Partial<typeof realMachine> = {}): void =>
  storeIn(folder, machine).write(EMPTY);

const folderOf = (mode: number, ...names: string[]): string => {
  const folder = join(newFolder(), 'home');
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), JSON.stringify(EMPTY), { mode: 0o600 });
  chmodSync(folder, mode);
  return folder;
};

/** Message and hint of the error, with `@` for the folder. */
const saidOf = (folder: string, use: () => unknown): readonly string[] => {
  try {
    use();
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    expect(thrown.kind).toBe('auth');
    return [thrown.message, thrown.detail.hint ?? ''].map((text) => text.replaceAll(folder, '@'));
  }
  return [];
};

const look = (folder: string, machine: Partial<typeof realMachine> = {}) =>
  saidOf(folder, () => storeIn(folder, machine).read());

/** Root may access everything: until the test ends this process acts as another user, who owns the folder. */
const withoutRoot = (folder: string): typeof realMachine => {
  if (process.geteuid?.() !== 0) return realMachine;
  chownSync(folder, FOREIGN, FOREIGN);
  chmodSync(join(folder, '..'), 0o711);
  process.seteuid?.(FOREIGN);
  onTestFinished(() => process.seteuid?.(0));
  return { ...realMachine, uid: FOREIGN };
};

describe('the error for an unsafe folder or file', () => {
  it('names a symbolic link and what to do about it', () => {
    const folder = folderOf(0o700);
    symlinkSync('/nowhere', join(folder, 'config.json'));
    expect(look(folder)).toEqual([
      '@/config.json is a symbolic link, so the keys behind it were not used',
      'replace it with what it points to',
    ]);
  });

  it('names a folder in place of the file, and the reverse', () => {
    const folder = folderOf(0o700);
    mkdirSync(join(folder, 'config.json'));
    const hint = 'move it away, then run `paycli login`';
    expect(look(folder)).toEqual(['@/config.json is not a file', hint]);
    const file = join(folderOf(0o700, 'x'), 'x');
    expect(look(file)).toEqual(['@ is not a folder', hint]);
  });

  it('names both users', () => {
    const folder = folderOf(0o700, 'config.json');
    expect(look(folder, { uid: FOREIGN })).toEqual([
      `@ belongs to another user (uid ${realMachine.uid}; you are uid ${FOREIGN}), so it was not used`,
      'run paycli as its owner, or move it away and run `paycli login`',
    ]);
    expect(look(folder, { uid: undefined })).toEqual([]);
  });

  it('names the mode and the chmod command', () => {
    expect(look(folderOf(0o755, 'config.json'))).toEqual([
      '@ is open to other users (mode 0755), so it was not used',
      'run: chmod 700 @; if others use this machine, get a new key too',
    ]);
    const folder = folderOf(0o700, 'config.json');
    chmodSync(join(folder, 'config.json'), 0o640);
    expect(look(folder)).toEqual([
      '@/config.json is open to other users (mode 0640), so it was not used',
      'run: chmod 600 @/config.json; if others use this machine, get a new key too',
    ]);
  });

  it("says why the file can't be read", () => {
    const folder = join(newFolder(), 'x'.repeat(300));
    const [message, hint] = look(folder);
    expect(message).toMatch(/^@ can't be read: .*ENAMETOOLONG/);
    expect(hint).toBe('make it accessible to you, or set PAYCLI_HOME');
  });

  it("says why the folder can't be created", () => {
    const above = folderOf(0o555);
    const folder = join(above, 'home');
    const [message, hint] = saidOf(folder, () => storeKey(folder, withoutRoot(above)));
    expect(message).toMatch(/^couldn't create @: EACCES/);
    expect(hint).toBe('set PAYCLI_HOME to a folder that you can write to');
  });

  it("says why the folder can't be listed", () => {
    const folder = folderOf(0o333);
    const [message, hint] = saidOf(folder, () => stateOfFolder(folder, withoutRoot(folder)));
    expect(message).toMatch(/^@ can't be read: .*EACCES/);
    expect(hint).toBe('run: chmod 700 @');
  });
});

describe('a store', () => {
  const isThere = (folder: string): boolean => storeIn(folder).read() !== undefined;

  it('tells whether the file exists, also if its folder is missing', () => {
    expect(isThere(folderOf(0o700, 'config.json'))).toBe(true);
    expect(isThere(folderOf(0o700, 'notes.txt'))).toBe(false);
    expect(isThere(folderOf(0o777))).toBe(false);
    expect(isThere(join(newFolder(), 'home'))).toBe(false);
  });
});

describe('the folder of a stored key', () => {
  it('creates the folder with its parents, and closes an open one', () => {
    const above = newFolder();
    storeKey(join(above, 'a', 'b'));
    expect([modeOf(join(above, 'a')), modeOf(join(above, 'a', 'b'))]).toEqual(['700', '700']);
    const open = folderOf(0o755, 'ledger.sqlite');
    storeKey(open);
    expect(modeOf(open)).toBe('700');
  });

  it('leaves a private folder unchanged', () => {
    const folder = folderOf(0o711, 'config.json');
    storeKey(folder);
    expect(modeOf(folder)).toBe('711');
  });

  it('checks the folder after its creation', () => {
    const folder = join(newFolder(), 'home');
    const [message] = saidOf(folder, () => storeKey(folder, { uid: FOREIGN }));
    expect(message).toContain('@ belongs to another user');
  });
});

describe('an existing folder', () => {
  it.each<[names: string[], state: string]>([
    [[], 'open'],
    [['ledger.sqlite', 'ledger.sqlite-wal', 'highest-charge', 'shared-0123456789ab.sqlite'], 'open'],
    [['emulator.sqlite', 'emulator.sqlite-shm'], 'open'],
  ])('is open, and may be closed, with %j in it', (names, state) => {
    expect(stateOfFolder(folderOf(0o755, ...names), realMachine)).toBe(state);
  });

  it.each([
    [0o1777, []],
    [0o1777, ['emulator.sqlite']],
    [0o775, ['ledger.sqlite']],
  ])('is shared, and left unchanged, with mode %o and %j in it', async (mode, names) => {
    const folder = folderOf(mode, ...names);
    expect((await errorOf(() => storeKey(folder))).message).toContain('no key is stored in it');
    expect(modeOf(folder)).toBe((mode & 0o777).toString(8));
  });

  it.each([['config.json'], ['my-ledger.sqlite'], ['ledger.sqlite', 'notes.txt']])(
    'is left unchanged with %s in it',
    (...names) => {
      const folder = folderOf(0o755, ...names);
      expect(saidOf(folder, () => storeKey(folder))).toEqual([
        '@ is open to other users (mode 0755), so no key is stored in it; nothing was stored',
        'set PAYCLI_HOME to a folder for paycli alone; if this one is, run: chmod 700 @',
      ]);
    },
  );

  it('is private if nobody else can read or write, whatever it contains', () => {
    expect(stateOfFolder(folderOf(0o700, 'notes.txt'), realMachine)).toBe('private');
    expect(stateOfFolder(folderOf(0o711, 'notes.txt'), realMachine)).toBe('private');
    expect(stateOfFolder(join(newFolder(), 'home'), realMachine)).toBe('missing');
  });

  it('has no mode, owner or file type to check on Windows', () => {
    const windows = { ...realMachine, platform: 'win32', uid: FOREIGN } as const;
    expect(stateOfFolder(folderOf(0o777, 'notes.txt'), windows)).toBe('private');
    expect(look(folderOf(0o777, 'config.json'), windows)).toEqual([]);
  });
});

import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { thisMachine } from '../../src/config/machine.ts';
import { isPrivateFileThere, makePrivateFolder, stateOfFolder } from '../../src/config/private-file.ts';
import { PayError } from '../../src/core/error.ts';
import { modeOf } from '../support/files.ts';
import { errorOf, newFolder } from './world.ts';

const FOREIGN = 12_345;

const folderOf = (mode: number, ...names: string[]): string => {
  const folder = join(newFolder(), 'home');
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), '', { mode: 0o600 });
  chmodSync(folder, mode);
  return folder;
};

/** Message and hint of what this throws, with `@` for the folder. */
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

const look = (folder: string, machine: Partial<typeof thisMachine> = {}) =>
  saidOf(folder, () => isPrivateFileThere(folder, join(folder, 'config.json'), { ...thisMachine, ...machine }));

/** Nothing is closed to root: until the test ends this process acts as another user, who owns the folder. */
const withoutRoot = (folder: string): typeof thisMachine => {
  if (process.geteuid?.() !== 0) return thisMachine;
  chownSync(folder, FOREIGN, FOREIGN);
  chmodSync(join(folder, '..'), 0o711);
  process.seteuid?.(FOREIGN);
  onTestFinished(() => process.seteuid?.(0));
  return { ...thisMachine, uid: FOREIGN };
};

describe('what is said of a folder or a file that is not safe', () => {
  it('names a link and what to do about it', () => {
    const folder = folderOf(0o700);
    symlinkSync('/nowhere', join(folder, 'config.json'));
    expect(look(folder)).toEqual([
      '@/config.json is a symbolic link, so the keys behind it were not used',
      'replace it with what it points to',
    ]);
  });

  it('names what stands in the place', () => {
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
      `@ belongs to another user (uid ${thisMachine.uid}; you are uid ${FOREIGN}), so it was not used`,
      'run paycli as its owner, or move it away and run `paycli login`',
    ]);
    expect(look(folder, { uid: undefined })).toEqual([]);
  });

  it('names the mode and the chmod', () => {
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

  it('names what keeps it from being looked at', () => {
    const folder = join(newFolder(), 'x'.repeat(300));
    const [message, hint] = look(folder);
    expect(message).toMatch(/^@ can't be read: .*ENAMETOOLONG/);
    expect(hint).toBe('make it accessible to you, or set PAYCLI_HOME');
  });

  it('names what keeps it from being made', () => {
    const above = folderOf(0o555);
    const folder = join(above, 'home');
    const [message, hint] = saidOf(folder, () => makePrivateFolder(folder, withoutRoot(above)));
    expect(message).toMatch(/^couldn't create @: EACCES/);
    expect(hint).toBe('set PAYCLI_HOME to a folder that you can write to');
  });

  it('names what keeps it from being read', () => {
    const folder = folderOf(0o333);
    const [message, hint] = saidOf(folder, () => stateOfFolder(folder, withoutRoot(folder)));
    expect(message).toMatch(/^@ can't be read: .*EACCES/);
    expect(hint).toBe('run: chmod 700 @');
  });
});

describe('a file of keys', () => {
  const isThere = (folder: string): boolean => isPrivateFileThere(folder, join(folder, 'config.json'), thisMachine);

  it('is there, or is not, with its folder or without', () => {
    expect(isThere(folderOf(0o700, 'config.json'))).toBe(true);
    expect(isThere(folderOf(0o700, 'notes.txt'))).toBe(false);
    expect(isThere(folderOf(0o777))).toBe(false);
    expect(isThere(join(newFolder(), 'home'))).toBe(false);
  });
});

describe('a folder for keys', () => {
  it('is made with all above it, and closed where it is open', () => {
    const above = newFolder();
    makePrivateFolder(join(above, 'a', 'b'), thisMachine);
    expect([modeOf(join(above, 'a')), modeOf(join(above, 'a', 'b'))]).toEqual(['700', '700']);
    const open = folderOf(0o755, 'ledger.sqlite');
    makePrivateFolder(open, thisMachine);
    expect(modeOf(open)).toBe('700');
  });

  it('is left as it is where it is private', () => {
    const folder = folderOf(0o711, 'config.json');
    makePrivateFolder(folder, thisMachine);
    expect(modeOf(folder)).toBe('711');
  });

  it('is looked at once it is made', () => {
    const folder = join(newFolder(), 'home');
    const [message] = saidOf(folder, () => makePrivateFolder(folder, { ...thisMachine, uid: FOREIGN }));
    expect(message).toContain('@ belongs to another user');
  });
});

describe('a folder that is there already', () => {
  it.each<[names: string[], state: string]>([
    [[], 'open'],
    [['ledger.sqlite', 'ledger.sqlite-wal', 'highest-charge', 'shared-0123456789ab.sqlite'], 'open'],
    [['emulator.sqlite', 'emulator.sqlite-shm'], 'open'],
  ])('is open, and may be closed, with %j in it', (names, state) => {
    expect(stateOfFolder(folderOf(0o755, ...names), thisMachine)).toBe(state);
  });

  it.each([
    [0o1777, []],
    [0o1777, ['emulator.sqlite']],
    [0o775, ['ledger.sqlite']],
  ])('is for others, too, and left with mode %o and %j in it', async (mode, names) => {
    const folder = folderOf(mode, ...names);
    expect((await errorOf(() => makePrivateFolder(folder, thisMachine))).message).toContain('no key is stored in it');
    expect(modeOf(folder)).toBe((mode & 0o777).toString(8));
  });

  it.each([['config.json'], ['my-ledger.sqlite'], ['ledger.sqlite', 'notes.txt']])(
    'is left as it is with %s in it',
    (...names) => {
      const folder = folderOf(0o755, ...names);
      expect(saidOf(folder, () => makePrivateFolder(folder, thisMachine))).toEqual([
        '@ is open to other users (mode 0755), so no key is stored in it; nothing was stored',
        'set PAYCLI_HOME to a folder for paycli alone; if this one is, run: chmod 700 @',
      ]);
    },
  );

  it('is private where nobody else can read or write, whatever is in it', () => {
    expect(stateOfFolder(folderOf(0o700, 'notes.txt'), thisMachine)).toBe('private');
    expect(stateOfFolder(folderOf(0o711, 'notes.txt'), thisMachine)).toBe('private');
    expect(stateOfFolder(join(newFolder(), 'home'), thisMachine)).toBe('missing');
  });

  it('has no mode, no owner and no kind that is judged on Windows', () => {
    const windows = { ...thisMachine, platform: 'win32', uid: FOREIGN } as const;
    expect(stateOfFolder(folderOf(0o777, 'notes.txt'), windows)).toBe('private');
    expect(look(folderOf(0o777, 'config.json'), windows)).toEqual([]);
  });
});

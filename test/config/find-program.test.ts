import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { childEnv, findProgram } from '../../src/config/key-command.ts';
import { type Machine, realMachine } from '../../src/config/machine.ts';
import { newFolder, script } from './world.ts';

const windows = { ...realMachine, platform: 'win32' } as const;
const workingIn = (cwd: string | undefined): Machine => ({ ...realMachine, cwd: () => cwd });

/** Creates a folder with programs of these names. */
const folderOf = (...names: string[]): string => {
  const folder = newFolder();
  for (const name of names) script(join(folder, name), 'exit');
  return folder;
};

describe('findProgram', () => {
  it('finds on Windows what that can start, also without its ending', () => {
    for (const ending of ['.com', '.exe', '.bat', '.cmd']) {
      // npm puts a script for other systems beside its batch files.
      const PATH = folderOf('op', `op${ending}`);
      const found = join(PATH, `op${ending}`);
      for (const word of ['op', `op${ending}`, join(PATH, 'op'), found])
        expect(findProgram(word, { PATH }, windows)).toBe(found);
      expect(findProgram('op', { PATH }, realMachine)).toBe(join(PATH, 'op'));
    }
    const PATH = folderOf('op', 'op.js', 'op.v2.EXE', 'tool.js.exe');
    const words = ['op', 'op.js', join(PATH, 'op.js'), 'op.v2.EXE', 'tool.js'];
    expect(words.map((word) => findProgram(word, { PATH }, windows)?.slice(PATH.length + 1))).toEqual([
      ...[undefined, undefined, undefined, 'op.v2.EXE', 'tool.js.exe'],
    ]);
  });

  it('searches PATH, or Path if PATH is not set, in order', () => {
    const [one, other] = [folderOf('op'), folderOf('op')];
    expect(findProgram('op', { Path: one }, realMachine)).toBe(join(one, 'op'));
    expect(findProgram('op', { PATH: one, Path: other }, realMachine)).toBe(join(one, 'op'));
    expect(findProgram('op', { PATH: [one, other].join(delimiter) }, realMachine)).toBe(join(one, 'op'));
    expect(findProgram('', { PATH: one }, realMachine)).toBeUndefined();
    expect(findProgram(join(basename(one), 'op'), { PATH: dirname(one) }, realMachine)).toBeUndefined();
  });

  it('skips folders inside the working folder, but not folders with a similar name', () => {
    const cwd = newFolder();
    for (const name of ['..bin', 'bin']) {
      mkdirSync(join(cwd, name));
      script(join(cwd, name, 'op'), 'exit');
      expect(findProgram('op', { PATH: join(cwd, name) }, workingIn(cwd))).toBeUndefined();
    }
    const machine = workingIn(join(cwd, 'bin'));
    expect(findProgram('op', { PATH: join(cwd, '..bin') }, machine)).toBe(join(cwd, '..bin', 'op'));
    expect(findProgram('op', { PATH: join(cwd, 'bin') }, machine)).toBeUndefined();
    // Skips the parent folder of the working folder too.
    script(join(cwd, 'op'), 'exit');
    expect(findProgram('op', { PATH: cwd }, machine)).toBe(join(cwd, 'op'));
  });

  it('takes an absolute path as it is written: behind a link, .. is another folder', () => {
    const [folder, other] = [folderOf('op'), newFolder()];
    mkdirSync(join(folder, 'deep'));
    symlinkSync(join(folder, 'deep'), join(other, 'link'));
    const path = `${other}/link/../op`;
    expect(findProgram(path, {}, realMachine)).toBe(path);
  });

  it('accepts a program given by its absolute path, and only if the file exists', () => {
    const folder = folderOf('op');
    expect(findProgram(join(folder, 'op'), {}, workingIn(folder))).toBe(join(folder, 'op'));
    expect(findProgram(folder, {}, realMachine)).toBeUndefined();
    expect(findProgram(join(folder, 'no'), {}, realMachine)).toBeUndefined();
  });

  it('skips folders, files that are not executable, and missing folders', () => {
    const [folder, data, good] = [newFolder(), folderOf('op'), folderOf('op')];
    mkdirSync(join(folder, 'op'));
    chmodSync(join(data, 'op'), 0o644);
    const PATH = [join(folder, 'nowhere'), folder, data, good].join(delimiter);
    expect(findProgram('op', { PATH }, realMachine)).toBe(join(good, 'op'));
    expect(findProgram('op', {}, realMachine)).toBeUndefined();
    expect(findProgram('', { PATH: folderOf('.exe') }, windows)).toBeUndefined();
  });

  it('skips relative folders of PATH', () => {
    const PATH = relative(process.cwd(), folderOf('op'));
    expect(findProgram('op', { PATH }, workingIn(newFolder()))).toBeUndefined();
    expect(findProgram('op', { PATH }, workingIn(undefined))).toBeUndefined();
  });

  it('skips symbolic links into and out of the working folder', () => {
    const [cwd, outside, links] = [folderOf('op'), folderOf('op'), newFolder()];
    const [there, out] = [join(links, 'there'), join(cwd, 'out')];
    symlinkSync(cwd, there);
    symlinkSync(outside, out);
    for (const PATH of [cwd, there, out]) {
      for (const place of [cwd, there]) {
        expect(findProgram('op', { PATH }, workingIn(place)), `${PATH} in ${place}`).toBeUndefined();
      }
    }
    expect(findProgram('op', { PATH: outside }, workingIn(there))).toBe(join(outside, 'op'));
  });

  it('finds the program if the working folder is / or no longer exists', () => {
    const PATH = folderOf('op');
    for (const cwd of ['/', undefined, `${PATH}-gone`]) {
      expect(findProgram('op', { PATH }, workingIn(cwd))).toBe(join(PATH, 'op'));
    }
  });
});

describe.skipIf(process.platform === 'win32')('the PATH of a program that paycli starts', () => {
  const pathIn = (cwd: string, folders: readonly string[], HOME = newFolder()): string | undefined =>
    childEnv({ PATH: folders.join(delimiter), HOME }, workingIn(cwd))['PATH'];

  it('has no relative folder, and none of the working folder', () => {
    const [cwd, links, good] = [folderOf('op'), newFolder(), newFolder()];
    mkdirSync(join(cwd, 'node_modules', '.bin'), { recursive: true });
    symlinkSync(cwd, join(links, 'there'));
    const planted = ['.', '', 'node_modules/.bin', cwd, join(cwd, 'node_modules', '.bin'), join(links, 'there')];
    expect(pathIn(cwd, [...planted, good, '/usr/bin'])).toBe(`${good}:/usr/bin`);
  });

  it('has the folders of the home folder if that is the working folder, or inside it', () => {
    const home = newFolder();
    const bin = join(home, 'bin');
    mkdirSync(bin);
    script(join(bin, 'op'), 'exit');
    for (const cwd of [home, dirname(home), '/']) {
      expect(pathIn(cwd, ['.', '', 'bin', bin], home), cwd).toBe(bin);
      expect(findProgram('op', { PATH: bin, HOME: home }, workingIn(cwd))).toBe(join(bin, 'op'));
    }
    // A home folder that is not known makes nothing of a working folder trusted, nor does a relative one.
    for (const HOME of ['', '.']) expect(pathIn(home, [bin, '/usr/bin'], HOME)).toBe('/usr/bin');
  });

  it('is never empty, which would mean the working folder', () => {
    const cwd = newFolder();
    for (const folders of [[], [''], ['.', cwd]]) expect(pathIn(cwd, folders)).toBe('/usr/bin:/bin');
    expect(childEnv({}, realMachine)).toEqual({ PATH: '/usr/bin:/bin' });
  });
});

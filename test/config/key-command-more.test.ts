import { mkdirSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../src/config/find-program.ts';
import { runKeyCommand } from '../../src/config/key-command.ts';
import { thisMachine } from '../../src/config/machine.ts';
import type { Env } from '../../src/core/io.ts';
import { errorOf, fakeIo, KEY, newFolder, script } from './world.ts';

const windows = { ...thisMachine, platform: 'win32' } as const;
const helper = (body: string): string => script(join(newFolder(), 'helper'), body);
const run = (command: readonly string[], machine = thisMachine, env: Env = { PATH: '/usr/bin:/bin' }) =>
  runKeyCommand(command, fakeIo(env).io, machine);

describe('what is said of a key command', () => {
  const HINT = 'it must print the key on one line and exit with 0; it runs without a shell, in the root folder';

  it.each([
    ['true', 'printed nothing'],
    ['echo short', 'printed something that is not 8 to 512 printable ASCII characters'],
    ['exit 3', 'ended with exit code 3'],
    ['head -c 515 /dev/zero', 'printed more than a key'],
  ])('that does %s', async (body, what) => {
    const program = helper(body);
    const { message, detail } = await errorOf(() => run([program]));
    expect([message, detail.hint]).toEqual([`the key command "${program}" ${what}`, HINT]);
  });

  it('that is not there', async () => {
    const { message, detail } = await errorOf(() => run(['no-such "op"', 'x']));
    expect(message).toBe('the key command "no-such \\"op\\"" was not found');
    expect(detail.hint).toBe(
      'give its absolute path; relative paths, and folders of PATH inside the working folder, are not searched',
    );
  });

  it('that has no name', async () => {
    expect((await errorOf(() => run([]))).message).toBe('the key command "" was not found');
  });
});

describe('a key command on Windows', () => {
  it.each(['\\r\\n', '\\n', ''])('may end its line with %j', async (end) => {
    expect(await run([helper(`printf '${KEY}${end}'`)], windows)).toBe(KEY);
  });

  it('is ended by itself, since it leads no group', async () => {
    const killGroup = (): never => {
      throw new Error('there are no groups');
    };
    const ending = run([helper('exec tail -f /dev/null')], { ...windows, killGroup, keyCommandLimit: 100 });
    expect((await errorOf(() => ending)).message).toContain('did not finish within 0.1 s');
  });
});

describe('the look-up of a program', () => {
  const folderOf = (...names: string[]): string => {
    const folder = newFolder();
    for (const name of names) script(join(folder, name), 'exit');
    return folder;
  };

  it('knows the endings of Windows there, and only there', () => {
    for (const ending of ['', '.exe', '.com']) {
      const PATH = folderOf(`op${ending}`);
      expect(findProgram('op', { PATH }, windows)).toBe(join(PATH, `op${ending}`));
      expect(findProgram('op', { PATH }, thisMachine)).toBe(ending === '' ? join(PATH, 'op') : undefined);
    }
    const both = folderOf('op', 'op.com', 'op.exe');
    expect(findProgram('op', { PATH: both }, windows)).toBe(join(both, 'op'));
  });

  it('reads PATH, or Path where there is no other, folder by folder', () => {
    const [one, other] = [folderOf('op'), folderOf('op')];
    expect(findProgram('op', { Path: one }, thisMachine)).toBe(join(one, 'op'));
    expect(findProgram('op', { PATH: one, Path: other }, thisMachine)).toBe(join(one, 'op'));
    expect(findProgram('op', { PATH: [one, other].join(delimiter) }, thisMachine)).toBe(join(one, 'op'));
    expect(findProgram('', { PATH: one }, thisMachine)).toBeUndefined();
    expect(findProgram(join(basename(one), 'op'), { PATH: dirname(one) }, thisMachine)).toBeUndefined();
  });

  it('passes over folders inside the working folder, and not over those that are only called alike', () => {
    const cwd = newFolder();
    for (const name of ['..bin', 'bin']) {
      mkdirSync(join(cwd, name));
      script(join(cwd, name, 'op'), 'exit');
      expect(findProgram('op', { PATH: join(cwd, name) }, { ...thisMachine, cwd: () => cwd })).toBeUndefined();
    }
    const machine = { ...thisMachine, cwd: () => join(cwd, 'bin') };
    expect(findProgram('op', { PATH: join(cwd, '..bin') }, machine)).toBe(join(cwd, '..bin', 'op'));
    expect(findProgram('op', { PATH: join(cwd, 'bin') }, machine)).toBeUndefined();
    // Nor over the folder that the working folder lies in.
    script(join(cwd, 'op'), 'exit');
    expect(findProgram('op', { PATH: cwd }, machine)).toBe(join(cwd, 'op'));
  });
});

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

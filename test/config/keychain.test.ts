import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { keyRemover, storeKey } from '../../src/config/keychain.ts';
import { realMachine } from '../../src/config/machine.ts';
import { fakeIo, KEY, newFolder, script } from './world.ts';

/** A fake of the system's keychain program: records its stdin and its arguments, and prints `answer`. */
const world = (platform: 'darwin' | 'win32', program: string, answer: string) => {
  const folder = newFolder();
  script(join(folder, program), `printf '%s\n' "$*" >> ${folder}/argv\ncat >> ${folder}/stdin\n${answer}`);
  const { io } = fakeIo({ PATH: `${folder}:/usr/bin:/bin` });
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { folder, io, read, machine: { ...realMachine, platform } };
};

// Neither system is available here: the test checks what their programs receive, and that no argument contains the
// key.
describe.runIf(process.platform === 'linux')('the keychain', () => {
  it('on macOS passes the key in hex on the stdin of security -i', async () => {
    const { folder, io, read, machine } = world(
      'darwin',
      'security',
      `[ "$1" = find-generic-password ] && echo '${KEY}'; true`,
    );
    const kept = await storeKey('shop', KEY, '/home/ada/paycli', io, machine);
    const account = /-a (shop-[0-9a-f]{12}-[0-9a-f]{6})/.exec(read('argv'))?.[1];
    expect(kept).toEqual({
      command: [join(folder, 'security'), 'find-generic-password', '-s', 'paycli', '-a', account, '-w'],
    });
    expect(read('argv')).toBe(`-i\nfind-generic-password -s paycli -a ${account} -w\n`);
    expect(read('stdin')).toBe(
      `add-generic-password -U -s paycli -a ${account} -X ${Buffer.from(KEY).toString('hex')}\n`,
    );
  });

  it('on Windows passes the key on the stdin of PowerShell', async () => {
    const { io, read, machine } = world('win32', 'powershell.exe', `case "$*" in *Retrieve*) printf '${KEY}' ;; esac`);
    const kept = await storeKey('shop', KEY, 'C:\\paycli', io, machine);
    expect(kept).toHaveProperty('command');
    expect(read('stdin')).toBe(KEY);
    expect(read('argv')).not.toContain(KEY);
    expect(read('argv')).toMatch(/-NoProfile -NonInteractive -Command .*PasswordVault.*\[Console\]::In\.ReadToEnd\(\)/);
  });

  it('recognizes its own commands and the folder they belong to', async () => {
    const { folder, io, machine } = world('darwin', 'security', `echo '${KEY}'`);
    const kept = await storeKey('shop', KEY, '/one', io, machine);
    const command = 'command' in kept ? kept.command : [];
    expect(keyRemover(command, '/other', io, machine)).toBeUndefined();
    expect(keyRemover([...command, 'x'], '/one', io, machine)).toBeUndefined();
    expect(await keyRemover(command, '/one', io, machine)?.()).toBeUndefined();
    expect(readFileSync(join(folder, 'argv'), 'utf8')).toMatch(
      /\ndelete-generic-password -s paycli -a shop-[0-9a-f]{12}-[0-9a-f]{6}\n$/,
    );
  });

  it('is abandoned after a timeout if it is locked and waits for the user', async () => {
    const { folder, io, read, machine } = world('darwin', 'security', 'exec sleep 60');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const keeping = storeKey('shop', KEY, '/one', io, machine);
    while (!existsSync(join(folder, 'argv')) || read('argv') === '') await setImmediate();
    vi.advanceTimersByTime(10_000);
    expect(await keeping).toEqual({
      why: 'security did not finish within 10 s: the keychain may be locked; unlock it, then try again',
    });
    expect(read('argv')).toBe('-i\n');
  });

  it('that ends without reading its input is judged by its exit code', async () => {
    const { folder, io, machine } = world('darwin', 'security', '');
    script(join(folder, 'security'), 'exit 3');
    // A pipe can't hold it.
    const long = 'k'.repeat(2 ** 20);
    expect(await storeKey('shop', long, '/one', io, machine)).toEqual({ why: 'security ended with exit code 3' });
  });

  it('is restored if it returns another key', async () => {
    const { io, read, machine } = world('darwin', 'security', `echo '${KEY.slice(0, -2)}yz'`);
    expect(await storeKey('shop', KEY, '/one', io, machine)).toEqual({ why: 'security gave back another key' });
    const [, account] = /-a (\S+)/.exec(read('stdin')) ?? [];
    expect(read('argv').endsWith(`delete-generic-password -s paycli -a ${account}\n`)).toBe(true);
  });

  it('never runs a program from the working folder', async () => {
    const { folder, io, machine } = world('darwin', 'security', `echo '${KEY}'`);
    const here = { ...machine, cwd: () => folder };
    expect(await storeKey('shop', KEY, '/one', io, here)).toEqual({ why: 'security was not found' });
    expect(existsSync(join(folder, 'argv'))).toBe(false);
  });
});

import { getEventListeners } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runKeyCommand } from '../../src/config/key-command.ts';
import { realMachine } from '../../src/config/machine.ts';
import type { Env } from '../../src/core/io.ts';
import { splitCommand } from '../../src/core/shell.ts';
import { errorOf, fakeIo, KEY, newFolder, script } from './world.ts';

const windows = { ...realMachine, platform: 'win32' } as const;
/** Its ending is for Windows. */
const helper = (body: string): string => script(join(newFolder(), 'helper.exe'), body);
const run = (command: readonly string[], machine = realMachine, env: Env = { PATH: '/usr/bin:/bin' }) =>
  runKeyCommand(command, fakeIo(env).io, machine);

describe('the error for a key command', () => {
  const HINT = 'it must print the key on one line and exit with 0; it runs without a shell, in the root folder';

  it.each([
    ['true', 'printed nothing'],
    ['echo short', 'printed something that is not 8 to 512 printable ASCII characters'],
    ['exit 3', 'ended with exit code 3'],
    ['head -c 515 /dev/zero', 'printed more than a key'],
    ["printf 'é%.0s' $(seq 258)", 'printed more than a key'],
    [`printf '${KEY}\\nmore'`, 'printed something that contains a space or a line break'],
  ])('says that it %s', async (body, what) => {
    const program = helper(body);
    const { message, detail } = await errorOf(() => run([program]));
    expect([message, detail.hint]).toEqual([`the key command "${program}" ${what}`, HINT]);
  });

  it('says that it was not found', async () => {
    const { message, detail } = await errorOf(() => run(['no-such "op"', 'x']));
    expect(message).toBe('the key command "no-such \\"op\\"" was not found');
    expect(detail.hint).toBe(
      'give its absolute path; relative paths, and folders of PATH inside the working folder, are not searched',
    );
  });

  it('quotes an empty name', async () => {
    expect((await errorOf(() => run([]))).message).toBe('the key command "" was not found');
  });
});

describe('the error for the text of a key command', () => {
  const HINT = 'other users can see arguments while a program runs: get a new key, then store it with --key-stdin';

  it.each([
    [`echo ${KEY}`, 'contains a secret key, but needs a command that prints it', HINT],
    ['op "read', 'has an unclosed quote', undefined],
    ['', 'is empty', undefined],
  ])('%s', async (text, what, hint) => {
    const { message, detail } = await errorOf(() => splitCommand(text));
    expect([message, detail.hint]).toEqual([`--key-command ${what}`, hint]);
    expect((await errorOf(() => splitCommand(text, '--other'))).message).toBe(`--other ${what}`);
  });

  it('accepts arguments that only begin like a key', () => {
    expect(splitCommand('op sk.AbCd.short')).toEqual(['op', 'sk.AbCd.short']);
  });
});

it('a key command leaves no timer and no signal handler when it ends', async () => {
  const { signal } = new AbortController();
  const { io } = fakeIo({ PATH: '/usr/bin:/bin' }, { stop: signal });
  const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  onTestFinished(() => void vi.restoreAllMocks());
  await runKeyCommand([helper(`echo ${KEY}`)], io, { ...realMachine, keyCommandLimit: 54_321 });
  const timer = set.mock.results[set.mock.calls.findIndex(([, after]) => after === 54_321)]?.value as NodeJS.Timeout;
  expect(clear).toHaveBeenCalledWith(timer);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

describe('a key command on Windows', () => {
  it.each(['\\r\\n', '\\n', ''])('may end its output with %j', async (end) => {
    expect(await run([helper(`printf '${KEY}${end}'`)], windows)).toBe(KEY);
  });

  it('may print nothing after its line', async () => {
    const { message } = await errorOf(() => run([helper(`printf '${KEY}\\r\\nmore'`)], windows));
    expect(message).toContain('contains a space or a line break');
  });
});

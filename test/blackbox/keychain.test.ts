import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { endIfRunning, newFolder, paycli, start } from '../support/program.ts';
import { problem, serveBy } from '../support/service.ts';

const KEY = `sk.Test.${'k'.repeat(80)}`;
const LOGIN = ['login', '--profile', 'shop', '--environment', 'sandbox', '--key-stdin', '--no-verify'];

/** A stand-in for secret-tool that keeps each secret in a file. */
const fakeSecretTool = (body?: string) => {
  const folder = newFolder('keychain');
  const file = join(folder, 'secret-tool');
  const real = [
    `printf '%s\\n' "$*" >> '${folder}/argv'`,
    // The account is the last argument.
    `for account in "$@"; do :; done`,
    `case "$1" in`,
    `  store) cat > "${folder}/secret.$account" ;;`,
    `  lookup) cat "${folder}/secret.$account" ;;`,
    `  clear) rm "${folder}/secret.$account" ;;`,
    'esac',
  ].join('\n');
  writeFileSync(file, `#!/bin/sh\n${body ?? real}\n`);
  chmodSync(file, 0o755);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const secrets = (): string[] =>
    readdirSync(folder)
      .filter((name) => name.startsWith('secret.'))
      .map(read);
  return { folder, file, read, secrets, env: { PATH: `${folder}${delimiter}${process.env['PATH']}` } };
};

/** Pauses secret-tool before or after this command. Returns functions that await the pause and end it. */
const holding = (keychain: ReturnType<typeof fakeSecretTool>, word: 'store' | 'clear') => {
  const [held, real] = [join(keychain.folder, 'held'), readFileSync(keychain.file, 'utf8')];
  const hold = `[ "$1" = ${word} ] && echo $$ > '${held}' && exec sleep 600`;
  const body = word === 'store' ? `${real}${hold}\n` : real.replace('case', () => `${hold}\ncase`);
  writeFileSync(keychain.file, `${body}exit 0\n`);
  return {
    reached: async (): Promise<void> => {
      const pid = (): number => (existsSync(held) ? Number(readFileSync(held, 'utf8')) : 0);
      await expect.poll(pid).toBeGreaterThan(0);
      onTestFinished(() => endIfRunning(pid()));
    },
    undo: (): void => writeFileSync(keychain.file, real),
  };
};

const SIGNALS = ['SIGINT', 'SIGKILL'] as const;

describe.runIf(process.platform === 'linux')('login --keychain', () => {
  it('is named as the source of a key that the service refuses', async () => {
    const [home, { env }] = [newFolder(), fakeSecretTool()];
    const { origin } = await serveBy(() => problem(401, 'Unauthorized'));
    const login = ['login', '--base-url', origin, '--key-stdin', '--no-verify', '--keychain'];
    expect(await inProcess(login, { home, env, stdin: KEY })).toMatchObject({ code: 0 });
    const { code, stderr } = await inProcess(['ugwo', 'list'], { home, env });
    expect([code, stderr]).toEqual([4, expect.stringContaining('which is in the keychain, was rotated')]);
  });

  it('passes the key to the keychain on standard input and stores the command that reads it', async () => {
    const [home, keychain] = [newFolder(), fakeSecretTool()];
    const ended = await paycli([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: `${KEY}\n` });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^key\tcommand$/m) });
    expect(ended.stderr).toContain("in the system's keychain");
    expect(keychain.secrets()).toEqual([KEY]);
    expect(keychain.read('argv')).toMatch(
      /^store --label=paycli: shop-[0-9a-f]{12}-[0-9a-f]{6} service paycli account shop-[0-9a-f]{12}-[0-9a-f]{6}\n/,
    );
    expect(keychain.read('argv')).not.toContain('sk.');
    const settings = readFileSync(join(home, 'config.json'), 'utf8');
    expect(settings).not.toContain(KEY);
    expect(JSON.parse(settings)).toMatchObject({
      profiles: {
        shop: { key_command: [keychain.file, 'lookup', 'service', 'paycli', 'account', expect.any(String)] },
      },
    });
    const doctor = await inProcess(['doctor', '--offline'], { home, env: keychain.env });
    expect(doctor.stdout).toMatch(/^key\tok\t…kkkk, kept in the keychain/m);
  });

  it.each([
    ['profile remove', ['profile', 'remove', '--yes']],
    ['login without --keychain', LOGIN],
  ])('is undone by %s', async (_how, args) => {
    const [home, keychain] = [newFolder(), fakeSecretTool()];
    await inProcess([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: KEY });
    expect(keychain.secrets()).toEqual([KEY]);
    expect(await inProcess(args, { home, env: keychain.env, stdin: KEY })).toMatchObject({ code: 0 });
    expect(keychain.secrets()).toEqual([]);
    expect(keychain.read('argv')).toMatch(/\nclear service paycli account shop-[0-9a-f]{12}-[0-9a-f]{6}\n$/);
  });

  it('keeps the key of a renamed profile until the profile is removed', async () => {
    const [home, keychain] = [newFolder(), fakeSecretTool()];
    const run = (...args: readonly string[]) => inProcess(args, { home, env: keychain.env });
    await inProcess([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: KEY });
    expect(await run('profile', 'rename', 'shop', 'store')).toMatchObject({ code: 0 });
    expect((await run('doctor', '--offline')).stdout).toMatch(/^key\tok\t…kkkk, kept in the keychain/m);
    expect(await run('profile', 'remove', 'store', '--yes')).toMatchObject({ code: 0 });
    expect(keychain.secrets()).toEqual([]);
  });

  it('keeps a key that another profile uses', async () => {
    const [home, keychain] = [newFolder(), fakeSecretTool()];
    const run = (...args: readonly string[]) => inProcess(args, { home, env: keychain.env });
    await inProcess([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: KEY });
    const file = join(home, 'config.json');
    const stored = JSON.parse(readFileSync(file, 'utf8')) as { profiles: Record<string, object> };
    writeFileSync(file, JSON.stringify({ ...stored, profiles: { ...stored.profiles, twin: stored.profiles['shop'] } }));
    await run('profile', 'remove', 'shop', '--yes');
    expect(keychain.secrets()).toEqual([KEY]);
    await run('profile', 'remove', 'twin', '--yes');
    expect(keychain.secrets()).toEqual([]);
  });

  it('keeps only the new key after replacing a profile', async () => {
    const [home, keychain] = [newFolder(), fakeSecretTool()];
    await inProcess([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: KEY });
    const other = KEY.replace('kk', 'zz');
    await inProcess([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: other });
    expect(keychain.secrets()).toEqual([other]);
  });

  it.each(SIGNALS)("keeps the profile's old key if %s interrupts the next login", async (signal) => {
    const [home, keychain] = [newFolder(), fakeSecretTool()];
    await inProcess([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: KEY });
    const hold = holding(keychain, 'store');
    const next = [
      'login',
      '--profile',
      'shop',
      '--base-url',
      'http://127.0.0.1:1',
      '--key-stdin',
      '--no-verify',
      '--yes',
    ];
    const running = start([...next, '--keychain'], { home, env: keychain.env, stdin: `${KEY.replace('kk', 'zz')}\n` });
    await hold.reached();
    running.kill(signal);
    const ended = await running.ended;
    if (signal === 'SIGINT') {
      expect(ended).toMatchObject({
        code: 130,
        stderr: expect.stringContaining('no profile was changed, but the keychain'),
      });
    }
    hold.undo();
    const { profiles } = JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')) as {
      profiles: { shop: { key_command: string[] } };
    };
    const [program = '', ...args] = profiles.shop.key_command;
    expect(execFileSync(program, args, { encoding: 'utf8' })).toBe(KEY);
  });

  it.each(SIGNALS)('removes a profile only after its key, and warns if the key remains: %s', async (signal) => {
    const [home, keychain] = [newFolder(), fakeSecretTool()];
    await inProcess([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: KEY });
    const hold = holding(keychain, 'clear');
    const running = start(['profile', 'remove', '--yes'], { home, env: keychain.env });
    await hold.reached();
    running.kill(signal);
    const ended = await running.ended;
    expect(keychain.secrets()).toEqual([KEY]);
    const { profiles } = JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')) as { profiles: object };
    expect(Object.keys(profiles)).toEqual(signal === 'SIGKILL' ? ['shop'] : []);
    const said = 'still in the keychain (stopped by Ctrl-C)';
    if (signal === 'SIGINT') expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining(said) });
  });

  it('never removes a secret that another command reads', async () => {
    const [home, keychain] = [newFolder(), fakeSecretTool()];
    writeFileSync(join(keychain.folder, 'secret.shop'), KEY);
    const command = `${keychain.file} lookup service another account shop`;
    const login = ['login', '--profile', 'shop', '--environment', 'sandbox', '--no-verify', '--key-command', command];
    expect(await inProcess(login, { home, env: keychain.env })).toMatchObject({ code: 0 });
    expect(await inProcess(['profile', 'remove', '--yes'], { home, env: keychain.env })).toMatchObject({ code: 0 });
    expect(keychain.secrets()).toEqual([KEY]);
  });

  it.each([
    ['fails', 'exit 1', 'secret-tool ended with exit code 1'],
    ['stores nothing', 'cat >/dev/null', 'printed nothing'],
    [
      'returns another key',
      `case "$1" in store) cat >/dev/null ;; *) echo sk.Test.${'o'.repeat(80)} ;; esac`,
      'another key',
    ],
  ])('stores the key in the file, and warns, if the keychain %s', async (_how, body, why) => {
    const [home, keychain] = [newFolder(), fakeSecretTool(body)];
    const ended = await inProcess([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: KEY });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^key\t…kkkk$/m) });
    expect(ended.stderr).toContain('The key is not in a keychain');
    expect(ended.stderr).toContain(why);
    expect(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8'))).toMatchObject({
      profiles: { shop: { key: KEY } },
    });
  });

  it('stores the key in the file, and warns, if there is no keychain', async () => {
    const ended = await paycli([...LOGIN, '--keychain'], {
      env: { PATH: newFolder('empty') },
      stdin: KEY,
      program: await absolute(),
    });
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('secret-tool was not found') });
  });

  it("can't be combined with --key-command", async () => {
    const args = ['login', '--environment', 'sandbox', '--keychain', '--key-command', 'op read x'];
    expect(await inProcess(args)).toMatchObject({ code: 2 });
  });
});

const absolute = async () => (await import('../support/built.ts')).PROGRAM;

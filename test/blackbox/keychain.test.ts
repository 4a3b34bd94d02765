import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endIfRunning, newFolder, start } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { DEAD_ORIGIN, problem, serve } from '../support/service.ts';

const KEY = `sk.Test.${'k'.repeat(80)}`;
const LOGIN = ['login', '--profile', 'shop', '--environment', 'sandbox', '--key-stdin', '--no-verify'];
const REMOVE = ['profile', 'remove', '--yes'];

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

/** A home whose profile `shop` has its key in the keychain. */
const kept = async () => {
  const keychain = fakeSecretTool();
  const stderr = ["in the system's keychain"];
  const { home } = await scene({ env: keychain.env, stdin: KEY, argv: [...LOGIN, '--keychain'], stderr });
  return { ...keychain, home };
};

const configOf = (home: string) =>
  JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')) as {
    profiles: Readonly<Record<string, { key_command: string[] }>>;
  };

const SIGNALS = ['SIGINT', 'SIGKILL'] as const;

describe.runIf(process.platform === 'linux')('login --keychain', () => {
  it('is named as the source of a key that the service refuses', async () => {
    const { origin } = await serve([problem(401, 'Unauthorized')]);
    await scene({
      env: fakeSecretTool().env,
      stdin: KEY,
      before: [['login', '--base-url', origin, '--key-stdin', '--no-verify', '--keychain']],
      argv: ['ugwo', 'list'],
      exit: 4,
      stderr: ['which is in the keychain, was rotated'],
    });
  });

  const DOCTOR = { argv: ['doctor', '--offline'], stdout: /^key\tok\t…kkkk, kept in the keychain/m, stderr: /^/ };

  it('passes the key to the keychain on standard input and stores the command that reads it', async () => {
    const { file, env, read, secrets } = fakeSecretTool();
    const { home } = await scene({
      built: true,
      env,
      stdin: `${KEY}\n`,
      argv: [...LOGIN, '--keychain'],
      stdout: /^key\tcommand$/m,
      stderr: ["in the system's keychain; the profile has the command that reads it.\n"],
    });
    expect(secrets()).toEqual([KEY]);
    expect(read('argv')).toMatch(
      /^store --label=paycli: shop-[0-9a-f]{12}-[0-9a-f]{6} service paycli account shop-[0-9a-f]{12}-[0-9a-f]{6}\n/,
    );
    expect(read('argv')).not.toContain('sk.');
    const lookup = [file, 'lookup', 'service', 'paycli', 'account', expect.any(String)];
    const config = configOf(home);
    expect(config).toMatchObject({ profiles: { shop: { key_command: lookup } } });
    expect(JSON.stringify(config)).not.toContain(KEY);
    await scene({ home, env, ...DOCTOR });
  });

  it.each([
    ['profile remove', REMOVE],
    ['login without --keychain', LOGIN],
  ])('is undone by %s', async (_how, argv) => {
    const { home, env, secrets, read } = await kept();
    expect(secrets()).toEqual([KEY]);
    await scene({ home, env, stdin: KEY, argv, stderr: /^/ });
    expect(secrets()).toEqual([]);
    expect(read('argv')).toMatch(/\nclear service paycli account shop-[0-9a-f]{12}-[0-9a-f]{6}\n$/);
  });

  it('keeps the key of a renamed profile until the profile is removed', async () => {
    const { home, env, secrets } = await kept();
    const before = [['profile', 'rename', 'shop', 'store']];
    await scene({ home, env, before, ...DOCTOR });
    await scene({ home, env, argv: [...REMOVE, 'store'], stderr: /^Removed the profile "store"/ });
    expect(secrets()).toEqual([]);
  });

  it('keeps a key that another profile uses', async () => {
    const { home, env, secrets } = await kept();
    const { profiles, ...rest } = configOf(home);
    const twins = { ...rest, profiles: { ...profiles, twin: profiles['shop'] } };
    writeFileSync(join(home, 'config.json'), JSON.stringify(twins));
    await scene({ home, env, argv: [...REMOVE, 'shop'], stderr: /^Removed the profile "shop"/ });
    expect(secrets()).toEqual([KEY]);
    await scene({ home, env, argv: [...REMOVE, 'twin'], stderr: /^Removed the profile "twin"/ });
    expect(secrets()).toEqual([]);
  });

  it('keeps only the new key after replacing a profile', async () => {
    const { home, env, secrets } = await kept();
    const other = KEY.replace('kk', 'zz');
    await scene({ home, env, stdin: other, argv: [...LOGIN, '--keychain'], stderr: /^/ });
    expect(secrets()).toEqual([other]);
  });

  it.each(SIGNALS)("keeps the profile's old key if %s interrupts the next login", async (signal) => {
    const keychain = await kept();
    const hold = holding(keychain, 'store');
    const next = ['login', '--profile', 'shop', '--base-url', DEAD_ORIGIN, '--key-stdin', '--no-verify', '--yes'];
    const running = start([...next, '--keychain'], { ...keychain, stdin: `${KEY.replace('kk', 'zz')}\n` });
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
    const [program = '', ...args] = configOf(keychain.home).profiles['shop']?.key_command ?? [];
    expect(execFileSync(program, args, { encoding: 'utf8' })).toBe(KEY);
  });

  it.each(SIGNALS)('removes a profile only after its key, and warns if the key remains: %s', async (signal) => {
    const keychain = await kept();
    const hold = holding(keychain, 'clear');
    const running = start(REMOVE, keychain);
    await hold.reached();
    running.kill(signal);
    const ended = await running.ended;
    expect(keychain.secrets()).toEqual([KEY]);
    expect(Object.keys(configOf(keychain.home).profiles)).toEqual(signal === 'SIGKILL' ? ['shop'] : []);
    const said = 'still in the keychain (stopped by Ctrl-C)';
    if (signal === 'SIGINT') expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining(said) });
  });

  it('never removes a secret that another command reads', async () => {
    const { folder, file, env, secrets } = fakeSecretTool();
    writeFileSync(join(folder, 'secret.shop'), KEY);
    const command = `${file} lookup service another account shop`;
    const login = ['login', '--profile', 'shop', '--environment', 'sandbox', '--no-verify', '--key-command', command];
    await scene({ env, before: [login], argv: REMOVE, stderr: /^Removed the profile "shop"/ });
    expect(secrets()).toEqual([KEY]);
  });

  it.each([
    ['is missing', undefined, 'secret-tool was not found'],
    ['fails', 'exit 1', 'secret-tool ended with exit code 1'],
    ['stores nothing', 'cat >/dev/null', 'printed nothing'],
    [
      'returns another key',
      `case "$1" in store) cat >/dev/null ;; *) echo sk.Test.${'o'.repeat(80)} ;; esac`,
      'another key',
    ],
  ])('stores the key in the file, and warns, if the keychain %s', async (_how, body, why) => {
    const { home } = await scene({
      env: body === undefined ? { PATH: newFolder('empty') } : fakeSecretTool(body).env,
      stdin: KEY,
      argv: [...LOGIN, '--keychain'],
      stdout: /^key\t…kkkk$/m,
      stderr: ['The key is not in a keychain', why],
    });
    expect(configOf(home)).toMatchObject({ profiles: { shop: { key: KEY } } });
  });

  it("can't be combined with --key-command", () =>
    scene({
      argv: ['login', '--environment', 'sandbox', '--keychain', '--key-command', 'op read x'],
      exit: 2,
      stderr: "error: --keychain and --key-command can't be used together\n→ give one of them\n",
    }));
});

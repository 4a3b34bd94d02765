import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { newFolder, paycli } from '../support/program.ts';

const KEY = `sk.Test.${'k'.repeat(80)}`;
const LOGIN = ['login', '--profile', 'shop', '--environment', 'sandbox', '--key-stdin', '--no-verify'];

/** A stand-in for libsecret's own program, since no keychain is there where tests run: it keeps one secret in a file. */
const fakeSecretTool = (body?: string) => {
  const folder = newFolder('keychain');
  const file = join(folder, 'secret-tool');
  const real = [
    `printf '%s\\n' "$*" >> '${folder}/argv'`,
    `case "$1" in`,
    `  store) cat > '${folder}/secret' ;;`,
    `  lookup) cat '${folder}/secret' ;;`,
    `  clear) rm '${folder}/secret' ;;`,
    'esac',
  ].join('\n');
  writeFileSync(file, `#!/bin/sh\n${body ?? real}\n`);
  chmodSync(file, 0o755);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { folder, file, read, env: { PATH: `${folder}${delimiter}${process.env['PATH']}` } };
};

describe.runIf(process.platform === 'linux')('login --keychain', () => {
  it('hands the key to the keychain on standard input, and stores the command that reads it', async () => {
    const [home, keychain] = [newFolder(), fakeSecretTool()];
    const ended = await paycli([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: `${KEY}\n` });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^key\tcommand$/m) });
    expect(ended.stderr).toContain("in the system's keychain");
    expect(keychain.read('secret')).toBe(KEY);
    expect(keychain.read('argv')).toMatch(
      /^store --label=paycli: shop-[0-9a-f]{12} service paycli account shop-[0-9a-f]{12}\n/,
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
    expect(doctor.stdout).toMatch(/^key\tok\t…kkkk, printed by the key command/m);
  });

  it.each([
    ['logout', ['logout', '--yes']],
    ['profile remove', ['profile', 'remove', 'shop', '--yes']],
    ['a login without it', LOGIN],
  ])('is undone by %s', async (_how, args) => {
    const [home, keychain] = [newFolder(), fakeSecretTool()];
    await inProcess([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: KEY });
    expect(existsSync(join(keychain.folder, 'secret'))).toBe(true);
    expect(await inProcess(args, { home, env: keychain.env, stdin: KEY })).toMatchObject({ code: 0 });
    expect(existsSync(join(keychain.folder, 'secret'))).toBe(false);
    expect(keychain.read('argv')).toMatch(/\nclear service paycli account shop-[0-9a-f]{12}\n$/);
  });

  it('keeps the new key where a profile is replaced', async () => {
    const [home, keychain] = [newFolder(), fakeSecretTool()];
    await inProcess([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: KEY });
    const other = KEY.replace('kk', 'zz');
    await inProcess([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: other });
    expect(keychain.read('secret')).toBe(other);
  });

  it('leaves alone what another command prints', async () => {
    const [home, keychain] = [newFolder(), fakeSecretTool()];
    writeFileSync(join(keychain.folder, 'secret'), KEY);
    const command = `${keychain.file} lookup service another account shop`;
    const login = ['login', '--profile', 'shop', '--environment', 'sandbox', '--no-verify', '--key-command', command];
    expect(await inProcess(login, { home, env: keychain.env })).toMatchObject({ code: 0 });
    expect(await inProcess(['logout', '--yes'], { home, env: keychain.env })).toMatchObject({ code: 0 });
    expect(keychain.read('secret')).toBe(KEY);
  });

  it.each([
    ['fails', 'exit 1', 'secret-tool ended with exit code 1'],
    ['keeps nothing', 'cat >/dev/null', 'printed nothing'],
    [
      'gives back another key',
      `case "$1" in store) cat >/dev/null ;; *) echo sk.Test.${'o'.repeat(80)} ;; esac`,
      'another key',
    ],
  ])('says plainly that the key is in a file where the keychain %s', async (_how, body, why) => {
    const [home, keychain] = [newFolder(), fakeSecretTool(body)];
    const ended = await inProcess([...LOGIN, '--keychain'], { home, env: keychain.env, stdin: KEY });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^key\t…kkkk$/m) });
    expect(ended.stderr).toContain('The key is not in a keychain');
    expect(ended.stderr).toContain(why);
    expect(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8'))).toMatchObject({
      profiles: { shop: { key: KEY } },
    });
  });

  it('says so where there is none', async () => {
    const ended = await paycli([...LOGIN, '--keychain'], {
      env: { PATH: newFolder('empty') },
      stdin: KEY,
      program: await absolute(),
    });
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('secret-tool was not found') });
  });

  it('is refused beside a key command', async () => {
    const args = ['login', '--environment', 'sandbox', '--keychain', '--key-command', 'op read x'];
    expect(await inProcess(args)).toMatchObject({ code: 2 });
  });
});

const absolute = async () => (await import('../support/built.ts')).PROGRAM;

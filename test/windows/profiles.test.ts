import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { newFolder, paycli } from '../support/program.ts';
import { page, serve } from '../support/service.ts';
import { newUser, onDrive } from './support.ts';

const KEY = { headers: { authorization: `Bearer ${CANARY}` } };

it('a key is stored in the folder of the user, and serves every later command', async () => {
  const service = await serve([page([], null), page([], null)]);
  const { env, config } = newUser();
  const login = ['login', '--profile', 'shop', '--base-url', service.origin, '--key-stdin'];
  expect(await paycli(login, { env, stdin: `${CANARY}\r\n` })).toMatchObject({ code: 0 });
  expect(readFileSync(join(config, 'config.json'), 'utf8')).toContain(CANARY);
  expect(await paycli(['ugwo', 'list', '--profile', 'shop'], { env })).toMatchObject({ code: 0 });
  expect(service.seen).toMatchObject([KEY, KEY]);
  expect(await paycli(['profile', 'rename', 'shop', 'store'], { env })).toMatchObject({ code: 0 });
  const list = await paycli(['profile', 'list', '--json'], { env });
  expect(JSON.parse(list.stdout)).toMatchObject({ data: [{ name: 'store', origin: service.origin }] });
  expect(await paycli(['profile', 'remove', 'store', '--yes'], { env })).toMatchObject({ code: 0 });
  expect(readFileSync(join(config, 'config.json'), 'utf8')).not.toContain(CANARY);
});

it('a key command is a program of Windows, by its path or by its name', async () => {
  const service = await serve([page([], null), page([], null), page([], null)]);
  const env = newUser().env;
  const secret = join(newFolder('secret'), 'config.json');
  writeFileSync(secret, `${CANARY}\r\n`);
  const batch = join(newFolder('a batch'), 'print key.cmd');
  writeFileSync(batch, '@type %1\r\n');
  const programs = ['C:\\windows\\system32\\cmd.exe /c type', 'cmd /c type', `"${onDrive(batch)}"`];
  for (const program of programs) {
    const command = `${program} ${onDrive(secret)}`;
    const login = ['login', '--base-url', service.origin, '--key-command', command, '--yes'];
    const ended = await paycli(login, { env });
    expect(ended.code, ended.stderr).toBe(0);
  }
  expect(service.seen).toMatchObject([KEY, KEY, KEY]);
});

it('the credential manager that is missing is named, and the key is stored in the file', async () => {
  const { env, config } = newUser();
  const login = ['login', '--base-url', 'http://127.0.0.1:1', '--key-stdin', '--no-verify', '--keychain'];
  const ended = await paycli(login, { env, stdin: CANARY });
  expect(ended).toMatchObject({ code: 0 });
  if (process.platform !== 'win32') expect(readFileSync(join(config, 'config.json'), 'utf8')).toContain(CANARY);
});

import { execFileSync } from 'node:child_process';
import { chmodSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Machine, realMachine } from '../../src/config/machine.ts';
import { type DatabaseUser, ledgerPassword } from '../../src/config/secrets.ts';
import { homeFolder } from '../../src/core/files.ts';
import type { Env } from '../../src/core/io.ts';
import { errorOf, fakeIo, newFolder } from './world.ts';

const ADA: DatabaseUser = { host: 'db.example', port: 5432, database: 'pay', user: 'ada' };

const fileWith = (text: string, mode = 0o600): string => {
  const path = join(newFolder(), 'passwords');
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
};
const passwordIn = (env: Env, asked = ADA, machine: Machine = realMachine) =>
  ledgerPassword(asked, undefined, fakeIo(env).io, machine);
const read = (PGPASSFILE: string, asked = ADA, machine: Machine = realMachine) =>
  passwordIn({ PGPASSFILE }, asked, machine);
const found = (text: string, asked = ADA) => read(fileWith(text), asked);

describe('the password for a ledger', () => {
  it.each([
    ['db.example:5432:pay:ada:secret', 'secret'],
    ['*:*:*:*:secret', 'secret'],
    ['*:5432:*:ada:secret', 'secret'],
    ['db.example:5433:pay:ada:no\ndb.example:5432:pay:ada:secret', 'secret'],
    ['*:*:*:ada:first\n*:*:*:ada:second', 'first'],
    ['# db.example:5432:pay:ada:no\r\ndb.example:5432:pay:ada:secret\r\n', 'secret'],
    ['*:*:*:*:a\\:b\\\\c', 'a:b\\c'],
    ['*:*:*:*:secret:and what follows', 'secret'],
    ['*:*:*:*:secret\\', 'secret\\'],
    ['*:*:*:*: with blanks ', ' with blanks '],
    ['*:*:*:*:pässwörd', 'pässwörd'],
  ])('finds for %j the password %j', async (text, password) => {
    expect(await found(text)).toBe(password);
  });

  it.each([
    '',
    '\n\n',
    '#*:*:*:*:secret',
    'db.example:5432:pay:ada',
    'DB.example:5432:pay:ada:secret',
    'db.example:5432:pay:bob:secret',
    'db.example:5432:pa*:ada:secret',
    'db.exampl\\*:5432:pay:ada:secret',
    ' db.example:5432:pay:ada:secret',
  ])('finds nothing in %j', async (text) => {
    expect(await found(text)).toBeUndefined();
  });

  it('treats localhost and a Unix socket as PostgreSQL does', async () => {
    for (const host of ['127.0.0.1', '/run/postgresql']) {
      expect(await found('localhost:*:*:*:secret', { ...ADA, host })).toBe('secret');
      expect(await found(`${host}:*:*:*:secret`, { ...ADA, host })).toBe('secret');
    }
    expect(await found('localhost:*:*:*:secret')).toBeUndefined();
    expect(await found('\\:\\:1:*:*:*:secret', { ...ADA, host: '::1' })).toBe('secret');
  });

  it('restores any escaped name and password', async () => {
    const field = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\r\n]/.test(text));
    const escaped = (text: string): string => text.replaceAll(/[\\:]/g, '\\$&');
    await fc.assert(
      fc.asyncProperty(field, field, field, field, async (host, database, user, password) => {
        fc.pre(!host.startsWith('#') && ![host, database, user].includes('*'));
        const line = [host, 5432, database, user, password].map((text) => escaped(String(text))).join(':');
        expect(await found(`x:5432:pay:ada:no\n${line}\n`, { host, port: 5432, database, user })).toBe(password);
      }),
      { numRuns: 50 },
    );
  });

  it('reads ~/.pgpass by default, which may be missing', async () => {
    const home = newFolder();
    expect(await passwordIn({ HOME: home })).toBeUndefined();
    writeFileSync(join(home, '.pgpass'), '*:*:*:*:secret', { mode: 0o600 });
    for (const PGPASSFILE of [undefined, '']) expect(await passwordIn({ HOME: home, PGPASSFILE })).toBe('secret');
    expect(await read(join(home, 'none'))).toBeUndefined();
  });

  it('reads no ./.pgpass, nor one in the root folder, if HOME is relative or empty', async () => {
    const home = newFolder();
    writeFileSync(join(home, '.pgpass'), '*:*:*:*:secret', { mode: 0o600 });
    const HOME = relative(process.cwd(), home);
    expect(await passwordIn({ HOME })).toBeUndefined();
    expect(() => homeFolder('')).toThrow('HOME is not set');
  });

  it('is printed by the command of the environment, else of the profile, else found in the file', async () => {
    const PGPASSFILE = fileWith('*:*:*:*:from the file');
    const ask = (stored: readonly string[] | undefined, env: Env = {}) => {
      const { io } = fakeIo({ PGPASSFILE, PATH: '/usr/bin:/bin', ...env });
      return ledgerPassword(ADA, stored, io, realMachine);
    };
    const stored = ['echo', 'from the profile'];
    const PAYCLI_LEDGER_PASSWORD_COMMAND = "echo 'from the environment'";
    expect(await ask(stored, { PAYCLI_LEDGER_PASSWORD_COMMAND })).toBe('from the environment');
    expect(await ask(stored)).toBe('from the profile');
    expect(await ask(undefined)).toBe('from the file');
  });

  it('is registered with the redactor', async () => {
    const { io } = fakeIo({ PGPASSFILE: fileWith('*:*:*:*:a password') });
    await ledgerPassword(ADA, undefined, io, realMachine);
    expect(io.redactor.clean('a password')).not.toBe('a password');
  });

  it.skipIf(process.platform === 'win32')('follows a symbolic link, as in containers', async () => {
    const link = join(newFolder(), 'link');
    symlinkSync(fileWith('*:*:*:*:secret'), link);
    expect(await read(link)).toBe('secret');
  });
});

describe.skipIf(process.platform === 'win32')('the password file', () => {
  it.each([0o640, 0o604, 0o620, 0o666])('is rejected with mode %o', async (mode) => {
    const path = fileWith('*:*:*:*:secret', mode);
    const { kind, message, detail } = await errorOf(() => read(path));
    expect([kind, message, detail.hint]).toEqual([
      'auth',
      `the password file ${path} is open to other users, so it was not used`,
      `run: chmod 600 ${path}`,
    ]);
  });

  it('is rejected if it is a folder', async () => {
    const path = join(newFolder(), 'folder');
    mkdirSync(path, { mode: 0o700 });
    expect((await errorOf(() => read(path))).message).toBe(
      `the password file ${path} is not a file, so it was not used`,
    );
  });

  it('is rejected if it belongs to another user', async () => {
    const path = fileWith('*:*:*:*:secret');
    const other = { ...realMachine, uid: (realMachine.uid ?? 0) + 1 };
    expect((await errorOf(() => read(path, ADA, other))).message).toContain('belongs to another user');
  });

  it('is rejected by a relative path, which depends on the working folder', async () => {
    expect((await errorOf(() => read('passwords'))).message).toBe('PGPASSFILE is "passwords", not an absolute path');
  });

  it.runIf(process.getuid?.() === 0)(
    'is rejected where another user has put a link or a pipe in its place',
    async () => {
      const [link, pipe] = [join(newFolder(), 'link'), join(newFolder(), 'pipe')];
      symlinkSync(fileWith('*:*:*:*:secret'), link);
      execFileSync('mkfifo', [pipe]);
      for (const path of [link, pipe]) lchownSync(path, 12_345, 12_345);
      expect((await errorOf(() => read(link))).message).toContain('goes through a symbolic link of another user');
      expect((await errorOf(() => read(pipe))).message).toContain('is a named pipe of another user');
    },
  );

  it('may have any mode on Windows', async () => {
    const windows = { ...realMachine, platform: 'win32' as const };
    expect(await read(fileWith('*:*:*:*:secret', 0o644), ADA, windows)).toBe('secret');
  });
});

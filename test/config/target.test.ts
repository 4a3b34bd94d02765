import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Env } from '../../src/core/io.ts';
import { errorOf, folderWith, KEY, keyOf, newFolder, openRoom, PIN, script, wordsOf } from './world.ts';

const [A, B, C] = ['https://a.example', 'https://b.example', 'https://c.example'];
const [KEY_A, KEY_B, KEY_ENV] = [keyOf('a'), keyOf('b'), keyOf('env')];

/** Creates the profiles `a` (the default) and `b`. */
const two = (): string => folderWith({ name: 'a', origin: A, key: KEY_A }, { name: 'b', origin: B, key: KEY_B });

const ask = (folder: string, env: Env, profile?: string, baseUrl?: string) =>
  openRoom({ folder, env }).room.target({ profile, baseUrl });

const E = 'PAYCLI_SECRET_KEY';
const P = 'PAYCLI_PROFILE';
const U = 'PAYCLI_BASE_URL';

interface Row {
  readonly flags?: { readonly profile?: string; readonly baseUrl?: string };
  readonly env?: Env;
  readonly gives: readonly [origin: string | undefined, key: string, profile: string | undefined, source: string];
}

const fromA = [A, KEY_A, 'a', 'profile'] as const;
const fromB = [B, KEY_B, 'b', 'profile'] as const;

describe('precedence', () => {
  it.each<Row>([
    { gives: fromA },
    { env: { [P]: 'b' }, gives: fromB },
    { flags: { profile: 'b' }, gives: fromB },
    { flags: { profile: 'a' }, env: { [P]: 'b' }, gives: fromA },
    { flags: { profile: 'b' }, env: { [P]: 'not there' }, gives: fromB },
    { flags: { baseUrl: A }, gives: fromA },
    { env: { [U]: A }, gives: fromA },
    { flags: { baseUrl: A }, env: { [U]: C }, gives: fromA },
    { flags: { baseUrl: A }, env: { [U]: 'not a url' }, gives: fromA },
    { flags: { baseUrl: `${A}:443/` }, gives: fromA },
    { flags: { profile: 'b', baseUrl: B }, gives: fromB },
    { env: { [E]: KEY_ENV }, gives: [A, KEY_ENV, 'a', 'environment'] },
    { env: { [E]: KEY_ENV, [P]: 'b' }, gives: [B, KEY_ENV, 'b', 'environment'] },
    { flags: { profile: 'b' }, env: { [E]: KEY_ENV }, gives: [B, KEY_ENV, 'b', 'environment'] },
    { env: { [E]: KEY_ENV, [U]: C }, gives: [C, KEY_ENV, undefined, 'environment'] },
    { flags: { baseUrl: C }, env: { [E]: KEY_ENV }, gives: [C, KEY_ENV, undefined, 'environment'] },
    { flags: { baseUrl: C }, env: { [E]: KEY_ENV, [U]: B }, gives: [C, KEY_ENV, undefined, 'environment'] },
    { flags: { profile: 'b', baseUrl: C }, env: { [E]: KEY_ENV }, gives: [C, KEY_ENV, 'b', 'environment'] },
    { env: { [E]: KEY_ENV, [U]: C, [P]: 'b' }, gives: [C, KEY_ENV, 'b', 'environment'] },
  ])('flags $flags, environment $env', async ({ flags = {}, env = {}, gives }) => {
    const [origin, key, profile, keySource] = gives;
    const folder = two();
    const target = await ask(folder, env, flags.profile, flags.baseUrl);
    expect(target).toEqual({ origin, key, profile, keySource });
    const { room } = openRoom({ folder, env: { ...env, [E]: undefined } });
    expect(await room.origin({ profile: flags.profile, baseUrl: flags.baseUrl })).toBe(origin);
  });

  it("runs the profile's key command only if the environment has no key", async () => {
    const { room, folder } = openRoom();
    const helper = script(join(newFolder(), 'helper'), `echo ${KEY_B}`);
    room.save({ name: 'h', origin: A, secret: { commandLine: helper } });
    expect(await ask(folder, {})).toEqual({ origin: A, key: KEY_B, profile: 'h', keySource: 'command' });
    script(helper, 'exit 1');
    expect(await ask(folder, { [E]: KEY_ENV })).toMatchObject({ key: KEY_ENV, keySource: 'environment' });
    expect(await room.origin({ profile: undefined, baseUrl: undefined })).toBe(A);
  });

  it('does not open the file if key and base URL are both in the environment', async () => {
    const folder = two();
    chmodSync(folder, 0o777);
    expect(await ask(folder, { [E]: KEY_ENV, [U]: C })).toMatchObject({ origin: C, profile: undefined });
    expect(await openRoom({ folder }).room.origin({ profile: undefined, baseUrl: C })).toBe(C);
    expect((await errorOf(() => ask(folder, { [E]: KEY_ENV }))).kind).toBe('auth');
  });

  it('registers the key in the environment with the redactor, even an invalid one', async () => {
    for (const key of [KEY_ENV, 'pk.Test.abcdefgh', 'two words and more']) {
      const { room, io } = openRoom({ env: { [E]: key, [U]: C } });
      await room.target({ profile: undefined, baseUrl: undefined }).catch(() => undefined);
      expect(io.redactor.clean(key)).not.toBe(key);
    }
  });
});

describe('an incomplete target', () => {
  const empty = (): string => join(newFolder(), 'home');

  it('is an error if the base URL has no key', async () => {
    expect((await errorOf(() => ask(empty(), { [U]: C }))).detail.hint).toContain('PAYCLI_SECRET_KEY');
  });

  it.each([
    ['profile local', { [P]: 'local' }, /reserved for the built-in emulator/],
    ['an empty profile name', { [P]: '' }, /^PAYCLI_PROFILE is empty, not a profile name/],
    ['an odd profile name', { [P]: 'a b' }, /^PAYCLI_PROFILE is "a b", not a profile name/],
    ['a key as profile name', { [P]: `${KEY} ` }, /^PAYCLI_PROFILE is not a profile name/],
    ['an empty base URL', { [U]: '' }, /^PAYCLI_BASE_URL is not a URL/],
  ])('is a usage error and never the default profile: %s', async (_what, env, message) => {
    const error = await errorOf(() => ask(two(), env));
    expect(error.kind).toBe('usage');
    expect(error.message).toMatch(message);
  });

  it('is an error if the key in the environment is empty; the stored key is not used', async () => {
    const error = await errorOf(() => ask(two(), { [E]: '' }));
    expect([error.kind, error.message, error.detail.hint]).toEqual([
      'auth',
      'the key in PAYCLI_SECRET_KEY is empty',
      "copy the whole secret key, sk.…, from the service's dashboard",
    ]);
  });
});

describe('an unusable key', () => {
  it.each([
    ['a line break', `${KEY}\n`],
    ['a leading space', ` ${KEY}`],
    ['a NUL', `${KEY}\0`],
    ['non-ASCII letters', `${KEY}é`],
    ['a public key', KEY.replace('sk.', 'pk.')],
    ['too short', 'sk.a.b'],
    ['too long', `sk.Test.${'x'.repeat(600)}`],
  ])('is rejected from the environment and from the file, and not quoted: %s', async (_what, key) => {
    const folder = folderWith({ name: 'shop' });
    const file = join(folder, 'config.json');
    const fromEnv = await errorOf(() => ask(folder, { [E]: key }));
    const onSave = await errorOf(() => openRoom().room.save({ name: 'shop', origin: PIN, secret: { key } }));
    writeFileSync(
      file,
      JSON.stringify({
        version: 1,
        default: 'shop',
        profiles: { shop: { origin: PIN, key, created_at: '2026-11-20T12:00:00Z' } },
      }),
    );
    const fromFile = await errorOf(() => ask(folder, {}));
    for (const error of [fromEnv, onSave, fromFile]) {
      expect(error.kind).toBe('auth');
      expect(wordsOf(error)).not.toContain(key);
      expect(wordsOf(error)).not.toContain(key.slice(-12));
    }
  });

  const local = `sk.Lcal.${'x'.repeat(80)}`;

  it("is the emulator's key for another host", async () => {
    const folder = folderWith({ name: 'here', origin: 'http://127.0.0.1:8080', key: local });
    expect((await ask(folder, {})).key).toBe(local);
    const error = await errorOf(() => ask(folder, { [E]: local, [U]: C }));
    expect(error.kind).toBe('auth');
    expect(error.message).toContain('emulator');
    await errorOf(() => openRoom().room.save({ name: 'there', origin: C ?? '', secret: { key: local } }));
    const helper = script(join(newFolder(), 'helper'), `echo ${local}`);
    const { room } = openRoom();
    room.save({ name: 'there', origin: C ?? '', secret: { commandLine: helper } });
    expect((await errorOf(() => room.target({ profile: undefined, baseUrl: undefined }))).message).toContain(
      'emulator',
    );
  });
});

describe('a stored key and another origin', () => {
  it.each(['flag', 'environment'] as const)(
    'are never combined (%s), and the key command does not run',
    async (from) => {
      const marker = join(newFolder(), 'ran');
      const helper = script(join(newFolder(), 'helper'), `touch ${marker}; echo ${KEY_B}`);
      const { room, folder } = openRoom();
      room.save({ name: 'a', origin: A ?? '', secret: { key: KEY_A } });
      room.save({ name: 'h', origin: A ?? '', secret: { commandLine: helper } });
      for (const profile of ['a', 'h']) {
        const error = await errorOf(() =>
          from === 'flag' ? ask(folder, {}, profile, C) : ask(folder, { [U]: C }, profile),
        );
        expect(error.kind).toBe('auth');
        expect(error.message).toContain(`is for ${A} only`);
        expect(error.message).toContain(from === 'flag' ? '--base-url' : U);
        expect(error.detail.hint).toContain(E);
      }
      await expect(ask(folder, {}, 'h')).resolves.toMatchObject({ key: KEY_B });
    },
  );

  it.each([
    ['http://api.example.com', 'auth'],
    ['http://127.0.0.1.evil.example', 'auth'],
    ['http://localhost.evil.example', 'auth'],
    ['ftp://api.example.com', 'usage'],
    ['api.example.com', 'usage'],
    ['https://api.example.com/v1', 'usage'],
    ['https://hidden:password@api.example.com', 'usage'],
    ['', 'usage'],
  ])('are rejected for the base URL "%s": %s, even with a key in the environment', async (url, kind) => {
    for (const env of [{}, { [E]: KEY_ENV }]) {
      const error = await errorOf(() => ask(two(), env, undefined, url));
      expect(error.kind).toBe(kind);
      expect(error.message).toMatch(/^--base-url /);
      expect(wordsOf(error)).not.toMatch(/hidden|password/);
    }
  });
});

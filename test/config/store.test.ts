import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesOf, contentOf, errorOf, folderWith, KEY, keyOf, newFolder, openRoom, PIN, wordsOf } from './world.ts';

const created_at = '2026-11-20T12:00:00+00:00';
const shop = { origin: PIN, key: KEY, created_at };
const good = { version: 1, default: 'shop', profiles: { shop } };

/** Creates a private folder whose file holds this text. */
const folderOf = (text: string): string => {
  const folder = join(newFolder(), 'home');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'config.json'), text, { mode: 0o600 });
  chmodSync(join(folder, 'config.json'), 0o600);
  return folder;
};

const everyUse = (folder: string) => {
  const { room } = openRoom({ folder });
  return [
    () => room.list(),
    () => room.show(undefined),
    () => room.show('shop'),
    () => room.use('shop'),
    () => room.remove('shop'),
    () => room.save({ name: 'shop', origin: PIN, secret: { key: KEY } }),
    () => room.target({ profile: undefined, baseUrl: undefined }),
    () => room.origin({ profile: 'shop', baseUrl: undefined }),
  ];
};

describe('an invalid profile file', () => {
  it.each([
    ['nothing', ''],
    ['invalid JSON', 'profiles = yes'],
    ['a truncated file', JSON.stringify(good).slice(0, -20)],
    ['a key followed by invalid JSON', `{"version":1,"profiles":{"shop":{"key":"${KEY}" oops`],
    ['an array', '[1,2]'],
    ['null', 'null'],
    ['a text', `"${KEY}"`],
    ['an empty object', '{}'],
    ["another program's settings", '{"name":"left-pad","version":"1.3.0"}'],
    ['no version', JSON.stringify({ profiles: { shop } })],
    ['version 0', JSON.stringify({ ...good, version: 0 })],
    ['a version that is a text', JSON.stringify({ ...good, version: '1' })],
    ['no profiles', JSON.stringify({ version: 1 })],
    ['profiles as an array', JSON.stringify({ version: 1, profiles: [shop] })],
    ['a profile that is a text', JSON.stringify({ version: 1, profiles: { shop: KEY } })],
    ['a profile without a key', JSON.stringify({ version: 1, profiles: { shop: { origin: PIN, created_at } } })],
    ['a key and a command', JSON.stringify({ version: 1, profiles: { shop: { ...shop, key_command: ['op'] } } })],
    [
      'a command that is a text',
      JSON.stringify({ version: 1, profiles: { shop: { origin: PIN, created_at, key_command: KEY } } }),
    ],
    [
      'an empty command',
      JSON.stringify({ version: 1, profiles: { shop: { origin: PIN, created_at, key_command: [] } } }),
    ],
    ['an origin with a path', JSON.stringify({ version: 1, profiles: { shop: { ...shop, origin: `${PIN}/v1` } } })],
    [
      'an origin with a user',
      JSON.stringify({ version: 1, profiles: { shop: { ...shop, origin: 'https://u:p@api.pinned.example' } } }),
    ],
    [
      'an origin in uppercase',
      JSON.stringify({ version: 1, profiles: { shop: { ...shop, origin: PIN.toUpperCase() } } }),
    ],
    [
      'an unencrypted origin',
      JSON.stringify({ version: 1, profiles: { shop: { ...shop, origin: 'http://api.pinned.example' } } }),
    ],
    ['an invalid name', JSON.stringify({ version: 1, profiles: { [KEY]: shop } })],
    ['a profile __proto__', `{"version":1,"profiles":{"__proto__":${JSON.stringify(shop)}}}`],
    ['only a __proto__ with profiles', `{"__proto__":${JSON.stringify(good)}}`],
  ])('with %s is rejected by every operation and left byte for byte', async (_name, text) => {
    const folder = folderOf(text);
    const file = join(folder, 'config.json');
    for (const use of everyUse(folder)) {
      const error = await errorOf(use);
      expect(error.kind).toBe('auth');
      expect(error.message).toContain(file);
      expect(error.message).toContain('left as it is');
      expect(error.detail.hint).toBeTruthy();
      expect(wordsOf(error)).not.toContain(KEY);
      expect(wordsOf(error)).not.toContain(KEY.slice(0, 14));
      expect(bytesOf(file)).toBe(Buffer.from(text).toString('latin1'));
    }
  });

  it.each([2, 1.5, 99])('of version %d is reported as newer and left byte for byte', async (version) => {
    const text = JSON.stringify({ version, profiles: 'in some new shape', key: KEY });
    const folder = folderOf(text);
    for (const use of everyUse(folder)) {
      const error = await errorOf(use);
      expect(error.kind).toBe('auth');
      expect(error.message).toContain(`newer paycli (version ${version})`);
      expect(bytesOf(join(folder, 'config.json'))).toBe(text);
    }
  });
});

describe('the profile file', () => {
  it('has the documented shape', () => {
    const folder = folderWith({ name: 'shop' });
    expect(contentOf(join(folder, 'config.json'))).toEqual(good);
  });

  it('preserves unknown fields at every level', () => {
    const future = { ...good, theme: { dark: true }, profiles: { shop: { ...shop, label: 'Lagos' } } };
    const folder = folderOf(JSON.stringify(future));
    const { room } = openRoom({ folder });
    room.save({ name: 'other', origin: PIN, secret: { key: KEY } });
    room.use('other');
    room.remove('other');
    expect(contentOf(join(folder, 'config.json'))).toEqual({
      version: 1,
      theme: future.theme,
      profiles: future.profiles,
    });
  });

  it('accepts profiles named like members of Object.prototype', async () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    const folder = folderWith({ name: 'shop' });
    const { room } = openRoom({ folder });
    for (const name of names) {
      expect((await errorOf(() => room.show(name))).message).toContain(`no profile "${name}"`);
      expect((await errorOf(() => room.target({ profile: name, baseUrl: undefined }))).kind).toBe('auth');
    }
    for (const name of names) room.save({ name, origin: PIN, secret: { key: keyOf(name) } });
    expect(room.list().map(({ name }) => name)).toEqual(['shop', ...names]);
    expect((await room.target({ profile: 'constructor', baseUrl: undefined })).key).toBe(keyOf('constructor'));
    for (const name of names) expect(room.remove(name).name).toBe(name);
    expect(room.list()).toHaveLength(1);
  });

  it.each(['__proto__', '', '.', '..', '-x', '_x', 'a/b', 'a b', 'a\n', 'é', 'x'.repeat(65), KEY])(
    'rejects the profile name "%s"',
    async (name) => {
      const { room, folder } = openRoom();
      const uses = [
        () => room.save({ name, origin: PIN, secret: { key: KEY } }),
        () => room.check({ name, origin: PIN, secret: { key: KEY } }),
        () => room.show(name),
        () => room.use(name),
        () => room.remove(name),
        () => room.target({ profile: name, baseUrl: undefined }),
      ];
      for (const use of uses) {
        const error = await errorOf(use);
        expect(error.kind).toBe('usage');
        expect(wordsOf(error)).not.toContain(KEY);
      }
      expect(bytesOf(join(folder, 'config.json'))).toBeUndefined();
      expect(({} as Record<string, unknown>)['origin']).toBeUndefined();
    },
  );

  it.each(['local', 'LOCAL'])('rejects the profile name "%s", which is reserved for the emulator', async (name) => {
    const { room } = openRoom();
    const error = await errorOf(() => room.save({ name, origin: PIN, secret: { key: KEY } }));
    expect(error.kind).toBe('usage');
    expect(error.detail.hint).toContain('--local');
  });

  it('registers every stored key with the redactor on reading', () => {
    const folder = folderWith({ name: 'one', key: keyOf('one') }, { name: 'two', key: keyOf('two') });
    const { room, io } = openRoom({ folder });
    room.list();
    expect(io.redactor.clean(`${keyOf('one')} ${keyOf('two')}`)).toBe('[secret …xxxx] [secret …xxxx]');
  });

  it("is re-read for each operation, so that two processes keep each other's changes", () => {
    const folder = folderWith({ name: 'shop' });
    const [one, two] = [openRoom({ folder }).room, openRoom({ folder }).room];
    one.list();
    two.save({ name: 'two', origin: PIN, secret: { key: KEY } });
    one.save({ name: 'one', origin: PIN, secret: { key: KEY } });
    expect(two.list().map(({ name }) => name)).toEqual(['shop', 'two', 'one']);
  });

  it('is unchanged if the write fails', async () => {
    const folder = folderWith({ name: 'shop' });
    const file = join(folder, 'config.json');
    const bytes = bytesOf(file);
    const before = process.umask(0o777);
    try {
      const error = await errorOf(() =>
        openRoom({ folder }).room.save({ name: 'x', origin: PIN, secret: { key: KEY } }),
      );
      expect(error.message).toContain('could not be written');
      expect(error).toMatchObject({
        kind: 'auth',
        detail: { hint: 'nothing was changed; free some space or fix the permissions of its folder' },
      });
      expect(wordsOf(error)).not.toContain(KEY);
    } finally {
      process.umask(before);
    }
    expect(bytesOf(file)).toBe(bytes);
  });
});

describe('the default profile', () => {
  const defaultOf = (folder: string): string | undefined =>
    openRoom({ folder })
      .room.list()
      .find((profile) => profile.default)?.name;

  it('is the first profile until another one is chosen', () => {
    const folder = folderWith({ name: 'first' }, { name: 'second' });
    expect(defaultOf(folder)).toBe('first');
    expect(openRoom({ folder }).room.use('second')).toMatchObject({ name: 'second', default: true });
    expect(defaultOf(folder)).toBe('second');
  });

  it('is unset when it is removed, and then the next profile that is stored', () => {
    const folder = folderWith({ name: 'first' }, { name: 'second' });
    const { room } = openRoom({ folder });
    expect(room.remove('first')).toMatchObject({ name: 'first', default: true });
    expect(defaultOf(folder)).toBeUndefined();
    expect(room.save({ name: 'third', origin: PIN, secret: { key: KEY } }).default).toBe(true);
  });

  it('is unset if the file names a missing profile', () => {
    const folder = folderOf(JSON.stringify({ ...good, default: 'toString' }));
    expect(defaultOf(folder)).toBeUndefined();
    openRoom({ folder }).room.save({ name: 'other', origin: PIN, secret: { key: KEY } });
    expect(defaultOf(folder)).toBe('other');
  });
});

describe('the summary of a profile', () => {
  it.each([
    ['https://api.kwugwo.africa', 'live'],
    ['https://sandbox-api.kwugwo.africa', 'sandbox'],
    ['http://127.0.0.1:8080', 'loopback'],
    [PIN, 'api.pinned.example'],
  ])('at %s names the environment %s and the last characters of the key', (origin, environment) => {
    const { room } = openRoom();
    const key = `sk.Test.${'a'.repeat(76)}wxyz`;
    const summary = { name: 'shop', default: true, origin, environment, key: '…wxyz', created_at };
    expect(room.save({ name: 'shop', origin, secret: { key } })).toEqual(summary);
    expect(room.show(undefined)).toEqual(summary);
    expect(room.list()).toEqual([summary]);
  });

  it('hides a short invalid key', () => {
    const folder = folderOf(JSON.stringify({ ...good, profiles: { shop: { ...shop, key: 'abc' } } }));
    expect(openRoom({ folder }).room.show('shop').key).toBe('unusable');
  });
});

describe('loading the module', () => {
  it('adds no signal listener', () => {
    const code = `
      process.on('SIGINT', () => undefined);
      import(${JSON.stringify(resolve('src/config/profiles.ts'))}).then(() =>
        console.log(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'].map((name) => process.listenerCount(name)).join()));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: '1,0,0,0\n', stderr: '' });
  });
});

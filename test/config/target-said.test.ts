import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Env } from '../../src/core/io.ts';
import { contentOf, errorOf, folderWith, keyOf, newFolder, openRoom, script } from './world.ts';

const [A, B] = ['https://a.example', 'https://b.example'];
const KEY = keyOf('said');
const E = 'PAYCLI_SECRET_KEY';
const LOGIN =
  'run `paycli login` to store a key of the service. To practise without a key, add --local. Scripts set PAYCLI_SECRET_KEY and PAYCLI_BASE_URL';

/** Message and hint of the error of `target`. */
const saidOf = async (folder: string, env: Env = {}, profile?: string): Promise<readonly unknown[]> => {
  const { kind, message, detail } = await errorOf(() =>
    openRoom({ folder, env }).room.target({ profile, baseUrl: undefined }),
  );
  expect(kind).toBe('auth');
  return [message, detail.hint];
};

describe('the error without a usable key', () => {
  it('distinguishes "no profiles" from "no such profile"', async () => {
    const nowhere = join(newFolder(), 'home');
    expect(await saidOf(nowhere)).toEqual(['no profiles yet', LOGIN]);
    expect(await saidOf(nowhere, {}, 'shop')).toEqual(['no profile "shop": there are no profiles yet', LOGIN]);
  });

  it.each([
    ['shpo', 'did you mean "shop"? known: shop, test; '],
    ['something-else', 'known: shop, test; '],
    ['constructor', 'known: shop, test; '],
  ])('for the unknown profile %s suggests a similar name and lists the known ones', async (name, known) => {
    expect(await saidOf(folderWith({ name: 'shop' }, { name: 'test' }), {}, name)).toEqual([
      `no profile "${name}"`,
      `${known}add one with \`paycli login --profile NAME\`, or use --local, which needs none`,
    ]);
  });

  it('tells how to set the default', async () => {
    const folder = folderWith({ name: 'shop' }, { name: 'test' }, { name: 'third' });
    openRoom({ folder }).room.remove('shop');
    expect(await saidOf(folder)).toEqual([
      'no default profile',
      'choose one with --profile, or set the default with `paycli profile use NAME` (known: test, third)',
    ]);
  });

  it('tells what is missing besides a key in the environment', async () => {
    expect(await saidOf(join(newFolder(), 'home'), { [E]: KEY })).toEqual([
      'PAYCLI_SECRET_KEY is set, but which service is the key for?',
      'set PAYCLI_BASE_URL, or choose a profile with --profile',
    ]);
  });

  it('never uses a default that is missing or named "undefined"', async () => {
    const folder = folderWith({ name: 'shop' }, { name: 'undefined' });
    const { room, file } = openRoom({ folder });
    room.remove('shop');
    expect((await saidOf(folder))[0]).toBe('no default profile');
    writeFileSync(file, JSON.stringify({ ...contentOf(file), default: 'gone' }));
    expect((await saidOf(folder, { [E]: KEY }))[0]).toContain('which service is the key for?');
  });

  it('names the requested profile', async () => {
    const folder = folderWith({ name: 'shop', origin: A }, { name: 'test', origin: B });
    const { room } = openRoom({ folder });
    const unknown = await errorOf(() => room.origin({ profile: 'nope', baseUrl: A }));
    expect(unknown.message).toBe('no profile "nope"');
    room.remove('shop');
    const named = openRoom({ folder, env: { [E]: KEY } }).room.target({ profile: 'test', baseUrl: undefined });
    expect(await named).toEqual({ origin: B, key: KEY, profile: 'test', keySource: 'environment' });
  });

  it('refuses to send a stored key to another origin', async () => {
    const folder = folderWith({ name: 'shop', origin: A });
    expect(await saidOf(folder, { PAYCLI_BASE_URL: B })).toEqual([
      `the key of the profile "shop" is for ${A} only, but PAYCLI_BASE_URL gives another origin`,
      'set PAYCLI_SECRET_KEY to the key for this call, or add a profile for that origin: `paycli login --profile NAME`',
    ]);
  });
});

describe('an unusable key', () => {
  const EMULATOR = `sk.Lcal.${'x'.repeat(80)}`;
  const FAULT = "is the built-in emulator's, which is never sent to another machine";
  const HINT = 'use --local for the emulator, or the key of this service';

  it('is reported with its source', async () => {
    const folder = folderWith({ name: 'shop', origin: A });
    expect(await saidOf(folder, { [E]: EMULATOR })).toEqual([`the key in PAYCLI_SECRET_KEY ${FAULT}`, HINT]);
    const shop = { origin: A, key: EMULATOR, created_at: '2026-11-20T12:00:00Z' };
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ version: 1, default: 'shop', profiles: { shop } }));
    expect(await saidOf(folder)).toEqual([`the key of the profile "shop" ${FAULT}`, HINT]);
    const helper = script(join(newFolder(), 'helper'), `echo ${EMULATOR}`);
    openRoom({ folder }).room.save({ name: 'helped', origin: A, secret: { commandLine: helper } });
    expect(await saidOf(folder, {}, 'helped')).toEqual([`the key of the key command ${FAULT}`, HINT]);
  });
});

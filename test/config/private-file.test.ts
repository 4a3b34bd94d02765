import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realMachine } from '../../src/config/machine.ts';
import { openProfileStore } from '../../src/config/store.ts';
import { Redactor } from '../../src/core/secret.ts';
import { modeOf } from '../support/files.ts';
import { bytesOf, contentOf, errorOf, folderWith, KEY, newFolder, openRoom, PIN, wordsOf } from './world.ts';

const isRoot = process.geteuid?.() === 0;
const FOREIGN = 12_345;

const withUmask = (mask: number): void => {
  const before = process.umask(mask);
  onTestFinished(() => {
    process.umask(before);
  });
};

const asLink = (path: string): void => {
  renameSync(path, `${path}.real`);
  symlinkSync(`${path}.real`, path);
};

const UMASKS = [0o000, 0o022, 0o077] as const;
const LINKS = ['none', 'file', 'folder'] as const;
const OWNERS = ['own', 'file', 'folder'] as const;
const matrix = UMASKS.flatMap((mask) =>
  LINKS.flatMap((link) => OWNERS.map((owner) => ({ text: mask.toString(8), mask, link, owner }))),
);

/** Every operation on profiles; a write must reject what a read rejects. */
const uses = (folder: string, machine: { uid?: number } = {}) => {
  const { room } = openRoom({ folder, machine });
  return {
    list: () => room.list(),
    target: () => room.target({ profile: undefined, baseUrl: undefined }),
    save: () => room.save({ name: 'other', origin: PIN, secret: { key: KEY } }),
    remove: () => room.remove('shop'),
  };
};

describe('the folder and the file of profiles', () => {
  it.each(UMASKS.map((mask) => [mask.toString(8), mask] as const))(
    'have modes 0700 and 0600 under umask %s, after creation and after a rewrite',
    (_text, mask) => {
      withUmask(mask);
      const folder = folderWith({ name: 'shop' });
      const file = join(folder, 'config.json');
      expect([modeOf(folder), modeOf(file)]).toEqual(['700', '600']);
      openRoom({ folder }).room.save({ name: 'other', origin: PIN, secret: { key: KEY } });
      expect([modeOf(folder), modeOf(file)]).toEqual(['700', '600']);
      expect(readdirSync(folder)).toEqual(['config.json']);
    },
  );

  it('have modes 0700 and 0600 under a umask that restricts the owner', () => {
    const folder = join(newFolder(), 'home');
    withUmask(0o177);
    openRoom({ folder }).room.save({ name: 'shop', origin: PIN, secret: { key: KEY } });
    expect([modeOf(folder), modeOf(join(folder, 'config.json'))]).toEqual(['700', '600']);
  });

  it.each(matrix)('umask $text, link: $link, foreign owner: $owner', async ({ mask, link, owner }) => {
    withUmask(mask);
    const folder = folderWith({ name: 'shop' });
    const file = join(folder, 'config.json');
    const bytes = bytesOf(file);
    const foreign = owner === 'file' ? file : folder;
    if (owner !== 'own' && isRoot) chownSync(foreign, FOREIGN, FOREIGN);
    if (link !== 'none') asLink(link === 'file' ? file : folder);
    // Without root the owner can't be changed; instead this process claims another uid.
    const machine = owner !== 'own' && !isRoot ? { uid: FOREIGN } : {};
    for (const [name, use] of Object.entries(uses(folder, machine))) {
      if (link === 'none' && owner === 'own') {
        expect(await use(), name).toBeDefined();
        continue;
      }
      const error = await errorOf(use);
      expect(error.kind, name).toBe('auth');
      expect(error.message, name).toMatch(/symbolic link|another user/);
      expect(wordsOf(error), name).not.toContain(KEY);
      expect(bytesOf(file), name).toBe(bytes);
    }
  });

  it('are rejected if the file is a dangling link, which a write would follow', async () => {
    const folder = folderWith({ name: 'shop' });
    const file = join(folder, 'config.json');
    renameSync(file, `${file}.old`);
    symlinkSync(join(folder, 'elsewhere.json'), file);
    const error = await errorOf(() => uses(folder).save());
    expect(error.message).toContain('symbolic link');
    expect(existsSync(join(folder, 'elsewhere.json'))).toBe(false);
    const nowhere = join(newFolder(), 'link');
    symlinkSync(join(dirname(nowhere), 'target'), nowhere);
    expect((await errorOf(() => uses(nowhere).save())).message).toContain('symbolic link');
    expect(existsSync(join(dirname(nowhere), 'target'))).toBe(false);
  });

  it.each([
    ['folder', '755'],
    ['folder', '770'],
    ['folder', '720'],
    ['folder', '704'],
    ['folder', '702'],
    ['file', '644'],
    ['file', '640'],
    ['file', '620'],
    ['file', '604'],
    ['file', '602'],
  ] as const)('are rejected if the %s has mode %s, until the chmod from the hint is run', async (what, mode) => {
    const home = join(newFolder(), "it's a home");
    openRoom({ folder: home }).room.save({ name: 'shop', origin: PIN, secret: { key: KEY } });
    const file = join(home, 'config.json');
    const path = what === 'folder' ? home : file;
    const bytes = bytesOf(file);
    chmodSync(path, Number.parseInt(mode, 8));
    let hint = '';
    for (const use of Object.values(uses(home))) {
      const error = await errorOf(use);
      expect(error.kind).toBe('auth');
      expect(error.message).toContain(`mode 0${mode}`);
      expect(bytesOf(file)).toBe(bytes);
      expect(modeOf(path)).toBe(mode);
      hint = error.detail.hint ?? '';
    }
    const command = /run: (chmod [67]00 .*?);/.exec(hint)?.[1] ?? 'false';
    execFileSync('/bin/sh', ['-c', command]);
    expect(uses(home).list()).toHaveLength(1);
  });

  it('are checked again before a write, whatever a previous read found', async () => {
    const content = { version: 1 as const, profiles: {} };
    const [open, link] = [newFolder(), folderWith({ name: 'shop' })];
    writeFileSync(join(open, 'config.json'), '', { mode: 0o600 });
    chmodSync(open, 0o755);
    asLink(join(link, 'config.json'));
    for (const folder of [open, link]) {
      const error = await errorOf(() => openProfileStore(folder, realMachine, new Redactor()).write(content));
      expect(error.kind).toBe('auth');
    }
    expect([modeOf(open), bytesOf(join(open, 'config.json'))]).toEqual(['755', '']);
    expect(contentOf(join(link, 'config.json.real'))).toHaveProperty('profiles.shop');
  });

  it.each([
    ['is empty', []],
    ['holds a ledger', ['ledger.sqlite', 'ledger.sqlite-wal', 'emulator.sqlite']],
  ])('are closed by the first write, not by a read, if an open folder %s', (_what, names) => {
    const folder = newFolder();
    for (const name of names) writeFileSync(join(folder, name), '');
    chmodSync(folder, 0o755);
    expect(openRoom({ folder }).room.list()).toEqual([]);
    expect(modeOf(folder)).toBe('755');
    uses(folder).save();
    expect(modeOf(folder)).toBe('700');
    expect(uses(folder).list()).toHaveLength(1);
  });

  it('are not created by a read', async () => {
    const { room, folder } = openRoom();
    expect(room.list()).toEqual([]);
    for (const use of [() => room.show('x'), () => room.use('x'), () => room.remove('x')]) {
      expect((await errorOf(use)).kind).toBe('auth');
    }
    await errorOf(() => room.target({ profile: undefined, baseUrl: undefined }));
    expect(existsSync(folder)).toBe(false);
  });
});

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { profileView } from '../../src/commands/profile/profiles.ts';
import { profileCommands } from '../../src/commands/profile/spec.ts';
import { bytesOf, contentOf, errorOf, folderWith, KEY } from '../config/world.ts';
import { type Call, call, LIVE, OLD, piped, profilesIn } from './profile-call.ts';

describe('profile remove', () => {
  const two = (): string => folderWith({ name: 'a', key: OLD }, { name: 'b', key: KEY });

  it.each<[string, Call, string]>([
    ['the default', {}, 'a'],
    ['--profile', { globals: { profile: 'b' } }, 'b'],
    ['PAYCLI_PROFILE', { env: { PAYCLI_PROFILE: 'b' } }, 'b'],
    ['the argument', { args: ['b'] }, 'b'],
    ['the argument over --profile', { args: ['b'], globals: { profile: 'a' } }, 'b'],
  ])('removes %s', async (_what, options, name) => {
    const said = { ...options, globals: { yes: true, ...options.globals } };
    const outcome = await call('profile remove', { ...said, folder: two() });
    expect(outcome.records).toMatchObject([{ name, default: name === 'a' }]);
    expect(Object.keys(profilesIn(outcome) as object)).toEqual([name === 'a' ? 'b' : 'a']);
    expect(bytesOf(outcome.file)).not.toContain(name === 'a' ? OLD : KEY);
    expect(outcome.notices[0]).toContain(`Removed the profile "${name}"`);
    expect(outcome.notices[0]).toContain('until you rotate it');
    expect(outcome.notices.some((text) => text.includes('No profile is the default now'))).toBe(name === 'a');
  });

  it.each<[string, Call, string | undefined]>([
    ['y', { lines: ['y'] }, undefined],
    ['n', { lines: ['n'] }, 'interrupted'],
    ['nothing', { lines: [] }, 'interrupted'],
    ['--yes', { lines: [], globals: { yes: true } }, undefined],
    ['--no-input', { lines: [], globals: { input: false } }, 'usage'],
    ['nothing, without a terminal', {}, 'usage'],
    ['--yes, without a terminal', { globals: { yes: true } }, undefined],
  ])('on a terminal with the answer %s', async (_what, options, refused) => {
    for (const args of [[], ['a']]) {
      const folder = two();
      const before = bytesOf(join(folder, 'config.json'));
      const outcome = await call('profile remove', { ...options, args, folder });
      expect(outcome.error?.kind).toBe(refused);
      expect(bytesOf(outcome.file) === before).toBe(refused !== undefined);
    }
  });

  it('fails without a profile to remove', async () => {
    expect((await call('profile remove')).error?.kind).toBe('auth');
    const outcome = await call('profile remove', { args: ['c'], folder: two(), lines: ['y'] });
    expect([outcome.error?.kind, outcome.prompts]).toEqual(['auth', []]);
  });
});

describe('profile list and use', () => {
  const two = (): string => folderWith({ name: 'a', key: OLD }, { name: 'b', origin: LIVE, key: KEY });

  it('list prints each profile on one page', async () => {
    const { records, notices } = await call('profile list', { folder: two() });
    expect(records).toMatchObject([
      { name: 'a', default: true, environment: 'api.pinned.example' },
      { name: 'b', default: false, environment: 'live' },
    ]);
    expect(notices).toEqual([]);
  });

  it('list explains how to create the first profile', async () => {
    const { records, notices } = await call('profile list');
    expect(records).toEqual([]);
    expect(notices.join()).toContain('paycli login');
  });

  it('use changes only the default', async () => {
    const folder = two();
    const before = contentOf(join(folder, 'config.json'));
    const outcome = await call('profile use', { folder, args: ['b'] });
    expect(outcome.records).toMatchObject([{ name: 'b', default: true }]);
    expect(contentOf(outcome.file)).toEqual({ ...before, default: 'b' });
  });

  it.each(['profile use', 'profile remove'])('%s names the known profiles', async (path) => {
    const { error } = await call(path, { folder: two(), args: ['c'] });
    expect([error?.kind, error?.message]).toEqual(['auth', 'no profile "c"']);
    expect(error?.detail.hint).toContain('known: a, b');
  });
});

describe('a key in the environment', () => {
  it.each<[string, Call]>([
    ['login', piped],
    ['profile remove', { globals: { yes: true } }],
    ['profile use', { args: ['a'] }],
  ])('overrides the stored one, says %s', async (path, options) => {
    const folder = folderWith({ name: 'a', key: OLD });
    const outcome = await call(path, { ...options, folder, env: { PAYCLI_SECRET_KEY: KEY } });
    expect(outcome.error).toBeUndefined();
    expect(outcome.notices.join()).toContain('PAYCLI_SECRET_KEY is');
    const quiet = await call(path, { ...options, folder: folderWith({ name: 'a', key: OLD }) });
    expect(quiet.notices.join()).not.toContain('PAYCLI_SECRET_KEY');
  });

  it('is not stored by login', async () => {
    const { error } = await call('login', { given: { environment: 'live' }, env: { PAYCLI_SECRET_KEY: KEY } });
    expect(error?.kind).toBe('usage');
  });
});

describe('the specs', () => {
  it('have no option or column with a key', async () => {
    const options = profileCommands.flatMap((command) => Object.values(command.options));
    expect(options.map(({ flags }) => flags)).toEqual([
      '--environment <name>',
      '--key-stdin',
      '--key-command <command>',
      '--keychain',
      '--no-verify',
      '--check',
    ]);
    const { records } = await call('profile list', { folder: folderWith({ name: 'a' }) });
    expect(profileView.columns.map(({ path }) => path).sort()).toEqual(Object.keys(records[0] as object).sort());
  });

  it('accept only the two environments', async () => {
    const parse = profileCommands[0]?.options['environment']?.parse;
    expect(['live', 'sandbox'].map((name) => parse?.(name))).toEqual(['live', 'sandbox']);
    expect((await errorOf(() => parse?.('production'))).kind).toBe('usage');
  });
});

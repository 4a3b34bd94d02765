import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findFolders } from '../../src/config/machine.ts';
import { checkName, checkOrigin, chooseTarget } from '../../src/config/target.ts';
import { PayError } from '../../src/core/error.ts';
import { errorOf, KEY, openRoom, PIN } from './world.ts';

/** Kind, message and hint of the error. */
const saidOf = (use: () => unknown): readonly unknown[] => {
  try {
    use();
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    return [thrown.kind, thrown.message, thrown.detail.hint];
  }
  return [];
};

describe('the error for a setting', () => {
  it('describes an invalid profile name', () => {
    const said = 'not a profile name: use 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit';
    expect(saidOf(() => checkName('a b'))).toEqual(['usage', said, undefined]);
    expect(saidOf(() => checkName('Local'))).toEqual([
      'usage',
      'the profile name "local" is reserved for the built-in emulator',
      'use --local instead; it needs no key',
    ]);
    expect(checkName('locale')).toBe('locale');
  });

  it.each([
    ['http://a.example', 'auth', 'is not encrypted: http:// is only for this machine (127.0.0.1, localhost)'],
    ['http://127.0.0.1/v1', 'usage', 'is more than an origin: leave out the path, query and fragment'],
    ['https://a.example/v1', 'usage', 'is more than an origin: leave out the path, query and fragment'],
    ['a.example', 'usage', 'is not a URL such as https://api.example.com'],
  ])('describes an invalid origin: %s', (url, kind, problem) => {
    const hint = 'use only the scheme and host, such as https://api.example.com';
    expect(saidOf(() => checkOrigin(url, '--base-url'))).toEqual([kind, `--base-url ${problem}`, hint]);
  });

  it('names the source of the origin', () => {
    const env = { PAYCLI_BASE_URL: 'https://b.example/', PAYCLI_PROFILE: 'b' };
    expect(chooseTarget({ profile: undefined, baseUrl: undefined }, env)).toEqual({
      name: 'b',
      origin: { value: 'https://b.example', from: 'PAYCLI_BASE_URL' },
    });
    expect(chooseTarget({ profile: 'a', baseUrl: PIN }, env)).toEqual({
      name: 'a',
      origin: { value: PIN, from: '--base-url' },
    });
    expect(chooseTarget({ profile: undefined, baseUrl: undefined }, {})).toEqual({
      name: undefined,
      origin: undefined,
    });
  });

  it('describes a relative PAYCLI_HOME', () => {
    expect(saidOf(() => findFolders({ PAYCLI_HOME: 'pay' }))).toEqual([
      'usage',
      'PAYCLI_HOME is "pay", not an absolute path',
      'set it to one that starts at the root, or unset it',
    ]);
  });
});

describe('the error for a profile file', () => {
  const profile = { origin: PIN, key: KEY, created_at: '2026-11-20T12:00:00Z' };
  const LEFT = 'it was left as it is';
  const MEND = 'fix it or move it away, then run `paycli login`';

  it.each<[what: string, text: string, said: string, hint: string]>([
    ['no JSON', '{', `is damaged: it is not valid JSON; ${LEFT}`, MEND],
    ['another version', '{"version":0,"profiles":{}}', `is not a profile file: version: is not 1; ${LEFT}`, MEND],
    ['a version that is text', '{"version":"2"}', `is not a profile file: version: is not 1; ${LEFT}`, MEND],
    ['a number', '5', `is not a profile file: version: is not 1; ${LEFT}`, MEND],
    ['nothing', 'null', `is not a profile file: version: is not 1; ${LEFT}`, MEND],
    ['an unrelated object', '[]', `is not a profile file: version: is not 1; ${LEFT}`, MEND],
    [
      'invalid names',
      '{"version":1,"profiles":{"a b":{}}}',
      `is not a profile file: profiles: must be an object whose names are profile names; ${LEFT}`,
      MEND,
    ],
    [
      'an invalid origin',
      JSON.stringify({ version: 1, profiles: { a: { ...profile, origin: `${PIN}/` } } }),
      `is not a profile file: profiles.a.origin: is not an exact https:// origin; ${LEFT}`,
      MEND,
    ],
    [
      'a newer version',
      '{"version":2}',
      `was written by a newer paycli (version 2); ${LEFT}`,
      'update paycli, or set PAYCLI_HOME to another folder for this version',
    ],
  ])('describes a file that holds %s', async (_what, text, said, hint) => {
    const { room, file, folder } = openRoom();
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
    const error = await errorOf(() => room.list());
    expect([error.kind, error.message, error.detail.hint]).toEqual(['auth', `${file} ${said}`, hint]);
  });

  it('names the profile of an invalid key', async () => {
    const { room } = openRoom();
    const empty = await errorOf(() => room.save({ name: 'a', origin: PIN, secret: { key: '' } }));
    expect(empty.message).toBe('the key for the profile "a" is empty');
    const bad = await errorOf(() => room.save({ name: 'a', origin: 'x', secret: { key: KEY } }));
    expect(bad.message).toBe('the base URL is not a URL such as https://api.example.com');
  });
});

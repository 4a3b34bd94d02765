import { describe, expect, it } from 'vitest';
import { isProfileName, profileFileFault } from '../../src/contract/profile-file.ts';

const profile = { origin: 'https://api.kwugwo.africa', key: 'sk.Kw9a.12345678', created_at: '2026-11-20T13:05:00Z' };
const fileOf = (members: object) => ({
  version: 1,
  default: 'main',
  profiles: { main: { ...profile, ...members } },
});

describe('isProfileName', () => {
  it.each(['a', 'main', 'Live-2', 'a.b_c-d', '0', 'constructor', 'x'.repeat(64)])('accepts %s', (name) => {
    expect(isProfileName(name)).toBe(true);
  });

  it.each(['', '-a', '.a', '_a', '__proto__', 'a b', 'a/b', 'a\n', 'é', 'x'.repeat(65)])('rejects %j', (name) => {
    expect(isProfileName(name)).toBe(false);
  });
});

describe('profileFileFault', () => {
  it.each([
    ['no profile', { version: 1, profiles: {} }],
    ['a key', fileOf({})],
    ['a command for the key', fileOf({ key: undefined, key_command: ['op', 'read', 'op://pay/key'] })],
    ['a loopback origin', fileOf({ origin: 'http://127.0.0.1:4010' })],
    ['fields of a later version', { ...(fileOf({ note: [1] }) as object), theme: 'dark' }],
    ['a profile named constructor', { version: 1, profiles: { constructor: profile } }],
  ])('accepts %s', (_what, file) => {
    expect(profileFileFault(file)).toBeUndefined();
  });

  it.each([
    ['a later version', { version: 2, profiles: {} }, 'version'],
    ['no version', { profiles: {} }, 'version'],
    ['no profiles', { version: 1 }, 'profiles'],
    ['null for profiles', { version: 1, profiles: null }, 'profiles'],
    ['an invalid name', { version: 1, profiles: { '../x': profile } }, 'profiles'],
    ['a profile named __proto__', JSON.parse('{"version":1,"profiles":{"__proto__":{}}}'), 'profiles'],
    ['a default that is not text', { version: 1, default: 1, profiles: {} }, 'default'],
    ['a path in the origin', fileOf({ origin: 'https://api.kwugwo.africa/v1' }), 'profiles.main.origin'],
    [
      'an origin that is not in canonical form',
      fileOf({ origin: 'https://API.kwugwo.africa/' }),
      'profiles.main.origin',
    ],
    ['an unencrypted origin', fileOf({ origin: 'http://api.kwugwo.africa' }), 'profiles.main.origin'],
    ['a profile with neither key nor command', fileOf({ key: undefined }), 'profiles.main'],
    ['a profile with both', fileOf({ key_command: ['op'] }), 'profiles.main'],
    ['an empty command', fileOf({ key: undefined, key_command: [] }), 'profiles.main.key_command'],
    ['a command that is one text', fileOf({ key: undefined, key_command: 'op read' }), 'profiles.main.key_command'],
    ['a key that is not text', fileOf({ key: 5 }), 'profiles.main.key'],
    ['no creation time', fileOf({ created_at: 'yesterday' }), 'profiles.main.created_at'],
  ])('rejects %s', (_what, file, path) => {
    expect(profileFileFault(file)?.split(': ')[0]).toBe(path);
  });

  it.each([
    ['its origin', fileOf({ origin: 'https://api.kwugwo.africa/v1' }), 'is not an exact https:// origin'],
    ['its key', fileOf({ key_command: ['op'] }), 'must hold either key or key_command'],
    ['its names', { version: 1, profiles: { '../x': profile } }, 'must be an object whose names are profile names'],
  ])('describes the fault of %s', (_what, file, message) => {
    expect(profileFileFault(file)?.split(': ')[1]).toBe(message);
  });
});

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFolders, realMachine } from '../../src/config/machine.ts';
import { homeFolder } from '../../src/core/files.ts';
import { errorOf } from './world.ts';

describe('findFolders', () => {
  it('uses PAYCLI_HOME for config and data', () => {
    expect(findFolders({ PAYCLI_HOME: '/srv/pay' })).toEqual({ config: '/srv/pay', data: '/srv/pay' });
  });

  it('drops a trailing slash, which would hide a symbolic link', () => {
    expect(findFolders({ PAYCLI_HOME: '/srv/pay/' }).config).toBe('/srv/pay');
    expect(findFolders({ PAYCLI_HOME: '/srv/pay/.' }).config).toBe('/srv/pay');
  });

  it.each(['', '.', 'pay', './pay', '../pay', '~/pay'])('rejects the relative PAYCLI_HOME "%s"', async (path) => {
    const error = await errorOf(() => findFolders({ PAYCLI_HOME: path }));
    expect(error.kind).toBe('usage');
    expect(error.message).toContain('PAYCLI_HOME');
  });
});

const on = (platform: NodeJS.Platform, env: Record<string, string> = {}) => {
  const { config, data } = findFolders(env, { ...realMachine, platform });
  return [config, data];
};
const home = (...path: string[]): string => join(homeFolder(), ...path);

describe.skipIf(process.platform === 'win32')('findFolders without PAYCLI_HOME', () => {
  it('follows XDG and its variables on Linux', () => {
    expect(on('linux')).toEqual([home('.config/paycli'), home('.local/share/paycli')]);
    expect(on('linux', { XDG_CONFIG_HOME: '/x/c', XDG_DATA_HOME: '/x/d/' })).toEqual(['/x/c/paycli', '/x/d/paycli']);
    expect(on('freebsd', { XDG_CONFIG_HOME: '' })[0]).toBe(home('.config/paycli'));
  });

  it('uses the Library folders on macOS', () => {
    expect(on('darwin', { XDG_CONFIG_HOME: '/x' })).toEqual([
      home('Library/Preferences/paycli'),
      home('Library/Application Support/paycli'),
    ]);
  });

  it('uses the AppData folders on Windows', () => {
    expect(on('win32', { APPDATA: '/r', LOCALAPPDATA: '/l' })).toEqual(['/r/paycli/Config', '/l/paycli/Data']);
    expect(on('win32')).toEqual([home('AppData/Roaming/paycli/Config'), home('AppData/Local/paycli/Data')]);
  });

  it.each([
    ['config', 'XDG_CONFIG_HOME', 'the folder for settings is ".config/paycli", not an absolute path'],
    ['data', 'XDG_DATA_HOME', 'the folder for data is ".config/paycli", not an absolute path'],
  ] as const)('rejects a relative %s folder, which would be in the working folder', async (which, name, message) => {
    const folders = findFolders({ [name]: '.config' }, { ...realMachine, platform: 'linux' });
    const error = await errorOf(() => folders[which]);
    expect([error.kind, error.message, error.detail.hint]).toEqual([
      'usage',
      message,
      'set PAYCLI_HOME to an absolute path, or fix HOME and the XDG_… variables',
    ]);
  });
});

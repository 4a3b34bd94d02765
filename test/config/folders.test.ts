import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFolders } from '../../src/config/folders.ts';
import { errorOf, newFolder } from './world.ts';

describe('findFolders', () => {
  it('takes PAYCLI_HOME for everything', () => {
    expect(findFolders({ PAYCLI_HOME: '/srv/pay' })).toEqual({ config: '/srv/pay', data: '/srv/pay' });
  });

  it('drops a trailing slash, behind which a symbolic link would not be seen', () => {
    expect(findFolders({ PAYCLI_HOME: '/srv/pay/' }).config).toBe('/srv/pay');
    expect(findFolders({ PAYCLI_HOME: '/srv/pay/.' }).config).toBe('/srv/pay');
  });

  it.each(['', '.', 'pay', './pay', '../pay', '~/pay'])('refuses the relative PAYCLI_HOME "%s"', async (path) => {
    const error = await errorOf(() => findFolders({ PAYCLI_HOME: path }));
    expect(error.kind).toBe('usage');
    expect(error.message).toContain('PAYCLI_HOME');
  });

  // env-paths reads the environment once, when it is loaded: so in a process of its own.
  const inProcess = (env: Record<string, string>) =>
    spawnSync(
      process.execPath,
      [
        '-e',
        `import(${JSON.stringify(resolve('src/config/folders.ts'))}).then((m) => console.log(JSON.stringify(m.findFolders({}))))`,
      ],
      { env: { PATH: process.env['PATH'] ?? '', ...env }, encoding: 'utf8' },
    );

  it.runIf(process.platform === 'linux')("uses the platform's folders, without a suffix", () => {
    const home = newFolder();
    expect(JSON.parse(inProcess({ HOME: home }).stdout)).toEqual({
      config: join(home, '.config/paycli'),
      data: join(home, '.local/share/paycli'),
    });
    expect(JSON.parse(inProcess({ HOME: home, XDG_CONFIG_HOME: '/x/c', XDG_DATA_HOME: '/x/d' }).stdout)).toEqual({
      config: '/x/c/paycli',
      data: '/x/d/paycli',
    });
  });

  it.runIf(process.platform === 'linux')('refuses relative XDG folders, which would be in the working folder', () => {
    const { stdout, stderr } = inProcess({ HOME: newFolder(), XDG_CONFIG_HOME: '.config' });
    expect(stdout).toBe('');
    expect(stderr).toContain('the folder for settings is not an absolute path');
  });
});

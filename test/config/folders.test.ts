import { describe, expect, it } from 'vitest';
import { findFolders } from '../../src/config/folders.ts';
import { errorOf } from './world.ts';

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
});

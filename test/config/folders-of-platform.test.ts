import { describe, expect, it, vi } from 'vitest';
import { findFolders } from '../../src/config/folders.ts';
import { errorOf } from './world.ts';

/** What the platform says; a package reads it once from the environment, which tests of their own processes look at. */
const said = { config: '/c', data: '/d' };
vi.mock('env-paths', () => ({
  default: (name: string, { suffix }: { suffix: string }) => ({
    config: `${said.config}/${name}${suffix}`,
    data: `${said.data}/${name}${suffix}`,
  }),
}));

describe("the platform's own folders", () => {
  it('are taken where PAYCLI_HOME is not set', () => {
    expect(findFolders({})).toEqual({ config: '/c/paycli', data: '/d/paycli' });
  });

  it.each([
    ['config', 'the folder for settings is not an absolute path'],
    ['data', 'the folder for data is not an absolute path'],
  ] as const)('are refused where that for %s is relative', async (which, message) => {
    said[which] = 'relative';
    const error = await errorOf(() => findFolders({}));
    said[which] = '/x';
    expect([error.kind, error.message, error.detail.hint]).toEqual([
      'usage',
      message,
      'set PAYCLI_HOME to an absolute path, or fix HOME and the XDG_… variables',
    ]);
  });
});

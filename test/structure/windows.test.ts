import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

describe('the Windows tests', () => {
  it.skipIf(process.platform === 'win32')('say that Wine is missing, and what to install', () => {
    // Another folder has no cache, and nothing is on this PATH.
    const cwd = mkdtempSync(join(tmpdir(), 'paycli-no-wine-'));
    const ended = spawnSync(process.execPath, [resolve('scripts/test-windows.ts')], { cwd, env: { PATH: cwd } });
    expect(ended.status).toBe(1);
    expect(ended.stderr.toString()).toMatch(
      /^Wine is missing, .*apt-get install wine\n.*\nThis time the download failed: .*apt-get/,
    );
  });

  it('run in CI', () => {
    expect(readFileSync('.ci/run', 'utf8')).toMatch(/^ *npm run test:windows$/m);
  });
});

it('file modes are set in one file, which knows that Windows has none', () => {
  const setters = globSync('src/**/*.ts').filter((file) => /\bf?chmod(Sync)?\(/.test(readFileSync(file, 'utf8')));
  expect(setters.map((file) => file.replaceAll('\\', '/'))).toEqual(['src/core/files.ts']);
});

/**
 * Runs test/outside through Prism, a contract proxy by others, between the program and the emulator. Fails if a request or
 * an answer violates the OpenAPI document. Installs Prism once, by the checksums in
 * scripts/prism/package-lock.json, without install scripts.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PINNED = 'scripts/prism';

/** The path of the proxy; asks npm only where this lock file was not installed yet. */
const install = (): string => {
  const lock = readFileSync(join(PINNED, 'package-lock.json'));
  const name = `prism-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`;
  const folder = resolve('node_modules/.cache/paycli', name);
  const done = join(folder, 'installed');
  if (!existsSync(done)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(PINNED, file), join(folder, file));
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    writeFileSync(done, '');
  }
  return join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js');
};

const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));
const run = spawnSync(process.execPath, [vitest, 'run', 'test/outside'], {
  stdio: 'inherit',
  env: { ...process.env, PAYCLI_PRISM: install() },
});
process.exitCode = run.status ?? 1;

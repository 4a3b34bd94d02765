/**
 * The whole test suite once more, as on a machine abroad: fourteen hours ahead of UTC, with a language that sorts,
 * groups digits and writes dates in its own way. Arguments go to vitest.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));

const run = spawn(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, TZ: 'Pacific/Kiritimati', LC_ALL: 'sk_SK.UTF-8', PAYCLI_TEST_ABROAD: '1' },
});
run.on('exit', (code) => {
  process.exitCode = code ?? 1;
});

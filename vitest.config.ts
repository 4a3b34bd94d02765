import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // What is told of Bun can only be seen in a program that runs on it.
    exclude: process.env['PAYCLI_PROGRAM'] === undefined ? ['test/standalone/**'] : [],
    // After the last test, everything that was written is searched for the secret key.
    globalSetup: ['test/support/canary-search.ts'],
    // Processes, not threads: tests set TZ, send signals and start children, which threads would share.
    pool: 'forks',
    fileParallelism: true,
    maxWorkers: 2,
    // The black-box tests start the built program against real servers.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    unstubEnvs: true,
    // A check that cannot fail is a defect.
    expect: { requireAssertions: true, poll: { timeout: 20_000, interval: 20 } },
  },
});

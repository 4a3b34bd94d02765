import { configDefaults, defineConfig } from 'vitest/config';

/**
 * Tests that need their own process: they replace a module, or measure memory,
 * which is slow in a large process. All others share processes.
 */
const ALONE = ['test/client/memory.test.ts', 'test/config/private-file-race.test.ts', 'test/core/mounts.test.ts'];

/** Rules for the code itself: `npm run check` tests them, not `npm test`. */
const STRUCTURE = 'test/structure/*.test.ts';

const exclude = [
  // Tests of Bun need a program that runs on it.
  ...(process.env['PAYCLI_PROGRAM'] === undefined ? ['test/standalone/**'] : []),
  // Runs only in the round with another time zone and language.
  ...(process.env['PAYCLI_TEST_ABROAD'] === undefined ? ['test/core/abroad.test.ts'] : []),
  // Needs Windows, or Wine (`npm run test:windows`).
  ...(process.env['PAYCLI_TEST_WINDOWS'] === undefined ? ['test/windows/**'] : []),
  // Needs the proxy of `npm run check:proxy`.
  ...(process.env['PAYCLI_PRISM'] === undefined ? ['test/outside/**'] : []),
];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ALONE, ...exclude, STRUCTURE],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
      { extends: true, test: { name: 'structure', include: [STRUCTURE], isolate: false } },
    ],
    // After the last test, everything written is searched for the secret key.
    globalSetup: ['test/support/canary-search.ts'],
    // Processes, not threads: tests set TZ, send signals and start children.
    pool: 'forks',
    fileParallelism: true,
    // Tests of the program mostly wait for it.
    maxWorkers: 6,
    // A hang ends a test, not a slow machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    unstubEnvs: true,
    setupFiles: ['test/support/schemas.ts'],
    // A test without an assertion fails.
    expect: { requireAssertions: true, poll: { timeout: 60_000, interval: 20 } },
  },
});

import { configDefaults, defineConfig } from 'vitest/config';

/**
 * Tests that need a process of their own: they put another module in the place of a real one, or count what lies in memory, which
 * takes seconds where much does. All others share theirs.
 */
const ALONE = ['test/client/memory.test.ts', 'test/config/private-file-race.test.ts'];

const exclude = [
  // What is told of Bun can only be seen in a program that runs on it.
  ...(process.env['PAYCLI_PROGRAM'] === undefined ? ['test/standalone/**'] : []),
  // That a round is far away can only be seen there.
  ...(process.env['PAYCLI_TEST_ABROAD'] === undefined ? ['test/core/abroad.test.ts'] : []),
  // What a proxy says, where there is one: `npm run check:proxy` brings it.
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
          exclude: [...configDefaults.exclude, ...ALONE, ...exclude],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
    // After the last test, everything that was written is searched for the secret key.
    globalSetup: ['test/support/canary-search.ts'],
    // Processes, not threads: tests set TZ, send signals and start children, which threads would share.
    pool: 'forks',
    fileParallelism: true,
    // Much of the time a test of the program waits for it.
    maxWorkers: 6,
    // The black-box tests start the built program against real servers.
    testTimeout: 90_000,
    hookTimeout: 30_000,
    unstubEnvs: true,
    setupFiles: ['test/support/schemas.ts'],
    // A check that cannot fail is a defect.
    expect: { requireAssertions: true, poll: { timeout: 20_000, interval: 20 } },
  },
});

import { configDefaults, defineConfig } from 'vitest/config';

/** The rooms whose tests share nothing that another could change: one process runs many files of them. */
const TOGETHER = ['bulk', 'cli', 'client', 'commands', 'contract', 'core', 'ledger', 'output', 'structure'].map(
  (room) => `test/${room}/**/*.test.ts`,
);

// What is told of Bun can only be seen in a program that runs on it.
const exclude = process.env['PAYCLI_PROGRAM'] === undefined ? ['test/standalone/**'] : [];

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'rooms', include: TOGETHER, isolate: false } },
      {
        extends: true,
        test: {
          name: 'program',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...TOGETHER, ...exclude],
        },
      },
    ],
    // After the last test, everything that was written is searched for the secret key.
    globalSetup: ['test/support/canary-search.ts'],
    // Processes, not threads: tests set TZ, send signals and start children, which threads would share.
    pool: 'forks',
    fileParallelism: true,
    // Much of the time a test of the program waits for it.
    maxWorkers: 3,
    // The black-box tests start the built program against real servers.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    unstubEnvs: true,
    // A check that cannot fail is a defect.
    expect: { requireAssertions: true, poll: { timeout: 20_000, interval: 20 } },
  },
});

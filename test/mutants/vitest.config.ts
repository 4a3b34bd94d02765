import { configDefaults, defineConfig } from 'vitest/config';

/** The tests that a mutant is tried with: those of one room at a time, in one process. */
export default defineConfig({
  test: {
    include: ['core', 'contract', 'client', 'config', 'ledger'].map((room) => `test/${room}/**/*.test.ts`),
    // That a round is far away can only be seen there.
    exclude: [...configDefaults.exclude, 'test/core/abroad.test.ts'],
    setupFiles: ['test/support/schemas.ts'],
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 30_000,
    unstubEnvs: true,
    expect: { requireAssertions: true, poll: { timeout: 20_000, interval: 20 } },
  },
});

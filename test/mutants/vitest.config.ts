import { configDefaults, defineConfig } from 'vitest/config';

const ROOMS = ['core', 'contract', 'client', 'config', 'ledger', 'charge', 'bulk', 'commands', 'blackbox'];

/** The tests that a mutant is tried with: what runs in the tests' own process. */
export default defineConfig({
  test: {
    include: ROOMS.map((room) => `test/${room}/**/*.test.ts`),
    // That a round is far away can only be seen there.
    exclude: [...configDefaults.exclude, 'test/core/abroad.test.ts'],
    setupFiles: ['test/support/schemas.ts', 'test/mutants/without-program.ts'],
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 30_000,
    unstubEnvs: true,
    expect: { requireAssertions: true, poll: { timeout: 20_000, interval: 20 } },
  },
});

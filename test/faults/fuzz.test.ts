import { expect, it } from 'vitest';
import { TARGETS } from './fuzz/all.ts';

/** The same input in each run. */
const SEED = 20261120;
/** Fewer runs for slow targets, which use files or connections. */
const FEW: Readonly<Record<string, number>> = {
  argv: 60,
  csv: 40,
  files: 15,
  pages: 60,
  profiles: 10,
  ledger: 20,
  wire: 60,
};
const MANY = 120;

it.each(TARGETS)('$name: any input gives a correct answer', async ({ name, run }) => {
  const { runs, find } = await run({ seed: SEED, runs: FEW[name] ?? MANY });
  expect(find).toBeUndefined();
  expect(runs).toBe(FEW[name] ?? MANY);
});

import { expect, it } from 'vitest';
import { TARGETS } from './fuzz/all.ts';

/** The same texts and bytes in each run. */
const SEED = 20261120;
/** What is slow by itself, since it is files or connections. */
const FEW: Readonly<Record<string, number>> = {
  argv: 150,
  csv: 100,
  files: 30,
  pages: 150,
  profiles: 20,
  ledger: 50,
  wire: 150,
};
const MANY = 300;

it.each(TARGETS)('$name: whatever others wrote, what is said of it holds', async ({ name, run }) => {
  const { runs, find } = await run({ seed: SEED, runs: FEW[name] ?? MANY });
  expect(find).toBeUndefined();
  expect(runs).toBe(FEW[name] ?? MANY);
});

/** Loaded before the program: advances its wall clock by an hour once the file in CLOCK_PASSED exists. */
export const PASSING_CLOCK = `import { existsSync } from 'node:fs';
  const { now } = Date;
  const passed = process.env.CLOCK_PASSED ?? '';
  Date.now = () => now() + (existsSync(passed) ? 3_600_000 : 0);`;

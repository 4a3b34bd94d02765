/** Loaded before the program: advances its wall clock by an hour, or by CLOCK_STEP, once the file in CLOCK_PASSED exists. */
export const PASSING_CLOCK = `import { existsSync } from 'node:fs';
  const { now } = Date;
  const passed = process.env.CLOCK_PASSED ?? '';
  const step = Number(process.env.CLOCK_STEP ?? 3_600_000);
  Date.now = () => now() + (existsSync(passed) ? step : 0);`;

/** Run before the program: its wall clock shows an hour more as soon as the file is there that CLOCK_PASSED names. */
export const PASSING_CLOCK = `import { existsSync } from 'node:fs';
  const { now } = Date;
  const passed = process.env.CLOCK_PASSED ?? '';
  Date.now = () => now() + (existsSync(passed) ? 3_600_000 : 0);`;

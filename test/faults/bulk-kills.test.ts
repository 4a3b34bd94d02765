import { afterEach, expect, it } from 'vitest';
import { newFolder } from '../support/program.ts';
import { kills } from './bulk-kills.ts';
import { endRunning } from './strace.ts';

afterEach(endRunning);

const SIZE = { rows: 40, kills: 3, processes: 2, concurrency: 4, latency: 100 };

it.each([
  ['', false],
  [', even if only the row prevents a second charge', true],
])('charges each row exactly once, whichever processes are killed%s', async (_, again) => {
  const { failures } = await kills({ ...SIZE, again }, { folder: newFolder(), say: () => undefined });
  expect(failures).toEqual([]);
});

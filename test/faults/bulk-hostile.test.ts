import { afterEach, expect, it } from 'vitest';
import { newFolder } from '../support/program.ts';
import { hostile } from './bulk-hostile.ts';
import { endRunning } from './strace.ts';

afterEach(endRunning);

it('reports the true state of each row, whatever the service does', async () => {
  const { failures } = await hostile(100, { folder: newFolder(), say: () => undefined });
  expect(failures).toEqual([]);
});

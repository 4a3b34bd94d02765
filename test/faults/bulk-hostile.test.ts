import { afterEach, expect, it } from 'vitest';
import { newFolder } from '../support/program.ts';
import { hostile } from './bulk-hostile.ts';
import { endRunning } from './strace.ts';

afterEach(endRunning);

it('says of each row what is true of it, whatever the service does', async () => {
  const { failures } = await hostile(200, { folder: newFolder(), say: () => undefined });
  expect(failures).toEqual([]);
}, 120_000);

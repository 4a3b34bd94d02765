import type * as fs from 'node:fs';
import { expect, it, vi } from 'vitest';
import { isMounted } from '../../src/core/files.ts';

const LIST = [
  '36 35 98:0 / / rw,noatime shared:1 - ext4 /dev/root rw',
  '40 36 98:0 /l /data/my\\040file\\134x rw - ext4 /dev/root rw',
  '',
].join('\n');

vi.mock('node:fs', async (original) => ({ ...(await original<typeof fs>()), readFileSync: () => LIST }));

it('mount points have escaped bytes', () => {
  expect(['/', '/data/my file\\x', '/data/my', '/l'].map(isMounted)).toEqual([true, true, false, false]);
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PICTURE, pictureNow, settled } from '../../scripts/picture/readme.ts';
import { PROGRAM } from '../support/built.ts';

describe.runIf(process.platform !== 'win32')('the picture in the README (`npm run docs` renders it)', () => {
  it('shows the current output of the program', async () => {
    const now = settled(await pictureNow(PROGRAM));
    expect(now).toContain('Next: transfer to this account');
    expect(settled(readFileSync(PICTURE, 'utf8'))).toBe(now);
  });
});

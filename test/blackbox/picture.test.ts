import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PICTURE, pictureNow } from '../../scripts/picture/readme.ts';
import { PROGRAM } from '../support/built.ts';

/** What is new in each run: identifiers, accounts, times. */
const NEW = /\b(?:act\.Lcal\.|EMU-)\w+|(?<=--cursor )\S+|\b\d{10}\b|[\d-]* ?\d\d:\d\d|in \d+ min/g;

/** The picture with what is new in each run made the same. */
const settled = (svg: string): string =>
  svg.replaceAll(/(?<=>)[^<]+(?=<\/text>)/g, (text) => text.replaceAll(NEW, '*'));

describe.runIf(process.platform !== 'win32')('the picture in the README (`npm run docs` makes it anew)', () => {
  it('shows what the program prints', async () => {
    const now = settled(await pictureNow(PROGRAM));
    expect(now).toContain('Next: transfer to this account');
    expect(settled(readFileSync(PICTURE, 'utf8'))).toBe(now);
  });
});

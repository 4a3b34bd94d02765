import { expect, it } from 'vitest';
import { openStatusLine } from '../../src/output/status-line.ts';
import { stylesFor } from '../../src/output/style.ts';
import { terminal } from './support.ts';

const ERASE = '\r\u001b[2K';
const UP = '\u001b[1A\u001b[2K';

it('is erased completely after the terminal became narrower', async () => {
  const io = terminal(80);
  const line = openStatusLine(io, await stylesFor(false), false);
  await line.show('x'.repeat(70));
  Object.assign(io.stderr, { columns: 30 });
  await line.show('y');
  await line.clear();
  expect(io.stderr.writes).toEqual([`${ERASE}${'x'.repeat(70)}`, `${ERASE}${UP}${UP}y`, ERASE]);
});

it('can be erased by other output, and is redrawn later', async () => {
  const io = terminal(80);
  const line = openStatusLine(io, await stylesFor(false), false);
  await line.show('waiting');
  expect(io.stderr.erase?.()).toBe(ERASE);
  // After erasing by other output there is nothing to erase.
  await line.clear();
  await line.show('waiting');
  expect(io.stderr.writes).toEqual([`${ERASE}waiting`, `${ERASE}waiting`]);
  await line.clear();
  expect(io.stderr.erase).toBeUndefined();
});

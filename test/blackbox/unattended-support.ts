import { readFileSync } from 'node:fs';
import { openShop, type Shop } from '../emulator/shop.ts';
import { clock } from '../support/clock.ts';

/** Blocks to copy of docs/unattended.md, each with the paragraph above it. */
const blocks: readonly { readonly above: string; readonly text: string }[] = (() => {
  const chunks = readFileSync('docs/unattended.md', 'utf8').split(/\n(?=\S)/);
  return chunks.flatMap((chunk, index) => {
    const [first = '', ...lines] = chunk.split('\n');
    if (!lines.some((line) => line.startsWith('    '))) return [];
    const before = chunks[index - 1] ?? '';
    const above = before.endsWith('\n') ? first : `${before}\n${first}`;
    return [
      {
        above,
        text: `${lines
          .map((line) => line.replace(/^ {4}/, ''))
          .join('\n')
          .trim()}\n`,
      },
    ];
  });
})();

/** The block below the paragraph with these words. */
export const blockBelow = (words: string): string => {
  const found = blocks.filter(({ above }) => above.includes(words));
  const [block] = found;
  if (block === undefined || found.length > 1) throw new Error(`${found.length} blocks are below: ${words}`);
  return block.text;
};

/** A shop at the emulator whose clock is the program's. */
export const openRealShop = (): Promise<Shop> => openShop({ clock: { ...clock, set: () => undefined } });

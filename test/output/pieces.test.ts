import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock, Output } from '../../src/cli/io.ts';
import { visible } from '../../src/core/sanitize.ts';
import { shownPieces, writePieces } from '../../src/output/pieces.ts';

const KEY = `sk.Cnry.${'k'.repeat(80)}`;

describe('a text that is shown in pieces', () => {
  it('is the same text', () => {
    const unit = fc.constantFrom('a', ' ', '\u0085', '\ud83d\ude00', '\ud83d', '東', KEY);
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), fc.integer({ min: 1, max: 20_000 }), (units, count) => {
        const text = units.join('').repeat(count).slice(0, 300_000);
        expect([...shownPieces(text, visible)].join('')).toBe(visible(text));
      }),
      { numRuns: 40 },
    );
  });

  it.each([' ', '\u0085', '東', 'x'])('splits no key among %j', (filler) => {
    for (let before = 0; before < KEY.length + 2; before += 7) {
      const text = filler.repeat(64 * 1024 - before) + KEY + filler.repeat(200_000);
      expect([...shownPieces(text, (part) => part)].some((piece) => piece.includes(KEY))).toBe(true);
    }
  });
});

it('gives way to signals where writing takes long, and stops where nobody reads', async () => {
  let [now, turns, closed] = [0, 0, false];
  const clock: Clock = { now: () => now, ticks: () => now, sleep: async () => undefined };
  const written: string[] = [];
  const output: Output = {
    isTerminal: false,
    columns: 80,
    get closed() {
      return closed;
    },
    write: async (text) => {
      written.push(text);
      now += 30;
      setImmediate(() => {
        turns += 1;
        closed = turns === 3;
      });
    },
  };
  await writePieces(output, ['a', 'b', 'c', 'd', 'e'], clock);
  expect(written).toEqual(['a', 'b', 'c']);
});

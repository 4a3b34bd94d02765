import { describe, expect, it } from 'vitest';
import type { Clock, Output } from '../../src/core/io.ts';
import { writePieces } from '../../src/output/walk.ts';

const KEY = `sk.Cnry.${'k'.repeat(80)}`;
const PORTION = 256 * 1024;

/** Writes pieces to an output. `onWrite` gets each part and returns true to close the output. */
const written = async (
  pieces: Iterable<string | Uint8Array>,
  { onWrite = () => false, clock }: { onWrite?: () => boolean; clock?: Clock } = {},
): Promise<string[]> => {
  const parts: string[] = [];
  const output: Output = {
    isTerminal: false,
    columns: 80,
    closed: false,
    copy: async () => false,
    drawn: () => undefined,
    write: async (data) => {
      parts.push(typeof data === 'string' ? data : Buffer.from(data).toString());
      Object.assign(output, { closed: onWrite() });
    },
  };
  const still: Clock = { now: () => 0, ticks: () => 0, sleep: async () => undefined };
  await writePieces(output, pieces, clock ?? still);
  return parts;
};

describe('pieces', () => {
  it('that are short are written together, in order with bytes', async () => {
    expect(await written(['a', 'b', Buffer.from('c'), 'd', 'e'])).toEqual(['ab', 'c', 'de']);
  });

  it.each([' ', '\u0085', '東', 'x'])('that are long are split, but never within a key: %j', async (filler) => {
    for (let before = 0; before < KEY.length + 2; before += 7) {
      const text = filler.repeat(PORTION - before) + KEY + filler.repeat(PORTION);
      const parts = await written([text]);
      expect(parts.join('')).toBe(text);
      expect(parts.some((part) => part.includes(KEY))).toBe(true);
      expect(parts.length).toBeGreaterThan(filler === 'x' ? 0 : 1);
    }
  });

  it.each([1, 2])('of exactly %i times the size of a write are written to the end', async (times) => {
    const text = 'x y'.repeat((times * PORTION) / 2).slice(0, times * PORTION);
    expect((await written([text])).join('')).toBe(text);
  });

  it('are not split within a surrogate pair', async () => {
    const parts = await written([' \ud83d\ude00'.repeat(PORTION)]);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.every((part) => part.isWellFormed())).toBe(true);
  });

  it('let signals through during slow writes, and stop without a reader', async () => {
    let [now, turns] = [0, 0];
    const clock: Clock = { now: () => now, ticks: () => now, sleep: async () => undefined };
    const onWrite = (): boolean => {
      now += 30;
      setImmediate(() => {
        turns += 1;
      });
      return turns === 2;
    };
    const bytes = ['a', 'b', 'c', 'd', 'e'].map((text) => Buffer.from(text));
    expect(await written(bytes, { onWrite, clock })).toEqual(['a', 'b', 'c']);
  });
});

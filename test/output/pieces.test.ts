import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import type { Clock, Output } from '../../src/core/io.ts';
import type { ApiRecord } from '../../src/core/record.ts';
import { visible } from '../../src/core/text.ts';
import { errorLine } from '../../src/output/error.ts';
import { csvRecord, csvSink, jsonSink, ndjsonSink, tsvSink } from '../../src/output/machine.ts';
import { shownPieces, writePieces } from '../../src/output/pieces.ts';
import { pipe, recordOf, ugwoView } from './support.ts';

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

describe('what is large is made in pieces', () => {
  const MOST = 512 * 1024;
  const large = (text: string): ApiRecord => recordOf({ uid: 'x', description: text });
  const longest = (pieces: Iterable<string | Uint8Array>): number =>
    Math.max(...[...pieces].map((piece) => piece.length));
  const text = '\u0085"'.repeat(500_000);

  it.each<[string, Iterable<string | Uint8Array>]>([
    ['a record as csv', csvRecord(large(text), undefined, ugwoView, { rawCsv: false })],
    ['a row of csv', csvSink(undefined, ugwoView, { rawCsv: false }).page([large(text)], false)],
    ['a row of tsv', tsvSink(undefined, ugwoView).page([large(text)], false)],
    ['a line of json', jsonSink().page([large(text)], false)],
    ['a line of ndjson', ndjsonSink().page([large(text)], false)],
    ['halves of pairs', tsvSink(undefined, ugwoView).page([large('\ud83d'.repeat(1_000_000))], false)],
    ['an error for programs', errorLine(new PayError('unknown', 'no', { answer: large(text).text }), 6, pipe())],
  ])('%s', (_what, pieces) => {
    expect(longest(pieces)).toBeLessThan(MOST);
  });
});

it('gives way to signals where writing takes long, and stops where nobody reads', async () => {
  let [now, turns, closed] = [0, 0, false];
  const clock: Clock = { now: () => now, ticks: () => now, sleep: async () => undefined };
  const written: unknown[] = [];
  const output: Output = {
    isTerminal: false,
    columns: 80,
    get closed() {
      return closed;
    },
    copy: async () => false,
    drawn: () => undefined,
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

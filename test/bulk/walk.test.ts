import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InputRow } from '../../src/bulk/cells.ts';
import { type BitSet, bitSet } from '../../src/bulk/counters.ts';
import type { RowsFile } from '../../src/bulk/read-file.ts';
import type { RowEnd } from '../../src/bulk/row-end.ts';
import { type RowsWalked, walkRows } from '../../src/bulk/walk.ts';
import { isTakenUp, type RowState } from '../../src/core/charge.ts';
import { PayError } from '../../src/core/error.ts';

/** The rows' outcomes between runs, like the ledger. */
type Book = Map<number, RowEnd>;

type Walker = Parameters<typeof walkRows<number>>[0];

interface Options extends Partial<Pick<Walker, 'concurrency' | 'continueOnUnknown' | 'allowRepeats' | 'stop'>> {
  readonly rows: number;
  readonly excluded?: BitSet;
  readonly book?: Book;
  readonly retry?: boolean;
  /** True if this run may process the slice. */
  readonly lease?: (slice: number) => Promise<boolean>;
  /** The outcome of a row. */
  readonly end?: (row: number) => RowEnd;
  /** Called with each row that may be read ahead. */
  readonly ahead?: (row: number) => Promise<void>;
  /** The key of a row; each has its own by default. */
  readonly keyOf?: (row: number) => string;
  readonly mode?: 'check' | 'judge';
  /** Gets the rows to work on. */
  readonly asked?: number[];
  /** Called while a row is in flight. */
  readonly inTheAir?: (row: number) => Promise<void>;
}

interface Done {
  readonly worked: RowsWalked;
  readonly sent: readonly number[];
  readonly settled: ReadonlyMap<number, RowEnd>;
  readonly book: Book;
}

const tick = (): Promise<void> => new Promise((done) => setImmediate(done));

const inputOf = (rows: number): RowsFile =>
  ({
    rows: async function* (): AsyncGenerator<InputRow> {
      for (let number = 1; number <= rows; number += 1) yield { number, line: number + 1, fields: {} };
    },
  }) as unknown as RowsFile;

const ACCEPTED: RowEnd = { state: 'accepted', exitCode: 0 };

const run = async (options: Options): Promise<Done> => {
  const { rows, book = new Map(), retry = false, end = () => ACCEPTED, inTheAir = tick } = options;
  const sent: number[] = [];
  const settled = new Map<number, RowEnd>();
  const walker: Walker = {
    input: inputOf(rows),
    sender: {
      earlier: async (first, last) =>
        new Map([...book].filter(([row]) => row >= first && row <= last).map(([row, one]) => [row, { ...one }])),
      lease: options.lease ?? (async () => true),
      takesUp: (one) => isTakenUp(one.state, retry),
      openReadAhead: () => options.ahead && (({ item }) => options.ahead?.(item) ?? Promise.resolve()),
    },
    continueOnUnknown: options.continueOnUnknown ?? false,
    allowRepeats: options.allowRepeats ?? false,
    concurrency: options.concurrency ?? 4,
    clock: { now: () => 0, ticks: () => performance.now(), sleep: tick },
    random: () => 0.5,
    stop: options.stop ?? new AbortController().signal,
    leave: new AbortController().signal,
  };
  const worked = await walkRows(walker, {
    mode: options.mode ?? 'send',
    rows,
    bad: options.excluded ?? bitSet(),
    read: ({ number }) => {
      const { faults } = end(number);
      return faults === undefined ? { key: options.keyOf?.(number) ?? String(number), item: number } : { faults };
    },
    work: async ({ item: row }) => {
      options.asked?.push(row);
      // Claims a row in one step, like the ledger.
      const before = book.get(row);
      if (before !== undefined && !isTakenUp(before.state, retry)) return { ...before };
      const result = end(row);
      if (result.untouched === true) return result;
      book.set(row, { state: 'sending' });
      sent.push(row);
      await inTheAir(row);
      book.set(row, { state: result.state, exitCode: result.exitCode });
      return result;
    },
    onSettled: async ({ number }, one) => {
      expect(settled.has(number), `row ${number} settled twice`).toBe(false);
      settled.set(number, one);
    },
    tell: () => undefined,
  });
  return { worked, sent, settled, book };
};

const numbers = (to: number): number[] => Array.from({ length: to }, (_, index) => index + 1);

describe('a walk that sends', () => {
  it('sends and settles each row once, over several batches', async () => {
    const { worked, sent, settled } = await run({ rows: 450 });
    expect([...sent].sort((a, b) => a - b)).toEqual(numbers(450));
    expect(settled.size).toBe(450);
    expect(worked).toMatchObject({ counts: { accepted: 450 }, done: 450, skipped: 0, failedRows: [] });
    expect(worked.stopped).toBeUndefined();
  });

  it('sends repeated rows of one key in their order, and others meanwhile', async () => {
    const log: string[] = [];
    const third = Promise.withResolvers<void>();
    const inTheAir = async (row: number): Promise<void> => {
      log.push(`${row} begins`);
      if (row === 1) await third.promise;
      log.push(`${row} ends`);
      if (row === 3) third.resolve();
    };
    await run({ rows: 3, allowRepeats: true, keyOf: (row) => (row === 3 ? 'b' : 'a'), inTheAir });
    expect(log).toEqual(['1 begins', '3 begins', '3 ends', '1 ends', '2 begins', '2 ends']);
  });

  it('skips excluded rows', async () => {
    const excluded = bitSet();
    for (const row of [2, 4]) excluded.set(row);
    const { worked, sent } = await run({ rows: 5, excluded });
    expect(sent).toEqual([1, 3, 5]);
    expect(worked.done).toBe(3);
  });

  it('counts rows without an entry, and corrects those with another outcome', async () => {
    const excluded = bitSet();
    for (const row of [2, 4]) excluded.set(row);
    const notSent: RowEnd = { state: 'not_sent', exitCode: 5 };
    const rejected: RowEnd = { state: 'rejected', exitCode: 3 };
    const book: Book = new Map([1, 4, 5, 6, 8, 9].map((row) => [row, row < 8 ? notSent : rejected]));
    const ends: Record<number, RowEnd> = {
      1: { state: 'refused', noEntry: true },
      3: { state: 'refused', noEntry: true },
      5: { state: 'accepted', kept: 'elsewhere' },
      6: { state: 'rejected' },
      7: { state: 'accepted', kept: 'here' },
      // A try of this run has left an entry that was not sent, and the next one was refused.
      8: { state: 'refused', noEntry: true, before: 'not_sent' },
      9: { state: 'invalid', faults: [] },
    };
    const { worked } = await run({ rows: 10, excluded, book, retry: true, end: (row) => ends[row] ?? ACCEPTED });
    expect(worked.adjustments).toEqual({ invalid: 3, refused: 3, accepted: 1, not_sent: -4, rejected: -1 });
  });

  it('reads ahead, and reports rows of earlier runs in their turn', async () => {
    const read: number[] = [];
    const fourth = Promise.withResolvers<void>();
    const ahead = async (row: number): Promise<void> => {
      read.push(row);
      if (row === 4) fourth.resolve();
    };
    const book: Book = new Map([[3, ACCEPTED]]);
    const { settled, worked } = await run({ rows: 5, book, concurrency: 2, ahead, inTheAir: () => fourth.promise });
    expect(read).toEqual([1, 2, 4, 5]);
    expect([...settled.keys()].indexOf(3)).toBeGreaterThan(0);
    expect(worked).toMatchObject({ done: 5, skipped: 1 });
  });

  it('does not read ahead with --allow-repeats', async () => {
    const read: number[] = [];
    const ahead = async (row: number): Promise<void> => void read.push(row);
    expect((await run({ rows: 4, allowRepeats: true, ahead })).sent).toEqual([1, 2, 3, 4]);
    expect(read).toEqual([]);
  });

  it('counts and reports rows of earlier runs without repeating them', async () => {
    const states: readonly [RowState, number][] = [
      ['accepted', 0],
      ['unknown', 6],
      ['rejected', 3],
      ['failed', 11],
    ];
    const book: Book = new Map(states.map(([state, exitCode], index) => [index + 1, { state, exitCode }]));
    const { worked, sent, settled } = await run({ rows: 5, book });
    expect(sent).toEqual([5]);
    expect(settled.size).toBe(5);
    expect(worked).toMatchObject({ counts: { accepted: 2, unknown: 1, rejected: 1, failed: 1 }, done: 5, skipped: 4 });
    expect([...worked.codes].sort()).toEqual([0, 11, 3, 6]);
  });

  it('retries a failed row once per run', async () => {
    const book: Book = new Map([[1, { state: 'rejected', exitCode: 3 }]]);
    const { sent, worked } = await run({
      rows: 2,
      book,
      retry: true,
      end: () => ({ state: 'rejected', exitCode: 3, error: 'no' }),
    });
    expect(sent).toEqual([1, 2]);
    expect(worked).toMatchObject({
      counts: { rejected: 2 },
      skipped: 0,
      failedRows: [{ count: 2, rows: [1, 2], error: 'no', reason: 'no' }],
    });
  });

  it('explains the failures of earlier runs that it counts', async () => {
    const book: Book = new Map([[1, { state: 'rejected', exitCode: 3, error: 'no' }]]);
    const end = (): RowEnd => ({ state: 'rejected', exitCode: 3, error: 'no' });
    const { sent, worked } = await run({ rows: 2, book, end });
    expect(sent).toEqual([2]);
    expect(worked).toMatchObject({ counts: { rejected: 2 }, skipped: 1, failedRows: [{ count: 2, rows: [1, 2] }] });
  });

  it('reports at most five errors, most severe first and grouped', async () => {
    const ends: Record<number, RowEnd> = {
      12: { state: 'unknown', error: 'lost' },
      13: { state: 'failed', error: 'too little money' },
    };
    const refused: RowEnd = {
      state: 'refused',
      error: 'ugw.AbCd.1 has no checkout',
      reason: 'no checkout',
      again: true,
    };
    const end = (row: number): RowEnd =>
      ends[row] ??
      (row > 6
        ? refused
        : { state: 'rejected', error: `act.AbCd.${1000 + row} of ugw.AbCd.${1000 + row} is number ${row % 4}` });
    const { failedRows, unlisted, again } = (await run({ rows: 13, concurrency: 1, end })).worked;
    expect(failedRows).toEqual([
      { count: 1, rows: [12], error: 'lost', reason: 'lost' },
      { count: 1, rows: [13], error: 'too little money', reason: 'too little money' },
      { count: 2, rows: [1, 5], error: 'act.AbCd.1001 of ugw.AbCd.1001 is number 1', reason: '… of … is number 1' },
      { count: 2, rows: [2, 6], error: expect.any(String), reason: '… of … is number 2' },
      { count: 1, rows: [3], error: expect.any(String), reason: '… of … is number 3' },
    ]);
    expect([unlisted, again]).toEqual([13 - 7, true]);
  });

  it('waits for rows that another process is sending', async () => {
    const book: Book = new Map([[2, { state: 'sending' }]]);
    let looks = 0;
    const { sent, worked } = await run({
      rows: 3,
      book,
      inTheAir: async () => {
        looks += 1;
        if (looks === 2) book.set(2, { state: 'accepted', exitCode: 0 });
        await tick();
      },
    });
    expect(sent).toEqual([1, 3]);
    expect(worked).toMatchObject({ counts: { accepted: 3 }, skipped: 1 });
  });

  it('sends a row that another process gave up', async () => {
    const book: Book = new Map([[1, { state: 'sending' }]]);
    const { sent } = await run({
      rows: 2,
      book,
      inTheAir: async (row) => {
        if (row === 2) book.set(1, { state: 'not_sent', exitCode: 130 });
        await tick();
      },
    });
    expect(sent).toEqual([2, 1]);
  });

  it('stops at a stopping outcome and leaves the others unchanged', async () => {
    const why = new PayError('auth', 'no');
    const { worked, sent } = await run({
      rows: 9,
      concurrency: 1,
      end: (row) => (row === 3 ? { state: 'rejected', exitCode: 4, stops: why } : ACCEPTED),
    });
    expect(sent).toEqual([1, 2, 3]);
    expect(worked).toMatchObject({ done: 3, stopped: why, counts: { accepted: 2, rejected: 1 } });
  });

  it('counts interrupted rows as not started if it stops before them', async () => {
    const book: Book = new Map([130, 5].map((exitCode, at) => [at + 2, { state: 'not_sent', exitCode }]));
    const end = (): RowEnd => ({ state: 'rejected', exitCode: 4, stops: new PayError('auth', 'no') });
    const { worked } = await run({ rows: 4, concurrency: 1, book, end });
    expect(worked).toMatchObject({ counts: { rejected: 1, not_sent: 1 }, adjustments: { not_sent: -1 } });
  });

  it.each<[string, states: string, continueOnUnknown: boolean, sent: number]>([
    ['continues after one or two unknown rows', 'aua uua', false, 6],
    ['stops after three unknown rows in a sequence', 'auuu aaa', false, 4],
    ['does not count an unsent row as an answer', 'uunu aaa', false, 4],
    ['counts a rejected, failed or expired row as an answer', 'uuruu fuueuu', false, 11],
    ['counts no row that another process has sent', 'uuhku u', false, 5],
    ['continues with continueOnUnknown', 'uuuuu', true, 5],
  ])('%s', async (_name, letters, continueOnUnknown, count) => {
    const states = [...letters.replace(' ', '')];
    const named: Record<string, RowEnd> = {
      ...{ a: ACCEPTED, u: { state: 'unknown' }, n: { state: 'not_sent' }, r: { state: 'rejected' } },
      ...{ f: { state: 'failed' }, e: { state: 'expired' } },
      ...{ h: { state: 'unknown', kept: 'here' }, k: { state: 'unknown', kept: 'elsewhere' } },
    };
    const end = (row: number): RowEnd => named[states[row - 1] ?? ''] ?? ACCEPTED;
    const { worked, sent } = await run({ rows: states.length, concurrency: 1, continueOnUnknown, end });
    expect(sent).toHaveLength(count);
    const stopped = count === states.length ? undefined : { kind: 'unknown' };
    expect(worked.stopped).toEqual(stopped && expect.objectContaining(stopped));
  });

  it('does not count a row that was not started', async () => {
    const why = new PayError('ledger', 'no');
    const { worked, settled } = await run({
      rows: 3,
      concurrency: 1,
      end: (row) => (row === 2 ? { state: 'unknown', untouched: true, stops: why } : ACCEPTED),
    });
    expect(worked).toMatchObject({ done: 1, counts: { accepted: 1 }, stopped: why });
    expect([...settled.keys()]).toEqual([1]);
  });

  it.each(['ledger', 'unrecorded'] as const)('looks up no stored results after an error: %s', async (kind) => {
    const why = new PayError(kind, 'no');
    const book: Book = new Map([[2, ACCEPTED]]);
    const end = (): RowEnd => ({ state: 'accepted', exitCode: 7, stops: why });
    expect((await run({ rows: 2, concurrency: 1, book, end })).worked).toMatchObject({ done: 1, stopped: why });
  });

  it('ends with the stopping outcome of a row rather than with an error of the ledger after it', async () => {
    const [why, unleased] = [new PayError('auth', 'no'), Promise.withResolvers<void>()];
    const { worked } = await run({
      ...{ rows: 129, concurrency: 2 },
      lease: async (slice) => {
        if (slice === 0) return true;
        unleased.resolve();
        throw new PayError('ledger', 'no');
      },
      inTheAir: (row) => (row === 1 ? unleased.promise : tick()),
      end: (row) => (row === 1 ? { state: 'rejected', exitCode: 4, stops: why } : ACCEPTED),
    });
    expect(worked).toMatchObject({ stopped: why, counts: { accepted: 127, rejected: 1 } });
  });

  it('ends on a signal, also while waiting for another process', async () => {
    const stop = new AbortController();
    const waiting = run({ rows: 1, book: new Map([[1, { state: 'sending' }]]), stop: stop.signal });
    await tick();
    stop.abort('SIGINT');
    expect((await waiting).worked).toMatchObject({ stopped: 'signal', done: 0 });
  });

  it('lets concurrent processes share the rows: each row once, and each process reports all', async () => {
    const worlds = fc.record({
      rows: fc.integer({ min: 1, max: 40 }),
      processes: fc.integer({ min: 1, max: 4 }),
      slow: fc.array(fc.nat(3), { minLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(worlds, async ({ rows, processes, slow }) => {
        const book: Book = new Map();
        const inTheAir = async (row: number): Promise<void> => {
          for (let left = slow[row % slow.length] ?? 0; left >= 0; left -= 1) await tick();
        };
        const done = await Promise.all(
          numbers(processes).map((one) => run({ rows, book, inTheAir, concurrency: one })),
        );
        expect(done.flatMap(({ sent }) => sent).sort((a, b) => a - b)).toEqual(numbers(rows));
        for (const { settled, worked } of done) {
          expect(settled.size).toBe(rows);
          expect(worked.counts).toEqual({ accepted: rows });
        }
      }),
      { numRuns: 60 },
    );
  });
});

it.each([
  ['check', [2]],
  ['judge', [1, 2]],
] as const)(
  'a walk to %s works on these rows of one being sent elsewhere, one not sent and one done: %j',
  async (mode, rows) => {
    const states = ['sending', 'not_sent', 'accepted'] as const;
    const asked: number[] = [];
    await run({ mode, rows: 3, concurrency: 1, book: new Map(states.map((state, at) => [at + 1, { state }])), asked });
    expect(asked).toEqual(rows);
  },
);

describe('a slice leased by another machine', () => {
  it('is skipped, sent once free, and counted', async () => {
    const asked: number[] = [];
    const book: Book = new Map([[130, ACCEPTED]]);
    const lease = async (slice: number): Promise<boolean> => {
      asked.push(slice);
      return slice !== 1 || asked.filter((one) => one === 1).length > 1;
    };
    const { sent, settled } = await run({ rows: 300, book, lease, concurrency: 1 });
    const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
    expect(sent).toEqual([...numbers(1, 128), ...numbers(257, 300), 129, ...numbers(131, 256)]);
    expect(asked).toEqual([0, 1, 2, 1]);
    expect(settled.size).toBe(300);
  });

  it('is not requested if none of its rows needs sending', async () => {
    const book: Book = new Map(Array.from({ length: 200 }, (_, at) => [at + 1, ACCEPTED]));
    const lease = async (): Promise<boolean> => {
      throw new Error('asked');
    };
    expect((await run({ rows: 200, book, lease })).settled.size).toBe(200);
  });
});

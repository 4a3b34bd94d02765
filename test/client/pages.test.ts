import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Arrived, type Walk, walkPages } from '../../src/client/send.ts';
import { PayError } from '../../src/core/error.ts';
import type { ApiPage } from '../../src/core/record.ts';

/** A list as a graph: each cursor (the first is '') leads to records and a next cursor. */
type Graph = Readonly<Record<string, { readonly records: readonly number[]; readonly next: string | null }>>;

const arrived = (page: ApiPage<number>): Arrived<number> => ({
  count: page.records.length,
  nextCursor: page.nextCursor,
  open: () => page,
});

const fetchFrom =
  (graph: Graph, asked: string[] = []) =>
  async (cursor: string | undefined): Promise<Arrived<number>> => {
    asked.push(cursor ?? '');
    const node = graph[cursor ?? ''];
    if (node === undefined) throw new PayError('read_failed', `no page at ${cursor}`);
    const records = node.records.map((value) => ({ value, text: String(value) }));
    return arrived({ records, cursor, nextCursor: node.next });
  };

const collect = async (
  graph: Graph,
  walk: Walk = {},
): Promise<{ numbers: number[]; thrown: unknown; asked: string[] }> => {
  const numbers: number[] = [];
  const asked: string[] = [];
  let thrown: unknown;
  try {
    for await (const page of walkPages(fetchFrom(graph, asked), walk))
      numbers.push(...page.records.map(({ value }) => value));
  } catch (error) {
    thrown = error;
  }
  return { numbers, thrown, asked };
};

const CHAIN: Graph = {
  '': { records: [1, 2], next: 'a' },
  a: { records: [], next: 'b' },
  b: { records: [3], next: 'c' },
  c: { records: [4], next: null },
};

describe('a walk over pages', () => {
  it('follows next_cursor to null and tolerates an empty page that has one', async () => {
    expect(await collect(CHAIN)).toEqual({ numbers: [1, 2, 3, 4], thrown: undefined, asked: ['', 'a', 'b', 'c'] });
  });

  it('starts from a cursor', async () => {
    expect((await collect(CHAIN, { from: 'b' })).numbers).toEqual([3, 4]);
  });

  it('stops after so many pages without asking for the next', async () => {
    expect(await collect(CHAIN, { pages: 1 })).toEqual({ numbers: [1, 2], thrown: undefined, asked: [''] });
  });

  it('stops once enough records were seen without asking for more', async () => {
    expect(await collect(CHAIN, { records: 3 })).toEqual({
      numbers: [1, 2, 3],
      thrown: undefined,
      asked: ['', 'a', 'b'],
    });
  });

  it.each([
    ['itself', { '': { records: [1], next: 'a' }, a: { records: [2], next: 'a' } }, [1, 2]],
    [
      'an earlier page',
      { '': { records: [1], next: 'a' }, a: { records: [2], next: 'b' }, b: { records: [3], next: 'a' } },
      [1, 2, 3],
    ],
  ])('ends at a cursor that leads back to %s, after showing what it has', async (_where, graph, numbers) => {
    const walked = await collect(graph);
    expect(walked.numbers).toEqual(numbers);
    expect(walked.thrown).toMatchObject({ kind: 'read_failed', message: expect.stringContaining('same cursor') });
  });

  it('ends at the cursor that it was started from', async () => {
    const walked = await collect({ x: { records: [1], next: 'x' } }, { from: 'x' });
    expect(walked).toMatchObject({
      numbers: [1],
      asked: ['x'],
      thrown: {
        kind: 'read_failed',
        detail: { hint: 'everything shown so far is complete; report the cursor to the service' },
      },
    });
  });

  it('ends at a long cursor that comes again, and knows one long cursor from another', async () => {
    const [one, two] = [`${'c'.repeat(70)}1`, `${'c'.repeat(70)}2`];
    const walked = await collect({
      '': { records: [1], next: one },
      [one]: { records: [2], next: two },
      [two]: { records: [3], next: one },
    });
    expect(walked).toMatchObject({ numbers: [1, 2, 3], thrown: { kind: 'read_failed' } });
  });

  it('goes on over any number of pages with records', async () => {
    let made = 0;
    const fetch = async (cursor: string | undefined): Promise<Arrived<number>> => {
      made += 1;
      const nextCursor = made < 1500 ? `c${made}` : null;
      return arrived({ records: [{ value: made, text: String(made) }], cursor, nextCursor });
    };
    let seen = 0;
    for await (const { records } of walkPages<number>(fetch, {})) seen += records.length;
    expect(seen).toBe(1500);
  });

  it('gives up on an endless row of empty pages', async () => {
    let made = 0;
    const pages = walkPages<number>(async (cursor) => arrived({ records: [], cursor, nextCursor: `c${made++}` }), {});
    const all = async (): Promise<void> => {
      for await (const page of pages) expect(page.records).toEqual([]);
    };
    await expect(all()).rejects.toMatchObject({ kind: 'read_failed', message: expect.stringContaining('empty pages') });
    expect(made).toBe(1000);
  });

  it('over any graph of cursors ends, and asks for no cursor twice', async () => {
    const cursors = fc.constantFrom('a', 'b', 'c', 'd');
    const node = fc.record({ records: fc.array(fc.nat(), { maxLength: 2 }), next: fc.option(cursors, { nil: null }) });
    await fc.assert(
      fc.asyncProperty(fc.record({ '': node, a: node, b: node, c: node, d: node }), async (graph) => {
        const { asked } = await collect(graph);
        expect(new Set(asked).size).toBe(asked.length);
      }),
    );
  });

  it('asks for the next page while the current one is being consumed', async () => {
    const asked: string[] = [];
    const pages = walkPages(fetchFrom(CHAIN, asked), {});
    await pages.next();
    expect(asked).toEqual(['', 'a']);
    await pages.return(undefined);
  });

  it('asks for the next page before this one is checked, and drops that request when this one is found wrong', async () => {
    const events: string[] = [];
    const signals: AbortSignal[] = [];
    const pages = walkPages<number>(async (cursor, signal) => {
      events.push(`asked for ${cursor}`);
      signals.push(signal);
      if (cursor !== undefined) return new Promise(() => undefined);
      const open = (): never => {
        events.push('opened');
        throw new PayError('read_failed', 'breaks the contract');
      };
      return { count: 1, nextCursor: 'next', open };
    }, {});
    await expect(pages.next()).rejects.toMatchObject({ message: 'breaks the contract' });
    expect(events).toEqual(['asked for undefined', 'asked for next', 'opened']);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('drops the request that is under way when the consumer leaves', async () => {
    const signals: AbortSignal[] = [];
    const pages = walkPages<number>(async (cursor, signal) => {
      signals.push(signal);
      if (cursor === undefined) return arrived({ records: [], cursor, nextCursor: 'next' });
      return new Promise(() => undefined);
    }, {});
    await pages.next();
    await pages.return(undefined);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('hands out the page before it fails with the next one', async () => {
    const walked = await collect({ '': { records: [1], next: 'gone' } });
    expect(walked.numbers).toEqual([1]);
    expect(walked.thrown).toMatchObject({ message: 'no page at gone' });
  });
});
